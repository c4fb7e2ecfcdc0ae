//! All that the page says, and nothing else, so that it can be said in another language: a file for each page.

mod columns;
mod detail;
mod frame;
mod numbers;
mod pictures;
mod refusals;
mod result;
mod run;
mod safety;
mod start;
mod table;

pub(crate) use columns::*;
pub(crate) use detail::*;
pub(crate) use frame::*;
pub(crate) use numbers::*;
pub(crate) use pictures::*;
pub(crate) use refusals::*;
pub(crate) use result::*;
pub(crate) use run::*;
pub(crate) use safety::*;
pub(crate) use start::*;
pub(crate) use table::*;
