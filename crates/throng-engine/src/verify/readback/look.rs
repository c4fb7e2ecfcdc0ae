//! Threads that look at every row of a file, part by part.

use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::{self, Builder};

use arrow::array::RecordBatch;
use tokio::sync::oneshot;

use crate::error::{EngineError, Result};
use crate::format::reopen::Reopened;

/// Batches that may be decoded before they are looked at.
const READ_AHEAD: usize = 4;

/// What a thread makes of the rows that it meets.
pub(super) trait Look: Send + 'static {
    /// Looks at some rows.
    fn see(&mut self, batch: &RecordBatch) -> Result<()>;
}

/// Shows all rows, with only the columns at `places`, to looks of which each thread has one.
///
/// Must be called in a Tokio runtime. Dropping the future ends the threads.
///
/// # Errors
/// If the file cannot be read, or by what a look says.
pub(super) async fn look_at<L: Look>(
    table: Arc<Reopened>,
    places: Vec<usize>,
    start: impl Fn() -> Result<L> + Send + Sync + 'static,
) -> Result<Vec<L>> {
    let threads = rayon::current_num_threads();
    let stop = StopOnDrop::default();
    let stopped = Arc::clone(&stop.0);
    let work = move || {
        let shown =
            RowsInTransit { table: &table, places: &places, next: AtomicUsize::new(0), stopped: &stopped };
        match table.part_count().min(threads) {
            0 | 1 if threads > 1 => Ok(vec![shown.ahead(start()?)?]),
            0 | 1 => Ok(vec![shown.all(start()?)?]),
            threads => shown.together(threads, &start),
        }
    };
    let (sender, looked) = oneshot::channel();
    // Not on a thread of the runtime: where the system allows no more, that would wait for one for ever.
    let thread = Builder::new().name("read-back".to_owned()).spawn(move || drop(sender.send(work())));
    thread.map_err(|cause| EngineError::Data(format!("cannot start a thread to read: {cause}").into()))?;
    looked.await.map_err(|_| EngineError::Data("reading stopped unexpectedly".into()))?
}

/// Tells threads that nobody waits for them any more.
#[derive(Default)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The rows of a file on their way to threads.
struct RowsInTransit<'a> {
    table: &'a Reopened,
    places: &'a [usize],
    /// The next part that nobody has.
    next: AtomicUsize,
    stopped: &'a AtomicBool,
}

impl RowsInTransit<'_> {
    /// The batches of all parts that nobody has yet; none any more after an error.
    fn batches(&self) -> impl Iterator<Item = Result<RecordBatch>> {
        let count = self.table.part_count();
        let claim = move || Some(self.next.fetch_add(1, Ordering::Relaxed)).filter(|part| *part < count);
        let rows = std::iter::from_fn(claim).flat_map(move |part| {
            let rows = self.table.rows(part, self.places);
            let (rows, error) = rows.map_or_else(|error| (None, Some(Err(error))), |rows| (Some(rows), None));
            rows.into_iter().flatten().chain(error)
        });
        rows.map(move |batch| batch.map_err(|_| self.table.failed()))
            .take_while(move |_| !self.stopped.load(Ordering::Relaxed))
    }

    fn all<L: Look>(&self, mut look: L) -> Result<L> {
        self.batches().try_for_each(|batch| look.see(&batch?))?;
        Ok(look)
    }

    /// Several threads, which take one part after the other.
    fn together<L: Look>(&self, threads: usize, start: &(impl Fn() -> Result<L> + Sync)) -> Result<Vec<L>> {
        let work = || {
            let looked = start().and_then(|look| self.all(look));
            if looked.is_err() {
                self.stopped.store(true, Ordering::Relaxed);
            }
            looked
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let ends = workers.into_iter().map(|worker| {
                worker.join().unwrap_or_else(|died| {
                    self.stopped.store(true, Ordering::Relaxed);
                    panic::resume_unwind(died)
                })
            });
            ends.collect()
        })
    }

    /// One thread decodes, this one looks.
    fn ahead<L: Look>(&self, mut look: L) -> Result<L> {
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::sync_channel(READ_AHEAD);
            scope.spawn(move || {
                // Nothing may be decoded after an error.
                let send = |batch: Result<RecordBatch>| {
                    let failed = batch.is_err();
                    if sender.send(batch).is_err() || failed { Err(()) } else { Ok(()) }
                };
                self.batches().try_for_each(send)
            });
            receiver.into_iter().try_for_each(|batch| look.see(&batch?))?;
            Ok(look)
        })
    }
}
