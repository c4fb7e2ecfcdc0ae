//! A table of files that plans count and write.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{UInt32Type, UInt64Type};
use datafusion::physical_plan::ExecutionPlan;
use futures::{StreamExt, TryStreamExt, stream};

use super::fault::explain;
use super::files::Files;
use super::operator::{PartExec, PartTask};
use super::order::{WriteOrder, WrittenPart};
use super::session::Session;
use throng_tables::backend::{Remote, again_if_lost};
use throng_tables::error::Result;
use throng_tables::input::source::{Batches, Source};

/// A table of files, and where its plans run.
pub(crate) struct PlanTable {
    files: Arc<Files>,
    session: Session,
    /// The same files, if they can be read here by our own readers.
    here: Option<Source>,
    expected_rows: Option<u64>,
}

impl fmt::Debug for PlanTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanTable").field("files", &self.files).finish_non_exhaustive()
    }
}

impl PlanTable {
    /// The table that plans write parts of, if a table is one.
    pub(crate) fn downcast(remote: &dyn Remote) -> Option<&PlanTable> {
        remote.as_any().downcast_ref()
    }

    pub(crate) fn new(files: Files, session: Session, here: Option<Source>, rows: Option<u64>) -> PlanTable {
        PlanTable { files: Arc::new(files), session, here, expected_rows: rows }
    }

    /// The tuples of each part, with the number of the part and the rows of each.
    pub(super) fn count_parts(&self, columns: &[usize]) -> Result<Batches> {
        let scan =
            self.files.scan_numbered(columns).map_err(|error| explain(&error.to_string(), "counting"))?;
        Ok(self.run(Arc::new(PartExec::new(scan, PartTask::Count)), "counting"))
    }

    fn run(&self, plan: Arc<dyn ExecutionPlan>, doing: &'static str) -> Batches {
        let files = Arc::clone(&self.files);
        self.session.run(plan, doing).map_err(move |error| files.name_as_given(error)).boxed()
    }

    /// The number of the part and the rows of each tuple that [`count_parts`](Self::count_parts) gives.
    pub(super) fn parts_and_rows(batch: &RecordBatch) -> (&[u32], &[u64]) {
        let of = batch.num_columns() - 2;
        let parts = batch.column(of).as_primitive::<UInt32Type>().values();
        (parts, batch.column(of + 1).as_primitive::<UInt64Type>().values())
    }

    /// Writes all parts, by their numbers.
    pub(crate) async fn write_parts(&self, columns: &[usize], order: WriteOrder) -> Result<Vec<WrittenPart>> {
        let scan =
            self.files.scan_numbered(columns).map_err(|error| explain(&error.to_string(), "writing"))?;
        let plan: Arc<dyn ExecutionPlan> = Arc::new(PartExec::new(scan, PartTask::Write(Arc::new(order))));
        // A node may go with what it has to say of its parts; who writes them again writes the same.
        let write = async || self.run(Arc::clone(&plan), "writing").try_collect::<Vec<_>>().await;
        let said = again_if_lost(write).await?;
        let mut parts: Vec<WrittenPart> = said.iter().flat_map(WrittenPart::of_batch).collect();
        parts.sort_by_key(|part| part.part);
        Ok(parts)
    }
}

impl Remote for PlanTable {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn scan(&self, columns: &[usize]) -> Result<Batches> {
        let Some(here) = self.here.clone() else {
            let scan = self.files.scan(columns).map_err(|error| explain(&error.to_string(), "reading"))?;
            return Ok(self.session.read_in_order(scan));
        };
        let columns = columns.to_vec();
        let open = async move { here.scan(&columns).await };
        Ok(stream::once(open).try_flatten().boxed())
    }

    fn count(&self, columns: &[usize]) -> Result<Batches> {
        let (counted, part) = (self.count_parts(columns)?, columns.len());
        let drop_part = move |mut batch: RecordBatch| {
            batch.remove_column(part);
            batch
        };
        Ok(counted.map_ok(drop_part).boxed())
    }

    fn type_of(&self, _: usize) -> Option<&str> {
        None
    }

    fn expected_rows(&self) -> Option<u64> {
        self.expected_rows
    }

    fn stored_bytes(&self) -> u64 {
        self.files.bytes()
    }
}
