//! Finds a quote that is never closed.
//!
//! The reader takes the end of the file for the closing quote, so the last cell would hold every
//! row after the quote, and a release of that column would publish them as they are.

use std::fs::File;

use datafusion::arrow::array::{Array, AsArray, RecordBatch};

use super::Source;
use super::fault::read_failure;
use super::probe::decompress;
use crate::dialect::{Dialect, ends_in_quotes};
use crate::error::Result;

/// Watches a scan of a text file for a last cell with line breaks.
pub(super) struct Unclosed {
    source: Source,
    dialect: Dialect,
    /// Where the file's last column is in the batches.
    last_column: usize,
    rows: u64,
    suspect: bool,
}

impl Unclosed {
    /// A watch, if the scan is of text and has the file's last column.
    pub(super) fn watch(source: &Source, columns: &[usize]) -> Option<Unclosed> {
        let last = source.columns.len().checked_sub(1)?;
        Some(Unclosed {
            source: source.clone(),
            dialect: source.dialect?,
            last_column: columns.iter().position(|&column| column == last)?,
            rows: 0,
            suspect: false,
        })
    }

    /// Looks at a batch.
    pub(super) fn see(&mut self, batch: &RecordBatch) {
        let cells = batch.column(self.last_column).as_string::<i32>();
        self.rows += cells.len() as u64;
        let last = cells.len().checked_sub(1).map(|at| cells.value(at));
        self.suspect = last.is_some_and(|cell| cell.contains(['\n', '\r']));
    }

    /// Says at the end of the scan whether a quote is still open. Only a suspect file is read
    /// again.
    pub(super) fn check(&self) -> Result<()> {
        let Source { path, compression, .. } = &self.source;
        let Dialect { delimiter, quote, .. } = self.dialect;
        let unclosed = || ends_in_quotes(decompress(File::open(path)?, *compression)?, delimiter, quote);
        if self.suspect && unclosed().map_err(|cause| read_failure(path, *compression, &cause))? {
            let problem = format!("row {}: a quote is opened and never closed", self.rows);
            return Err(self.source.bad(&problem));
        }
        Ok(())
    }
}
