//! What unions cost: one record against many, from tables of pairs.

use std::sync::Arc;

use crate::algorithm::local::closure::Closures;
use crate::problem::Problem;
use crate::taxonomy::ValueId;

/// Most values of an attribute whose pairs are tabled.
const MAX_VALUES: usize = 512;

/// For each attribute and pair of values what their join costs, and a [`Floor`].
pub(super) struct Pairs<'p> {
    closures: &'p Closures,
    tables: Arc<Vec<Table>>,
}

/// The pairs of an attribute, row by row; empty where there are too many, or no tree.
struct Table {
    values: usize,
    costs: Vec<f64>,
    floors: Vec<Floor>,
}

/// What the join of a value with any other below a given one costs at least, and how much more
/// than that other at least.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Floor {
    pub(super) cost: f64,
    pub(super) rise: f64,
}

impl<'p> Pairs<'p> {
    /// The pairs of a problem.
    pub(super) fn new(problem: &Problem, closures: &'p Closures) -> Pairs<'p> {
        let tables = problem.derived(|| Pairs::tables(problem, closures, MAX_VALUES));
        Pairs { closures, tables }
    }

    /// Tables for attributes of no more than so many values.
    fn tables(problem: &Problem, closures: &Closures, most_values: usize) -> Vec<Table> {
        let table = |a: usize| {
            let values = problem.attributes()[a].taxonomy.values().len();
            let is_tabled = values <= most_values && closures.open(a).is_none();
            let tabled = 0..if is_tabled { values as ValueId } else { 0 };
            let pairs = || tabled.clone().flat_map(|x| tabled.clone().map(move |y| (x, y)));
            let costs = pairs().map(|(x, y)| closures.pair_cost(a, x, y)).collect();
            Table { values, costs, floors: pairs().map(|(x, y)| floor(closures, a, x, y)).collect() }
        };
        (0..closures.attributes()).map(table).collect()
    }

    /// A record that is to be joined with many.
    pub(super) fn probe(&self, record: &[ValueId]) -> Probe<'_> {
        let rows = self.tables.iter().zip(record).map(|(table, &value)| table.row(value));
        Probe { closures: self.closures, rows: rows.collect() }
    }
}

impl Table {
    fn row(&self, value: ValueId) -> Row<'_> {
        let row = value as usize * self.values..(value as usize + 1) * self.values;
        let costs = self.costs.get(row.clone()).unwrap_or_default();
        Row { value, costs, floors: self.floors.get(row).unwrap_or_default() }
    }
}

/// A value that the second one covers costs nothing to reach, for all that is known; in a tree, any
/// other has the same join with all that the second one covers.
fn floor(closures: &Closures, attribute: usize, x: ValueId, y: ValueId) -> Floor {
    if let Some(open) = closures.open(attribute) {
        return Floor { cost: open.floor(x, y), rise: 0.0 };
    }
    let join = closures.join(attribute, x, y);
    if join == y {
        return Floor::default();
    }
    let cost = closures.cell_cost(attribute, join);
    Floor { cost, rise: cost - closures.cell_cost(attribute, y) }
}

/// One record against others.
pub(super) struct Probe<'c> {
    closures: &'c Closures,
    rows: Vec<Row<'c>>,
}

/// A value and its rows of the tables, if there are any.
struct Row<'c> {
    value: ValueId,
    costs: &'c [f64],
    floors: &'c [Floor],
}

impl Probe<'_> {
    /// d of the record itself.
    pub(super) fn cost(&self) -> f64 {
        self.rows.iter().enumerate().map(|(a, row)| self.closures.cell_cost(a, row.value)).sum()
    }

    /// d of the union with a set of this closure.
    #[inline]
    pub(super) fn join(&self, cover: &[ValueId]) -> f64 {
        cover.iter().enumerate().map(|(a, &value)| self.join_cell(a, value)).sum()
    }

    /// d of the union with a set of this closure, if it is below a limit.
    #[inline]
    pub(super) fn join_below(&self, cover: &[ValueId], limit: f64) -> Option<f64> {
        let mut sum = 0.0;
        for (a, &value) in cover.iter().enumerate() {
            sum += self.join_cell(a, value);
            if sum >= limit {
                return None;
            }
        }
        Some(sum)
    }

    /// By how much less the union costs in an attribute with a closure of one value than of another.
    #[inline]
    pub(super) fn saved(&self, attribute: usize, value: ValueId, other: ValueId) -> f64 {
        self.join_cell(attribute, value) - self.join_cell(attribute, other)
    }

    #[inline]
    fn join_cell(&self, attribute: usize, value: ValueId) -> f64 {
        let row = &self.rows[attribute];
        let tabled = row.costs.get(value as usize).copied();
        tabled.unwrap_or_else(|| self.closures.pair_cost(attribute, row.value, value))
    }

    /// What the union with any set costs at least whose closure this one covers.
    #[inline]
    pub(super) fn floor(&self, top: &[ValueId]) -> Floor {
        let mut sum = Floor::default();
        for (a, (row, &value)) in self.rows.iter().zip(top).enumerate() {
            let tabled = row.floors.get(value as usize).copied();
            let floor = tabled.unwrap_or_else(|| floor(self.closures, a, row.value, value));
            sum = Floor { cost: sum.cost + floor.cost, rise: sum.rise + floor.rise };
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::local::{art, closures};

    #[test]
    fn tables_and_closures_agree() {
        for measure in ["lm", "entropy"] {
            let problem = art::problem(60, 6, 1, 3, measure);
            let closures = closures(&problem);
            let few = Arc::new(Pairs::tables(&problem, &closures, 4));
            let (tabled, bare) =
                (Pairs::new(&problem, &closures), Pairs { closures: &closures, tables: few });
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
                    assert_eq!(probe.join_below(&cover, joined + 1e-9), Some(joined));
                    assert!(probe.cost().abs() < 1e-12, "entropies are rounded");
                }
                assert_eq!(probes[0].floor(&cover), probes[1].floor(&cover));
            }
        }
    }
}
