//! GLM, the general loss metric as a sum over cells (Iyengar, 2002).

use super::{CellLoss, Kind, Loss, lm::Lm};
use crate::problem::Problem;
use crate::tally::Tally;

/// Sum over cells of (leaves − 1) / (domain − 1).
#[derive(Debug)]
pub(super) struct Glm;

impl Loss for Glm {
    fn name(&self) -> &'static str {
        "glm"
    }

    fn summary(&self) -> &'static str {
        "general loss metric: the same cell loss as lm, summed over all cells"
    }

    fn kind(&self) -> Kind<'_> {
        Kind::Cells(&Lm)
    }

    fn measure(&self, problem: &Problem, tally: &Tally) -> f64 {
        Lm.total(problem, tally)
    }
}
