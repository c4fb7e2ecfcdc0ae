//! What plans do to each part of a table.

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::TaskContext;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning, PlanProperties,
    SendableRecordBatchStream,
};
use futures::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};

use super::look::TableOrder;
use super::order::{LastMapping, WriteOrder};
use super::place::PartAddress;
use super::{count, look, write};
use throng_engine::nodes::PartLooks;

/// What is done while rows are looked at, in errors.
pub(super) const LOOKING: &str = "examining rows";

/// What is done to the rows of a part.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "task", rename_all = "snake_case")]
pub(crate) enum PartTask {
    /// Their tuples are counted.
    Count,
    /// Looks are taken at all of them.
    Look {
        /// Which.
        looks: Arc<PartLooks>,
    },
    /// A look is taken at the table, whatever the part.
    LookOnce(Arc<TableOrder>),
    /// The bytes of the file are hashed that they are in.
    Hash,
    /// What the release makes of them is written.
    Write(Arc<WriteOrder>),
}

/// Does a task to each partition of its input, which is a part of a table.
#[derive(Debug)]
pub(crate) struct PartExec {
    input: Arc<dyn ExecutionPlan>,
    task: PartTask,
    properties: Arc<PlanProperties>,
}

impl PartTask {
    /// The same task of a node that keeps the mapping of the release that it wrote last.
    pub(crate) fn with_mappings(self, last: &LastMapping) -> PartTask {
        match self {
            PartTask::Write(order) => {
                PartTask::Write(Arc::new(WriteOrder { last: last.clone(), ..Arc::unwrap_or_clone(order) }))
            }
            other => other,
        }
    }
}

impl PartExec {
    /// A plan over the parts that a scan reads, with their numbers.
    pub(crate) fn new(input: Arc<dyn ExecutionPlan>, task: PartTask) -> PartExec {
        let schema: SchemaRef = match &task {
            PartTask::Count => count::counted_schema(&input.schema()),
            PartTask::Look { .. } => look::findings_schema(),
            PartTask::LookOnce(_) => look::told_schema(),
            PartTask::Hash => look::hash_schema(),
            PartTask::Write(_) => write::written_schema(),
        };
        let partitions = input.output_partitioning().partition_count();
        // All of a part is read before the first row comes out.
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        PartExec { input, task, properties: Arc::new(properties) }
    }

    /// What is done.
    pub(crate) fn task(&self) -> &PartTask {
        &self.task
    }
}

impl DisplayAs for PartExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PartExec")
    }
}

impl ExecutionPlan for PartExec {
    fn name(&self) -> &str {
        "PartExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match (children.pop(), children.pop()) {
            (Some(input), None) => Ok(Arc::new(PartExec::new(input, self.task.clone()))),
            _ => internal_err!("PartExec has one input"),
        }
    }

    fn execute(&self, part: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (schema, given) = (self.schema(), self.schema());
        let address = |doing| PartAddress::from_scan(&*self.input, part, doing);
        let input = || self.input.execute(part, context);
        let rows = match self.task.clone() {
            PartTask::Count => {
                let (place, input) = (address("counting")?, input()?);
                let counted = async move { count::count(input, &place, given).await.map(stream::iter) };
                stream::once(counted).try_flatten().boxed()
            }
            PartTask::Look { looks } => {
                let (place, input) = (address(LOOKING)?, input()?);
                let looked = async move { look::look_at_part(input, &place, &looks, given).await };
                stream::once(looked).map_ok(stream::iter).try_flatten().boxed()
            }
            PartTask::LookOnce(order) => {
                stream::once(async move { look::look_once(&order, given).await }).boxed()
            }
            PartTask::Hash => {
                let place = address(LOOKING)?;
                stream::once(async move { look::hash_file(&place, given).await }).boxed()
            }
            PartTask::Write(order) => {
                let (place, input) = (address("writing")?, input()?);
                stream::once(async move { write::write(input, &place, &order).await?.to_batch() }).boxed()
            }
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}
