//! Merges sorted runs into one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use arrow::array::RecordBatch;
use arrow::compute::interleave_record_batch;
use arrow::row::{OwnedRow, Rows};

use super::{BATCH, Keys, failed};
use crate::error::Result;
use crate::output::shuffle::{Piece, Spill};

/// What is left of a run: the piece that is being read, and those behind it.
struct Run {
    pieces: std::vec::IntoIter<Piece>,
    /// The place of the batch among those that rows are gathered from.
    batch: usize,
    keys: Rows,
    row: usize,
}

/// Rows that were chosen and wait to be handed over, and the batches that they are from.
#[derive(Default)]
struct Chosen {
    batches: Vec<RecordBatch>,
    places: Vec<(usize, usize)>,
}

impl Chosen {
    fn add_batch(&mut self, batch: RecordBatch) -> usize {
        self.batches.push(batch);
        self.batches.len() - 1
    }

    /// Hands the rows over, and lets go of batches of which no run needs any more.
    fn emit(
        &mut self,
        runs: &mut [Option<Run>],
        emit: &mut dyn FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let batches: Vec<&RecordBatch> = self.batches.iter().collect();
        let gathered = interleave_record_batch(&batches, &self.places).map_err(failed)?;
        self.places.clear();
        let old = std::mem::take(&mut self.batches);
        for run in runs.iter_mut().flatten() {
            run.batch = self.add_batch(old[run.batch].clone());
        }
        emit(gathered)
    }
}

/// Hands over the rows of all runs, in the order of their keys.
pub(super) fn merge(
    mut spill: Spill,
    keys: &Keys,
    emit: &mut dyn FnMut(RecordBatch) -> Result<()>,
) -> Result<()> {
    let (mut chosen, mut runs, mut first) = (Chosen::default(), Vec::new(), BinaryHeap::new());
    for number in 0..spill.bucket_total() {
        let pieces = spill.take_pieces(number).into_iter();
        let run = open(&mut spill, keys, pieces, &mut chosen)?;
        first.extend(run.as_ref().map(|run| Reverse((next_key(run), number))));
        runs.push(run);
    }
    while let Some(Reverse((_, number))) = first.pop() {
        let Some(run) = &mut runs[number] else { continue };
        chosen.places.push((run.batch, run.row));
        run.row += 1;
        if run.row == run.keys.num_rows() {
            let pieces = std::mem::take(&mut run.pieces);
            runs[number] = open(&mut spill, keys, pieces, &mut chosen)?;
        }
        first.extend(runs[number].as_ref().map(|run| Reverse((next_key(run), number))));
        if chosen.places.len() == BATCH {
            chosen.emit(&mut runs, emit)?;
        }
    }
    if chosen.places.is_empty() { Ok(()) } else { chosen.emit(&mut runs, emit) }
}

fn next_key(run: &Run) -> OwnedRow {
    run.keys.row(run.row).owned()
}

/// The next piece of a run; nothing at its end.
fn open(
    spill: &mut Spill,
    keys: &Keys,
    mut pieces: std::vec::IntoIter<Piece>,
    chosen: &mut Chosen,
) -> Result<Option<Run>> {
    let Some(piece) = pieces.next() else { return Ok(None) };
    let batch = spill.read(piece)?;
    let keys = keys.of_rows(&batch)?;
    Ok(Some(Run { pieces, batch: chosen.add_batch(batch), keys, row: 0 }))
}
