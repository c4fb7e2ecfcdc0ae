//! DataFusion plans that count tables and write releases, in this process or on the nodes of a cluster.
//!
//! To the engine they are a table like any other, and a writer of parts. A program that links this crate [gives](plans_for)
//! them to the tables of a run.

#[cfg(feature = "cluster")]
mod cluster;
// Without a cluster nobody asks for what crosses machines.
#[cfg_attr(not(feature = "cluster"), allow(dead_code, unused_imports))]
mod plans;
#[cfg(feature = "s3")]
mod stores;

use std::sync::Arc;

use datafusion::execution::object_store::ObjectStoreRegistry;
use throng_engine::job::{ClusterAddress, TlsFiles};
use throng_engine::nodes::NodesOf;
use throng_engine::pipeline::ReleaseWriter;
use throng_engine::plans::TablePlanner;
use throng_tables::error::Result;
use throng_tables::input::source::ObjectReader;
use throng_tables::tables::Tables;

#[cfg(feature = "cluster")]
pub use cluster::{ExecutorSettings, SchedulerSettings, refuse_taken, run_executor, run_scheduler};
use plans::Nodes;

/// Asks a cluster.
type Connect = fn(&ClusterAddress, Option<&TlsFiles>) -> Result<Arc<dyn Nodes>>;
#[cfg(feature = "cluster")]
const CONNECT: Option<Connect> = Some(cluster::ask_nodes);
#[cfg(not(feature = "cluster"))]
const CONNECT: Option<Connect> = None;

/// The stores that plans can read.
type Stores = fn() -> Arc<dyn ObjectStoreRegistry>;
#[cfg(feature = "s3")]
const STORES: Option<Stores> = Some(stores::registry);
#[cfg(not(feature = "s3"))]
const STORES: Option<Stores> = None;

/// Tables that are read and written by plans, too: Parquet in object stores, and whatever a job has a cluster for.
#[must_use]
pub fn plans_for(tables: &Tables) -> Tables {
    let write = ReleaseWriter(|plan, target, prepared, release, suppressed, progress| {
        Box::pin(plans::write_release(plan, target, prepared, release, suppressed, progress))
    });
    let tables = tables.with(ObjectReader(plans::of_objects)).with(TablePlanner(plans::on_cluster));
    tables.with(NodesOf(plans::nodes_of)).with(write)
}
