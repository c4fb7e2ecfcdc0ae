//! Brings released rows into a random order, by a seed.
//!
//! The order of rows can itself identify: a list that was sorted by name stays sorted by name
//! after the names are gone. Rows are sorted by a key that only depends on the seed and the row's
//! number, so the same job gives the same bytes. Whoever knows the seed can compute the keys, and
//! with them the order of the input; so the seed must be one that only the owner of the original
//! table can compute.
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
use throng::random::mix;

use crate::error::{EngineError, Result};
use held::Form;
use sorter::Sorter;

/// Rows of a shuffled batch.
const BATCH: usize = 8192;

/// Bytes of rows that wait in memory.
const MEMORY: usize = 256 << 20;

/// Collects batches, and gives their rows back in random order.
pub(crate) struct Shuffle {
    seed: u64,
    rows: u64,
    form: Form,
    sorter: Sorter,
}

impl Shuffle {
    /// A shuffle of rows with the columns of `schema`.
    ///
    /// A column with `labels` is a dictionary of them in every batch. Rows that do not fit into
    /// memory wait in an unnamed file in the directory `place`.
    pub(crate) fn new(seed: u64, schema: SchemaRef, labels: Vec<Option<ArrayRef>>, place: &Path) -> Shuffle {
        Shuffle::within(MEMORY, seed, schema, labels, place)
    }

    fn within(
        memory: usize,
        seed: u64,
        schema: SchemaRef,
        labels: Vec<Option<ArrayRef>>,
        place: &Path,
    ) -> Shuffle {
        Shuffle { seed, rows: 0, form: Form::new(schema, labels), sorter: Sorter::new(place, memory) }
    }

    /// Adds rows.
    ///
    /// # Errors
    /// If they do not fit into memory and cannot be written to the disk.
    pub(crate) fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let end = self.rows + batch.num_rows() as u64;
        let keys = (self.rows..end).map(|row| key(self.seed, row)).collect();
        self.rows = end;
        let held = self.form.hold(batch, keys).map_err(failed)?;
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
pub(crate) fn key(seed: u64, row: u64) -> u64 {
    mix(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ row.wrapping_add(1).wrapping_mul(0xD134_2543_DE82_EF95))
}

/// Arrow's wording may hold a cell.
fn failed(_: ArrowError) -> EngineError {
    EngineError::Data("the rows could not be shuffled".into())
}
