//! Counts the tuples of each part of a table, where the part is.
//!
//! What a part sends is a list of the values of each column, once, and the distinct tuples as places in these lists.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray, UInt32Array, UInt64Array,
};
use arrow::datatypes::{DataType, Field, Int32Type, Schema, SchemaRef};
use datafusion::common::{DataFusionError, Result};
use datafusion::physical_plan::SendableRecordBatchStream;
use futures::StreamExt;

use super::fault::as_fault;
use super::files::take_number;
use super::place::PartAddress;
use throng_engine::dictionary::Dictionary;
use throng_engine::encode::{Counting, Encoded, Uncountable};
use throng_tables::error::EngineError;
use throng_tables::input::source::CELL_NOT_UTF_8;

/// Bytes of keys that a part collects before it merges them; a part is small.
const BUFFER_BYTES: usize = 8 << 20;
/// Tuples that are sent at a time.
const SENT_TUPLES: usize = 1 << 16;

/// The columns as lists of values, the number of the part, and the rows of each tuple.
pub(super) fn counted_schema(input: &Schema) -> SchemaRef {
    // As Parquet's reader gives lists: whoever takes them up looks at each value once, not at every cell.
    let list = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let columns = (0..input.fields().len() - 1).map(|at| Field::new(at.to_string(), list.clone(), true));
    let rest = [Field::new("part", DataType::UInt32, false), Field::new("rows", DataType::UInt64, false)];
    Arc::new(Schema::new(columns.chain(rest).collect::<Vec<_>>()))
}

/// Counts the tuples of a part, and puts them into batches.
pub(super) async fn count(
    mut input: SendableRecordBatchStream,
    place: &PartAddress,
    schema: SchemaRef,
) -> Result<Vec<Result<RecordBatch>>> {
    let columns = input.schema().fields().len() - 1;
    let mut part = None;
    let mut counting = Counting::start(columns, BUFFER_BYTES);
    while let Some(batch) = input.next().await {
        let mut batch = batch.map_err(|error| place.unreadable(&error))?;
        take_number(&mut batch, &mut part)?;
        let added = counting.add(batch.columns(), batch.num_rows(), counting.rows());
        added.map_err(|fault| as_fault(describe(&fault, place, &input.schema())))?;
    }
    let memory = |_| as_fault(describe(&Uncountable::Memory, place, &input.schema()));
    let Some(part) = part else { return Ok(Vec::new()) };
    Ok(send(Counting::unite(vec![counting]).map_err(memory)?, part, &schema))
}

fn describe(fault: &Uncountable, place: &PartAddress, schema: &Schema) -> EngineError {
    match fault {
        Uncountable::NotText(at, cell) => {
            place.bad_at(cell.row(), CELL_NOT_UTF_8).in_column(schema.field(*at).name())
        }
        Uncountable::Memory => {
            EngineError::Memory("a node has none for the tuples of a part".into()).in_file(&place.file)
        }
    }
}

/// Batches of tuples that share their lists of values.
fn send(encoded: Encoded, part: u32, schema: &SchemaRef) -> Vec<Result<RecordBatch>> {
    let Encoded { dictionaries, columns, weights, .. } = encoded;
    let lists: Vec<ArrayRef> = dictionaries.iter().map(list).collect();
    let tuples = weights.len();
    let starts = (0..tuples).step_by(SENT_TUPLES);
    let batch = |start: usize| {
        let range = start..(start + SENT_TUPLES).min(tuples);
        // Lists of 2³¹ values are in no memory.
        let place = |&code: &u32| code as i32;
        let codes =
            columns.iter().map(|codes| Int32Array::from_iter_values(codes[range.clone()].iter().map(place)));
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(columns.len() + 2);
        for (codes, list) in codes.zip(&lists) {
            arrays.push(Arc::new(DictionaryArray::<Int32Type>::try_new(codes, Arc::clone(list))?));
        }
        arrays.push(Arc::new(UInt32Array::from_value(part, range.len())));
        arrays.push(Arc::new(UInt64Array::from_iter_values(weights[range].iter().map(|&rows| rows.into()))));
        RecordBatch::try_new(Arc::clone(schema), arrays).map_err(DataFusionError::from)
    };
    starts.map(batch).collect()
}

fn list(dictionary: &Dictionary) -> ArrayRef {
    Arc::new(StringArray::from_iter(dictionary.values().map(|value| (!value.is_empty()).then_some(value))))
}
