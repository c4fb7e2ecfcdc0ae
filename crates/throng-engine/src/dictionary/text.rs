//! The cells of an array as text, whatever the array's type.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::{CastOptions, can_cast_types, cast_with_options};
use arrow::datatypes::DataType;

/// Whether values of a type can be written as text and compared as such.
pub fn is_textual(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, value) => is_textual(value),
        DataType::RunEndEncoded(..) | DataType::Union(..) => false,
        other => !other.is_nested() && can_cast_types(other, &DataType::Utf8),
    }
}

/// The array as one of the text types; nothing if some value cannot be text.
///
/// Dates become ISO 8601. Numbers are written in the shortest way that reads back the same.
pub fn as_text(array: &ArrayRef) -> Option<ArrayRef> {
    match array.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(Arc::clone(array)),
        _ => {
            let strict = CastOptions { safe: false, ..CastOptions::default() };
            cast_with_options(array, &DataType::Utf8, &strict).ok()
        }
    }
}

/// Calls `each` with the bytes of every cell of a text array in order; a null has none.
///
/// # Errors
/// The first one of `each`.
///
/// # Panics
/// If the array is not one of the text types.
pub fn try_each<E>(array: &ArrayRef, each: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    match array.data_type() {
        DataType::Utf8 => visit(array.as_string::<i32>().iter(), each),
        DataType::LargeUtf8 => visit(array.as_string::<i64>().iter(), each),
        DataType::Utf8View => visit(array.as_string_view().iter(), each),
        other => unreachable!("{other} is not a text type"),
    }
}

fn visit<'a, E>(
    cells: impl Iterator<Item = Option<&'a str>>,
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    for cell in cells {
        each(cell.unwrap_or_default().as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use arrow::array::{
        BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array, Int64Array,
        LargeStringArray, StringArray, StringViewArray, TimestampSecondArray,
    };
    use arrow::datatypes::{Field, Int32Type};

    use super::*;

    fn cells(array: ArrayRef) -> Vec<String> {
        assert!(is_textual(array.data_type()));
        let mut cells = Vec::new();
        try_each(&as_text(&array).unwrap(), |cell| {
            cells.push(String::from_utf8(cell.to_vec())?);
            Ok::<_, std::string::FromUtf8Error>(())
        })
        .unwrap();
        cells
    }

    #[test]
    fn text_of_every_kind() {
        let values = vec![Some("007"), None, Some("a value of more than twelve bytes")];
        let expected = ["007", "", "a value of more than twelve bytes"];
        assert_eq!(cells(Arc::new(StringArray::from(values.clone()))), expected);
        assert_eq!(cells(Arc::new(LargeStringArray::from(values.clone()))), expected);
        assert_eq!(cells(Arc::new(StringViewArray::from(values.clone()))), expected);
        let keyed: DictionaryArray<Int32Type> = values.into_iter().collect();
        assert_eq!(cells(Arc::new(keyed)), expected);
    }

    #[test]
    fn numbers_dates_and_truth() {
        assert_eq!(cells(Arc::new(Int64Array::from(vec![Some(-5), None]))), ["-5", ""]);
        assert_eq!(cells(Arc::new(Float64Array::from(vec![1.5, 2.0]))), ["1.5", "2.0"]);
        assert_eq!(cells(Arc::new(Date32Array::from(vec![0, 19_000]))), ["1970-01-01", "2022-01-08"]);
        assert_eq!(cells(Arc::new(BooleanArray::from(vec![true, false]))), ["true", "false"]);
        let decimal = Decimal128Array::from(vec![1050]).with_precision_and_scale(6, 2).unwrap();
        assert_eq!(cells(Arc::new(decimal)), ["10.50"]);
        let time = TimestampSecondArray::from(vec![0]).with_timezone("UTC");
        assert_eq!(cells(Arc::new(time)), ["1970-01-01T00:00:00Z"]);
    }

    #[test]
    fn what_is_no_text() {
        let item = Arc::new(Field::new("item", DataType::Int32, true));
        assert!(!is_textual(&DataType::List(item)));
        let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![&b"\xff"[..]]));
        assert!(as_text(&bytes).is_none());
    }
}
