//! The rows of a file as codes, column beside column, however the file is cut into batches.

use futures::StreamExt;
use throng::wording::quoted;

use crate::dictionary::{Dictionary, as_text, try_each};
use crate::error::Result;
use crate::input::source::{Batches, Source};

/// A file that is read row by row.
pub(in crate::verify) struct Codes<'a> {
    source: &'a Source,
    positions: Vec<usize>,
    batches: Batches,
    dictionaries: Vec<Dictionary>,
    /// The codes of the batch at hand, by column.
    columns: Vec<Vec<u32>>,
    /// The row at hand in this batch.
    at: usize,
    batch_rows: usize,
    /// Rows of all batches so far.
    rows: u64,
}

impl<'a> Codes<'a> {
    /// Starts to read the columns at `positions`; values that a dictionary has, also merged or coded, keep
    /// their codes.
    pub(in crate::verify) async fn open(
        source: &'a Source,
        positions: Vec<usize>,
        dictionaries: Vec<Dictionary>,
    ) -> Result<Codes<'a>> {
        debug_assert_eq!(positions.len(), dictionaries.len());
        let batches = source.scan(&positions).await?;
        let columns = vec![Vec::new(); positions.len()];
        Ok(Codes { source, positions, batches, dictionaries, columns, at: 0, batch_rows: 0, rows: 0 })
    }

    /// Rows at hand: none only at the end of the file.
    pub(in crate::verify) async fn fill(&mut self) -> Result<usize> {
        while self.at == self.batch_rows {
            let Some(batch) = self.batches.next().await else { return Ok(0) };
            let batch = batch?;
            (self.at, self.batch_rows) = (0, batch.num_rows());
            let first_row = u32::try_from(self.rows).unwrap_or(u32::MAX);
            self.rows += batch.num_rows() as u64;
            for (column, array) in batch.columns().iter().enumerate() {
                let (codes, dictionary) = (&mut self.columns[column], &mut self.dictionaries[column]);
                codes.clear();
                let read = as_text(array).ok_or(()).and_then(|text| {
                    try_each(&text, |value| {
                        codes.push(dictionary.intern_again(value, first_row).ok_or(())?);
                        Ok(())
                    })
                });
                read.map_err(|()| {
                    let name = &self.source.columns()[self.positions[column]];
                    self.source
                        .bad(format!("column {} cannot be read as text", quoted(name)))
                        .about_column(name)
                })?;
            }
        }
        Ok(self.batch_rows - self.at)
    }

    /// The code of a cell of the row at hand.
    pub(in crate::verify) fn code(&self, column: usize) -> u32 {
        self.columns[column][self.at]
    }

    /// The value of a cell of the row at hand.
    pub(in crate::verify) fn value(&self, column: usize) -> &str {
        self.dictionaries[column].value(self.code(column))
    }

    /// What the codes of a column stand for, as far as it was read.
    pub(in crate::verify) fn dictionary(&self, column: usize) -> &Dictionary {
        &self.dictionaries[column]
    }

    /// Goes on to the next row.
    pub(in crate::verify) fn advance(&mut self) {
        self.at += 1;
    }

    /// All rows of the file, which is read to its end.
    pub(in crate::verify) async fn count_rows(mut self) -> Result<u64> {
        while let Some(batch) = self.batches.next().await {
            self.rows += batch?.num_rows() as u64;
        }
        Ok(self.rows)
    }
}
