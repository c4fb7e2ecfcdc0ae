//! MD, minimal distortion (Samarati, 2001): how many cells are not what they were.

use super::{CellLoss, Domain, Kind, Loss, Scope, parts_of_weight};
use crate::problem::{Attribute, Problem};
use crate::tally::Tally;

/// Number of cells whose released value is not the leaf itself, even if it stands for no other; each counts by the
/// weight of its column.
#[derive(Debug)]
pub(super) struct Distortion;

impl CellLoss for Distortion {
    fn cost(&self, domain: &Domain, value: &Scope) -> f64 {
        domain.weight * f64::from(value.leaf_count > 1 || value.level > 0)
    }

    fn denominator(&self, attribute: &Attribute) -> Option<u64> {
        parts_of_weight(attribute)
    }
}

impl Loss for Distortion {
    fn name(&self) -> &'static str {
        "md"
    }

    fn summary(&self) -> &'static str {
        "minimal distortion: number of cells that were generalised or suppressed"
    }

    fn kind(&self) -> Kind<'_> {
        Kind::Cells(self)
    }

    fn measure(&self, problem: &Problem, tally: &Tally) -> f64 {
        self.total(problem, tally)
    }
}
