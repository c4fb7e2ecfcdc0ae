//! Level of generalisation (figures 8 and 9 of the Improved Greedy paper).

use super::{Kind, Loss};
use crate::problem::Problem;
use crate::tally::Tally;

/// Sum of the levels of the node; not defined for local recoding.
#[derive(Debug)]
pub(super) struct LevelSum;

impl Loss for LevelSum {
    fn name(&self) -> &'static str {
        "level"
    }

    fn summary(&self) -> &'static str {
        "level of generalisation: sum of the levels of all quasi-identifiers"
    }

    fn kind(&self) -> Kind<'_> {
        Kind::Level
    }

    fn measure(&self, _: &Problem, tally: &Tally) -> f64 {
        tally.level.map_or(f64::NAN, |level| level as f64)
    }
}
