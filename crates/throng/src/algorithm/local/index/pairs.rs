//! What joins cost, and at least cost: one record against many, from tables of pairs, or from the
//! ancestors of its values where tables would be too large.

use std::sync::Arc;

use crate::algorithm::local::closure::{Closures, Open};
use crate::problem::Problem;
use crate::taxonomy::{Span, ValueId, preorder};

/// Most values of an attribute whose pairs are tabled.
const MAX_VALUES: usize = 512;

/// For each attribute and pair of values what their join costs, and at least costs below.
pub(in crate::algorithm::local) struct PairCosts<'p> {
    closures: &'p Closures,
    /// By attribute; the same for all parts of a problem.
    kept: Arc<Vec<KeptPairs>>,
}

/// What is kept of the pairs of an attribute.
enum KeptPairs {
    /// All of them, by rows of so many values.
    Table { values: usize, pairs: Vec<PairCost> },
    /// Which values cover which, by the order of the tree.
    Spans(Vec<Span>),
    /// Nothing: there is no tree.
    Open,
}

/// What is known of a pair of values: what their join costs, and the [`Floor`] for all below the second.
#[derive(Clone, Copy)]
struct PairCost {
    join: f64,
    floor: Floor,
}

/// What the join of a value, or a record, with any other below a given one costs at least, and how
/// much more than that other at least.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::algorithm::local) struct Floor {
    pub(in crate::algorithm::local) cost: f64,
    pub(in crate::algorithm::local) rise: f64,
}

/// One record against many.
pub(in crate::algorithm::local) struct Probe<'c> {
    closures: &'c Closures,
    cells: Vec<ProbeCell<'c>>,
    /// The ancestors of values whose pairs are not tabled.
    ancestors: Vec<Ancestor>,
}

/// One value of a record against others.
struct ProbeCell<'c> {
    /// Its row of the table; empty if there is none.
    row: &'c [PairCost],
    untabled: Untabled<'c>,
}

/// A value whose pairs are in no table.
enum Untabled<'c> {
    /// They are.
    No,
    /// Where its ancestors begin, the value itself first, and the spans of all values.
    Ancestors(usize, &'c [Span]),
    /// A range or set.
    Open(&'c Open, ValueId),
}

struct Ancestor {
    value: ValueId,
    span: Span,
    cost: f64,
    /// What joins that lie between the value and here cost at least.
    least: f64,
}

impl<'p> PairCosts<'p> {
    /// The costs of a problem.
    pub(in crate::algorithm::local) fn new(problem: &Problem, closures: &'p Closures) -> PairCosts<'p> {
        PairCosts { closures, kept: problem.derived(|| KeptPairs::all(closures, MAX_VALUES)) }
    }

    /// A record against others.
    pub(in crate::algorithm::local) fn probe<'c>(&'c self, record: &[ValueId]) -> Probe<'c> {
        let (closures, cells) = (self.closures, Vec::with_capacity(record.len()));
        let mut probe = Probe { closures, cells, ancestors: Vec::new() };
        for (attribute, (kept, &value)) in self.kept.iter().zip(record).enumerate() {
            let (mut row, mut untabled): (&[PairCost], _) = (&[], Untabled::No);
            match kept {
                KeptPairs::Table { values, pairs } => row = &pairs[value as usize * values..][..*values],
                KeptPairs::Spans(spans) => {
                    untabled = Untabled::Ancestors(probe.ancestors.len(), spans);
                    probe.push_ancestors(attribute, value, spans);
                }
                KeptPairs::Open => {
                    untabled = Untabled::Open(closures.open(attribute).expect("no tree"), value)
                }
            }
            probe.cells.push(ProbeCell { row, untabled });
        }
        probe
    }
}

impl KeptPairs {
    /// Of all attributes; tables for those of no more than so many values.
    fn all(closures: &Closures, most_values: usize) -> Vec<KeptPairs> {
        (0..closures.attributes()).map(|attribute| KeptPairs::new(closures, attribute, most_values)).collect()
    }

