//! Sorts rows by their keys in bounded memory.

use std::path::{Path, PathBuf};

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::interleave_record_batch;
use arrow::datatypes::UInt64Type;
use rayon::slice::ParallelSliceMut;

use super::spill::Spill;
use super::{BATCH, failed};
use crate::error::Result;

/// Bits of the key that tell the buckets of a spill apart.
const BUCKET_BITS: u32 = 8;

const KEY_BITS: u32 = u64::BITS;

/// Batches whose last column holds keys: `UInt64`, all different.
pub(super) struct Sorter {
    place: PathBuf,
    memory: usize,
    /// So many first bits are the same in all keys.
    same_bits: u32,
    held: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
    spill: Option<Spill>,
}

/// Where a row is among the held batches; sorts by key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct HeldRow {
    key: u64,
    batch: u32,
    row: u32,
}

impl Sorter {
    /// A sorter that holds about `memory` bytes, and puts rows beyond that into `place`.
    pub(super) fn new(place: &Path, memory: usize) -> Sorter {
        Sorter::of_bucket(place, memory, 0)
    }

    fn of_bucket(place: &Path, memory: usize, same_bits: u32) -> Sorter {
        let place = place.to_owned();
        Sorter { place, memory, same_bits, held: Vec::new(), rows: 0, bytes: 0, spill: None }
    }

    /// Adds a batch that takes up so many bytes.
    pub(super) fn add(&mut self, batch: RecordBatch, bytes: usize) -> Result<()> {
        self.rows += batch.num_rows();
        self.bytes += bytes + batch.num_rows() * size_of::<HeldRow>();
        self.held.push(batch);
        // A single row cannot be made any smaller by more buckets.
        if self.bytes > self.memory && self.rows > 1 {
            self.spill_held()?;
        }
        Ok(())
    }

    /// Hands all rows to `emit`, in the order of their keys.
    pub(super) fn finish(mut self, emit: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        if self.spill.is_some() {
            self.spill_held()?;
        }
        let Some(mut spill) = self.spill.take() else { return self.emit_held(emit) };
        for bucket in 0..1 << BUCKET_BITS {
            let mut part = Sorter::of_bucket(&self.place, self.memory, self.same_bits + BUCKET_BITS);
            for piece in spill.take_pieces(bucket) {
                let bytes = piece.bytes();
                part.add(spill.read(piece)?, bytes)?;
            }
            part.finish(emit)?;
        }
        Ok(())
    }

    fn emit_held(&self, emit: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        self.order().chunks(BATCH).try_for_each(|places| emit(self.gather(places)?))
    }

    /// Moves the held rows to the disk, each to the bucket of the bits that come next in its key.
    fn spill_held(&mut self) -> Result<()> {
        let mut spill = match self.spill.take() {
            Some(spill) => spill,
            None => Spill::create(&self.place, 1 << BUCKET_BITS)?,
        };
        let shift = KEY_BITS - self.same_bits - BUCKET_BITS;
        let bucket = |place: &HeldRow| (place.key >> shift) as usize % (1 << BUCKET_BITS);
        for places in self.order().chunk_by(|a, b| bucket(a) == bucket(b)) {
            spill.append(bucket(&places[0]), &self.gather(places)?)?;
        }
        self.held.clear();
        (self.rows, self.bytes) = (0, 0);
        self.spill = Some(spill);
        Ok(())
    }

    fn order(&self) -> Vec<HeldRow> {
        let mut order = Vec::with_capacity(self.rows);
        for (batch, rows) in (0..).zip(&self.held) {
            let keys = rows.column(rows.num_columns() - 1).as_primitive::<UInt64Type>().values();
            order.extend((0..).zip(keys).map(|(row, &key)| HeldRow { key, batch, row }));
        }
        order.par_sort_unstable();
        order
    }

    fn gather(&self, places: &[HeldRow]) -> Result<RecordBatch> {
        let held: Vec<&RecordBatch> = self.held.iter().collect();
        let rows: Vec<(usize, usize)> =
            places.iter().map(|place| (place.batch as usize, place.row as usize)).collect();
        interleave_record_batch(&held, &rows).map_err(failed)
    }
}
