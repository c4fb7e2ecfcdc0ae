//! Who watches a search, and may end it.

use std::time::Instant;

use crate::stop::Stop;

/// Watches a search, and may cancel it.
pub trait Observer: Sync {
    /// Called after every check.
    fn checked(&self, _checked_nodes: u64) {}

    /// Called now and then by a local search, at most about once in a millisecond and from any of
    /// its threads: so many of its steps are done. Most often these are tuples, or a few times as
    /// many; how long each takes may differ.
    fn advanced(&self, _done_steps: u64, _total_steps: u64) {}

    /// Asked before and during every check, and often by local searches.
    fn cancelled(&self) -> bool {
        false
    }

    /// Whether who cancels has no use for what was found so far: then what a search proposed is not evaluated.
    fn gives_up(&self) -> bool {
        false
    }
}

/// An observer that neither watches nor cancels.
#[derive(Clone, Copy, Debug)]
pub struct Unobserved;

impl Observer for Unobserved {}

/// Stops a search that was cancelled, or whose time is over.
pub(super) fn go_on(observer: &dyn Observer, deadline: Option<Instant>) -> Result<(), Stop> {
    if observer.cancelled() {
        return Err(Stop::Cancelled);
    }
    match deadline {
        Some(deadline) if Instant::now() >= deadline => Err(Stop::TimeLimit),
        _ => Ok(()),
    }
}
