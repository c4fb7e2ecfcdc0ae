//! iloss (Xiao and Tao, 2006; eq. 19–21 of the Improved Greedy paper).

use super::{CellLoss, Kind, Loss};
use crate::problem::{Attribute, Problem};
use crate::tally::Tally;

/// Weighted sum over cells of (leaves − 1) / domain.
#[derive(Debug)]
pub(super) struct Iloss;

impl CellLoss for Iloss {
    fn costs(&self, attribute: &Attribute) -> Vec<f64> {
        let taxonomy = &attribute.taxonomy;
        let domain = taxonomy.leaf_total() as f64;
        let loss = |leaves: u32| attribute.weight * f64::from(leaves - 1) / domain;
        taxonomy.values().iter().map(|value| loss(value.leaf_count)).collect()
    }
}

impl Loss for Iloss {
    fn name(&self) -> &'static str {
        "iloss"
    }

    fn summary(&self) -> &'static str {
        "weighted sum over cells of (leaves - 1) / domain"
    }

    fn kind(&self) -> Kind<'_> {
        Kind::Cells(self)
    }

    fn of(&self, problem: &Problem, tally: &Tally) -> f64 {
        self.total(problem, tally)
    }
}
