//! How sure one can be of a sensitive value, once somebody's class is found.

use std::sync::Arc;

use arrow::array::ArrayRef;
use rustc_hash::FxHashMap;

use super::groups::{self, Groups};
use super::stored::Opened;
use crate::error::Result;

/// A value that so many of a class have is as good as known.
const LIKELY_SHARE: f64 = 0.9;

/// Rows whose sensitive value is known, or nearly so, to who finds their class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Certainty {
    /// Rows in classes all of whose rows have the same value.
    pub certain_rows: u64,
    /// Rows in other classes of which more than nine tenths have the same value.
    pub likely_rows: u64,
}

/// Groups the rows of a file by the columns at `quasi`, and says what can be learned from these classes of the column
/// at `sensitive`: in one look at the file.
pub(super) async fn group(
    table: Arc<Opened>,
    quasi: &[usize],
    sensitive: usize,
) -> Result<(Groups, Certainty)> {
    let mut classes = Groups::of_columns(&table, quasi)?;
    let all: Vec<usize> = quasi.iter().copied().chain([sensitive]).collect();
    let mut most = Most::default();
    groups::group(table, all)
        .await?
        .try_each(|cells, rows| most.add(&mut classes, &cells[..quasi.len()], rows))?;
    let mut found = Certainty::default();
    // Sums do not depend on the order of the classes.
    for (class, rows) in classes.iter() {
        let most = most.0.get(class).copied().unwrap_or(0);
        if most == rows {
            found.certain_rows += rows;
        } else if most as f64 > LIKELY_SHARE * rows as f64 {
            found.likely_rows += rows;
        }
    }
    Ok((classes, found))
}

/// Rows of the most frequent value of each class.
#[derive(Default)]
struct Most(FxHashMap<Box<[u8]>, u64>);

impl Most {
    /// Adds rows that have one value each to their classes.
    fn add(&mut self, classes: &mut Groups, quasi: &[ArrayRef], rows: &[u64]) -> Result<()> {
        classes.add_rows(quasi, rows, |class, rows| match self.0.get_mut(class) {
            Some(most) => *most = (*most).max(rows),
            None => _ = self.0.insert(class.into(), rows),
        })
    }
}
