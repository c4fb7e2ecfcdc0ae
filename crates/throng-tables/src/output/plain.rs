//! What is written, built anew from logical values.
//!
//! An array may hold more than its cells say: entries of a dictionary that no row points to, bytes of views and items
//! of lists that nobody refers to, what stands under a null, the neighbours of a slice. A file takes all of that along,
//! and with it values of rows that are not released. So every batch passes through here before it is written: its types
//! are plain, without dictionaries, views and runs, and its buffers have the bytes of its cells and nothing else, with
//! zeros under nulls, at every depth.

mod flat;
mod nested;
#[cfg(test)]
mod tests;
mod types;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::buffer::NullBuffer;
use arrow::compute::take;
use arrow::datatypes::{
    BinaryType, DataType, Field, Int16Type, Int32Type, Int64Type, LargeBinaryType, LargeUtf8Type, Schema,
    SchemaRef, Utf8Type,
};
use arrow::error::ArrowError;

pub use types::{children, map_children, plain_field, plain_schema, refuse_unions};

/// The rows of a batch in the plain types of `schema`.
///
/// # Errors
/// If there are more bytes than the offsets of a type can count, or no memory for them.
pub fn rebuild(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(cells, field)| rebuild_cells(cells, field, None));
    RecordBatch::try_new(Arc::clone(schema), columns.collect::<Result<_, _>>()?)
}

/// The same for a file that is made of values. Dictionaries stay there, so that each of their values is spelled once, not
/// in every row; and so does what is plain already.
///
/// # Errors
/// Those of [`rebuild`].
pub fn rebuild_for_text(batch: &RecordBatch, schema: &Schema) -> Result<RecordBatch, ArrowError> {
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (cells, field) in batch.columns().iter().zip(schema.fields()) {
        let kind = cells.data_type();
        let stays = matches!(kind, DataType::Dictionary(..)) || kind == field.data_type();
        columns.push(if stays { Arc::clone(cells) } else { rebuild_cells(cells, field, None)? });
        fields.push(if stays {
            field.as_ref().clone().with_data_type(kind.clone())
        } else {
            field.as_ref().clone()
        });
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// The same cells as an array of the plain type of `field`. Only those in `shown` are seen, if that says something: what
/// the others hold goes.
pub fn rebuild_cells(
    cells: &ArrayRef,
    field: &Field,
    shown: Option<&NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    use DataType as Type;
    let cells = &decode(cells)?;
    if !field.is_nullable() && shown.is_none() && cells.null_count() > 0 {
        return Err(ArrowError::InvalidArgumentError("a null where there may be none".to_owned()));
    }
    let known = NullBuffer::union(cells.nulls(), shown).and_then(|known| flat::compact(&known));
    // What may not be null is zero where it is not shown.
    let nulls = known.clone().filter(|_| field.is_nullable());
    let known = known.as_ref();
    Ok(match cells.data_type() {
        Type::Null => Arc::clone(cells),
        Type::Boolean => Arc::new(flat::booleans(cells.as_boolean(), known, nulls)),
        Type::Utf8 => Arc::new(flat::bytes::<Utf8Type>(cells.as_bytes(), known, nulls)?),
        Type::LargeUtf8 => Arc::new(flat::bytes::<LargeUtf8Type>(cells.as_bytes(), known, nulls)?),
        Type::Binary => Arc::new(flat::bytes::<BinaryType>(cells.as_bytes(), known, nulls)?),
        Type::LargeBinary => Arc::new(flat::bytes::<LargeBinaryType>(cells.as_bytes(), known, nulls)?),
        Type::List(_) | Type::LargeList(_) | Type::FixedSizeList(..) | Type::Map(..) | Type::Struct(_) => {
            nested::rebuild(cells, field.data_type(), known, nulls)?
        }
        _ => flat::fixed(cells, known, nulls)?,
    })
}

/// The same values without a dictionary, views or runs, as far as these are not further below.
fn decode(cells: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    use DataType as Type;
    let decoded = match cells.data_type() {
        Type::Dictionary(..) => {
            let listed = cells.as_any_dictionary();
            take(listed.values(), listed.keys(), None)?
        }
        Type::RunEndEncoded(ends, _) => match ends.data_type() {
            Type::Int16 => nested::unrolled::<Int16Type>(cells)?,
            Type::Int32 => nested::unrolled::<Int32Type>(cells)?,
            _ => nested::unrolled::<Int64Type>(cells)?,
        },
        Type::Utf8View => flat::owned::<LargeUtf8Type, _>(cells.as_string_view().iter()),
        Type::BinaryView => flat::owned::<LargeBinaryType, _>(cells.as_binary_view().iter()),
        Type::ListView(field) => nested::in_order::<i32>(cells, field)?,
        Type::LargeListView(field) => nested::in_order::<i64>(cells, field)?,
        _ => return Ok(Arc::clone(cells)),
    };
    // The values of a dictionary or of runs may be such themselves.
    decode(&decoded)
}
