//! Looks at a table by the nodes of a cluster, where its rows are: who asked reads none of them.
//!
//! Looks at every row are taken part by part, and what is told of the parts is put together ([`PartLook`]). What depends on
//! the order of the rows is looked at by one node, which reads no more of them than anybody would ([`TableLook`]). Values
//! stay on the nodes: they tell counts and hashes.

use std::path::PathBuf;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::backend::{Remote, again_if_lost};
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::progress::{Progress, cancellation};

/// What is looked for in all rows of some columns, part by part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartLook {
    /// How often the values of identifiers repeat.
    Identifiers,
    /// Cells of text that mention somebody.
    Mentions,
}

/// Looks at all rows, each at columns of its own.
pub type PartLooks = Vec<(PartLook, Vec<usize>)>;

/// What looks found in one part, told in numbers: what each told after what the one before it did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartFindings {
    /// Which part.
    pub part: u32,
    /// Counts, and hashes of values.
    pub numbers: Vec<u64>,
}

/// A look that one node takes for all: at a bounded number of rows, in their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableLook {
    /// What columns show that are released as they are.
    Kept {
        /// Those columns.
        kept: Vec<usize>,
        /// Those by which rows must not be sorted.
        ordered: Vec<usize>,
    },
    /// Which of some columns determine what belongs to a person.
    Determining {
        /// Those columns.
        candidates: Vec<usize>,
        /// What they may determine.
        others: Vec<usize>,
    },
}

/// Nodes that look at a table.
pub trait LookingNodes: Send + Sync {
    /// What looks find in each part, in no order; nothing of parts without rows.
    ///
    /// # Errors
    /// If the table cannot be read.
    fn look_at_parts(&self, looks: &PartLooks) -> Result<BoxStream<'static, Result<PartFindings>>>;

    /// What a node finds that takes a look at the table, as JSON.
    fn look_at_table(&self, look: &TableLook) -> BoxFuture<'static, Result<String>>;

    /// The SHA-256 of each file of the table in hexadecimal digits.
    fn hash_files(&self) -> BoxFuture<'static, Result<Vec<(PathBuf, String)>>>;
}

/// Gives the nodes that look at a table, if there are some; it is [added](throng_tables::tables::Tables::with) to tables.
#[derive(Clone, Copy, Debug)]
pub struct NodesOf(pub fn(&dyn Remote) -> Option<Arc<dyn LookingNodes>>);

/// The nodes that look at a table, if it is one of a cluster.
pub(crate) fn nodes_of(source: &Source) -> Option<Arc<dyn LookingNodes>> {
    let nodes = source.tables().added::<NodesOf>()?;
    (nodes.0)(&**source.remote()?)
}

/// Whether nodes can look at a table, once it is counted by a cluster.
pub(crate) fn has_nodes(source: &Source) -> bool {
    source.tables().added::<NodesOf>().is_some()
}

/// Numbers that are told of a part, read one after the other.
pub(crate) struct ToldNumbers<'n>(&'n [u64]);

impl<'n> ToldNumbers<'n> {
    pub(crate) fn new(numbers: &'n [u64]) -> ToldNumbers<'n> {
        ToldNumbers(numbers)
    }

    /// The next number, if there is one.
    pub(crate) fn next(&mut self) -> Option<u64> {
        self.take(1).map(|number| number[0])
    }

    /// So many more, if there are as many.
    pub(crate) fn take(&mut self, count: u64) -> Option<&'n [u64]> {
        let (taken, left) = self.0.split_at_checked(usize::try_from(count).ok()?)?;
        self.0 = left;
        Some(taken)
    }
}

/// Puts together what nodes tell of the parts of a table, which come in no order.
pub(crate) trait JoinParts: Send {
    /// Takes up what was told of a part; nothing if it cannot be read.
    fn join(&mut self, part: u32, told: &mut ToldNumbers<'_>) -> Option<()>;

    /// All parts were told of.
    fn finish(self: Box<Self>);
}

/// Has a node take a look at the table.
///
/// # Errors
/// If no node can, or the run was cancelled.
pub(crate) async fn look_by_a_node<T: DeserializeOwned>(
    nodes: &dyn LookingNodes,
    look: &TableLook,
    progress: &dyn Progress,
) -> Result<T> {
    let told = or_cancelled(again_if_lost(async || nodes.look_at_table(look).await), progress).await?;
    serde_json::from_str(&told).map_err(|_| not_understood())
}

/// What comes of something, unless the run is cancelled before.
///
/// # Errors
/// Its own; if the run was cancelled.
pub(crate) async fn or_cancelled<T>(
    ends: impl Future<Output = Result<T>>,
    progress: &dyn Progress,
) -> Result<T> {
    tokio::select! {
        biased;
        () = cancellation(progress) => Err(EngineError::Interrupted),
        ended = ends => ended,
    }
}

/// A node told what cannot be.
pub(crate) fn not_understood() -> EngineError {
    EngineError::Data("a node of the cluster tells what cannot be understood".into())
}
