//! Prec (Sweeney, 2002; used by 'Data privacy with heuristic anonymisation').

use super::{CellLoss, Kind, Loss};
use crate::problem::{Attribute, Problem};
use crate::tally::Tally;

/// 1 − mean over cells of level / height.
///
/// A value that an unbalanced hierarchy repeats has the lowest level at which it stands, and
/// the height is the level of the root: repeating a value loses nothing.
#[derive(Debug)]
pub(super) struct Precision;

impl CellLoss for Precision {
    fn costs(&self, attribute: &Attribute) -> Vec<f64> {
        let taxonomy = &attribute.taxonomy;
        // A root above the file's levels is only reached by suppression.
        let root = taxonomy.values()[taxonomy.root() as usize].level;
        let height = root.clamp(1, taxonomy.height().max(1));
        taxonomy.values().iter().map(|value| value.level.min(height) as f64 / height as f64).collect()
    }
}

impl Loss for Precision {
    fn name(&self) -> &'static str {
        "prec"
    }

    fn summary(&self) -> &'static str {
        "1 - mean over cells of level / height: 1 as the original, 0 nothing left"
    }

    fn kind(&self) -> Kind<'_> {
        Kind::Cells(self)
    }

    fn of(&self, problem: &Problem, tally: &Tally) -> f64 {
        1.0 - self.mean(problem, tally)
    }

    fn more_is_better(&self) -> bool {
        true
    }
}
