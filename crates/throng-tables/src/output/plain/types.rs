//! Plain types.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema};
use throng::wording::quoted;

use crate::error::{EngineError, Result};
use crate::output::metadata::is_of_extension;

/// The same columns in plain types.
pub fn plain_schema(schema: &Schema) -> Schema {
    let fields: Fields = schema.fields().iter().map(|field| Arc::new(plain_field(field))).collect();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}

/// The same field in a plain type.
pub fn plain_field(field: &Field) -> Field {
    let kind = plain(field.data_type());
    // A dictionary may have an entry that is null, and a run too, whatever their field says.
    let hides_nulls = matches!(field.data_type(), DataType::Dictionary(..) | DataType::RunEndEncoded(..));
    let mut metadata = field.metadata().clone();
    if kind != *field.data_type() {
        metadata.retain(|key, _| !is_of_extension(key));
    }
    Field::new(field.name(), kind, field.is_nullable() || hides_nulls).with_metadata(metadata)
}

fn plain(kind: &DataType) -> DataType {
    match kind {
        DataType::Dictionary(_, values) => plain(values),
        DataType::RunEndEncoded(_, values) => plain(values.data_type()),
        // All cells of a batch may have more bytes than a short offset can count.
        DataType::Utf8View => DataType::LargeUtf8,
        DataType::BinaryView => DataType::LargeBinary,
        DataType::ListView(field) => plain(&DataType::List(Arc::clone(field))),
        DataType::LargeListView(field) => plain(&DataType::LargeList(Arc::clone(field))),
        DataType::Map(entries, sorted) => DataType::Map(Arc::new(plain_entries(entries)), *sorted),
        other => map_children(other, &plain_field),
    }
}

/// Entries of a map, whose keys are never null.
fn plain_entries(entries: &Field) -> Field {
    let DataType::Struct(fields) = entries.data_type() else { return entries.clone() };
    let field = |(place, field): (usize, &FieldRef)| match place {
        0 => plain_field(field).with_nullable(false),
        _ => plain_field(field),
    };
    let fields: Fields = fields.iter().enumerate().map(field).map(Arc::new).collect();
    entries.clone().with_data_type(DataType::Struct(fields))
}

/// The same type, with other fields in it.
pub fn map_children(kind: &DataType, of: &impl Fn(&Field) -> Field) -> DataType {
    let one = |field: &FieldRef| Arc::new(of(field));
    match kind {
        DataType::List(field) => DataType::List(one(field)),
        DataType::LargeList(field) => DataType::LargeList(one(field)),
        DataType::ListView(field) => DataType::ListView(one(field)),
        DataType::LargeListView(field) => DataType::LargeListView(one(field)),
        DataType::FixedSizeList(field, size) => DataType::FixedSizeList(one(field), *size),
        DataType::Map(entries, sorted) => DataType::Map(one(entries), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(one).collect()),
        DataType::RunEndEncoded(ends, values) => DataType::RunEndEncoded(one(ends), one(values)),
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), Box::new(map_children(values, of)))
        }
        DataType::Union(fields, mode) => {
            DataType::Union(fields.iter().map(|(id, field)| (id, one(field))).collect(), *mode)
        }
        other => other.clone(),
    }
}

/// The fields in a type.
pub fn children(kind: &DataType) -> Vec<&Field> {
    match kind {
        DataType::Dictionary(_, values) => children(values),
        DataType::RunEndEncoded(ends, values) => vec![ends, values],
        DataType::Struct(fields) => fields.iter().map(FieldRef::as_ref).collect(),
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| field.as_ref()).collect(),
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => vec![field],
        _ => Vec::new(),
    }
}

/// Refuses columns with unions: each cell of one has places in the columns of all its types.
///
/// # Errors
/// If there is one.
pub fn refuse_unions(schema: &Schema) -> Result<()> {
    match schema.fields().iter().find(|field| has_union(field.data_type())) {
        None => Ok(()),
        Some(field) => {
            let what = "holds values of several types (a union), which a release cannot hold";
            let what = format!("column {} {what}", quoted(field.name()));
            Err(EngineError::bad((what, "give it one type, or leave it out")).about_column(field.name()))
        }
    }
}

fn has_union(kind: &DataType) -> bool {
    match kind {
        DataType::Union(..) => true,
        other => children(other).into_iter().any(|field| has_union(field.data_type())),
    }
}
