//! Tables that plans of DataFusion read, count and write: in process, or on a cluster.
//!
//! A plan reads files in parts ([`files`]), and counts the tuples of each part ([`count`]) or writes what the release makes
//! of it ([`write`]), by one [`operator`]. Which parts there are follows from the files alone, so what comes out is the same wherever plans run
//! ([`session`]).

mod count;
mod counts;
mod fault;
mod files;
mod on;
mod operator;
mod order;
mod place;
mod release;
mod session;
mod table;
mod write;

pub(crate) use fault::as_fault;
#[cfg(feature = "cluster")]
pub(crate) use fault::explain;
#[cfg(feature = "s3")]
pub(crate) use on::of_objects;
pub(crate) use on::on_cluster;
#[cfg(feature = "cluster")]
pub(crate) use operator::{PartExec, PartTask};
pub(crate) use release::write_release;
#[cfg(feature = "cluster")]
pub(crate) use session::{keep_to_parts, runtime};
pub(crate) use table::LakeTable;
