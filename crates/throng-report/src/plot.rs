//! Pictures as SVG, each with a title for those who cannot see it: lines, points, bars, changes.
//!
//! One picture is drawn in two inks: for a file of its own, or as a part of a page whose style has the colours.

mod axis;
mod bars;
mod changes;
mod ink;
mod lines;
mod svg;
mod text;

pub(crate) use axis::round_step;
pub use bars::{BarRow, Bars};
pub use changes::{ChangedRow, Changes};
pub use lines::{Mark, Plot, Series};
