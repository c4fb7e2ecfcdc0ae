//! Encodes tuples that were counted where the table is.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::UInt64Type;
use futures::StreamExt;

use super::{Counting, Encoder, counter, refuse_many, report};
use crate::error::Result;
use crate::input::remote::again_if_lost;
use crate::input::source::Source;
use crate::memory::Budget;
use crate::progress::{Progress, refuse_cancelled};

/// How often somebody looks whether the run is to go on, while it is counted elsewhere.
const LOOK: Duration = Duration::from_millis(20);

/// Has the tuples of a remote table counted, and encodes them.
pub(super) async fn encode(
    source: &Source,
    quasi: &[usize],
    budget: &Arc<Budget>,
    progress: &dyn Progress,
) -> Result<Encoder> {
    let mut encoder = Encoder::new(source, quasi, counter::BUFFER_BYTES, budget);
    again_if_lost(async || encoder.count(progress).await).await?;
    Ok(encoder)
}

impl Encoder {
    /// Takes up all tuples, and nothing that was there before.
    async fn count(&mut self, progress: &dyn Progress) -> Result<()> {
        self.counting = Counting::start(self.quasi.len(), counter::BUFFER_BYTES);
        let remote = self.source.remote().expect("only remote tables are counted elsewhere");
        let mut batches = remote.count(&self.quasi)?;
        loop {
            refuse_cancelled(progress)?;
            match tokio::time::timeout(LOOK, batches.next()).await {
                Ok(Some(batch)) => self.add_counted(&batch?)?,
                Ok(None) => return Ok(()),
                Err(_) => continue,
            }
            report(&self.source, self.rows(), progress);
        }
    }

    /// Takes up tuples with the rows of each.
    fn add_counted(&mut self, batch: &RecordBatch) -> Result<()> {
        let (columns, rows) = batch.columns().split_at(self.quasi.len());
        let rows = rows[0].as_primitive::<UInt64Type>().values();
        let all = self.rows() + rows.iter().sum::<u64>();
        refuse_many(&self.source, all, &self.budget)?;
        let added = self.counting.add_counted(columns, rows);
        self.note(added)
    }
}
