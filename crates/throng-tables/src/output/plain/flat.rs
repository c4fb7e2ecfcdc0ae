//! Arrays without others in them.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayData, ArrayRef, ArrowPrimitiveType, AsArray, BooleanArray, GenericByteArray,
    GenericByteBuilder, PrimitiveArray, make_array,
};
use arrow::buffer::{BooleanBuffer, MutableBuffer, NullBuffer};
use arrow::datatypes::{
    ArrowNativeType, ByteArrayType, DataType, Float16Type, Float32Type, Float64Type, ToByteSlice,
};
use arrow::error::ArrowError;

/// The same, with no bits but its own; nothing if all are known.
pub(super) fn compact(known: &NullBuffer) -> Option<NullBuffer> {
    let bits = || BooleanBuffer::collect_bool(known.len(), |at| known.is_valid(at));
    (known.null_count() > 0).then(|| NullBuffer::new(bits()))
}

fn is_known(known: Option<&NullBuffer>, at: usize) -> bool {
    known.is_none_or(|known| known.is_valid(at))
}

/// The places where nothing is known.
fn unknown(known: &NullBuffer) -> impl Iterator<Item = usize> {
    (0..known.len()).filter(|&at| known.is_null(at))
}

pub(super) fn booleans(
    cells: &BooleanArray,
    known: Option<&NullBuffer>,
    nulls: Option<NullBuffer>,
) -> BooleanArray {
    let bits = |at: usize| is_known(known, at) && cells.value(at);
    BooleanArray::new(BooleanBuffer::collect_bool(cells.len(), bits), nulls)
}

/// Cells of text or bytes.
pub(super) fn bytes<T: ByteArrayType>(
    cells: &GenericByteArray<T>,
    known: Option<&NullBuffer>,
    nulls: Option<NullBuffer>,
) -> Result<GenericByteArray<T>, ArrowError> {
    let is_empty = |at: usize| cells.value_length(at).as_usize() == 0;
    if is_compact(cells) && known.is_none_or(|known| unknown(known).all(is_empty)) {
        return GenericByteArray::try_new(cells.offsets().clone(), cells.values().clone(), nulls);
    }
    let lengths = (0..cells.len()).filter(|&at| is_known(known, at));
    let lengths = lengths.map(|at| cells.value_length(at).as_usize());
    let mut builder = GenericByteBuilder::<T>::with_capacity(cells.len(), lengths.sum());
    let empty = GenericByteArray::<T>::new_null(1);
    for at in 0..cells.len() {
        match is_known(known, at) {
            true => builder.append_value(cells.value(at)),
            false if nulls.is_some() => builder.append_null(),
            false => builder.append_value(empty.value(0)),
        }
    }
    Ok(builder.finish())
}

/// Whether it has no bytes but those of its cells, or of what stands under nulls.
fn is_compact<T: ByteArrayType>(cells: &GenericByteArray<T>) -> bool {
    let ends = cells.value_offsets();
    let last = ends.last().map_or(0, |end| end.as_usize());
    let first = ends.first().map_or(0, |start| start.as_usize());
    first == 0 && last == cells.value_data().len()
}

/// Views as texts or bytes one after the other.
pub(super) fn owned<'c, T, V>(cells: impl Iterator<Item = Option<&'c V>>) -> ArrayRef
where
    T: ByteArrayType<Native = V>,
    V: ?Sized + 'c + AsRef<V>,
{
    let mut builder = GenericByteBuilder::<T>::new();
    cells.for_each(|cell| builder.append_option(cell));
    Arc::new(builder.finish())
}

/// Cells that all take up as many bytes.
pub(super) fn fixed(
    cells: &ArrayRef,
    known: Option<&NullBuffer>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let data = with_one_nan(cells).to_data();
    let width = width(cells.data_type())?;
    let (start, len) = (data.offset() * width, data.len() * width);
    let buffer = data.buffers()[0].slice_with_length(start, len);
    let is_zero = |at: usize| buffer[at * width..(at + 1) * width].iter().all(|&byte| byte == 0);
    let buffer = match known {
        Some(known) if !unknown(known).all(is_zero) => {
            let mut bytes = MutableBuffer::with_capacity(len);
            bytes.extend_from_slice(&buffer);
            unknown(known).for_each(|at| bytes[at * width..(at + 1) * width].fill(0));
            bytes.into()
        }
        _ => buffer,
    };
    let rebuilt = ArrayData::builder(cells.data_type().clone()).len(data.len()).add_buffer(buffer);
    Ok(make_array(rebuilt.nulls(nulls).build()?))
}

/// The same numbers, in which what is no number has the same bits everywhere: there are many ways to write it, by which
/// rows that are alike could be told apart.
fn with_one_nan(cells: &ArrayRef) -> ArrayRef {
    fn unify<T: ArrowPrimitiveType>(cells: &ArrayRef, nan: T::Native) -> ArrayRef {
        let numbers: &PrimitiveArray<T> = cells.as_primitive();
        // A number that is no number does not equal itself.
        let is_nan = |number: &T::Native| number.partial_cmp(number).is_none();
        let is_other = |number: &T::Native| is_nan(number) && number.to_byte_slice() != nan.to_byte_slice();
        match numbers.values().iter().any(is_other) {
            true => Arc::new(numbers.unary::<_, T>(|number| if is_nan(&number) { nan } else { number })),
            false => Arc::clone(cells),
        }
    }
    match cells.data_type() {
        DataType::Float16 => unify::<Float16Type>(cells, <Float16Type as ArrowPrimitiveType>::Native::NAN),
        DataType::Float32 => unify::<Float32Type>(cells, f32::NAN),
        DataType::Float64 => unify::<Float64Type>(cells, f64::NAN),
        _ => Arc::clone(cells),
    }
}

fn width(kind: &DataType) -> Result<usize, ArrowError> {
    let width = match kind {
        DataType::FixedSizeBinary(bytes) => usize::try_from(*bytes).ok(),
        other => other.primitive_width(),
    };
    width.ok_or_else(|| ArrowError::NotYetImplemented(format!("cells of {kind}")))
}
