//! Where a table comes from: files, their formats and how they are spelled.

pub mod dialect;
pub mod encoding;
pub mod files;
pub mod foreign;
pub mod formulas;
pub mod limits;
pub(crate) mod named;
pub(crate) mod pieces;
pub mod scheme;
pub mod shared_bytes;
pub mod source;
pub mod standard;
pub mod totals;
pub mod whole;
