//! What unions cost: from tables of pairs, or from the ancestors of one value where those would be
//! too large.

use std::sync::Arc;

use crate::algorithm::local::closure::{Closures, Open};
use crate::algorithm::local::index::branch::branch;
use crate::problem::Problem;
use crate::taxonomy::{Span, ValueId, preorder};

/// Most values of an attribute whose pairs are tabled.
const MAX_VALUES: usize = 512;

/// For each attribute and pair of values what their join costs, and at least costs below.
pub(super) struct PairCosts<'p> {
    closures: &'p Closures,
    tables: Arc<Tables>,
}

/// What is the same for all parts of a problem.
struct Tables {
    parents: Vec<Vec<ValueId>>,
    pairs: Vec<Pairs>,
    joins: Vec<f64>,
    floors: Vec<f64>,
}

/// Where the pairs of an attribute are.
enum Pairs {
    /// In the tables, from `start`, by rows of so many values.
    Table { start: usize, values: usize },
    /// In none; which values cover which follows from the order of the tree.
    Spans(Vec<Span>),
    /// In none, and there is no tree.
    Open,
}

/// One record against many.
pub(super) struct Rows<'c, 'p> {
    closures: &'p Closures,
    tables: &'c Tables,
    rows: Vec<Row<'c>>,
    /// The ancestors of values whose pairs are not tabled.
    ancestors: Vec<Ancestor>,
}

/// One value of a record against others.
enum Row<'c> {
    /// Where its row of the tables begins.
    Table(usize),
    /// Where its ancestors begin, the value itself first, and the spans of all values.
    Ancestors(usize, &'c [Span]),
    /// A range or set.
    Open(&'c Open, ValueId),
}

struct Ancestor {
    value: ValueId,
    span: Span,
    cost: f64,
    /// The least cost from the value up to here.
    least: f64,
}

impl<'p> PairCosts<'p> {
    /// The costs of a problem.
    pub(super) fn new(problem: &Problem, closures: &'p Closures) -> PairCosts<'p> {
        PairCosts { closures, tables: problem.derived(|| Tables::new(problem, closures, MAX_VALUES)) }
    }

    /// The value next below `top` on the way to `value`; `top` if that is the value itself. Without
    /// a tree, some number by which values below `top` can be told apart, or not.
    pub(super) fn branch(&self, attribute: usize, top: ValueId, value: ValueId) -> u32 {
        if let Some(open) = self.closures.open(attribute) {
            return open.branch(top, value);
        }
        let parents = &self.tables.parents[attribute];
        branch(top, value, |value| parents[value as usize])
    }

    /// The closures.
    pub(super) fn closures(&self) -> &'p Closures {
        self.closures
    }

    /// A record against others.
    pub(super) fn rows<'c>(&'c self, record: &[ValueId]) -> Rows<'c, 'p> {
        let (closures, tables) = (self.closures, &*self.tables);
        let mut rows =
            Rows { closures, tables, rows: Vec::with_capacity(record.len()), ancestors: Vec::new() };
        for (attribute, (pairs, &value)) in tables.pairs.iter().zip(record).enumerate() {
            let row = match pairs {
                Pairs::Table { start, values } => Row::Table(start + value as usize * values),
                Pairs::Spans(spans) => {
                    let start = rows.ancestors.len();
                    rows.push_ancestors(attribute, value, spans);
                    Row::Ancestors(start, spans)
                }
                Pairs::Open => Row::Open(closures.open(attribute).expect("no tree"), value),
            };
            rows.rows.push(row);
        }
        rows
    }
}

impl Tables {
    /// The tables of a problem, for attributes of no more than so many values.
    fn new(problem: &Problem, closures: &Closures, most_values: usize) -> Tables {
        let parents = |a: usize| {
            let values = problem.attributes()[a].taxonomy.values();
            values.iter().map(|value| value.parent).collect()
        };
        let parents: Vec<Vec<ValueId>> = (0..closures.attributes()).map(parents).collect();
        let mut tables = Tables { parents, pairs: Vec::new(), joins: Vec::new(), floors: Vec::new() };
        for attribute in 0..closures.attributes() {
            let values = tables.parents[attribute].len();
            let pairs = if closures.open(attribute).is_some() {
                Pairs::Open
            } else if values > most_values {
                Pairs::Spans(preorder(&tables.parents[attribute]))
            } else {
                let start = tables.joins.len();
                tables.add(closures, attribute, values as ValueId);
                Pairs::Table { start, values }
            };
            tables.pairs.push(pairs);
        }
        tables
    }

    fn add(&mut self, closures: &Closures, attribute: usize, values: ValueId) {
        for (a, b) in (0..values).flat_map(|a| (0..values).map(move |b| (a, b))) {
            self.joins.push(closures.pair_cost(attribute, a, b));
            self.floors.push(self.floor(closures, attribute, a, b));
        }
    }

