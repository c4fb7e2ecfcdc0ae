//! Finds a quote that is never closed.
//!
//! The reader takes the end of the file for the closing quote, so the last cell would hold every
//! row after the quote, and a release of that column would publish them as they are.

use arrow::array::{Array, AsArray, RecordBatch};

use crate::error::Result;
use crate::input::dialect::{Dialect, ends_in_quotes};
use crate::input::source::Source;
use crate::input::source::fault::read_failure;
use crate::input::source::probe::read_text;

/// Watches a scan of a text file for a last cell with line breaks.
pub(crate) struct Unclosed {
    source: Source,
    dialect: Dialect,
    /// Where the file's last column is in the batches.
    last_column: usize,
    /// Whether it is there for this watch alone.
    is_extra: bool,
    rows: u64,
    suspect: bool,
}

impl Unclosed {
    /// A watch if the scan is of text; it adds the file's last column to those that are read.
    pub(crate) fn watch(source: &Source, columns: &mut Vec<usize>) -> Option<Unclosed> {
        let dialect = source.dialect?;
        let last = source.columns.len().checked_sub(1)?;
        let asked = columns.iter().position(|&column| column == last);
        if asked.is_none() {
            columns.push(last);
        }
        Some(Unclosed {
            source: source.clone(),
            dialect,
            last_column: asked.unwrap_or(columns.len() - 1),
            is_extra: asked.is_none(),
            rows: 0,
            suspect: false,
        })
    }

    /// Looks at a batch, and gives back what was asked for of it.
    pub(crate) fn see(&mut self, mut batch: RecordBatch) -> RecordBatch {
        self.look(&batch);
        if self.is_extra {
            batch.remove_column(self.last_column);
        }
        batch
    }

    fn look(&mut self, batch: &RecordBatch) {
        let cells = batch.column(self.last_column).as_string::<i32>();
        self.rows += cells.len() as u64;
        let last = cells.len().checked_sub(1).map(|at| cells.value(at));
        self.suspect = last.is_some_and(|cell| cell.contains(['\n', '\r']));
    }

    /// Says at the end of the scan whether a quote is still open. Only a suspect file is read
    /// again.
    pub(crate) fn check(&self) -> Result<()> {
        let Source { path, compression, .. } = &self.source;
        let Dialect { delimiter, quote, .. } = self.dialect;
        let unclosed = || ends_in_quotes(read_text(&self.source)?, delimiter, quote);
        if self.suspect && unclosed().map_err(|cause| read_failure(path, *compression, &cause))? {
            return Err(self.source.bad("a quote is opened and never closed").at_row(self.rows));
        }
        Ok(())
    }
}
