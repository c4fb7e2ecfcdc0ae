//! AECS, the normalised average equivalence class size (LeFevre et al., 2006).

use super::{Kind, Loss, class_size::Classes};
use crate::problem::Problem;
use crate::tally::Tally;

/// rows / (classes · k).
///
/// The rows are those of the table, suppressed ones included, so that leaving rows out is
/// never rewarded; the classes are those of the others. k is what is required over all quasi-identifiers, as classes
/// are counted over all: 1 if only models without a least class size are.
#[derive(Debug)]
pub(super) struct Aecs;

impl Loss for Aecs {
    fn name(&self) -> &'static str {
        "aecs"
    }

    fn summary(&self) -> &'static str {
        "average class size divided by k: rows / (classes * k); at least 1 in a k-anonymous release"
    }

    fn kind(&self) -> Kind<'_> {
        // For one table and k, the least average is the most classes.
        Kind::Sizes(&Classes)
    }

    fn measure(&self, problem: &Problem, tally: &Tally) -> f64 {
        let k = problem.requirements.k_over_all(problem.attributes().len());
        tally.rows as f64 / (tally.sizes.classes as f64 * k as f64)
    }
}
