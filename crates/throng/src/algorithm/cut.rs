//! Cut recoding: a search among cuts through the attributes' trees.

pub(super) mod ascent;
pub(super) mod heuristic_min;
