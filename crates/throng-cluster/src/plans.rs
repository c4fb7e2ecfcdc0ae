//! Tables that plans of DataFusion read, count and write: in process, or on a cluster.
//!
//! A plan reads files in parts ([`files`]), and counts the tuples of each part ([`count`]), looks at its rows ([`look`]) or
//! writes what the release makes of it ([`write`]), by one [`operator`]. Which parts there are follows from the files alone, so what comes out is the same wherever plans run
//! ([`session`]).

mod count;
mod counts;
mod fault;
mod files;
mod look;
mod on;
mod operator;
mod order;
mod place;
mod release;
mod session;
mod table;
mod write;

pub(crate) use fault::{as_fault, explain};
pub(crate) use on::{of_objects, on_cluster};
pub(crate) use operator::{PartExec, PartTask};
pub(crate) use order::LastMapping;
pub(crate) use release::write_release;
pub(crate) use session::{Nodes, keep_to_parts, runtime};
pub(crate) use table::nodes_of;
