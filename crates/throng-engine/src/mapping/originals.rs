//! The texts that the cells of a column have.

use rustc_hash::FxHashSet;

use throng::release::Release;

use super::RowValues;
use crate::prepare::EncodedColumn;

/// A text of a column; several may have the same code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Original {
    /// As it was read; empty for what is missing.
    pub text: String,
    /// Of its label, or, where tuples have labels of their own, of the value within tuples.
    pub code: u32,
}

/// The texts of an attribute that rows have, sorted.
pub(super) fn originals(
    attribute: &EncodedColumn,
    release: &Release,
    index: usize,
    shown: &RowValues,
) -> Vec<Original> {
    let parts = (0..release.parts()).filter(|&part| release.rows(part) > 0);
    // A population has values that no row of the table has.
    let seen: FxHashSet<u32> = parts.map(|part| release.leaf(part, index)).collect();
    let of_leaf = release.leaf_values(index);
    let code = |leaf: u32| of_leaf.map_or(leaf, |values| shown.number(values[leaf as usize]));
    let leaves = attribute.dictionary.originals();
    let leaves = leaves.map(|(text, code)| (text, attribute.leaves[code as usize]));
    let seen = leaves.filter(|(_, leaf)| seen.contains(leaf));
    let mut all: Vec<Original> =
        seen.map(|(text, leaf)| Original { text: text.to_owned(), code: code(leaf) }).collect();
    all.sort_unstable();
    all.dedup_by(|next, kept| next.text == kept.text);
    all
}
