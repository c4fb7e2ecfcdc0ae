//! Keeps all candidates that no other dominates.

use std::cmp::Ordering;

use super::{Keep, Kept};
use crate::evaluation::Evaluation;
use crate::problem::Problem;
use crate::recoding::Recoding;

/// What candidates are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveObjective {
    /// What a requirement achieves, by its number: the safer, the better.
    Degree(usize),
    /// The measure that the problem minimises.
    Loss,
    /// Rows that are left out: fewer are better.
    SuppressedRows,
}

/// The candidates that are not dominated: no other is as good in all objectives and better in one.
/// Of several that are alike in all, the finest by the recoding's own order stays.
#[derive(Clone, Debug)]
pub struct Archive {
    objectives: Vec<ArchiveObjective>,
    /// For each requirement, whether more is safer.
    more_is_safer: Vec<bool>,
    kept: Vec<Kept>,
}

impl Archive {
    /// An empty archive for the candidates of a problem.
    ///
    /// # Panics
    /// If there is no objective, or one is about a requirement that the problem does not have.
    pub fn new(problem: &Problem, objectives: &[ArchiveObjective]) -> Archive {
        assert!(!objectives.is_empty(), "something to compare by");
        let safer = |one: &crate::requirement::Requirement| one.class_model().direction().is_worse(0.0, 1.0);
        let more_is_safer: Vec<bool> = problem.requirements.iter().map(safer).collect();
        let known = |objective: &ArchiveObjective| match objective {
            ArchiveObjective::Degree(number) => *number < more_is_safer.len(),
            _ => true,
        };
        assert!(objectives.iter().all(known), "a requirement for each degree");
        Archive { objectives: objectives.to_vec(), more_is_safer, kept: Vec::new() }
    }

    /// How a candidate compares with another in an objective; less is better.
    fn compare(&self, objective: ArchiveObjective, a: &Evaluation, b: &Evaluation) -> Ordering {
        match objective {
            ArchiveObjective::Loss => a.cost().cmp(&b.cost()),
            ArchiveObjective::SuppressedRows => a.suppressed_rows.cmp(&b.suppressed_rows),
            ArchiveObjective::Degree(number) => {
                let order = a.degrees[number].total_cmp(&b.degrees[number]);
                if self.more_is_safer[number] { order.reverse() } else { order }
            }
        }
    }

    /// By the first objective in which they differ.
    fn order(&self, a: &Evaluation, b: &Evaluation) -> Ordering {
        let mut objectives = self.objectives.iter().map(|&objective| self.compare(objective, a, b));
        objectives.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// Whether a candidate is at least as good as another in every objective.
    fn is_as_good(&self, a: &Evaluation, b: &Evaluation) -> bool {
        self.objectives.iter().all(|&objective| self.compare(objective, a, b).is_le())
    }
}

impl Keep for Archive {
    fn offer(&mut self, recoding: &Recoding, evaluation: &Evaluation) {
        if evaluation.cost().is_none() {
            return;
        }
        let beaten_by = |(kept, of_kept): &Kept| {
            self.is_as_good(of_kept, evaluation)
                && !(self.is_as_good(evaluation, of_kept) && recoding.is_finer(kept))
        };
        if self.kept.iter().any(beaten_by) {
            return;
        }
        let mut kept = std::mem::take(&mut self.kept);
        kept.retain(|(_, of_kept)| !self.is_as_good(evaluation, of_kept));
        let at = kept.partition_point(|(_, of_kept)| self.order(of_kept, evaluation).is_lt());
        kept.insert(at, (recoding.clone(), evaluation.clone()));
        self.kept = kept;
    }

    fn kept(&self) -> &[Kept] {
        &self.kept
    }
}
