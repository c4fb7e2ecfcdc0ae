//! Brings released rows into a random order.
//!
//! The order of rows can itself identify: a list that was sorted by name stays sorted by name
//! after the names are gone. Rows are sorted by a key that only depends on a secret and the row's
//! number. Whoever knows the secret can compute the keys, and with them the order of the input; so it
//! is drawn from the operating system's randomness, unless somebody wants to repeat the order and gives a seed.
//!
//! Memory is bounded: rows that do not fit go to a temporary file, in buckets by their keys'
//! first bits, and each bucket is sorted by itself. The result does not depend on whether they did.

mod held;
mod sorter;
mod spill;
#[cfg(test)]
mod tests;

use std::path::Path;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::BatchCoalescer;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use throng::random::{Random, mix};

use crate::error::{EngineError, Result};
pub(super) use held::Form;
use sorter::Sorter;
pub(super) use spill::{Piece, Spill};

/// Rows of a shuffled batch.
const BATCH: usize = 8192;

/// Bytes of rows that wait in memory.
const MEMORY: usize = 256 << 20;

/// What the order is drawn from.
#[derive(Clone, Copy)]
pub(crate) struct Secret([u64; 4]);

impl Secret {
    /// A new one that nobody can guess.
    ///
    /// # Errors
    /// If the operating system has no randomness.
    pub(crate) fn drawn() -> Result<Secret> {
        let mut words = [0; 4];
        for word in &mut words {
            *word = getrandom::u64()
                .map_err(|_| EngineError::Data("the system provides no random numbers".into()))?;
        }
        Ok(Secret(words))
    }

    /// A part of it, for one draw.
    pub(crate) fn word(self) -> u64 {
        self.0[0]
    }

    /// All of it, for draws by a hash.
    pub(crate) fn bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (part, word) in bytes.chunks_exact_mut(8).zip(self.0) {
            part.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The same for the same seed.
    pub(crate) fn of_seed(seed: u64) -> Secret {
        let mut random = Random::new(seed);
        Secret(std::array::from_fn(|_| random.bits()))
    }
}

/// Collects batches, and gives their rows back in random order.
pub(crate) struct Shuffle {
    secret: Secret,
    rows: u64,
    form: Form,
    sorter: Sorter,
}

impl Shuffle {
    /// A shuffle of rows with the columns of `schema`.
    ///
    /// A column with `labels` is a dictionary of them in every batch. Rows that do not fit into
    /// memory wait in an unnamed file in the directory `place`.
    pub(crate) fn new(
        secret: Secret,
        schema: SchemaRef,
        labels: Vec<Option<ArrayRef>>,
        place: &Path,
    ) -> Shuffle {
        Shuffle::within(MEMORY, secret, schema, labels, place)
    }

    fn within(
        memory: usize,
        secret: Secret,
        schema: SchemaRef,
        labels: Vec<Option<ArrayRef>>,
        place: &Path,
    ) -> Shuffle {
        Shuffle {
            secret,
            rows: 0,
            form: Form::new(schema, labels).keyed(),
            sorter: Sorter::new(place, memory),
        }
    }

    /// Adds rows.
    ///
    /// # Errors
    /// If they do not fit into memory and cannot be written to the disk.
    pub(crate) fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let end = self.rows + batch.num_rows() as u64;
        let keys = (self.rows..end).map(|row| key(self.secret, row)).collect();
        self.rows = end;
        let held = self.form.hold(batch, Some(keys)).map_err(failed)?;
        let bytes = held.get_array_memory_size();
        self.sorter.add(held, bytes)
    }

    /// Hands the shuffled rows to `write`, in batches whose sizes depend on nothing but the
    /// number of rows: where a Parquet page ends depends on them.
    ///
    /// # Errors
    /// Those of `write`, or if rows cannot be read back from the disk.
    pub(crate) fn finish(self, mut write: impl FnMut(&RecordBatch) -> Result<()>) -> Result<()> {
        let Shuffle { form, sorter, .. } = self;
        let mut even = BatchCoalescer::new(form.schema(), BATCH);
        sorter.finish(&mut |batch| {
            even.push_batch(batch).map_err(failed)?;
            while let Some(batch) = even.next_completed_batch() {
                write(&form.release(&batch).map_err(failed)?)?;
            }
            Ok(())
        })?;
        even.finish_buffered_batch().map_err(failed)?;
        while let Some(batch) = even.next_completed_batch() {
            write(&form.release(&batch).map_err(failed)?)?;
        }
        Ok(())
    }
}

/// A well-mixed number for a row.
///
/// Every step can be undone, so two rows never have the same key.
pub(crate) fn key(secret: Secret, row: u64) -> u64 {
    secret.0.iter().fold(row, |key, word| mix(key ^ word))
}

/// Arrow's wording may hold a cell.
fn failed(_: ArrowError) -> EngineError {
    EngineError::Data("the rows could not be shuffled".into())
}
