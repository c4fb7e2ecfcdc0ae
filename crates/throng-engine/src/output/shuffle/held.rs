//! The form in which rows wait: arrays that share no bytes with those of other batches.
//!
//! A piece of a dictionary or a view holds on to all that it was cut from, and would take it
//! along to the disk. So labels wait as codes, and all other columns in plain types.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, DictionaryArray, RecordBatch, UInt64Array};
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef, UInt32Type};
use arrow::error::ArrowError;

use throng_tables::output::plain::{plain_field, rebuild_cells};

/// How released rows are held, and how they become released ones again.
pub(in crate::output) struct Form {
    released: SchemaRef,
    /// The held columns, and after them the keys, if rows have some.
    held: SchemaRef,
    labels: Vec<Option<ArrayRef>>,
}

impl Form {
    /// The form of rows with the columns of `released`; those with labels are dictionaries of
    /// `UInt32` codes into them.
    pub(in crate::output) fn new(released: SchemaRef, labels: Vec<Option<ArrayRef>>) -> Form {
        let release = |(field, labels): (&FieldRef, &Option<ArrayRef>)| match labels {
            Some(_) => field.as_ref().clone(),
            None => plain_field(field),
        };
        let released: Vec<Field> = released.fields().iter().zip(&labels).map(release).collect();
        let hold = |(position, (field, labels)): (usize, (&Field, &Option<ArrayRef>))| {
            let kind = labels.as_ref().map_or(field.data_type().clone(), |_| DataType::UInt32);
            Field::new(position.to_string(), kind, true)
        };
        let held = released.iter().zip(&labels).enumerate().map(hold);
        let held = Arc::new(Schema::new(held.collect::<Vec<_>>()));
        Form { released: Arc::new(Schema::new(released)), held, labels }
    }

    /// The same, with a key behind each row.
    pub(super) fn keyed(self) -> Form {
        let key = Arc::new(Field::new("key", DataType::UInt64, false));
        let fields: Vec<FieldRef> = self.held.fields().iter().cloned().chain([key]).collect();
        Form { held: Arc::new(Schema::new(fields)), ..self }
    }

    /// The columns of held rows.
    pub(in crate::output) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.held)
    }

    /// Released rows as they are held, each with its key if it has one.
    pub(in crate::output) fn hold(
        &self,
        batch: &RecordBatch,
        keys: Option<Vec<u64>>,
    ) -> Result<RecordBatch, ArrowError> {
        let columns = batch.columns().iter().zip(&self.labels).zip(self.held.fields());
        let columns = columns.map(|((array, labels), field)| match labels {
            Some(_) => Ok(Arc::new(array.as_dictionary::<UInt32Type>().keys().clone()) as ArrayRef),
            None => rebuild_cells(array, field, None),
        });
        let keys = keys.map(|keys| Ok(Arc::new(UInt64Array::from(keys)) as ArrayRef));
        let columns: Vec<ArrayRef> = columns.chain(keys).collect::<Result<_, _>>()?;
        RecordBatch::try_new(self.schema(), columns)
    }

    /// Held rows as they are released.
    pub(in crate::output) fn release(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let columns = batch.columns().iter().zip(&self.labels).map(|(array, labels)| match labels {
            Some(labels) => {
                let codes = array.as_primitive::<UInt32Type>().clone();
                Ok(Arc::new(DictionaryArray::try_new(codes, Arc::clone(labels))?) as ArrayRef)
            }
            None => Ok(Arc::clone(array)),
        });
        let columns: Vec<ArrayRef> = columns.collect::<Result<_, ArrowError>>()?;
        RecordBatch::try_new(Arc::clone(&self.released), columns)
    }
}
