//! Brings released rows into an order that follows from nothing but what they show.
//!
//! Sorted rows tell no more than the same rows in any other order: whoever has them can sort them alone. So nothing about
//! the input can be told from the order, and it needs no secret: the same rows always have the same order.
//!
//! Memory is bounded: rows that do not fit go to a temporary file, in sorted runs, which are merged in the end. The result
//! does not depend on whether they did.

mod merge;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt32Array};
use arrow::compute::{cast, interleave_record_batch};
use arrow::datatypes::{DataType, SchemaRef, UInt32Type};
use arrow::error::ArrowError;
use arrow::row::{RowConverter, Rows, SortField};
use rayon::slice::ParallelSliceMut;

use super::shuffle::{Form, Spill};
use crate::error::{EngineError, Result};
use throng::wording::quoted;

/// Rows of a sorted batch.
const BATCH: usize = 8192;

/// Bytes of rows that wait in memory.
const MEMORY: usize = 256 << 20;

/// Collects batches, and gives their rows back in the order of their cells: by the first column, then by the second, and so
/// on; text by its bytes, and empty cells first.
pub(crate) struct Sort {
    form: Form,
    keys: Keys,
    place: PathBuf,
    memory: usize,
    held: Vec<(RecordBatch, Rows)>,
    bytes: usize,
    spill: Option<Spill>,
}

impl Sort {
    /// A sort of rows with the columns of `schema`.
    ///
    /// A column with `labels` is a dictionary of them in every batch. Rows that do not fit into memory wait in an unnamed
    /// file in the directory `place`.
    ///
    /// # Errors
    /// If a column is of a type whose cells have no order.
    pub(crate) fn new(schema: SchemaRef, labels: Vec<Option<ArrayRef>>, place: &Path) -> Result<Sort> {
        Sort::within(MEMORY, schema, labels, place)
    }

    fn within(memory: usize, schema: SchemaRef, labels: Vec<Option<ArrayRef>>, place: &Path) -> Result<Sort> {
        let ranks =
            labels.iter().map(|labels| labels.as_ref().map(ranks).transpose()).collect::<Result<_>>()?;
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let form = Form::new(schema, labels);
        let keys = Keys::new(&form.schema(), &names, ranks)?;
        Ok(Sort { form, keys, place: place.to_owned(), memory, held: Vec::new(), bytes: 0, spill: None })
    }

    /// Adds rows.
    ///
    /// # Errors
    /// If they do not fit into memory and cannot be written to the disk.
    pub(crate) fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let held = self.form.hold(batch, None).map_err(failed)?;
        let keys = self.keys.of_rows(&held)?;
        self.bytes += held.get_array_memory_size() + keys.size();
        self.held.push((held, keys));
        if self.bytes > self.memory {
            self.spill_held()?;
        }
        Ok(())
    }

    /// Hands the sorted rows to `write`, in batches whose sizes depend on nothing but the number of rows.
    ///
    /// # Errors
    /// Those of `write`, or if rows cannot be read back from the disk.
    pub(crate) fn finish(mut self, mut write: impl FnMut(&RecordBatch) -> Result<()>) -> Result<()> {
        if self.spill.is_some() {
            self.spill_held()?;
        }
        let Sort { form, keys, held, spill, .. } = self;
        let mut emit = |batch: RecordBatch| write(&form.release(&batch).map_err(failed)?);
        match spill {
            Some(spill) => merge::merge(spill, &keys, &mut emit),
            None => order(&held).chunks(BATCH).try_for_each(|places| emit(gather(&held, places)?)),
        }
    }

    /// Moves the held rows to the disk, as a sorted run.
    fn spill_held(&mut self) -> Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let mut spill = match self.spill.take() {
            Some(spill) => spill,
            None => Spill::create(&self.place, 0)?,
        };
        let run = spill.add_bucket();
        for places in order(&self.held).chunks(BATCH) {
            spill.append(run, &gather(&self.held, places)?)?;
        }
        self.held.clear();
        self.bytes = 0;
        self.spill = Some(spill);
        Ok(())
    }
}

/// The places of held rows, in the order of their keys.
fn order(held: &[(RecordBatch, Rows)]) -> Vec<(usize, usize)> {
    let places =
        held.iter().enumerate().flat_map(|(at, (_, keys))| (0..keys.num_rows()).map(move |row| (at, row)));
    let mut places: Vec<(usize, usize)> = places.collect();
    let key = |&(at, row): &(usize, usize)| held[at].1.row(row);
    // Rows that compare as equal show the same, so it does not matter which of them is first.
    places.par_sort_unstable_by(|a, b| key(a).cmp(&key(b)));
    places
}

fn gather(held: &[(RecordBatch, Rows)], places: &[(usize, usize)]) -> Result<RecordBatch> {
    let batches: Vec<&RecordBatch> = held.iter().map(|(batch, _)| batch).collect();
    interleave_record_batch(&batches, places).map_err(failed)
}

/// Makes keys of held rows, whose order is that of what the rows show.
struct Keys {
    converter: RowConverter,
    /// For columns of labels: the place of each label among them by its text. The codes are in the order of the input.
    ranks: Vec<Option<Vec<u32>>>,
}

impl Keys {
    fn new(held: &SchemaRef, names: &[String], ranks: Vec<Option<Vec<u32>>>) -> Result<Keys> {
        let fields: Vec<SortField> =
            held.fields().iter().map(|field| SortField::new(field.data_type().clone())).collect();
        for (field, name) in fields.iter().zip(names) {
            if !RowConverter::supports_fields(std::slice::from_ref(field)) {
                return Err(EngineError::bad(format!(
                    "order = \"sort\" cannot sort by column {}, whose cells have no order; \"shuffle\" needs none",
                    quoted(name)
                )));
            }
        }
        Ok(Keys { converter: RowConverter::new(fields).map_err(failed)?, ranks })
    }

    fn of_rows(&self, held: &RecordBatch) -> Result<Rows> {
        let columns = held.columns().iter().zip(&self.ranks).map(|(column, ranks)| match ranks {
            None => Arc::clone(column),
            Some(ranks) => {
                let codes = column.as_primitive::<UInt32Type>();
                Arc::new(codes.iter().map(|code| Some(ranks[code? as usize])).collect::<UInt32Array>())
                    as ArrayRef
            }
        });
        self.converter.convert_columns(&columns.collect::<Vec<_>>()).map_err(failed)
    }
}

/// The place of each label by its text; labels with the same text have the same, and the one that is no text is first.
fn ranks(labels: &ArrayRef) -> Result<Vec<u32>> {
    let texts = cast(labels, &DataType::Utf8).map_err(failed)?;
    let texts = texts.as_string::<i32>();
    let text = |code: usize| texts.is_valid(code).then(|| texts.value(code));
    let mut codes: Vec<usize> = (0..texts.len()).collect();
    codes.sort_by_key(|&code| text(code));
    let mut ranks = vec![0; codes.len()];
    for pair in codes.windows(2) {
        ranks[pair[1]] = ranks[pair[0]] + u32::from(text(pair[0]) != text(pair[1]));
    }
    Ok(ranks)
}

/// Arrow's wording may hold a cell.
fn failed(_: ArrowError) -> EngineError {
    EngineError::Data("the rows could not be sorted".into())
}
