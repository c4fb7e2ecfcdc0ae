//! Where a release goes: cells get their labels, rows their order, and the file appears whole or
//! not at all.

pub mod recode;
pub(crate) mod shuffle;
pub(crate) mod sort;

pub use throng_tables::output::sink;
