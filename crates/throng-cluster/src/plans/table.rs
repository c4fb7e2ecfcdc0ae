//! A table of files that plans count and write.

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{Schema, UInt32Type, UInt64Type};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt, TryStreamExt, stream};

use rustc_hash::FxHashMap;

use super::fault::explain;
use super::files::{Files, name_of};
use super::look::{self, SeenTable};
use super::operator::{LOOKING, PartExec, PartTask};
use super::order::{WriteOrder, WrittenPart};
use super::session::Session;
use throng_engine::nodes::{LookingNodes, PartFindings, PartLooks, TableLook};
use throng_engine::profile::PartObserver;
use throng_tables::backend::{Remote, again_if_lost};
use throng_tables::error::{EngineError, Result};
use throng_tables::input::source::{Batches, Source};

/// A table of files, and where its plans run.
#[derive(Clone)]
pub(crate) struct PlanTable {
    files: Arc<Files>,
    session: Session,
    /// The same files, if they can be read here by our own readers.
    here: Option<Source>,
    expected_rows: Option<u64>,
    /// The table as nodes open it who look at it, if there are some.
    seen: Option<SeenTable>,
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
        PlanTable { files: Arc::new(files), session, here, expected_rows: rows, seen: None }
    }

    /// The same, which nodes look at.
    pub(crate) fn with_looks(self, seen: SeenTable) -> PlanTable {
        PlanTable { seen: Some(seen), ..self }
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

/// The nodes that look at a table, if it is one of a cluster.
pub(crate) fn nodes_of(remote: &dyn Remote) -> Option<Arc<dyn LookingNodes>> {
    let table = PlanTable::downcast(remote).filter(|table| table.seen.is_some())?;
    Some(Arc::new(table.clone()))
}

impl LookingNodes for PlanTable {
    fn look_at_parts(&self, looks: &PartLooks) -> Result<BoxStream<'static, Result<PartFindings>>> {
        let scan = self.files.scan_numbered(&PartObserver::columns(looks));
        let scan = scan.map_err(|error| explain(&error.to_string(), LOOKING))?;
        let plan = Arc::new(PartExec::new(scan, PartTask::Look { looks: Arc::new(looks.clone()) }));
        let found = self.run(plan, LOOKING);
        Ok(found.map_ok(|batch| stream::iter(look::findings(&batch))).try_flatten().boxed())
    }

    fn look_at_table(&self, look: &TableLook) -> BoxFuture<'static, Result<String>> {
        let order = self.seen.as_ref().map(|seen| seen.to_order(look));
        let table = self.clone();
        async move {
            let order = order.ok_or_else(|| EngineError::Data("nobody looks at this table".into()))?;
            // It reads the table itself.
            let nothing = Arc::new(EmptyExec::new(Arc::new(Schema::empty())));
            let plan = Arc::new(PartExec::new(nothing, PartTask::LookOnce(Arc::new(order))));
            let told = table.run(plan, LOOKING).try_collect::<Vec<_>>().await?;
            let told = told.iter().flat_map(|batch| look::texts_of(batch, 0)).next();
            told.ok_or_else(|| EngineError::Data("a node of the cluster tells nothing".into()))
        }
        .boxed()
    }

    fn hash_files(&self) -> BoxFuture<'static, Result<Vec<(PathBuf, String)>>> {
        let table = self.clone();
        async move {
            let list = table.files.list().map_err(|error| explain(&error.to_string(), LOOKING))?;
            let plan: Arc<dyn ExecutionPlan> = Arc::new(PartExec::new(list, PartTask::Hash));
            let told = table.run(plan, LOOKING).try_collect::<Vec<_>>().await?;
            let [names, hashes] =
                [0, 1].map(|at| told.iter().flat_map(|batch| look::texts_of(batch, at)).collect::<Vec<_>>());
            let hashes: FxHashMap<PathBuf, String> =
                names.into_iter().map(PathBuf::from).zip(hashes).collect();
            let named = table.files.files.iter().map(|file| (file, name_of(&table.files.store, &file.place)));
            Ok(named
                .filter_map(|(file, name)| Some((file.path.clone(), hashes.get(&name)?.clone())))
                .collect())
        }
        .boxed()
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
