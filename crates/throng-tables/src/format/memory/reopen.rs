//! Batches that were written, as whoever takes them gets them: the same arrays, whose buffers are looked at anew.

use std::sync::Arc;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use crate::error::Result;
use crate::format::Format;
use crate::format::reopen::{ReopenedFile, Rows};
use crate::memory::Batched;

/// Batches that threads take at once.
const PART_BATCHES: usize = 8;

/// Opens batches.
///
/// # Errors
/// If one has not the columns that the table says.
pub(super) fn open(written: &Batched) -> Result<(SchemaRef, Vec<Box<dyn ReopenedFile>>)> {
    let schema = Arc::clone(&written.schema);
    if written.batches.iter().any(|batch| batch.schema_ref().fields() != schema.fields()) {
        return Err(Format::MEMORY.not_read_back());
    }
    Ok((schema, vec![Box::new(Taken(Arc::clone(&written.batches)))]))
}

struct Taken(Arc<[RecordBatch]>);

impl ReopenedFile for Taken {
    fn parts(&self) -> usize {
        self.0.len().div_ceil(PART_BATCHES)
    }

    fn rows(&self, _: &SchemaRef, part: usize, places: &[usize]) -> std::result::Result<Rows, ArrowError> {
        let end = self.0.len().min((part + 1) * PART_BATCHES);
        let batches = self.0[part * PART_BATCHES..end].to_vec();
        let places = places.to_vec();
        Ok(Box::new(batches.into_iter().map(move |batch| {
            let batch = batch.project(&places)?;
            // Offsets within their bytes, text that is text: what a program relies on that is given the buffers.
            batch.columns().iter().try_for_each(|cells| cells.to_data().validate_full())?;
            Ok(batch)
        })))
    }
}
