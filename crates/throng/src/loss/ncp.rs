//! NCP, the normalised certainty penalty (Xu et al., 2006).

use super::{Basis, CellLoss, Domain, Kind, Loss, Scope, cells, parts_of_weight};
use crate::problem::{Attribute, Problem};
use crate::tally::Tally;

/// Mean over cells of extent / range for numbers, and leaves / domain (0 for one leaf) for categories. A value
/// that stands for a missing cell and for numbers is no less than a category of as many leaves.
#[derive(Debug)]
pub(super) struct Ncp;

impl CellLoss for Ncp {
    fn cost(&self, domain: &Domain, value: &Scope) -> f64 {
        let share = || match value.leaf_count {
            1 => 0.0,
            leaves => f64::from(leaves) / f64::from(domain.leaves),
        };
        let of_numbers = match (domain.range, value.extent) {
            (None, _) => return domain.weight * share(),
            // Missing next to numbers: nothing is known of the number, so all of the range.
            (Some(_), None) => f64::from(value.leaf_count > 1),
            (Some(range), Some(extent)) if range > 0.0 => extent.span() / range,
            (Some(_), Some(_)) => 0.0,
        };
        domain.weight * if value.has_missing { of_numbers.max(share()) } else { of_numbers }
    }

    /// Of whole numbers, and of categories.
    fn denominator(&self, attribute: &Attribute) -> Option<u64> {
        let leaves = attribute.taxonomy.leaf_total();
        let tens = parts_of_weight(attribute)?;
        let Some(range) = Domain::from_attribute(attribute).range else { return Some(tens * leaves as u64) };
        let extents = || attribute.taxonomy.values()[..leaves].iter().filter_map(|leaf| leaf.extent);
        let is_whole = |number: f64| number.fract() == 0.0 && number.abs() < f64::from(u32::MAX);
        let whole = extents().all(|extent| is_whole(extent.min) && is_whole(extent.max));
        let shares = if attribute.taxonomy.missing().is_some() { leaves as u64 } else { 1 };
        (whole && is_whole(range)).then(|| tens.checked_mul((range as u64).max(1) * shares))?
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

    fn measure(&self, problem: &Problem, tally: &Tally) -> f64 {
        self.of_sum(problem, self.total(problem, tally))
    }

    fn of_sum(&self, problem: &Problem, sum: f64) -> f64 {
        sum / cells(problem)
    }
}
