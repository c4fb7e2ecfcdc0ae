//! Cut recoding: a search among cuts through the attributes' trees.

pub(super) mod ascent;
pub(super) mod bottom_up_generalization;
pub(super) mod cut_search;
pub(super) mod heuristic_min;
pub(super) mod top_down_specialization;
mod trees;
mod worth;
