//! The form in which rows wait: arrays that share no bytes with those of other batches.
//!
//! A piece of a dictionary or a view holds on to all that it was cut from, and would take it
//! along to the disk. So labels wait as codes, and other dictionaries and views as plain values.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, DictionaryArray, RecordBatch, UInt64Array};
use arrow::compute::{CastOptions, can_cast_types, cast_with_options};
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef, UInt32Type};
use arrow::error::ArrowError;

/// How released rows are held, and how they become released ones again.
pub(super) struct Form {
    released: SchemaRef,
    /// The held columns, and after them the keys.
    held: SchemaRef,
    labels: Vec<Option<ArrayRef>>,
}

impl Form {
    /// The form of rows with the columns of `released`; those with labels are dictionaries of
    /// `UInt32` codes into them.
    pub(super) fn new(released: SchemaRef, labels: Vec<Option<ArrayRef>>) -> Form {
        let column = |(position, (field, labels)): (usize, (&FieldRef, &Option<ArrayRef>))| {
            let kind = match labels {
                Some(_) => DataType::UInt32,
                None => Some(plain(field.data_type()))
                    .filter(|kind| can_cast_types(kind, field.data_type()))
                    .unwrap_or_else(|| field.data_type().clone()),
            };
            Field::new(position.to_string(), kind, true)
        };
        let columns = released.fields().iter().zip(&labels).enumerate().map(column);
        let keys = Field::new("key", DataType::UInt64, false);
        let held = Arc::new(Schema::new(columns.chain([keys]).collect::<Vec<_>>()));
        Form { released, held, labels }
    }

    /// The columns of held rows.
    pub(super) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.held)
    }

    /// Released rows as they are held, each with its key.
    pub(super) fn hold(&self, batch: &RecordBatch, keys: Vec<u64>) -> Result<RecordBatch, ArrowError> {
        let columns = batch.columns().iter().zip(&self.labels).zip(self.held.fields());
        let columns = columns.map(|((array, labels), field)| match labels {
            Some(_) => Ok(Arc::new(array.as_dictionary::<UInt32Type>().keys().clone()) as ArrayRef),
            None => convert(array, field.data_type()),
        });
        let keys: ArrayRef = Arc::new(UInt64Array::from(keys));
        let columns: Vec<ArrayRef> = columns.chain([Ok(keys)]).collect::<Result<_, _>>()?;
        RecordBatch::try_new(self.schema(), columns)
    }

    /// Held rows as they are released.
    pub(super) fn release(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let columns = batch.columns().iter().zip(&self.labels).zip(self.released.fields());
        let columns = columns.map(|((array, labels), field)| match labels {
            Some(labels) => {
                let codes = array.as_primitive::<UInt32Type>().clone();
                Ok(Arc::new(DictionaryArray::try_new(codes, Arc::clone(labels))?) as ArrayRef)
            }
            None => convert(array, field.data_type()),
        });
        let columns: Vec<ArrayRef> = columns.collect::<Result<_, _>>()?;
        RecordBatch::try_new(Arc::clone(&self.released), columns)
    }
}

fn convert(array: &ArrayRef, kind: &DataType) -> Result<ArrayRef, ArrowError> {
    if array.data_type() == kind {
        return Ok(Arc::clone(array));
    }
    cast_with_options(array, kind, &CastOptions { safe: false, ..CastOptions::default() })
}

/// The type of the same values without dictionaries and views, where they are not too deep.
fn plain(kind: &DataType) -> DataType {
    let inner = |field: &FieldRef| Arc::new(field.as_ref().clone().with_data_type(plain(field.data_type())));
    match kind {
        DataType::Dictionary(_, values) => plain(values),
        DataType::Utf8View => DataType::LargeUtf8,
        DataType::BinaryView => DataType::LargeBinary,
        DataType::List(field) => DataType::List(inner(field)),
        DataType::LargeList(field) => DataType::LargeList(inner(field)),
        DataType::FixedSizeList(field, size) => DataType::FixedSizeList(inner(field), *size),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect()),
        other => other.clone(),
    }
}
