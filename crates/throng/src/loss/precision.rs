//! Prec (Sweeney, 2002; used by 'Data privacy with heuristic anonymisation').

use super::{CellLoss, Domain, Kind, Loss, Scope, cells, parts_of_weight};
use crate::problem::{Attribute, Problem};
use crate::tally::Tally;

/// 1 − mean over cells of level / height, columns by their weights.
///
/// A value that an unbalanced hierarchy repeats has the lowest level at which it stands, and
/// the height is the level of the root: repeating a value loses nothing. Ranges and sets are at
/// level 1 of 1, whatever they hold: between the leaves and `*` nothing has been defined.
#[derive(Debug)]
pub(super) struct Precision;

impl CellLoss for Precision {
    fn cost(&self, domain: &Domain, value: &Scope) -> f64 {
        domain.weight * value.level.min(domain.height) as f64 / domain.height as f64
    }

    fn denominator(&self, attribute: &Attribute) -> Option<u64> {
        Some(parts_of_weight(attribute)? * Domain::from_attribute(attribute).height as u64)
    }
}

impl Loss for Precision {
    fn name(&self) -> &'static str {
        "prec"
    }

    fn summary(&self) -> &'static str {
        "1 - mean over cells of level / height: 1 is the original, 0 is nothing left"
    }

    fn kind(&self) -> Kind<'_> {
        Kind::Cells(self)
    }

    fn measure(&self, problem: &Problem, tally: &Tally) -> f64 {
        self.of_sum(problem, self.total(problem, tally))
    }

    fn of_sum(&self, problem: &Problem, sum: f64) -> f64 {
        1.0 - sum / cells(problem)
    }

    fn more_is_better(&self) -> bool {
        true
    }
}
