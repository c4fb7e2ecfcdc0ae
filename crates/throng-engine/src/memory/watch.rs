//! A limit on memory that is watched while a run goes on: whatever grows, the run stops in order.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::ByteSize;
use crate::error::EngineError;
use crate::process::status_bytes;
use crate::progress::Progress;

/// The system is asked no more often than this.
const PAUSE: Duration = Duration::from_millis(5);

/// The phase in which tables are read.
const SCAN: &str = "read";

/// Stops a run whose process holds more than a limit; tells its caller everything else.
pub(crate) struct MemoryWatch<'p> {
    inner: &'p dyn Progress,
    limit: ByteSize,
    /// The phase, and when the system was asked last.
    state: Mutex<(&'static str, Option<Instant>)>,
    /// What was held when that was more than the limit; 0 before.
    held: AtomicU64,
}

impl<'p> MemoryWatch<'p> {
    pub(crate) fn new(limit: ByteSize, inner: &'p dyn Progress) -> MemoryWatch<'p> {
        MemoryWatch { inner, limit, state: Mutex::new((SCAN, None)), held: AtomicU64::new(0) }
    }

    /// The error in the place of an interruption by this.
    pub(crate) fn explain(&self, error: EngineError, file: &Path) -> EngineError {
        let (EngineError::Interrupted, held @ 1..) = (&error, self.held.load(Ordering::Relaxed)) else {
            return error;
        };
        let phase = self.state.lock().map_or("run", |state| state.0);
        let reason = (
            format!(
                "memory_limit is {}, but the run already held {} in the phase '{phase}'",
                self.limit,
                ByteSize(held)
            ),
            "allow more, or use fewer quasi-identifiers with fewer values or another algorithm",
        );
        EngineError::Memory(reason.into()).in_file(file)
    }

    fn is_over(&self) -> bool {
        if self.held.load(Ordering::Relaxed) > 0 {
            return true;
        }
        // Somebody else asks at this moment, or has just asked; a scan counts for itself what it holds.
        let Ok(mut state) = self.state.try_lock() else { return false };
        if state.0 == SCAN || state.1.is_some_and(|asked| asked.elapsed() < PAUSE) {
            return false;
        }
        // Pages of the program and of files make way.
        let held = status_bytes("RssAnon:").unwrap_or(0);
        state.1 = Some(Instant::now());
        let is_over = held > self.limit.0;
        if is_over {
            self.held.store(held, Ordering::Relaxed);
        }
        is_over
    }
}

impl Progress for MemoryWatch<'_> {
    fn phase(&self, name: &'static str) {
        if let Ok(mut state) = self.state.lock() {
            state.0 = name;
        }
        self.inner.phase(name);
    }

    fn rows_read(&self, rows: u64) {
        self.inner.rows_read(rows);
    }

    fn bytes_read(&self, bytes: u64, total: u64) {
        self.inner.bytes_read(bytes, total);
    }

    fn nodes_checked(&self, checked: u64, total: u64) {
        self.inner.nodes_checked(checked, total);
    }

    fn search_advanced(&self, done: u64, total: u64) {
        self.inner.search_advanced(done, total);
    }

    fn rows_written(&self, rows: u64) {
        self.inner.rows_written(rows);
    }

    fn cancelled(&self) -> bool {
        self.inner.cancelled() || self.is_over()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::progress::Quiet;

    #[test]
    fn a_run_above_its_limit_is_stopped_and_says_why() {
        let file = Path::new("t.csv");
        let enough = MemoryWatch::new(ByteSize(1 << 50), &Quiet);
        assert!(!enough.cancelled());
        assert!(matches!(enough.explain(EngineError::Interrupted, file), EngineError::Interrupted));
        let watch = MemoryWatch::new(ByteSize(1), &Quiet);
        watch.phase("search");
        assert!(watch.cancelled() && watch.cancelled());
        let error = watch.explain(EngineError::Interrupted, file).to_string();
        assert!(error.contains("in the phase 'search'") && error.contains("t.csv"), "{error}");
        let other = EngineError::bad("something else");
        assert_eq!(watch.explain(other, file).to_string(), "something else");
    }
}
