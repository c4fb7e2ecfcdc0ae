//! The first rows that somebody looks at.

use arrow::array::{Array, ArrayRef};
use arrow::compute::concat;

use crate::input::source::BATCH_ROWS;

/// Bytes of the first rows after which no more are waited for.
const FIRST_BYTES: usize = 16 << 20;

/// The first rows of a table as one batch, however they come: they decide which columns are counted together.
#[derive(Default)]
pub(super) struct FirstRows {
    batches: Vec<Vec<ArrayRef>>,
    rows: usize,
    bytes: usize,
    pub(super) is_over: bool,
}

impl FirstRows {
    /// Takes up rows; says whether they are enough.
    pub(super) fn join(&mut self, columns: &[ArrayRef]) -> bool {
        self.rows += columns[0].len();
        let bytes = |cells: &ArrayRef| cells.to_data().get_slice_memory_size().unwrap_or(0);
        self.bytes += columns.iter().map(bytes).sum::<usize>();
        self.batches.push(columns.to_vec());
        self.rows >= BATCH_ROWS || self.bytes >= FIRST_BYTES
    }

    /// The first rows, and those that came with them.
    pub(super) fn end(&mut self) -> Vec<Vec<ArrayRef>> {
        self.is_over = true;
        let (batches, rows) = (std::mem::take(&mut self.batches), self.rows);
        // There may be none: they were handed over before, or there was no row.
        if batches.is_empty() || batches.len() == 1 && rows <= BATCH_ROWS {
            return batches;
        }
        let column = |at: usize| {
            let cells: Vec<&dyn Array> = batches.iter().map(|batch| batch[at].as_ref()).collect();
            concat(&cells).expect("cells of one column")
        };
        let joined: Vec<ArrayRef> = (0..batches[0].len()).map(column).collect();
        let first = rows.min(BATCH_ROWS);
        let part = |start: usize, rows: usize| joined.iter().map(|cells| cells.slice(start, rows)).collect();
        let parts = [part(0, first), part(first, rows - first)];
        parts.into_iter().take(if first < rows { 2 } else { 1 }).collect()
    }
}
