//! Ctrl-C and termination: a flag that runs look at, so that they stop and clean up.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static HANDLER: Once = Once::new();

/// From now on an interruption sets the flag instead of ending the process.
pub(crate) fn catch() {
    HANDLER.call_once(|| {
        // Without a handler the process ends at once; its hidden file is then left behind.
        let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    });
}

/// Whether the user wants the run to stop.
pub(crate) fn is_set() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
