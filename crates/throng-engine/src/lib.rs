//! The engine of throng: reads tables, hands them to the core, writes and verifies releases.
//!
//! A table can be a file, a database table, or Arrow batches in this process, and so can its release. With
//! Arrow batches no file is touched, and the release is read back all the same before anybody gets it:
//!
//! ```
//! use std::sync::Arc;
//! use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
//! use throng_engine::batches::MemoryTable;
//! use throng_engine::job::{Job, Output};
//! use throng_engine::pipeline::anonymize;
//! use throng_engine::progress::Quiet;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ages: ArrayRef = Arc::new(Int64Array::from(vec![21, 22, 34, 35]));
//! let ills: ArrayRef = Arc::new(StringArray::from(vec!["flu", "cold", "flu", "gout"]));
//! let batch = RecordBatch::try_from_iter([("age", ages), ("ill", ills)])?;
//!
//! let job = r#"
//!     input = "people"
//!     output = "release"
//!     columns.age = { role = "quasi", hierarchy = { intervals = [10] } }
//!     columns.ill = { role = "sensitive" }
//!     privacy = { k = 2, person = "none" }
//! "#;
//! let release = MemoryTable::unwritten("release");
//! let job = Job {
//!     input: MemoryTable::from_batches("people", batch.schema(), vec![batch]).into(),
//!     output: Output::at(release.clone()),
//!     ..Job::parse(job, "".as_ref())?
//! };
//!
//! let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
//! let summary = runtime.block_on(anonymize(&job, &Quiet))?;
//! assert_eq!((summary.achieved["k"].as_u64(), summary.suppressed_rows), (Some(2), 0));
//! let rows = release.rows().expect("it was released");
//! let ages = rows.batches[0].column(0).as_any().downcast_ref::<StringArray>().unwrap();
//! assert_eq!(ages.iter().flatten().collect::<Vec<_>>(), ["20-29", "20-29", "30-39", "30-39"]);
//! # Ok(())
//! # }
//! ```

pub(crate) mod auto;
pub mod check;
mod coding;
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
pub mod nodes;
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
pub mod reuse;
pub(crate) mod role;
pub mod sql;
pub mod summary;
pub mod verify;

pub use throng_tables::memory as batches;
#[cfg(feature = "postgres")]
pub use throng_tables::postgres;
pub use throng_tables::{address, backend, error, format, input, tables, wording};
