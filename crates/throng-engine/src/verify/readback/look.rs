//! Threads that look at every row of a file, part by part.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use arrow::array::{ArrayRef, RecordBatch};
use throng_tables::threads::{Ahead, died, each_part, have_done};

use crate::error::Result;
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
        let shown = ShownRows { table, places, stopped };
        match shown.table.part_count().min(threads) {
            0 | 1 if threads > 1 => Ok(vec![shown.ahead(start()?)?]),
            threads => shown.together(threads, start),
        }
    };
    have_done("read-back", work)?.await.map_err(|_| died())?
}

/// Shows every cell of some columns, each with what it is to be, to `see`.
///
/// # Errors
/// As of [`look_at`].
pub(super) async fn look_at_columns<T: Clone + Send + Sync + 'static>(
    table: &Arc<Reopened>,
    columns: &[(String, T)],
    see: fn(&str, &T, &ArrayRef) -> Result<()>,
) -> Result<()> {
    if columns.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    let places = super::places_of(table, &names)?;
    let columns: Arc<[(String, T)]> = columns.into();
    look_at(Arc::clone(table), places, move || Ok(Columns { columns: Arc::clone(&columns), see })).await?;
    Ok(())
}

/// Columns of which every cell is looked at by itself.
struct Columns<T> {
    columns: Arc<[(String, T)]>,
    see: fn(&str, &T, &ArrayRef) -> Result<()>,
}

impl<T: Send + Sync + 'static> Look for Columns<T> {
    fn see(&mut self, batch: &RecordBatch) -> Result<()> {
        let mut columns = self.columns.iter().zip(batch.columns());
        columns.try_for_each(|((name, wanted), cells)| (self.see)(name, wanted, cells))
    }
}

/// Tells threads that nobody waits for them any more.
#[derive(Default)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The rows of a file that are shown.
struct ShownRows {
    table: Arc<Reopened>,
    places: Vec<usize>,
    stopped: Arc<AtomicBool>,
}

impl ShownRows {
    /// The batches of a part, as long as somebody wants them.
    fn batches(&self, part: usize) -> impl Iterator<Item = Result<RecordBatch>> + use<> {
        let rows = self.table.rows(part, &self.places);
        let (rows, error) = rows.map_or_else(|error| (None, Some(Err(error))), |rows| (Some(rows), None));
        let (table, stopped) = (Arc::clone(&self.table), Arc::clone(&self.stopped));
        let rows = rows.into_iter().flatten().chain(error);
        rows.map(move |batch| batch.map_err(|_| table.failed()))
            .take_while(move |_| !stopped.load(Ordering::Relaxed))
    }

    /// Several threads, which take one part after the other.
    fn together<L: Look>(&self, threads: usize, start: impl Fn() -> Result<L> + Sync) -> Result<Vec<L>> {
        let parts = self.table.part_count();
        each_part(parts, threads, &self.stopped, start, |look, part| {
            self.batches(part).try_for_each(|batch| look.see(&batch?))
        })
    }

    /// One thread decodes, this one looks.
    fn ahead<L: Look>(self, mut look: L) -> Result<L> {
        let (next, parts) = (AtomicUsize::new(0), self.table.part_count());
        let claim = move || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|part| *part < parts);
        let batches = std::iter::from_fn(claim).flat_map(move |part| self.batches(part));
        Ahead::start(READ_AHEAD, batches)?.try_for_each(|batch| look.see(&batch?))?;
        Ok(look)
    }
}
