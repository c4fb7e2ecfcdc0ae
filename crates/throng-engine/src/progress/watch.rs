//! Passes what a search reports on to whoever watches the run.

use throng::problem::Problem;
use throng::run::Observer;

use crate::progress::Progress;

/// A search as the run's progress shows it.
pub struct Watch<'a> {
    progress: &'a dyn Progress,
    total: u64,
}

impl<'a> Watch<'a> {
    /// Of the search that solves a problem.
    pub fn new(problem: &Problem, progress: &'a dyn Progress) -> Watch<'a> {
        Watch { progress, total: u64::try_from(problem.lattice().size()).unwrap_or(u64::MAX) }
    }
}

impl Observer for Watch<'_> {
    fn checked(&self, checked_nodes: u64) {
        self.progress.nodes_checked(checked_nodes, self.total);
    }

    fn advanced(&self, done_steps: u64, total_steps: u64) {
        self.progress.search_advanced(done_steps, total_steps);
    }

    fn cancelled(&self) -> bool {
        self.progress.cancelled()
    }

    /// An interrupted run writes nothing.
    fn gives_up(&self) -> bool {
        true
    }
}
