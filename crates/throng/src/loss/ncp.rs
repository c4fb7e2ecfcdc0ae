//! NCP, the normalised certainty penalty (Xu et al., 2006).

use super::{Basis, CellLoss, Domain, Kind, Loss, Scope, cells};
use crate::problem::Problem;
use crate::tally::Tally;

/// Mean over cells of extent / range for numbers, and leaves / domain (0 for one leaf) for categories.
#[derive(Debug)]
pub(super) struct Ncp;

impl CellLoss for Ncp {
    fn cost(&self, domain: &Domain, value: &Scope) -> f64 {
        match (domain.range, value.extent) {
            // Missing next to numbers: nothing is known of the number, so all of the range.
            (Some(_), None) => f64::from(value.leaf_count > 1),
            (Some(range), Some(extent)) if range > 0.0 => extent.span() / range,
            (Some(_), Some(_)) => 0.0,
            (None, _) if value.leaf_count == 1 => 0.0,
            (None, _) => f64::from(value.leaf_count) / f64::from(domain.leaves),
        }
    }

    fn basis(&self) -> Basis {
        Basis::Extent
    }
}

impl Loss for Ncp {
    fn name(&self) -> &'static str {
        "ncp"
    }

    fn summary(&self) -> &'static str {
        "mean over cells of extent / range (numbers) or leaves / domain (categories)"
    }

    fn kind(&self) -> Kind<'_> {
        Kind::Cells(self)
    }

    fn of(&self, problem: &Problem, tally: &Tally) -> f64 {
        self.of_sum(problem, self.total(problem, tally))
    }

    fn of_sum(&self, problem: &Problem, sum: f64) -> f64 {
        sum / cells(problem)
    }
}