    /// The least cost of a join of `a` with `b` or any value below it.
    ///
    /// If `b` covers `a`, that join may be any value from `a` up to `b`; otherwise it is always the
    /// same. Costs need not grow along the way: those of the entropy measure do not.
    fn floor(&self, closures: &Closures, attribute: usize, a: ValueId, b: ValueId) -> f64 {
        let join = closures.join(attribute, a, b);
        if join != b {
            return closures.cell_cost(attribute, join);
        }
        let mut least = closures.cell_cost(attribute, a);
        let mut at = a;
        while at != b {
            at = self.parents[attribute][at as usize];
            least = least.min(closures.cell_cost(attribute, at));
        }
        least
    }
}

impl<'c> Rows<'c, '_> {
    fn push_ancestors(&mut self, attribute: usize, mut value: ValueId, spans: &[Span]) {
        let mut least = f64::INFINITY;
        loop {
            let cost = self.closures.cell_cost(attribute, value);
            least = least.min(cost);
            self.ancestors.push(Ancestor { value, span: spans[value as usize], cost, least });
            let parent = self.tables.parents[attribute][value as usize];
            if parent == value {
                return;
            }
            value = parent;
        }
    }

    /// What the union with another record costs; as [`Closures::join_cost`].
    #[inline]
    pub(super) fn join(&self, other: &[ValueId]) -> f64 {
        let mut sum = 0.0;
        for (row, &value) in self.rows.iter().zip(other) {
            sum += match *row {
                Row::Table(start) => self.tables.joins[start + value as usize],
                Row::Ancestors(start, spans) => self.common(start, spans, value).cost,
                Row::Open(open, own) => open.pair_cost(own, value),
            };
        }
        sum
    }

    /// What the union with any record that `top` covers costs at least.
    ///
    /// Added up in the order of [`join`](Self::join), so that rounding keeps it below.
    #[inline]
    pub(super) fn floor(&self, top: &[ValueId]) -> f64 {
        let mut sum = 0.0;
        for (row, &value) in self.rows.iter().zip(top) {
            sum += match *row {
                Row::Table(start) => self.tables.floors[start + value as usize],
                Row::Ancestors(start, spans) => {
                    let common = self.common(start, spans, value);
                    if common.value == value { common.least } else { common.cost }
                }
                Row::Open(open, own) => open.floor(own, value),
            };
        }
        sum
    }

    /// The first of the ancestors from `start` that covers a value.
    #[inline]
    fn common(&self, start: usize, spans: &'c [Span], value: ValueId) -> &Ancestor {
        let place = spans[value as usize].start;
        let mut ancestors = self.ancestors[start..].iter();
        ancestors.find(|ancestor| ancestor.span.contains(place)).expect("the root covers every value")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::local::closures;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::requirement::Requirement;
    use crate::table::Table;
    use crate::taxonomy::Taxonomy;

    /// Entropy costs that fall on the way up: the last leaf is very frequent.
    fn problem() -> Problem {
        let rows =
            [["a", "ab", "abc", "*"], ["b", "ab", "abc", "*"], ["c", "c", "abc", "*"], ["d", "d", "d", "*"]];
        let taxonomy = Taxonomy::from_rows(&rows).unwrap();
        let table = Table::new(vec![vec![0, 1, 2, 3]], vec![3, 3, 90, 4]);
        let entropy = loss::find("entropy").unwrap();
        let k = Requirement::new(KAnonymity { k: 2 });
        Problem::new(table, vec![("x".into(), taxonomy, 1.0)], k, 0, entropy).unwrap()
    }

    #[test]
    fn tables_agree_with_closures_and_floors_are_least() {
        let problem = problem();
        let closures = closures(&problem);
        let taxonomy = &problem.attributes()[0].taxonomy;
        let none = Arc::new(Tables::new(&problem, &closures, 0));
        let tabled = PairCosts::new(&problem, &closures);
        let bare = PairCosts { closures: &closures, tables: none };
        let values = 0..taxonomy.values().len() as ValueId;
        for a in values.clone() {
            for b in values.clone() {
                let below = values.clone().filter(|&value| taxonomy.covers(b, value));
                let joins = below.map(|value| closures.join_cost(&[a], &[value]));
                let least = joins.min_by(f64::total_cmp).unwrap();
                for costs in [&tabled, &bare] {
                    assert_eq!(costs.rows(&[a]).join(&[b]), closures.join_cost(&[a], &[b]));
                    assert_eq!(costs.rows(&[a]).floor(&[b]), least);
                }
            }
        }
    }

    #[test]
    fn branches_lead_down_to_the_value() {
        let problem = problem();
        let closures = closures(&problem);
        let costs = PairCosts::new(&problem, &closures);
        let taxonomy = &problem.attributes()[0].taxonomy;
        let branch = |value| taxonomy.label(costs.branch(0, taxonomy.root(), value));
        assert_eq!((branch(0), branch(2), branch(3), branch(taxonomy.root())), ("abc", "abc", "d", "*"));
    }
}
