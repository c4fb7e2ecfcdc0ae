//! How a run tells its caller what it is doing, and how the caller stops it.

mod events;
mod watch;

use std::time::Duration;

pub use events::{Canceller, Event, Watched, watch};
pub use watch::Watch;

use crate::error::{EngineError, Result};
use crate::input::source::Source;

/// Receives the progress of a run. Every method has a default that does nothing.
///
/// Methods are called at most once per batch of rows or per check of a node, most of them from the
/// thread that drives the run, so they may draw, but should not block.
pub trait Progress: Send + Sync {
    /// A phase of the run begins.
    fn phase(&self, _name: &'static str) {}

    /// So many rows were read since the scan began.
    fn rows_read(&self, _rows: u64) {}

    /// About so many of the input's bytes were read.
    ///
    /// An estimate from the number of rows: exact at the end, and not called for inputs whose
    /// number of rows cannot be estimated (compressed text).
    fn bytes_read(&self, _bytes: u64, _total: u64) {}

    /// So many of the lattice's nodes were checked or decided.
    fn nodes_checked(&self, _checked: u64, _total: u64) {}

    /// So many of a local search's steps are done; called from any thread, at most about once in a
    /// millisecond.
    fn search_advanced(&self, _done: u64, _total: u64) {}

    /// So many rows were written.
    fn rows_written(&self, _rows: u64) {}

    /// Whether the run should stop; asked often.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Progress that nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Progress for Quiet {}

/// Ends a run that the caller wants to stop.
///
/// # Errors
/// [`EngineError::Interrupted`] if the caller wants that.
pub fn refuse_cancelled(progress: &dyn Progress) -> Result<()> {
    if progress.cancelled() { Err(EngineError::Interrupted) } else { Ok(()) }
}

/// Resolves when the caller wants the run to stop.
pub async fn cancellation(progress: &dyn Progress) {
    while !progress.cancelled() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Says how far a scan is.
pub(crate) fn report_read(source: &Source, rows: u64, progress: &dyn Progress) {
    progress.rows_read(rows);
    if let Some(expected) = source.expected_rows() {
        let total = source.file_bytes();
        let share = rows as f64 / expected.max(1) as f64;
        progress.bytes_read(((total as f64 * share) as u64).min(total), total);
    }
}
