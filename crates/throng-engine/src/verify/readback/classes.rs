//! Counts classes by their sizes.

use std::collections::BTreeMap;

use super::ReadBack;
use super::groups::{CellGroups, Count};

/// Every quasi-identifier of a masked row.
const MASK: &str = "*";

/// The sizes of the classes that a table was grouped into. A row with a missing cell is not masked,
/// nor is one with a column that is no text.
pub(super) fn count(mut classes: CellGroups<impl Count>) -> ReadBack {
    let masked_rows = classes.take(MASK);
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    classes.counts().for_each(|class| *sizes.entry(class.rows()).or_default() += 1);
    let rows = masked_rows + sizes.iter().map(|(rows, classes)| rows * classes).sum::<u64>();
    ReadBack { rows, masked_rows, sizes, certain: Vec::new() }
}
