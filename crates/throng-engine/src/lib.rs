//! The engine of throng: reads tables, hands them to the core, writes and verifies releases.

pub(crate) mod auto;
pub mod check;
pub mod columns;
pub mod compare;
pub mod demo;
pub mod dictionary;
pub mod encode;
pub mod evaluate;
pub mod frontier;
pub mod hash;
pub mod init;
pub mod job;
pub mod mapping;
pub mod memory;
pub mod output;
pub mod pipeline;
pub mod plan;
pub mod plans;
pub mod policy;
pub mod prepare;
pub mod process;
pub mod profile;
pub mod progress;
pub mod pseudonym;
pub mod report;
pub mod reuse;
pub(crate) mod role;
pub mod sql;
pub mod verify;

#[cfg(feature = "postgres")]
pub use throng_tables::postgres;
pub use throng_tables::{address, backend, error, format, input, wording};
