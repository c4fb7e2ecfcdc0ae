//! Losses that are sums over cells: what each level costs is known before anything is counted, and what
//! suppression adds comes from the few classes that are suppressed.

use crate::lattice::Node;
use crate::loss::{CellLoss, Loss};
use crate::problem::Problem;
use crate::taxonomy::ValueId;

/// Fixed-point units of a cost of 1. Sums of whole numbers do not depend on their order.
const UNIT: f64 = (1u64 << 60) as f64;

pub(super) struct CellSums {
    loss: &'static dyn Loss,
    /// By attribute and level, what all rows cost.
    of_level: Vec<Vec<i128>>,
    /// By attribute and value, what a cell costs more if it is suppressed.
    rise: Vec<Vec<i128>>,
}

impl CellSums {
    pub(super) fn new(problem: &Problem, loss: &'static dyn Loss, cells: &dyn CellLoss) -> CellSums {
        let mut sums = CellSums { loss, of_level: Vec::new(), rise: Vec::new() };
        for attribute in problem.attributes() {
            let taxonomy = &attribute.taxonomy;
            let costs: Vec<i128> =
                cells.costs(attribute).into_iter().map(|cost| (cost * UNIT).round() as i128).collect();
            let at_level = |level: usize| {
                let leaves = taxonomy.level_values(level).iter().zip(attribute.leaf_rows());
                leaves.map(|(&value, &rows)| costs[value as usize] * i128::from(rows)).sum()
            };
            sums.of_level.push((0..=taxonomy.height()).map(at_level).collect());
            let root = costs[taxonomy.root() as usize];
            sums.rise.push(costs.iter().map(|cost| root - cost).collect());
        }
        sums
    }

    /// What all rows of a node cost, none suppressed.
    pub(super) fn of_node(&self, node: &Node) -> i128 {
        self.of_level.iter().enumerate().map(|(a, of_level)| of_level[node.level(a)]).sum()
    }

    /// What suppressing so many rows with these values adds.
    pub(super) fn added(&self, rows: u64, values: &[ValueId]) -> i128 {
        let of_row: i128 = self.rise.iter().zip(values).map(|(rise, &value)| rise[value as usize]).sum();
        of_row * i128::from(rows)
    }

    /// The measure, as it is reported.
    pub(super) fn report(&self, problem: &Problem, sum: i128) -> f64 {
        self.loss.of_sum(problem, sum as f64 / UNIT)
    }
}
