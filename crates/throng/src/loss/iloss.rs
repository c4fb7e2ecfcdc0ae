//! iloss (Xiao and Tao, 2006; eq. 19–21 of the Improved Greedy paper).

use super::{CellLoss, Domain, Kind, Loss, Scope};
use crate::problem::Problem;
use crate::tally::Tally;

/// Weighted sum over cells of (leaves − 1) / domain.
#[derive(Debug)]
pub(super) struct Iloss;

impl CellLoss for Iloss {
    fn cost(&self, domain: &Domain, value: &Scope) -> f64 {
        domain.weight * f64::from(value.leaf_count - 1) / f64::from(domain.leaves)
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
