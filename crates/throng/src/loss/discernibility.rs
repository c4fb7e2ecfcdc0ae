//! DM, the discernibility metric (Bayardo and Agrawal, 2005).

use super::{Kind, Loss, SizeLoss};
use crate::problem::Problem;
use crate::tally::{ClassSizes, Tally};

/// Sum of squared class sizes, plus the size of the table for each suppressed row.
#[derive(Debug)]
pub(super) struct Discernibility;

impl SizeLoss for Discernibility {
    fn cost(&self, kept: &ClassSizes, rows: u64) -> i128 {
        (kept.squares + u128::from(rows) * u128::from(rows - kept.rows)) as i128
    }

    fn floor(&self, all: &ClassSizes) -> i128 {
        // Merging classes raises the sum of squares; suppressing a row costs more than any class.
        all.squares as i128
    }
}

impl Loss for Discernibility {
    fn name(&self) -> &'static str {
        "dm"
    }

    fn summary(&self) -> &'static str {
        "discernibility: sum of squared class sizes, plus the table's rows for each suppressed row"
    }

    fn kind(&self) -> Kind<'_> {
        Kind::Sizes(self)
    }

    fn measure(&self, _: &Problem, tally: &Tally) -> f64 {
        self.cost(&tally.sizes, tally.rows) as f64
    }
}
