//! Ctrl-C, termination and other signals that end a process: a flag that runs look at, so that they stop and
//! clean up.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static HANDLER: Once = Once::new();

/// From now on an interruption sets the flag instead of ending the process.
pub(crate) fn catch() {
    HANDLER.call_once(system::catch);
}

/// From now on a file that grows beyond what the system allows is a failed write, and memory that is not to be had
/// ends the process with the exit code of a machine that failed.
pub(crate) fn fail_in_order() {
    system::fail_in_order();
}

/// Whether the user wants the run to stop.
pub(crate) fn is_set() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

#[cfg(unix)]
mod system {
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::signal::{
        SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
        SIGXFSZ,
    };
    use signal_hook::flag;
    use throng_engine::process;

    use super::INTERRUPTED;
    use crate::exit;

    /// All that end a process if nobody catches them, except those of a bug of ours and those that nobody can
    /// catch. (A closed pipe is a failed write in every Rust program.)
    const FATAL: [i32; 10] =
        [SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU];

    pub(super) fn catch() {
        for signal in FATAL.into_iter().filter(|&signal| !(signal == SIGHUP && outlives_its_terminal())) {
            // What cannot be caught ends the process at once.
            let _ = flag::register(signal, &INTERRUPTED);
        }
    }

    pub(super) fn fail_in_order() {
        static UNUSED: AtomicBool = AtomicBool::new(false);
        static ALWAYS: AtomicBool = AtomicBool::new(true);
        let _ = flag::register(SIGXFSZ, &UNUSED);
        // Rust says how much memory it could not get, and aborts.
        let _ = flag::register_conditional_shutdown(SIGABRT, exit::MACHINE.into(), &ALWAYS);
    }

    /// Whether the process was started to go on after its terminal is gone, as by nohup.
    fn outlives_its_terminal() -> bool {
        let ignored = process::status("SigIgn:");
        let ignored = ignored.and_then(|mask| u64::from_str_radix(&mask, 16).ok()).unwrap_or(0);
        ignored >> (SIGHUP - 1) & 1 == 1
    }
}

#[cfg(not(unix))]
mod system {
    use std::sync::atomic::Ordering;

    use super::INTERRUPTED;

    pub(super) fn catch() {
        // Without a handler the process ends at once; its hidden file is then left behind.
        let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    }

    pub(super) fn fail_in_order() {}
}
