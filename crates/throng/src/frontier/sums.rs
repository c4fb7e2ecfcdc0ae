//! Losses that are sums over cells: what each level costs is known before anything is counted, and what
//! suppression adds comes from the few classes that are suppressed.

use crate::lattice::Node;
use crate::loss::{Aggregate, CellLoss, Loss, cells as cells_of};
use crate::problem::Problem;
use crate::taxonomy::ValueId;

/// Fixed-point units of a cost of 1. Sums of whole numbers do not depend on their order.
const UNIT: f64 = (1u64 << 60) as f64;

pub(super) struct CellSums {
    loss: &'static dyn Loss,
    aggregate: Aggregate,
    /// By attribute and level, what all rows cost.
    of_level: Vec<Vec<i128>>,
    /// By attribute and value, what a cell costs more if it is suppressed.
    rise: Vec<Vec<i128>>,
}

/// What the cells of each attribute cost.
pub(super) struct ColumnSums(Vec<i128>);

impl CellSums {
    pub(super) fn new(problem: &Problem, loss: &'static dyn Loss, cells: &dyn CellLoss) -> CellSums {
        let aggregate = cells.aggregate(problem);
        let (of_cells, of_suppressed) = aggregate.preference.shares();
        let mut sums = CellSums { loss, aggregate, of_level: Vec::new(), rise: Vec::new() };
        for attribute in problem.attributes() {
            let taxonomy = &attribute.taxonomy;
            let costs = cells.costs(attribute);
            let suppressed = (of_suppressed * costs[taxonomy.root() as usize] * UNIT).round() as i128;
            let costs: Vec<i128> =
                costs.into_iter().map(|cost| (of_cells * cost * UNIT).round() as i128).collect();
            let at_level = |level: usize| {
                let leaves = taxonomy.level_values(level).iter().zip(attribute.leaf_rows());
                leaves.map(|(&value, &rows)| costs[value as usize] * i128::from(rows)).sum()
            };
            sums.of_level.push((0..=taxonomy.height()).map(at_level).collect());
            sums.rise.push(costs.iter().map(|cost| suppressed - cost).collect());
        }
        sums
    }

    /// What all rows of a node cost, none suppressed.
    pub(super) fn of_node(&self, node: &Node) -> ColumnSums {
        ColumnSums(self.of_level.iter().enumerate().map(|(a, of_level)| of_level[node.level(a)]).collect())
    }

    /// Adds what suppressing so many rows with these values does.
    pub(super) fn add(&self, sums: &mut ColumnSums, rows: u64, values: &[ValueId]) {
        for ((sum, rise), &value) in sums.0.iter_mut().zip(&self.rise).zip(values) {
            *sum += rise[value as usize] * i128::from(rows);
        }
    }

    /// The measure, as it is reported.
    pub(super) fn report(&self, problem: &Problem, sums: &ColumnSums) -> f64 {
        if self.aggregate.is_plain() {
            return self.loss.of_sum(problem, sums.0.iter().sum::<i128>() as f64 / UNIT);
        }
        let sums: Vec<f64> = sums.0.iter().map(|&sum| sum as f64 / UNIT).collect();
        self.loss.of_sum(problem, self.aggregate.of_columns(&sums, cells_of(problem)))
    }
}
