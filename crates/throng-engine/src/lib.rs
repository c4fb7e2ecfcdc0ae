//! The engine of throng: reads tables, hands them to the core, writes and verifies releases.

pub mod check;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod compare;
pub mod database;
pub mod demo;
pub mod error;
pub mod evaluate;
pub mod evidence;
pub mod frontier;
pub mod init;
pub mod input;
pub mod job;
#[cfg(feature = "lake")]
mod lake;
pub mod mapping;
pub mod memory;
pub mod output;
pub mod page;
pub mod pipeline;
pub mod plot;
pub mod prepare;
pub mod process;
pub mod profile;
pub mod progress;
pub mod pseudonym;
pub mod report;
pub mod reuse;
pub mod sql;
pub mod store;
pub mod verify;
pub mod wording;
