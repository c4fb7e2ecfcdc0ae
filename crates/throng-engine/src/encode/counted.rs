//! Encodes tuples that were counted where the table is.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::UInt64Type;
use futures::StreamExt;

use super::{Counting, TupleEncoder, counter, refuse_many};
use crate::backend::again_if_lost;
use crate::error::Result;
use crate::input::source::Source;
use crate::memory::Budget;
use crate::progress::{Progress, refuse_cancelled, report_read};

/// How often somebody looks whether the run is to go on, while it is counted elsewhere.
const LOOK: Duration = Duration::from_millis(20);

/// Has the tuples of a remote table counted, and encodes them.
pub(super) async fn encode(
    source: &Source,
    quasi: &[usize],
    budget: &Arc<Budget>,
    progress: &dyn Progress,
) -> Result<TupleEncoder> {
    let mut encoder = TupleEncoder::new(source, quasi, counter::BUFFER_BYTES, budget);
    again_if_lost(async || encoder.count(progress).await).await?;
    Ok(encoder)
}

impl TupleEncoder {
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
            report_read(&self.source, self.rows(), progress);
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use arrow::array::{ArrayRef, StringArray, UInt64Array};
    use futures::stream;

    use super::*;
    use crate::backend::Remote;
    use crate::error::EngineError;
    use crate::input::dialect::DialectOverrides;
    use crate::input::source::Batches;
    use crate::progress::Quiet;

    /// A table whose first counts are lost half-way, so many times.
    #[derive(Debug)]
    struct Losing {
        times: usize,
        counted: AtomicUsize,
    }

    impl Remote for Losing {
        fn as_any(&self) -> &dyn std::any::Any {
            self
        }

        fn scan(&self, _: &[usize]) -> Result<Batches> {
            unreachable!("it is counted")
        }

        fn count(&self, _: &[usize]) -> Result<Batches> {
            let ages: ArrayRef = Arc::new(StringArray::from(vec!["31", "33"]));
            let rows: ArrayRef = Arc::new(UInt64Array::from(vec![2, 3]));
            let batch = RecordBatch::try_from_iter([("age", ages), ("rows", rows)]).unwrap();
            let is_lost = self.counted.fetch_add(1, Ordering::Relaxed) < self.times;
            let lost = is_lost.then(|| Err(EngineError::Lost("gone".into())));
            Ok(stream::iter([Ok(batch)].into_iter().chain(lost)).boxed())
        }

        fn type_of(&self, _: usize) -> Option<&str> {
            None
        }

        fn expected_rows(&self) -> Option<u64> {
            None
        }

        fn stored_bytes(&self) -> u64 {
            0
        }
    }

    #[tokio::test]
    async fn counts_that_are_lost_are_counted_anew_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.csv");
        std::fs::write(&path, "age\n31\n").unwrap();
        for times in 0..3 {
            let source = Source::open(&path, &DialectOverrides::default()).unwrap();
            let source = source.read_by(Arc::new(Losing { times, counted: AtomicUsize::new(0) }));
            match encode(&source, &[0], &Arc::default(), &Quiet).await {
                Ok(encoder) => assert!(times < 2 && encoder.rows() == 5, "{times}"),
                Err(error) => assert!(times == 2 && matches!(error, EngineError::Lost(_)), "{error}"),
            }
        }
    }
}
