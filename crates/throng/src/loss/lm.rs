//! LM, the loss metric (Iyengar, 2002; eq. 4 of 'k-Anonymization Revisited').

use super::{CellLoss, Domain, Kind, Loss, Scope, cells, parts_of_weight};
use crate::problem::{Attribute, Problem};
use crate::tally::Tally;

/// Mean over cells of (leaves − 1) / (domain − 1), columns by their weights.
#[derive(Debug)]
pub(super) struct Lm;

impl CellLoss for Lm {
    fn cost(&self, domain: &Domain, value: &Scope) -> f64 {
        let share = f64::from(value.leaf_count - 1) / f64::from(domain.leaves.saturating_sub(1).max(1));
        domain.weight * share
    }

    fn denominator(&self, attribute: &Attribute) -> Option<u64> {
        Some(parts_of_weight(attribute)? * (attribute.taxonomy.leaf_total() as u64 - 1).max(1))
    }
}

impl Loss for Lm {
    fn name(&self) -> &'static str {
        "lm"
    }

    fn summary(&self) -> &'static str {
        "mean over cells of (leaves - 1) / (domain - 1): 0 is the original, 1 is nothing left"
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
