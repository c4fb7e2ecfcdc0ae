//! A run as a front end sees it: events in the order in which they happen, and a way to stop it from any thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use serde::Serialize;

use super::Progress;

/// What happened in a run.
///
/// ```
/// use throng_engine::progress::{Event, Progress, watch};
///
/// let (watched, canceller, events) = watch();
/// watched.phase("read");
/// watched.rows_read(8192);
/// canceller.cancel();
/// assert!(watched.cancelled());
/// drop(watched);
/// let events: Vec<Event> = events.into_iter().collect();
/// assert_eq!(events, [Event::Phase { name: "read" }, Event::RowsRead { rows: 8192 }]);
/// assert_eq!(serde_json::to_string(&events[1])?, r#"{"event":"rows-read","rows":8192}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A phase begins.
    Phase {
        /// Such as `read`, `search`, `write` or `verify`.
        name: &'static str,
    },
    /// So many rows were read since the scan began.
    RowsRead {
        /// All of them.
        rows: u64,
    },
    /// So many nodes of the lattice were checked or decided.
    NodesChecked {
        /// Those that were.
        checked: u64,
        /// All of them.
        total: u64,
    },
    /// So many steps of a local search are done.
    SearchAdvanced {
        /// Those that are.
        done: u64,
        /// All of them.
        total: u64,
    },
    /// So many rows were written.
    RowsWritten {
        /// All of them.
        rows: u64,
    },
}

/// Progress that is sent to whoever has the other end. Nobody has to listen.
#[derive(Debug)]
pub struct Watched {
    events: Sender<Event>,
    canceller: Canceller,
}

/// Stops a run, from any thread; it ends with [`EngineError::Interrupted`](crate::error::EngineError::Interrupted) and
/// leaves nothing behind.
#[derive(Clone, Debug, Default)]
pub struct Canceller(Arc<AtomicBool>);

/// The progress of a run, what stops it, and where its events arrive until it ends.
pub fn watch() -> (Watched, Canceller, Receiver<Event>) {
    let (sender, receiver) = channel();
    let canceller = Canceller::default();
    (Watched { events: sender, canceller: canceller.clone() }, canceller, receiver)
}

impl Canceller {
    /// Asks the run to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Watched {
    fn send(&self, event: Event) {
        // A front end that went away does not stop a run: it has a canceller for that.
        let _ = self.events.send(event);
    }
}

impl Progress for Watched {
    fn phase(&self, name: &'static str) {
        self.send(Event::Phase { name });
    }

    fn rows_read(&self, rows: u64) {
        self.send(Event::RowsRead { rows });
    }

    fn nodes_checked(&self, checked: u64, total: u64) {
        self.send(Event::NodesChecked { checked, total });
    }

    fn search_advanced(&self, done: u64, total: u64) {
        self.send(Event::SearchAdvanced { done, total });
    }

    fn rows_written(&self, rows: u64) {
        self.send(Event::RowsWritten { rows });
    }

    fn cancelled(&self) -> bool {
        self.canceller.0.load(Ordering::Relaxed)
    }
}
