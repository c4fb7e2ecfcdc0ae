//! Where a table comes from: files, their formats and how they are spelled.

pub mod dialect;
pub(crate) mod encoding;
pub mod files;
pub mod format;
pub mod lines;
pub(crate) mod percent;
#[cfg_attr(not(feature = "postgres"), allow(dead_code))]
pub(crate) mod remote;
pub mod scheme;
pub mod source;
pub mod standard;
