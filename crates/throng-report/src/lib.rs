//! What people see of a release: the evidence, the pages that present it, and pictures.
//!
//! Dependencies point one way: `plot` draws numbers, `evidence` gathers them, `page` puts them into words.

pub mod evidence;
pub mod page;
pub mod plot;
pub mod remedy;
