//! Cut recoding: a search among cuts through the attributes' trees.

pub(super) mod ascent;
