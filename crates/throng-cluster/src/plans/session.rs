//! Where plans run.

use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::channel::mpsc;
use futures::future::ready;
use futures::stream::{self, BoxStream};
use futures::{SinkExt, StreamExt, TryStreamExt};
use tokio::task::JoinHandle;

use super::fault::explain;
use throng_tables::error::EngineError;
use throng_tables::input::source::Batches;

/// Parts of a table that are read at a time where rows are wanted in their order.
const PARTS_AHEAD: usize = 3;
/// Batches of each that may wait.
const BATCHES_AHEAD: usize = 4;

/// A session of DataFusion.
#[derive(Clone)]
pub(crate) struct Session {
    context: SessionContext,
    engine: Engine,
}

/// Who runs plans elsewhere.
pub(crate) trait Nodes: Send + Sync {
    /// What all parts of a plan give, in no order; `doing` says what it does, in errors.
    fn run(&self, plan: Arc<dyn ExecutionPlan>, doing: &'static str) -> Batches;
}

/// Where its plans run.
#[derive(Clone)]
pub(crate) enum Engine {
    /// In this process.
    Here,
    /// On the nodes of a cluster.
    Elsewhere(Arc<dyn Nodes>),
}

/// Partitions keep to their own files: else who has nothing left to read takes those of others.
pub(crate) fn keep_to_parts(mut config: SessionConfig) -> SessionConfig {
    config.options_mut().execution.enable_file_stream_work_stealing = false;
    config
}

/// What plans run in: it knows the stores that tables can be in.
pub(crate) fn runtime(builder: RuntimeEnvBuilder) -> Result<Arc<RuntimeEnv>> {
    let builder = match crate::STORES {
        Some(stores) => builder.with_object_store_registry(stores()),
        None => builder,
    };
    builder.build_arc()
}

impl Session {
    pub(crate) fn new(engine: Engine) -> Session {
        let config = keep_to_parts(SessionConfig::new());
        let runtime = runtime(RuntimeEnvBuilder::new()).expect("what needs no disk can be had");
        Session { context: SessionContext::new_with_config_rt(config, runtime), engine }
    }

    /// What all parts of a plan give, in no order; `doing` says what it does, in errors.
    pub(crate) fn run(&self, plan: Arc<dyn ExecutionPlan>, doing: &'static str) -> Batches {
        match &self.engine {
            Engine::Here => run_here(plan, self.context.task_ctx(), doing),
            Engine::Elsewhere(nodes) => nodes.run(plan, doing),
        }
    }

    /// The rows of a plan in the order of its parts, read in this process: a few parts ahead, because stores answer late.
    pub(crate) fn read_in_order(&self, plan: Arc<dyn ExecutionPlan>) -> Batches {
        let (parts, context) = (0..part_count(&plan), self.context.task_ctx());
        let read = move |part: usize| {
            let (plan, context) = (Arc::clone(&plan), Arc::clone(&context));
            async move { read_part_ahead(plan, context, part) }
        };
        let rows = stream::iter(parts).map(read).buffered(PARTS_AHEAD).flatten();
        rows.map_err(|error| explain(&error.to_string(), "reading")).boxed()
    }
}

/// The rows of a part, which somebody reads a little ahead.
fn read_part_ahead(
    plan: Arc<dyn ExecutionPlan>,
    context: Arc<TaskContext>,
    part: usize,
) -> BoxStream<'static, Result<RecordBatch>> {
    let (mut sender, receiver) = mpsc::channel(BATCHES_AHEAD);
    let reading = tokio::spawn(async move {
        let mut rows = plan.execute(part, context)?;
        while let Some(batch) = rows.next().await {
            // Nobody wants more if nobody listens.
            if sender.send(Ok(batch?)).await.is_err() {
                break;
            }
        }
        Ok(())
    });
    let ended = async move {
        let ended = reading.await.map_err(|error| DataFusionError::External(error.into())).flatten();
        ended.err().map(Err)
    };
    receiver.chain(stream::once(ended).filter_map(ready)).boxed()
}

/// A task that ends when nobody waits for it any more.
struct EndOnDrop<T>(JoinHandle<T>);

impl<T> Drop for EndOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn part_count(plan: &Arc<dyn ExecutionPlan>) -> usize {
    plan.output_partitioning().partition_count()
}

/// Runs parts side by side, as many at a time as there are threads.
fn run_here(plan: Arc<dyn ExecutionPlan>, context: Arc<TaskContext>, doing: &'static str) -> Batches {
    let parts = 0..part_count(&plan);
    let run = move |part: usize| {
        let (plan, context) = (Arc::clone(&plan), Arc::clone(&context));
        async move {
            let part =
                tokio::spawn(async move { plan.execute(part, context)?.try_collect::<Vec<_>>().await });
            let mut part = EndOnDrop(part);
            let ended =
                (&mut part.0).await.map_err(|error| DataFusionError::External(error.into())).flatten();
            ended.map_err(|error| explain(&error.to_string(), doing))
        }
    };
    stream::iter(parts)
        .map(run)
        .buffer_unordered(rayon::current_num_threads())
        .map_ok(|batches| stream::iter(batches).map(Ok::<_, EngineError>))
        .try_flatten()
        .boxed()
}
