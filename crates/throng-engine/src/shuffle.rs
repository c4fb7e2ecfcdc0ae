//! Brings released rows into a random order, by the job's seed.
//!
//! The order of rows can itself identify: a list that was sorted by name stays sorted by name
//! after the names are gone. Rows are drawn by a key that only depends on the seed and the
//! row's number, so the same job gives the same bytes.

use datafusion::arrow::array::{RecordBatch, UInt32Array};
use datafusion::arrow::compute::{concat_batches, take_record_batch};

use crate::error::{EngineError, Result};

/// Rows of a shuffled batch.
const BATCH: usize = 8192;

/// Collects batches, and gives their rows back in random order.
///
/// All rows are in memory at once.
pub(crate) struct Shuffle {
    seed: u64,
    batches: Vec<RecordBatch>,
}

impl Shuffle {
    pub(crate) fn new(seed: u64) -> Shuffle {
        Shuffle { seed, batches: Vec::new() }
    }

    pub(crate) fn add(&mut self, batch: RecordBatch) {
        self.batches.push(batch);
    }

    /// Hands the shuffled rows to `write`, batch by batch.
    pub(crate) fn finish(self, mut write: impl FnMut(&RecordBatch) -> Result<()>) -> Result<()> {
        let Some(first) = self.batches.first() else { return Ok(()) };
        let failed = |_| EngineError::Data("the rows could not be shuffled in memory".to_owned());
        let all = concat_batches(&first.schema(), &self.batches).map_err(failed)?;
        drop(self.batches);
        let mut order: Vec<(u64, u32)> =
            (0..all.num_rows() as u32).map(|row| (key(self.seed, u64::from(row)), row)).collect();
        order.sort_unstable();
        for rows in order.chunks(BATCH) {
            let rows: UInt32Array = rows.iter().map(|&(_, row)| row).collect::<Vec<_>>().into();
            write(&take_record_batch(&all, &rows).map_err(failed)?)?;
        }
        Ok(())
    }
}

/// A well-mixed number for a row (the finaliser of SplitMix64).
fn key(seed: u64, row: u64) -> u64 {
    let mut x =
        seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ row.wrapping_add(1).wrapping_mul(0xD134_2543_DE82_EF95);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}
