//! Pictures as SVG, each with a title for those who cannot see it: lines, points, bars, matrices, levels.
//!
//! One picture is drawn in two inks: for a file of its own, or as a part of a page whose style has the colours.

mod axis;
mod bars;
mod ink;
mod levels;
mod lines;
mod matrix;
mod svg;
mod text;

pub(crate) use axis::round_step;
pub use bars::{BarRow, Bars};
pub use levels::{LevelRow, Levels};
pub use lines::{Mark, Plot, Series};
pub use matrix::Matrix;
pub(crate) use text::escape;
