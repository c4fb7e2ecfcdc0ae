//! The engine of throng: reads tables, hands them to the core, writes and verifies releases.

mod auto;
pub mod check;
pub mod compare;
pub mod demo;
pub mod dialect;
pub mod dictionary;
pub mod encode;
pub mod error;
pub mod format;
pub mod init;
pub mod job;
pub mod linkage;
pub mod pipeline;
pub mod prepare;
pub mod profile;
pub mod progress;
pub mod readback;
mod recode;
pub mod report;
mod shuffle;
pub mod sink;
pub mod source;
mod watch;
