//! Encodes the parts of a file side by side: row groups, or pieces of a text.
//!
//! Each hand has a dictionary and a counter of its own and takes one part after the other; what they found is put
//! together at the end. Which hand had which part decides nothing: tuples are sorted by their values, and a value
//! was first seen in the least of its rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use throng_tables::threads::{died, each_part, have_done};

use super::counter::BUFFER_BYTES;
use super::observe::{Delivery, Observers};
use super::{TupleEncoder, refuse_many};
use crate::error::Result;
use crate::input::source::{PartRows, Source};
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
    rows: AtomicU64,
    stopped: Arc<AtomicBool>,
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
    let (rows, stopped) = (AtomicU64::new(0), Arc::default());
    let budget = Arc::clone(budget);
    Ok(Some(RowGroups { source, quasi, workers, budget, rows, stopped }))
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
        let mut found = have_done("encoder", move || shared.work(observers))?;
        loop {
            match tokio::time::timeout(LOOK, &mut found).await {
                Ok(Ok(found)) => return found,
                Ok(Err(_)) => return Err(died()),
                Err(_) => refuse_cancelled(progress)?,
            }
            report_read(&groups.0.source, groups.0.rows.load(Ordering::Relaxed), progress);
        }
    }

    fn work(&self, observers: Observers) -> Result<Vec<TupleEncoder>> {
        let parts = self.source.parts(&self.quasi, &self.quasi)?;
        let delivery = match observers.is_empty() {
            true => None,
            false => Some(Delivery::start(&self.source, &self.quasi, &parts, observers, &self.stopped)?),
        };
        let starts = parts.starts();
        let begin =
            || Ok(TupleEncoder::new(&self.source, &self.quasi, BUFFER_BYTES / self.workers, &self.budget));
        let encoders = each_part(starts.len(), self.workers, &self.stopped, begin, |encoder, part| {
            let rows = delivery.as_ref().map_or_else(|| parts.rows(part), |delivery| delivery.rows(part));
            let encoded = self.encode_rows(rows, starts[part], encoder);
            delivery.as_ref().inspect(|delivery| delivery.end(part));
            parts.note_rows(part, encoded?);
            Ok(())
        })?;
        parts.finish();
        delivery.map_or(Ok(()), Delivery::finish)?;
        Ok(encoders)
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
