//! Arrays that hold more than they show.

use arrow::array::{
    ArrowPrimitiveType, BooleanArray, DictionaryArray, Int32Array, Int64Array, ListArray, PrimitiveArray,
    StringArray, StringViewArray, StructArray, UnionArray,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{Fields, Float16Type, Float32Type, Float64Type, UnionFields};

use super::*;

fn rebuilt(cells: &ArrayRef) -> ArrayRef {
    let field = Field::new("c", cells.data_type().clone(), true);
    rebuild_cells(cells, &plain_field(&field), None).unwrap()
}

/// The values of a text array, also those that no cell has.
fn all_text(cells: &ArrayRef) -> String {
    String::from_utf8(cells.as_string::<i32>().value_data().to_vec()).unwrap()
}

#[test]
fn slices_do_not_keep_their_neighbours() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["before", "a", "b", "after"]));
    let cells = rebuilt(&text.slice(1, 2));
    assert_eq!((all_text(&cells).as_str(), cells.len()), ("ab", 2));
    let list = ListArray::new(
        Arc::new(Field::new("item", DataType::Utf8, true)),
        OffsetBuffer::from_lengths([1, 0, 2, 1]),
        Arc::clone(&text),
        None,
    );
    let cells = rebuilt(&(Arc::new(list) as ArrayRef).slice(1, 2));
    assert_eq!(all_text(cells.as_list::<i32>().values()), "ab");
    let bits: ArrayRef = Arc::new(BooleanArray::from(vec![true; 11]));
    let cells = rebuilt(&bits.slice(3, 2));
    assert_eq!(cells.as_boolean().values().inner().as_slice()[0], 0b11);
}

#[test]
fn what_is_compact_is_not_copied() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    assert!(rebuilt(&text).to_data().ptr_eq(&text.to_data()));
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    assert!(rebuilt(&numbers).to_data().ptr_eq(&numbers.to_data()));
}

/// Bits that no cell shows: rows that are alike could be told apart by them.
#[test]
fn what_is_no_number_is_written_in_one_way() {
    let halves = [0x7e00, 0x7e01, 0xfe02, 0x3c00].map(<Float16Type as ArrowPrimitiveType>::Native::from_bits);
    let floats = [0x7fc0_0000, 0x7fc0_0001, 0xffc0_0002, 0x3f80_0000].map(f32::from_bits);
    let doubles = [0x7ff8 << 48, (0x7ff8 << 48) + 1, (0xfff8 << 48) + 2, 0x3ff0 << 48].map(f64::from_bits);
    let cells: [ArrayRef; 3] = [
        Arc::new(PrimitiveArray::<Float16Type>::from_iter_values(halves)),
        Arc::new(PrimitiveArray::<Float32Type>::from_iter_values(floats)),
        Arc::new(PrimitiveArray::<Float64Type>::from_iter_values(doubles)),
    ];
    for cells in cells {
        let width = cells.data_type().primitive_width().unwrap();
        let rebuilt = rebuilt(&cells).to_data();
        let bytes: Vec<&[u8]> = rebuilt.buffers()[0].chunks(width).collect();
        assert!(bytes[0] == bytes[1] && bytes[1] == bytes[2], "{}", cells.data_type());
        assert_eq!(bytes[3], &cells.to_data().buffers()[0][3 * width..]);
    }
}

#[test]
fn dictionaries_in_dictionaries_are_values() {
    let inner = DictionaryArray::<Int32Type>::new(
        Int32Array::from(vec![Some(1), None, Some(1)]),
        Arc::new(StringArray::from(vec!["unused", "x"])),
    );
    let outer: ArrayRef =
        Arc::new(DictionaryArray::<Int32Type>::new(Int32Array::from(vec![2, 1, 0]), Arc::new(inner)));
    let cells = rebuilt(&outer);
    assert_eq!(cells.as_string::<i32>().iter().collect::<Vec<_>>(), [Some("x"), None, Some("x")]);
    assert_eq!(all_text(&cells), "xx");
}

/// A child that is never null is empty where its record is; so is one that is null there or not.
#[test]
fn nothing_is_left_below_a_null() {
    let full: ArrayRef = Arc::new(StringArray::from(vec!["a", "hidden"]));
    let some: ArrayRef = Arc::new(StringViewArray::from(vec![None, Some("hidden, and longer than a view")]));
    let fields: Fields =
        vec![Field::new("full", DataType::Utf8, false), Field::new("some", DataType::Utf8View, true)].into();
    let known = NullBuffer::from(vec![true, false]);
    let record: ArrayRef = Arc::new(StructArray::new(fields, vec![full, some], Some(known)));
    let cells = rebuilt(&record);
    let (full, some) = (cells.as_struct().column(0), cells.as_struct().column(1));
    assert_eq!((all_text(full).as_str(), full.null_count()), ("a", 0));
    assert_eq!((some.as_string::<i64>().value_data().len(), some.null_count()), (0, 2));
    assert_eq!(cells.nulls(), record.nulls());
}

#[test]
fn a_null_where_there_may_be_none_is_no_zero() {
    let cells: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
    assert!(rebuild_cells(&cells, &Field::new("c", DataType::Int64, false), None).is_err());
}

#[test]
fn unions_are_refused_by_name() {
    let fields: UnionFields = [(0, Arc::new(Field::new("n", DataType::Int64, true)))].into_iter().collect();
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let cells = UnionArray::try_new(fields, vec![0].into(), None, vec![numbers]).unwrap();
    let item = Arc::new(Field::new("item", cells.data_type().clone(), true));
    let schema = Schema::new(vec![Field::new("many", DataType::List(item), true)]);
    let error = refuse_unions(&schema).unwrap_err();
    assert!(error.to_string().contains("column 'many' holds values of several types"), "{error}");
}
