//! The monotone entropy measure (A. Gionis and T. Tassa, *k-Anonymization with Minimal Loss of Information*, 2009).

use super::entropy::{Entropy, ROUNDING};
use super::{Basis, CellLoss, Domain, Kind, Loss, Scope, cells};
use crate::problem::Problem;
use crate::tally::Tally;

/// Mean over cells of the bits that the released value leaves open, times the share of the rows that it stands for.
///
/// Unlike [`Entropy`], it never falls when a value is generalised: the bits of a union are at least the mean of those of
/// its parts.
#[derive(Debug)]
pub(super) struct MonotoneEntropy;

impl CellLoss for MonotoneEntropy {
    fn cost(&self, domain: &Domain, value: &Scope) -> f64 {
        value.rows / domain.rows as f64 * Entropy.cost(domain, value)
    }

    fn basis(&self) -> Basis {
        Basis::Rows
    }

    fn least_above(&self, domain: &Domain, value: &Scope) -> f64 {
        (self.cost(domain, value) - ROUNDING).max(0.0)
    }
}

impl Loss for MonotoneEntropy {
    fn name(&self) -> &'static str {
        "monotone_entropy"
    }

    fn summary(&self) -> &'static str {
        "like entropy, with each cell multiplied by the share of rows that its value stands for"
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
