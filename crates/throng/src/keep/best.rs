//! Keeps the candidate of the least cost.

use super::{Keep, Kept};
use crate::evaluation::Evaluation;
use crate::recoding::Recoding;

/// The least costly candidate so far. Ties go to the finer one, by the recoding's own order, so that
/// the result does not depend on the order of offers.
#[derive(Clone, Debug, Default)]
pub struct Best(Vec<Kept>);

impl Best {
    /// Nothing yet.
    pub fn new() -> Best {
        Best::default()
    }
}

impl Keep for Best {
    fn offer(&mut self, recoding: &Recoding, evaluation: &Evaluation) {
        let Some(cost) = evaluation.cost() else { return };
        let better = match self.0.first() {
            None => true,
            Some((best, of_best)) => match Some(cost).cmp(&of_best.cost()) {
                std::cmp::Ordering::Equal => recoding.is_finer(best),
                order => order.is_lt(),
            },
        };
        if better {
            self.0 = vec![(recoding.clone(), evaluation.clone())];
        }
    }

    /// Just above the least cost: candidates that may have the same stay open, so that ties are decided
    /// here and not by the order of checks.
    fn bound(&self) -> f64 {
        let least = self.0.first().and_then(|(_, evaluation)| evaluation.cost());
        least.map_or(f64::INFINITY, |cost| cost as f64 + 0.5)
    }

    fn kept(&self) -> &[Kept] {
        &self.0
    }
}