    fn new(closures: &Closures, attribute: usize, most_values: usize) -> KeptPairs {
        let Some(values) = closures.values(attribute) else { return KeptPairs::Open };
        if values > most_values {
            let parent = |value| closures.parent(attribute, value).expect("a value of a tree");
            let parents: Vec<ValueId> = (0..values as ValueId).map(parent).collect();
            return KeptPairs::Spans(preorder(&parents));
        }
        let all = 0..values as ValueId;
        let pair = |a, b| {
            let join = closures.pair_cost(attribute, a, b);
            PairCost { join, floor: floor(closures, attribute, a, b) }
        };
        let pairs = all.clone().flat_map(|a| all.clone().map(move |b| (a, b)));
        let pairs = pairs.map(|(a, b)| pair(a, b)).collect();
        KeptPairs::Table { values, pairs }
    }
}

/// The floor of a join of `a` with `b` or any value below it.
///
/// If `b` covers `a`, that join may be any value from `a` up to `b`, and what `a` is joined with may be
/// the join; otherwise it is always the same. Costs need not grow along the way: those of the entropy
/// measure do not.
fn floor(closures: &Closures, attribute: usize, a: ValueId, b: ValueId) -> Floor {
    let join = closures.join(attribute, a, b);
    if join != b {
        let cost = closures.cell_cost(attribute, join);
        return Floor { cost, rise: cost - closures.cell_cost(attribute, b) };
    }
    let mut least = own_floor(closures, attribute, a);
    let mut at = a;
    while at != b {
        at = closures.parent(attribute, at).expect("below another");
        least = least.min(closures.cell_cost(attribute, at));
    }
    Floor { cost: least, rise: 0.0 }
}

/// What a value costs at least that may be joined with itself: a leaf nothing, whatever rounding has
/// left of that.
fn own_floor(closures: &Closures, attribute: usize, value: ValueId) -> f64 {
    if closures.is_leaf(attribute, value) { 0.0 } else { closures.cell_cost(attribute, value) }
}

impl<'c> Probe<'c> {
    fn push_ancestors(&mut self, attribute: usize, mut value: ValueId, spans: &[Span]) {
        let mut least = own_floor(self.closures, attribute, value);
        loop {
            let cost = self.closures.cell_cost(attribute, value);
            least = least.min(cost);
            self.ancestors.push(Ancestor { value, span: spans[value as usize], cost, least });
            let parent = self.closures.parent(attribute, value).expect("a value of a tree");
            if parent == value {
                return;
            }
            value = parent;
        }
    }

    /// What the union with another record costs; as [`Closures::join_cost`].
    #[inline]
    pub(in crate::algorithm::local) fn join(&self, other: &[ValueId]) -> f64 {
        let mut sum = 0.0;
        for (cell, &value) in self.cells.iter().zip(other) {
            sum += self.join_cell(cell, value);
        }
        sum
    }

    /// What the union with another record costs, if it is below a limit.
    #[inline]
    pub(in crate::algorithm::local) fn join_below(&self, other: &[ValueId], limit: f64) -> Option<f64> {
        let mut sum = 0.0;
        for (cell, &value) in self.cells.iter().zip(other) {
            sum += self.join_cell(cell, value);
            if sum >= limit {
                return None;
            }
        }
        Some(sum)
    }

    /// What the union with any record that `top` covers costs at least.
    ///
    /// Added up in the order of [`join`](Self::join), so that rounding keeps it below.
    #[inline]
    pub(in crate::algorithm::local) fn floor(&self, top: &[ValueId]) -> f64 {
        let mut sum = 0.0;
        for (cell, &value) in self.cells.iter().zip(top) {
            sum += self.floor_cell(cell, value);
        }
        sum
    }

    /// As [`floor`](Self::floor), if it is below a limit.
    #[inline]
    pub(in crate::algorithm::local) fn floor_below(&self, top: &[ValueId], limit: f64) -> Option<f64> {
        let mut sum = 0.0;
        for (cell, &value) in self.cells.iter().zip(top) {
            sum += self.floor_cell(cell, value);
            if sum >= limit {
                return None;
            }
        }
        Some(sum)
    }

    /// As [`floor`](Self::floor), with the least rise.
    #[inline]
    pub(in crate::algorithm::local) fn floor_and_rise(&self, top: &[ValueId]) -> Floor {
        let mut sum = Floor::default();
        for (attribute, (cell, &value)) in self.cells.iter().zip(top).enumerate() {
            let floor = match cell.row.get(value as usize) {
                Some(pair) => pair.floor,
                None => self.untabled_floor(attribute, cell, value),
            };
            sum = Floor { cost: sum.cost + floor.cost, rise: sum.rise + floor.rise };
        }
        sum
    }

