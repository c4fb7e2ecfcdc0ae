//! Keeps every candidate.

use super::{Keep, Kept};
use crate::evaluation::Evaluation;
use crate::recoding::Recoding;

/// All candidates that were offered, the least costly first; of equal ones the finer by the recoding's own
/// order.
#[derive(Clone, Debug, Default)]
pub struct All(Vec<Kept>);

impl All {
    /// Nothing yet.
    pub fn new() -> All {
        All::default()
    }
}

impl Keep for All {
    fn offer(&mut self, recoding: &Recoding, evaluation: &Evaluation) {
        let Some(cost) = evaluation.cost() else { return };
        let goes_before = |(other, of_other): &Kept| match of_other.cost().cmp(&Some(cost)) {
            std::cmp::Ordering::Equal => !recoding.is_finer(other),
            order => order.is_lt(),
        };
        let at = self.0.partition_point(goes_before);
        if self.0[..at].last().is_none_or(|(other, _)| other != recoding) {
            self.0.insert(at, (recoding.clone(), evaluation.clone()));
        }
    }

    fn kept(&self) -> &[Kept] {
        &self.0
    }
}
