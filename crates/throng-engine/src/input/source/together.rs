//! Pieces of a text file that several threads decode, in the order of the file.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::vec;

use arrow::array::RecordBatch;

use super::parted::TextPieces;
use crate::error::{EngineError, Result};

/// Threads that are of use: what they decode must be taken up by somebody.
const MAX_THREADS: usize = 8;

/// Batches of a text file, in order. Nothing may be taken after an error.
pub(super) struct Together {
    shared: Arc<Shared>,
    /// The next piece, and what is left of the one before.
    next: usize,
    batches: vec::IntoIter<Result<RecordBatch>>,
}

struct Shared {
    pieces: TextPieces,
    /// Pieces that may be decoded before they are taken.
    window: usize,
    progress: Mutex<Progress>,
    moved: Condvar,
}

#[derive(Default)]
struct Progress {
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
    pub(super) fn start(pieces: TextPieces, threads: usize) -> Result<Together> {
        let threads = threads.min(MAX_THREADS).min(pieces.len()).max(1);
        let shared = Arc::new(Shared {
            pieces,
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
                    let problem = format!("cannot start a thread to read on: {cause}");
                    return Err(EngineError::Data(problem.into()));
                }
                Ok(_) => {}
            }
        }
        Ok(Together { shared, next: 0, batches: Vec::new().into_iter() })
    }
}

impl Iterator for Together {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        loop {
            if let Some(batch) = self.batches.next() {
                return Some(batch);
            }
            if self.next == self.shared.pieces.len() {
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
    fn lock(&self) -> MutexGuard<'_, Progress> {
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
            if progress.stopped || progress.begun == self.pieces.len() {
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
