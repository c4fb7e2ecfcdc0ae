//! Where a table comes from: files, their formats and how they are spelled.

pub mod dialect;
pub(crate) mod encoding;
pub mod format;
#[cfg_attr(not(feature = "postgres"), allow(dead_code))]
pub(crate) mod remote;
pub mod source;
pub mod standard;
