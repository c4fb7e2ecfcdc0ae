//! A cluster of Ballista that counts and writes: its nodes, and who asks them.
//!
//! The plans are those of [`crate::plans`], which run in this process, too. Nodes are of our own binary, because they
//! run our own operators (`codec.rs`).

mod client;
mod codec;
mod nodes;
#[cfg(test)]
mod tests;
mod tls;

pub(crate) use client::ask_nodes;
pub use nodes::{ExecutorSettings, SchedulerSettings, refuse_taken, run_executor, run_scheduler};
