//! Parts of a table that several threads decode, in the order of the table.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::vec;

use arrow::array::RecordBatch;

use super::parted::Parted;
use crate::error::{EngineError, Result};

/// Threads that are of use: what they decode must be taken up by somebody.
const MAX_THREADS: usize = 8;

/// Batches of a table, in order. Nothing may be taken after an error.
pub(crate) struct Together {
    shared: Arc<Shared>,
    /// The next piece, and what is left of the one before.
    next: usize,
    batches: vec::IntoIter<Result<RecordBatch>>,
}

struct Shared {
    pieces: Parted,
    count: usize,
    /// Pieces that may be decoded before they are taken.
    window: usize,
    progress: Mutex<ReadProgress>,
    moved: Condvar,
}

#[derive(Default)]
struct ReadProgress {
    /// Pieces that a thread has begun with, and that were taken.
    begun: usize,
    taken: usize,
    decoded: BTreeMap<usize, Vec<Result<RecordBatch>>>,
    stopped: bool,
}

impl Together {
    /// Starts to decode.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub(crate) fn start(pieces: Parted, threads: usize) -> Result<Together> {
        let count = pieces.starts().len();
        let threads = threads.min(MAX_THREADS).min(count).max(1);
        let shared = Arc::new(Shared {
            pieces,
            count,
            window: threads + 1,
            progress: Mutex::default(),
            moved: Condvar::new(),
        });
        for thread in 0..threads {
            let own = Arc::clone(&shared);
            let started = Builder::new().name("reader".to_owned()).spawn(move || own.decode_pieces());
            match started {
                // Those that did start are enough.
                Err(_) if thread > 0 => break,
                Err(cause) => {
                    let problem = format!("cannot start a thread to read: {cause}");
                    return Err(EngineError::Data(problem.into()));
                }
                Ok(_) => {}
            }
        }
        Ok(Together { shared, next: 0, batches: Vec::new().into_iter() })
    }

    /// The part that the last batch was of.
    pub(crate) fn part(&self) -> usize {
        self.next.saturating_sub(1)
    }
}

impl Iterator for Together {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        loop {
            if let Some(batch) = self.batches.next() {
                return Some(batch);
            }
            if self.next == self.shared.count {
                return None;
            }
            self.batches = self.shared.take(self.next).into_iter();
            self.next += 1;
        }
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.moved.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, ReadProgress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a piece was decoded to, as soon as it is.
    fn take(&self, piece: usize) -> Vec<Result<RecordBatch>> {
        let mut progress = self.lock();
        loop {
            if let Some(batches) = progress.decoded.remove(&piece) {
                progress.taken = piece + 1;
                self.moved.notify_all();
                return batches;
            }
            progress = self.moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn decode_pieces(&self) {
        while let Some(piece) = self.begin() {
            // Without this, a thread that died would be waited for for ever.
            let decoded = catch_unwind(AssertUnwindSafe(|| self.decode(piece)));
            let died = |_| vec![Err(EngineError::Data("reading stopped unexpectedly".into()))];
            self.lock().decoded.insert(piece, decoded.unwrap_or_else(died));
            self.moved.notify_all();
        }
    }

    /// The next piece that nobody has, as soon as there is room for what it holds.
    fn begin(&self) -> Option<usize> {
        let mut progress = self.lock();
        loop {
            if progress.stopped || progress.begun == self.count {
                return None;
            }
            if progress.begun < progress.taken + self.window {
                progress.begun += 1;
                return Some(progress.begun - 1);
            }
            progress = self.moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The batches of a piece, up to an error.
    fn decode(&self, piece: usize) -> Vec<Result<RecordBatch>> {
        let rows = match self.pieces.rows(piece) {
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
