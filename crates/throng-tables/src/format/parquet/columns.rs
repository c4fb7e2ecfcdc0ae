//! Columns of a Parquet file that several threads decode, put together batch by batch.
//!
//! So a file of one row group keeps all cores busy, too. Batches are the same as by one thread.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{Field, Schema};

use super::read::PagedFile;
use crate::error::Result;
use crate::threads::{Ahead, died};

/// Batches that a thread may have decoded before they are taken.
const READ_AHEAD: usize = 4;
/// Threads that are of use: what they decode must be taken up by somebody.
const MAX_THREADS: usize = 4;
/// Rows that are worth a thread.
const LEAST_ROWS: u64 = 1 << 17;

/// Batches of some columns, in order. Nothing may be taken after an error.
pub(crate) struct ColumnRows {
    /// For each thread the places of its columns among all that are read, and what it has decoded.
    shares: Vec<(Vec<usize>, Ahead<RecordBatch>)>,
    /// For each column that was asked for, its place among those that are read.
    places: Vec<usize>,
}

impl ColumnRows {
    /// Starts to decode; nothing if that is too much for the file, or the system gives no threads.
    ///
    /// # Errors
    /// If the file cannot be opened again.
    pub(crate) fn start(file: &PagedFile, threads: usize) -> Result<Option<ColumnRows>> {
        let shares = file.share_columns(threads.min(MAX_THREADS));
        if shares.len() < 2 || file.row_count() < LEAST_ROWS {
            return Ok(None);
        }
        let mut started = Vec::with_capacity(shares.len());
        for share in shares {
            let rows = file.of_roots(&share).rows(None)?;
            let Ok(rows) = Ahead::start(READ_AHEAD, rows) else { return Ok(None) };
            started.push((share, rows));
        }
        Ok(Some(ColumnRows { shares: started, places: file.places().to_vec() }))
    }

    fn put_together(&self, parts: Vec<RecordBatch>) -> Result<RecordBatch> {
        let columns = self.shares.iter().map(|(share, _)| share.len()).sum();
        let mut all: Vec<Option<(Arc<Field>, ArrayRef)>> = vec![None; columns];
        for ((share, _), part) in self.shares.iter().zip(&parts) {
            for ((&place, column), field) in share.iter().zip(part.columns()).zip(part.schema().fields()) {
                all[place] = Some((Arc::clone(field), Arc::clone(column)));
            }
        }
        let asked = self.places.iter().filter_map(|&place| all[place].clone());
        let (fields, columns): (Vec<Arc<Field>>, Vec<ArrayRef>) = asked.unzip();
        // Threads that read the same file have as many rows.
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(|_| died())
    }
}

impl Iterator for ColumnRows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        let parts: Vec<Option<Result<RecordBatch>>> =
            self.shares.iter_mut().map(|(_, decoded)| decoded.next()).collect();
        if parts.iter().all(Option::is_none) {
            return None;
        }
        // Threads that read the same file have as many batches.
        let parts = parts.into_iter().map(|part| part.unwrap_or_else(|| Err(died())));
        Some(parts.collect::<Result<Vec<_>>>().and_then(|parts| self.put_together(parts)))
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int32Array, StringArray};
    use parquet::arrow::ArrowWriter;

    use super::*;
    use crate::error::EngineError;
    use crate::input::dialect::DialectOverrides;
    use crate::input::source::Source;

    /// One row group of so many rows, of which a column is decoded to places in a list.
    fn source(dir: &std::path::Path, rows: u64) -> Source {
        let path = dir.join("t.parquet");
        let number: ArrayRef = Arc::new((0..rows as i32).map(Some).collect::<Int32Array>());
        let text = |row: u64| (!row.is_multiple_of(7)).then(|| (row % 1000).to_string());
        let text: ArrayRef = Arc::new((0..rows).map(text).collect::<StringArray>());
        let long: ArrayRef =
            Arc::new((0..rows).map(|row| Some(format!("{row:020}"))).collect::<StringArray>());
        let batch = RecordBatch::try_from_iter_with_nullable([
            ("number", number, true),
            ("text", text, true),
            ("long", long, true),
        ]);
        let batch = batch.unwrap();
        let file = std::fs::File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        Source::open(&path, &DialectOverrides::default()).unwrap()
    }

    #[test]
    fn batches_are_those_of_one_thread() {
        let dir = tempfile::tempdir().unwrap();
        let source = source(dir.path(), LEAST_ROWS + 77);
        for columns in [vec![2, 0, 1], vec![1, 1, 0], vec![0, 2]] {
            let file = PagedFile::open(&source, &columns, &[1]).unwrap();
            let one: Vec<RecordBatch> = file.rows(None).unwrap().map(|batch| batch.unwrap()).collect();
            for threads in [2, 3] {
                let together = ColumnRows::start(&file, threads).unwrap().expect("there are enough rows");
                let together: Vec<RecordBatch> = together.map(|batch| batch.unwrap()).collect();
                assert_eq!(one, together, "{columns:?} {threads}");
            }
        }
        let one = PagedFile::open(&source, &[1], &[]).unwrap();
        assert!(ColumnRows::start(&one, 2).unwrap().is_none(), "one column has no parts");
    }

    #[test]
    fn a_damaged_column_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let source = source(dir.path(), LEAST_ROWS);
        let file = PagedFile::open(&source, &[0, 1, 2], &[]).unwrap();
        let bytes = std::fs::read(source.path()).unwrap();
        let mut damaged = bytes.clone();
        let middle = bytes.len() / 2;
        damaged[middle..middle + 4096].fill(0xff);
        std::fs::write(source.path(), damaged).unwrap();
        let mut rows = ColumnRows::start(&file, 2).unwrap().unwrap();
        let error = rows.find_map(std::result::Result::err).expect("it is damaged");
        assert!(matches!(error, EngineError::BadInput(_)), "{error}");
    }
}
