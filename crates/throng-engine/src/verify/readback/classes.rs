//! Counts classes by their sizes.

use std::collections::BTreeMap;

use super::ReadBack;
use super::groups::Groups;
use crate::error::Result;

/// Every quasi-identifier of a masked row.
const MASK: &str = "*";

/// The sizes of the classes that a table was grouped into. A row with a missing cell is not masked,
/// nor is one with a column that is no text.
pub(super) fn count(mut classes: Groups) -> Result<ReadBack> {
    let masked_rows = classes.take(MASK)?;
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    classes.sizes().for_each(|rows| *sizes.entry(rows).or_default() += 1);
    let rows = masked_rows + sizes.iter().map(|(rows, classes)| rows * classes).sum::<u64>();
    Ok(ReadBack { rows, masked_rows, sizes, certain: Vec::new() })
}