    /// By how much less the union costs in an attribute with a closure of one value than of another.
    #[inline]
    pub(in crate::algorithm::local) fn saved(&self, attribute: usize, value: ValueId, other: ValueId) -> f64 {
        let cell = &self.cells[attribute];
        self.join_cell(cell, value) - self.join_cell(cell, other)
    }

    #[inline]
    fn join_cell(&self, cell: &ProbeCell<'c>, value: ValueId) -> f64 {
        match (cell.row.get(value as usize), &cell.untabled) {
            (Some(pair), _) => pair.join,
            (None, Untabled::Open(open, own)) => open.pair_cost(*own, value),
            (None, Untabled::Ancestors(start, spans)) => self.common(*start, spans, value).cost,
            (None, Untabled::No) => unreachable!("a row has all values"),
        }
    }

    #[inline]
    fn floor_cell(&self, cell: &ProbeCell<'c>, value: ValueId) -> f64 {
        match (cell.row.get(value as usize), &cell.untabled) {
            (Some(pair), _) => pair.floor.cost,
            (None, Untabled::Open(open, own)) => open.floor(*own, value),
            (None, Untabled::Ancestors(start, spans)) => {
                let common = self.common(*start, spans, value);
                if common.value == value { common.least } else { common.cost }
            }
            (None, Untabled::No) => unreachable!("a row has all values"),
        }
    }

    fn untabled_floor(&self, attribute: usize, cell: &ProbeCell<'c>, value: ValueId) -> Floor {
        let cost = self.floor_cell(cell, value);
        let rise = match cell.untabled {
            Untabled::Open(..) => 0.0,
            _ => self.join_cell(cell, value) - self.closures.cell_cost(attribute, value),
        };
        Floor { cost, rise }
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
    use crate::algorithm::local::{art, closures};
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
        let none = Arc::new(KeptPairs::all(&closures, 0));
        let tabled = PairCosts::new(&problem, &closures);
        let bare = PairCosts { closures: &closures, kept: none };
        let values = 0..taxonomy.values().len() as ValueId;
        for a in values.clone() {
            for b in values.clone() {
                let below = values.clone().filter(|&value| taxonomy.covers(b, value));
                let joins = below.map(|value| closures.join_cost(&[a], &[value]));
                let least = joins.min_by(f64::total_cmp).unwrap();
                for costs in [&tabled, &bare] {
                    assert_eq!(costs.probe(&[a]).join(&[b]), closures.join_cost(&[a], &[b]));
                    assert_eq!(costs.probe(&[a]).floor(&[b]), least);
                }
            }
        }
    }

    #[test]
    fn branches_lead_down_to_the_value() {
        let problem = problem();
        let closures = closures(&problem);
        let taxonomy = &problem.attributes()[0].taxonomy;
        let branch = |value| taxonomy.label(closures.branch(0, taxonomy.root(), value));
        assert_eq!((branch(0), branch(2), branch(3), branch(taxonomy.root())), ("abc", "abc", "d", "*"));
    }

    #[test]
    fn limits_and_rises() {
        for measure in ["lm", "entropy"] {
            let problem = art::problem(60, 6, 1, 3, measure);
            let closures = closures(&problem);
            let few = Arc::new(KeptPairs::all(&closures, 4));
            let tabled = PairCosts::new(&problem, &closures);
            let bare = PairCosts { closures: &closures, kept: few };
            let record =
                |tuple: usize| -> Vec<ValueId> { (0..6).map(|a| problem.table().column(a)[tuple]).collect() };
            for tuple in 0..problem.table().tuples() {
                let mut cover = record(tuple);
                closures.extend(&mut cover, &record(tuple / 2));
                let probes = [&tabled, &bare].map(|pairs| pairs.probe(&record(tuple / 3)));
                for probe in &probes {
                    let joined = closures.join_cost(&record(tuple / 3), &cover);
                    assert_eq!(probe.join(&cover), joined);
                    assert_eq!(probe.join_below(&cover, joined), None);
                    assert_eq!(probe.join_below(&cover, joined.next_up()), Some(joined));
                }
                assert_eq!(probes[0].floor_and_rise(&cover), probes[1].floor_and_rise(&cover));
                assert_eq!(probes[0].floor_and_rise(&cover).cost, probes[1].floor(&cover));
            }
        }
    }
}
