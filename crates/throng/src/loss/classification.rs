//! CM, the classification metric (Iyengar, 2002; used by PBG-EA).

use super::{Kind, Loss, Needs, SizeLoss};
use crate::problem::Problem;
use crate::tally::{ClassSizes, Tally};

/// Share of the rows that are suppressed or do not have the most frequent label of their class.
///
/// Not defined where a local recoding divides rows of different labels: which of them a class has is then
/// not known.
#[derive(Debug)]
pub(super) struct Classification;

impl SizeLoss for Classification {
    fn cost(&self, kept: &ClassSizes, rows: u64) -> i128 {
        i128::from(kept.off_label.unwrap_or(0)) + i128::from(rows - kept.rows)
    }

    fn floor(&self, all: &ClassSizes) -> i128 {
        // A union has no more of any label than its parts have of their most frequent ones; suppressing
        // a row costs as much as any row can.
        all.off_label.unwrap_or(0).into()
    }
}

impl Loss for Classification {
    fn name(&self) -> &'static str {
        "cm"
    }

    fn summary(&self) -> &'static str {
        "classification: share of rows that are suppressed or lack the most frequent label of their class"
    }

    fn kind(&self) -> Kind<'_> {
        Kind::Sizes(self)
    }

    fn needs(&self) -> Needs {
        Needs::Target
    }

    fn measure(&self, _: &Problem, tally: &Tally) -> f64 {
        match tally.sizes.off_label {
            Some(_) => self.cost(&tally.sizes, tally.rows) as f64 / tally.rows as f64,
            None => f64::NAN,
        }
    }
}
