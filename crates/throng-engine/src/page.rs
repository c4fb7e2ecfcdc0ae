//! Pages that people read: one self-contained file each, without anything from elsewhere.

mod html;
mod report;
mod style;

pub use report::report;
