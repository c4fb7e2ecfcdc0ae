//! Searches that somebody gives up.

use std::sync::atomic::{AtomicU64, Ordering};

use throng::run::Observer;

/// Cancels after a number of checks.
pub(crate) struct Patience {
    checks: u64,
    seen: AtomicU64,
}

impl Patience {
    pub(crate) fn new(checks: u64) -> Patience {
        Patience { checks, seen: AtomicU64::new(0) }
    }
}

impl Observer for Patience {
    fn checked(&self, checked_nodes: u64) {
        self.seen.store(checked_nodes, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.seen.load(Ordering::Relaxed) >= self.checks
    }
}
