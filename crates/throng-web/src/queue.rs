//! Runs one after the other, on a thread of its own, with progress that many may watch.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde::Serialize;
use throng_engine::progress::Progress;

/// Where a run is, for those who watch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Sight {
    /// What it does.
    pub(crate) phase: &'static str,
    /// How much of that is done, and of how much; nothing where that is not known.
    pub(crate) done: u64,
    pub(crate) total: u64,
    /// Rows that were read or written.
    pub(crate) rows: u64,
    pub(crate) seconds: f64,
    /// Seconds that this phase will take yet, where that can be told.
    pub(crate) left: Option<f64>,
}

/// The progress of one run.
#[derive(Debug)]
pub(crate) struct Watched {
    cancelled: AtomicBool,
    started: Instant,
    phase: Mutex<(&'static str, Instant)>,
    done: AtomicU64,
    total: AtomicU64,
    rows: AtomicU64,
}

impl Watched {
    fn new() -> Watched {
        Watched {
            cancelled: AtomicBool::new(false),
            started: Instant::now(),
            phase: Mutex::new(("queued", Instant::now())),
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            rows: AtomicU64::new(0),
        }
    }

    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    pub(crate) fn sight(&self) -> Sight {
        let (phase, since) = *self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        let spent = since.elapsed().as_secs_f64();
        // A forecast from the first moments would jump about.
        let can_tell = total > 0 && done * 20 > total && spent > 1.0;
        Sight {
            phase,
            done: done.min(total),
            total,
            rows: self.rows.load(Ordering::Relaxed),
            seconds: self.started.elapsed().as_secs_f64(),
            left: can_tell.then(|| spent * (total.saturating_sub(done)) as f64 / done as f64),
        }
    }

    fn measure(&self, done: u64, total: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }
}

impl Progress for Watched {
    fn phase(&self, name: &'static str) {
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner) = (name, Instant::now());
        self.measure(0, 0);
    }

    fn rows_read(&self, rows: u64) {
        self.rows.store(rows, Ordering::Relaxed);
    }

    fn bytes_read(&self, bytes: u64, total: u64) {
        self.measure(bytes, total);
    }

    fn nodes_checked(&self, checked: u64, total: u64) {
        self.measure(checked, total);
    }

    fn search_advanced(&self, done: u64, total: u64) {
        self.measure(done, total);
    }

    fn rows_written(&self, rows: u64) {
        self.rows.store(rows, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// A run that waits or is being made: its folder, and its progress.
pub(crate) type Waiting = (PathBuf, Arc<Watched>);

/// The runs that wait, and the one that is being made.
#[derive(Debug)]
pub(crate) struct Queue {
    sender: Sender<Waiting>,
    watched: Mutex<BTreeMap<PathBuf, Arc<Watched>>>,
}

impl Queue {
    /// An empty queue, and where its runs come out.
    pub(crate) fn new() -> (Queue, Receiver<Waiting>) {
        let (sender, receiver) = channel();
        (Queue { sender, watched: Mutex::default() }, receiver)
    }

    /// Puts a run behind all others.
    pub(crate) fn add(&self, run: PathBuf) {
        let watched = Arc::new(Watched::new());
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).insert(run.clone(), Arc::clone(&watched));
        // Who receives lives as long as the queue.
        let _ = self.sender.send((run, watched));
    }

    pub(crate) fn find(&self, run: &std::path::Path) -> Option<Arc<Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).get(run).cloned()
    }

    pub(crate) fn forget(&self, run: &std::path::Path) {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).remove(run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_come_in_order_and_can_be_stopped_before_they_start() {
        let (queue, receiver) = Queue::new();
        queue.add("a".into());
        queue.add("b".into());
        queue.find("b".as_ref()).unwrap().cancel();
        let order: Vec<(PathBuf, bool)> =
            receiver.try_iter().map(|(run, by)| (run, by.cancelled())).collect();
        assert_eq!(order, [("a".into(), false), ("b".into(), true)]);
        queue.forget("a".as_ref());
        assert!(queue.find("a".as_ref()).is_none());
    }

    #[test]
    fn time_left_is_said_only_where_it_is_known() {
        let watched = Watched::new();
        watched.phase("search");
        watched.search_advanced(1, 1000);
        let sight = watched.sight();
        assert_eq!((sight.phase, sight.done, sight.total, sight.left), ("search", 1, 1000, None));
    }
}
