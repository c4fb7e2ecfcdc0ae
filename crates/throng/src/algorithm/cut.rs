//! Cut recoding: a search among cuts through the attributes' trees.

pub(super) mod ascent;
pub(super) mod cut_search;
pub(super) mod heuristic_min;
