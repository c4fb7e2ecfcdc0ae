//! Pages that people read: one self-contained file each, without anything from elsewhere.

mod frontier;
mod html;
mod report;
mod style;

pub use frontier::frontier;
pub use report::{banner, report};
