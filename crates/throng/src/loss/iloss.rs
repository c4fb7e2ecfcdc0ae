//! iloss (Xiao and Tao, 2006; eq. 19–21 of the Improved Greedy paper).

use super::{CellLoss, Domain, Kind, Loss, Scope, parts_of_weight};
use crate::problem::{Attribute, Problem};
use crate::tally::Tally;

/// Weighted sum over cells of (leaves − 1) / domain.
#[derive(Debug)]
pub(super) struct Iloss;

impl CellLoss for Iloss {
    fn cost(&self, domain: &Domain, value: &Scope) -> f64 {
        domain.weight * f64::from(value.leaf_count - 1) / f64::from(domain.leaves)
    }

    fn denominator(&self, attribute: &Attribute) -> Option<u64> {
        Some(parts_of_weight(attribute)? * attribute.taxonomy.leaf_total() as u64)
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

    fn measure(&self, problem: &Problem, tally: &Tally) -> f64 {
        self.total(problem, tally)
    }
}
