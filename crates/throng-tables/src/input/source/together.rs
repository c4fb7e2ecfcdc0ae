//! Parts of a table that several threads decode, in the order of the table.

use std::vec;

use arrow::array::RecordBatch;

use super::parted::Parted;
use crate::error::Result;
use crate::threads::InOrder;

/// Threads that are of use: what they decode must be taken up by somebody.
const MAX_THREADS: usize = 8;

/// Batches of a table, in order. Nothing may be taken after an error.
pub(crate) struct Together {
    /// The batches of each part, up to an error.
    parts: InOrder<Vec<Result<RecordBatch>>>,
    /// What is left of the part at hand.
    batches: vec::IntoIter<Result<RecordBatch>>,
}

impl Together {
    /// Starts to decode.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub(crate) fn start(parts: Parted, threads: usize) -> Result<Together> {
        let count = parts.starts().len();
        let parts = InOrder::start(count, threads.min(MAX_THREADS), move |part| decode(&parts, part))?;
        Ok(Together { parts, batches: Vec::new().into_iter() })
    }

    /// The part that the last batch was of.
    pub(crate) fn part(&self) -> usize {
        self.parts.part()
    }
}

impl Iterator for Together {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        loop {
            if let Some(batch) = self.batches.next() {
                return Some(batch);
            }
            self.batches = self.parts.next()?.unwrap_or_else(|died| vec![Err(died)]).into_iter();
        }
    }
}

/// The batches of a part, up to an error.
fn decode(parts: &Parted, part: usize) -> Vec<Result<RecordBatch>> {
    let rows = match parts.rows(part) {
        Ok(rows) => rows,
        Err(error) => return vec![Err(error)],
    };
    let mut batches = Vec::new();
    for batch in rows {
        let failed = batch.is_err();
        batches.push(batch);
        if failed {
            break;
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::fs;

    use super::super::{BATCH_ROWS, Source};
    use super::*;
    use crate::format::csv::{TextPieces, TextRows};
    use crate::input::dialect::DialectOverrides;

    /// All batches, and the error that ends them.
    fn read_all(rows: impl Iterator<Item = Result<RecordBatch>>) -> (Vec<RecordBatch>, Option<String>) {
        let mut batches = Vec::new();
        for batch in rows {
            match batch {
                Ok(batch) => batches.push(batch),
                Err(error) => return (batches, Some(error.to_string())),
            }
        }
        (batches, None)
    }

    /// A file of several pieces with line breaks in cells, whole and with a row too short.
    #[test]
    fn threads_give_what_one_reader_gives() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        for faulty in [None, Some(300_001)] {
            let mut text = String::from("number,note\n");
            for row in 0..400_000 {
                match row {
                    _ if Some(row) == faulty => writeln!(text, "{row}"),
                    row if row % 5 == 0 => writeln!(text, "{row},\"two\nlines, {row}\""),
                    row => writeln!(text, "{row},one line and a bit more"),
                }
                .unwrap();
            }
            fs::write(&path, &text).unwrap();
            let source = Source::open(&path, &DialectOverrides::default()).unwrap();
            let dialect = source.dialect().unwrap();
            let one = read_all(TextRows::open(&source, dialect, &[1, 0], BATCH_ROWS).unwrap());
            assert_eq!(one.1.is_some(), faulty.is_some());
            for threads in [1, 3] {
                let pieces = TextPieces::cut(&source, dialect, &[1, 0]).unwrap();
                assert!(pieces.is_cut());
                let pieces: Parted = Box::new(pieces);
                assert!(pieces.starts().len() > 2);
                let together = read_all(Together::start(pieces, threads).unwrap());
                assert!(together == one, "{faulty:?} {threads}: {:?}", together.1);
            }
        }
    }
}
