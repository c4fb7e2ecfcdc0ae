//! Encodes the parts of a file side by side: row groups, or pieces of a text.
//!
//! Each hand has a dictionary and a counter of its own and takes one part after the other; what they found is put
//! together at the end. Which hand had which part decides nothing: tuples are sorted by their values, and a value
//! was first seen in the least of its rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::Builder;
use std::time::Duration;

use rayon::prelude::*;
use tokio::sync::oneshot;

use super::counter::BUFFER_BYTES;
use super::observe::{Delivery, Observers};
use super::{TupleEncoder, refuse_many};
use crate::error::{EngineError, Result};
use crate::input::source::{PartRows, Parted, Source};
use crate::memory::Budget;
use crate::progress::{Progress, refuse_cancelled, report_read};

/// Workers that are of use: where tuples repeat, each may come to hold all of them.
const MAX_WORKERS: usize = 8;
/// How often somebody looks how far they are.
const LOOK: Duration = Duration::from_millis(20);

/// A file of several parts, and what is to be encoded of it.
pub(super) struct RowGroups {
    source: Source,
    quasi: Vec<usize>,
    workers: usize,
    budget: Arc<Budget>,
    /// The next part that nobody has.
    next: AtomicUsize,
    rows: AtomicU64,
    stopped: AtomicBool,
}

/// Opens a file, if there may be several parts, and there are several threads or somebody looks at the rows.
pub(super) fn open(
    source: &Source,
    quasi: &[usize],
    budget: &Arc<Budget>,
    observed: bool,
) -> Result<Option<RowGroups>> {
    let threads = rayon::current_num_threads();
    // Of many files rows have places, not numbers, until all were read: that is known here alone. So is which rows are
    // from all over the table.
    if threads < 2 && !source.is_set() && !observed || !source.has_parts()? {
        return Ok(None);
    }
    if !source.format().is_text() {
        refuse_many(source, source.expected_rows().unwrap_or(0), budget)?;
    }
    let workers = threads.min(MAX_WORKERS);
    let (source, quasi) = (source.clone(), quasi.to_vec());
    let (next, rows, stopped) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let budget = Arc::clone(budget);
    Ok(Some(RowGroups { source, quasi, workers, budget, next, rows, stopped }))
}

/// Tells the workers that nobody waits for them any more.
struct StopOnDrop(Arc<RowGroups>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stopped.store(true, Ordering::Relaxed);
    }
}

impl RowGroups {
    /// Encodes all parts; what each hand found.
    pub(super) async fn encode(
        self,
        observers: Observers,
        progress: &dyn Progress,
    ) -> Result<Vec<TupleEncoder>> {
        let groups = StopOnDrop(Arc::new(self));
        let shared = Arc::clone(&groups.0);
        let (sender, mut found) = oneshot::channel();
        // Not on a thread of the runtime: where the system allows no more, that would wait for one for ever.
        let thread = Builder::new().name("encoder".to_owned());
        let started = thread.spawn(move || drop(sender.send(shared.work(observers))));
        let failed = |cause| EngineError::Data(format!("cannot start a thread to read on: {cause}").into());
        started.map_err(failed)?;
        loop {
            match tokio::time::timeout(LOOK, &mut found).await {
                Ok(Ok(found)) => return found,
                Ok(Err(_)) => return Err(EngineError::Data("reading stopped unexpectedly".into())),
                Err(_) => refuse_cancelled(progress)?,
            }
            report_read(&groups.0.source, groups.0.rows.load(Ordering::Relaxed), progress);
        }
    }

    fn work(&self, observers: Observers) -> Result<Vec<TupleEncoder>> {
        let parts = self.source.parts(&self.quasi, &self.quasi)?;
        let delivery = match observers.is_empty() {
            true => None,
            false => Some(Delivery::start(&self.source, &self.quasi, &parts, observers)?),
        };
        let starts = parts.starts();
        let workers = self.workers.min(starts.len()).max(1);
        let workers: Vec<(usize, Result<TupleEncoder>)> = (0..workers)
            .into_par_iter()
            .map(|_| self.take_groups(&parts, &starts, delivery.as_ref()))
            .collect();
        // Of several parts that cannot be read the first, as by one hand: all before it were taken up.
        if workers.iter().any(|(_, encoder)| encoder.is_err()) {
            let failed = workers.into_iter().filter_map(|(group, encoder)| Some((group, encoder.err()?)));
            let (_, error) = failed.min_by_key(|(group, _)| *group).expect("one has failed");
            return Err(error);
        }
        parts.finish();
        delivery.map_or(Ok(()), Delivery::finish)?;
        workers.into_iter().map(|(_, encoder)| encoder).collect()
    }

    /// Encodes one part after the other, until there is none or one fails; the last part that was taken up.
    fn take_groups(
        &self,
        parts: &Parted,
        starts: &[u64],
        delivery: Option<&Delivery>,
    ) -> (usize, Result<TupleEncoder>) {
        let mut encoder =
            TupleEncoder::new(&self.source, &self.quasi, BUFFER_BYTES / self.workers, &self.budget);
        loop {
            let group = self.next.fetch_add(1, Ordering::Relaxed);
            if group >= starts.len() || self.stopped.load(Ordering::Relaxed) {
                return (group, Ok(encoder));
            }
            let rows = delivery.map_or_else(|| parts.rows(group), |delivery| delivery.rows(group));
            let encoded = self.encode_rows(rows, starts[group], &mut encoder);
            delivery.inspect(|delivery| delivery.end(group));
            match encoded {
                Ok(rows) => parts.note_rows(group, rows),
                Err(error) => {
                    self.stopped.store(true, Ordering::Relaxed);
                    return (group, Err(error));
                }
            }
        }
    }

    fn encode_rows(&self, rows: Result<PartRows>, start: u64, encoder: &mut TupleEncoder) -> Result<u64> {
        let mut read = 0;
        for batch in rows? {
            let batch = batch?;
            encoder.add(&batch, start + read)?;
            let rows = batch.num_rows() as u64;
            read += rows;
            let all = self.rows.fetch_add(rows, Ordering::Relaxed) + rows;
            refuse_many(&self.source, all, &self.budget)?;
        }
        Ok(read)
    }
}
