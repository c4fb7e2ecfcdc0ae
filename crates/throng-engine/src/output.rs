//! Where a release goes: cells get their labels, rows their order, and the file appears whole or
//! not at all.

pub(crate) mod metadata;
pub(crate) mod recode;
#[cfg_attr(not(feature = "postgres"), allow(dead_code))]
pub(crate) mod remote;
pub(crate) mod shuffle;
pub mod sink;
