//! The pages: HTML that works without a script.

mod columns;
mod crowds;
mod detail;
mod frame;
mod lattice;
mod parts;
mod result;
mod running;
mod safety;
mod start;
mod table;

pub(crate) use columns::columns;
pub(crate) use detail::detail;
pub(crate) use frame::{enter, locked, nothing_here};
pub(crate) use result::{Cost, Costs, Result};
pub(crate) use running::running;
pub(crate) use safety::safety;
pub(crate) use start::start;
pub(crate) use table::table;
