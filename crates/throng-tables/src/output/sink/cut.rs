//! Cuts rows into files of so many.

use arrow::array::RecordBatch;

/// How many rows a file takes, and how many the one at hand has.
#[derive(Debug)]
pub struct FileCutter {
    rows_per_file: u64,
    rows: u64,
}

impl FileCutter {
    /// Files of so many rows.
    pub fn new(rows_per_file: u64) -> FileCutter {
        FileCutter { rows_per_file, rows: 0 }
    }

    /// The rows of a batch that follow those before, by files; and whether each of these is full then.
    pub fn cut(&mut self, batch: &RecordBatch) -> Vec<(RecordBatch, bool)> {
        let (mut pieces, mut start) = (Vec::new(), 0);
        while start < batch.num_rows() {
            let left = batch.num_rows() - start;
            let rows = usize::try_from(self.rows_per_file - self.rows).unwrap_or(left).min(left);
            self.rows = (self.rows + rows as u64) % self.rows_per_file;
            pieces.push((batch.slice(start, rows), self.rows == 0));
            start += rows;
        }
        pieces
    }
}
