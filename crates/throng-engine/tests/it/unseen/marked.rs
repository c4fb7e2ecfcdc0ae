//! Tables with marks in all that is not released.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, FixedSizeBinaryArray, FixedSizeListArray,
    GenericListArray, GenericListViewArray, Int8Array, Int32Array, Int64Array, LargeStringArray, MapArray,
    OffsetSizeTrait, RecordBatch, RunArray, StringArray, StringViewArray, StructArray, UInt32Array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, Field, Fields, Int32Type};

/// What becomes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    Shown,
    /// It is released; its cells are null, and something stands under them.
    Missing,
    Suppressed,
}

/// In cells of suppressed rows, in their quasi-identifiers and in identifiers, and where no cell is.
pub(super) const UNSHOWN: [&str; 3] = ["MARKROW.", "MARKWHO.", "MARKNIL."];

pub(super) fn of_row() -> &'static str {
    UNSHOWN[0]
}

pub(super) fn of_quasi() -> &'static str {
    UNSHOWN[1]
}

pub(super) fn of_unseen() -> &'static str {
    UNSHOWN[2]
}

/// The text of each row, also of those whose cells are null.
fn texts(rows: &[Row]) -> Vec<String> {
    let text = |(number, row): (usize, &Row)| match row {
        Row::Shown => format!("shown {}, and more than twelve bytes", number % 4),
        Row::Missing => format!("{}and more than twelve bytes {number}", of_unseen()),
        Row::Suppressed => format!("{}and more than twelve bytes {number}", of_row()),
    };
    rows.iter().enumerate().map(text).collect()
}

fn nulls(rows: &[Row]) -> Option<NullBuffer> {
    Some(rows.iter().map(|row| *row != Row::Missing).collect::<Vec<bool>>().into())
}

/// Text with something under its nulls.
fn text(rows: &[Row]) -> StringArray {
    let all = StringArray::from(texts(rows));
    StringArray::new(all.offsets().clone(), all.values().clone(), nulls(rows))
}

/// Entries that no row has, others that are there twice; nulls point to an entry.
fn listed(rows: &[Row]) -> (StringArray, Vec<usize>) {
    let texts = texts(rows);
    let unused = [format!("{}unused", of_unseen()), "twice".to_owned(), "twice".to_owned()];
    let places = (0..texts.len()).map(|row| row + unused.len()).collect();
    (StringArray::from_iter_values(unused.iter().chain(&texts)), places)
}

fn dictionary(rows: &[Row]) -> ArrayRef {
    let (values, places) = listed(rows);
    let keys = Int32Array::new(places.iter().map(|&at| at as i32).collect::<Vec<_>>().into(), nulls(rows));
    Arc::new(DictionaryArray::new(keys, Arc::new(values)))
}

/// Where an entry of the list is null, not a key.
fn dictionary_of_nulls(rows: &[Row]) -> ArrayRef {
    let values = text(rows);
    let keys = UInt32Array::from_iter_values(0..rows.len() as u32);
    Arc::new(DictionaryArray::new(keys, Arc::new(values)))
}

fn views(rows: &[Row]) -> ArrayRef {
    let all =
        StringViewArray::from_iter_values(texts(rows).iter().chain(&[format!("{}in a buffer", of_unseen())]));
    let all = all.slice(0, rows.len());
    Arc::new(StringViewArray::new(all.views().clone(), all.data_buffers().to_vec(), nulls(rows)))
}

fn record(rows: &[Row]) -> StructArray {
    let full = StringArray::from(texts(rows));
    let fields: Fields = vec![
        Field::new("full", DataType::Utf8, false),
        Field::new("listed", dictionary(rows).data_type().clone(), true),
    ]
    .into();
    StructArray::new(fields, vec![Arc::new(full), dictionary(rows)], nulls(rows))
}

/// Two items before the first list, two for each row, null or not, and two after the last one.
fn items(rows: &[Row]) -> (Vec<Row>, Vec<usize>) {
    let mut all = vec![Row::Missing; 2];
    rows.iter().for_each(|row| all.extend([*row; 2]));
    all.extend([Row::Missing; 2]);
    (all, (0..=rows.len()).map(|row| 2 + 2 * row).collect())
}

fn list<O: OffsetSizeTrait>(rows: &[Row], of: impl Fn(&[Row]) -> ArrayRef) -> ArrayRef {
    let (all, ends) = items(rows);
    let ends: Vec<O> = ends.into_iter().map(O::usize_as).collect();
    let (offsets, items) = (OffsetBuffer::new(ends.into()), of(&all));
    let field = Arc::new(Field::new("item", items.data_type().clone(), true));
    Arc::new(GenericListArray::new(field, offsets, items, nulls(rows)))
}

fn list_view(rows: &[Row]) -> ArrayRef {
    let (all, ends) = items(rows);
    let items: ArrayRef = Arc::new(StringArray::from(texts(&all)));
    let starts: ScalarBuffer<i32> = ends[..rows.len()].iter().map(|&end| end as i32).collect();
    let field = Arc::new(Field::new("item", DataType::Utf8, true));
    let sizes: ScalarBuffer<i32> = vec![2; rows.len()].into();
    Arc::new(GenericListViewArray::new(field, starts, sizes, items, nulls(rows)))
}

fn fixed_list(rows: &[Row]) -> ArrayRef {
    let all: Vec<Row> = rows.iter().flat_map(|row| [*row; 2]).collect();
    let items: ArrayRef = Arc::new(StringArray::from(texts(&all)));
    let field = Arc::new(Field::new("item", DataType::Utf8, true));
    Arc::new(FixedSizeListArray::new(field, 2, items, nulls(rows)))
}

fn map(rows: &[Row]) -> ArrayRef {
    let (all, ends) = items(rows);
    let fields: Fields =
        vec![Field::new("key", DataType::Utf8, false), Field::new("value", DataType::Utf8View, true)].into();
    let keys: ArrayRef = Arc::new(StringArray::from(texts(&all)));
    let entries = StructArray::new(fields.clone(), vec![keys, views(&all)], None);
    let ends: Vec<i32> = ends.into_iter().map(|end| end as i32).collect();
    let field = Arc::new(Field::new("entries", DataType::Struct(fields), false));
    Arc::new(MapArray::new(field, OffsetBuffer::new(ends.into()), entries, nulls(rows), false))
}

fn runs(rows: &[Row]) -> ArrayRef {
    let ends = Int32Array::from_iter_values(1..=rows.len() as i32);
    Arc::new(RunArray::<Int32Type>::try_new(&ends, &text(rows)).unwrap())
}

fn numbers(rows: &[Row]) -> ArrayRef {
    let number = |row: &Row| match row {
        Row::Shown => 7,
        Row::Missing => i64::from_le_bytes(of_unseen().as_bytes().try_into().unwrap()),
        Row::Suppressed => i64::from_le_bytes(of_row().as_bytes().try_into().unwrap()),
    };
    Arc::new(Int64Array::new(rows.iter().map(number).collect::<Vec<_>>().into(), nulls(rows)))
}

/// A quasi-identifier that only suppressed rows have a value of their own in; its list has more.
fn towns(rows: &[Row]) -> ArrayRef {
    let own = |row: usize| format!("{}{row} of somewhere", of_quasi());
    let values: Vec<String> = ["north".to_owned()].into_iter().chain((0..rows.len()).map(own)).collect();
    let key = |(at, row): (usize, &Row)| if *row == Row::Suppressed { 1 + at as i8 } else { 0 };
    let keys: Int8Array = rows.iter().enumerate().map(key).collect::<Vec<_>>().into();
    Arc::new(DictionaryArray::new(keys, Arc::new(StringArray::from(values))))
}

/// Nested columns, each with what a job says of it.
fn nested_columns(table: &RecordBatch, said: &str) -> String {
    let schema = table.schema();
    let is_nested = |kind: &DataType| kind.is_nested() && !matches!(kind, DataType::RunEndEncoded(..));
    let nested = schema.fields().iter().filter(|field| is_nested(field.data_type()));
    nested.map(|field| format!("{} = {{ {said} }}\n", field.name())).collect()
}

/// Columns that text cannot hold.
pub(super) fn plain_columns(table: &RecordBatch) -> String {
    nested_columns(table, "role = 'identifier'")
}

/// The same columns where they are released: their items look like what people typed.
pub(super) fn kept_columns(table: &RecordBatch) -> String {
    nested_columns(table, "role = 'other', text = 'keep'")
}

/// The rows in every type.
pub(super) fn people(rows: &[Row]) -> RecordBatch {
    let names: StringArray =
        (0..rows.len()).map(|row| Some(format!("{}{row}, a name", of_quasi()))).collect();
    let texts = texts(rows);
    let large = LargeStringArray::from(texts.iter().map(String::as_str).collect::<Vec<_>>());
    let large = LargeStringArray::new(large.offsets().clone(), large.values().clone(), nulls(rows));
    let binary = BinaryArray::from_iter_values(texts.iter());
    let binary = BinaryArray::new(binary.offsets().clone(), binary.values().clone(), nulls(rows));
    let fixed = FixedSizeBinaryArray::try_from_iter(texts.iter().map(|text| &text.as_bytes()[..16])).unwrap();
    let fixed = FixedSizeBinaryArray::new(16, fixed.values().clone(), nulls(rows));
    let age = Int32Array::from_iter_values(rows.iter().map(|_| 40));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("name", Arc::new(names)),
        ("town", towns(rows)),
        ("age", Arc::new(age)),
        ("text", Arc::new(text(rows))),
        ("large", Arc::new(large)),
        ("binary", Arc::new(binary)),
        ("fixed", Arc::new(fixed)),
        ("numbers", numbers(rows)),
        ("listed", dictionary(rows)),
        ("listed_null", dictionary_of_nulls(rows)),
        ("views", views(rows)),
        ("runs", runs(rows)),
        ("record", Arc::new(record(rows))),
        ("list", list::<i32>(rows, |all| Arc::new(text(all)))),
        ("large_list", list::<i64>(rows, |all| Arc::new(record(all)))),
        ("lists", list::<i32>(rows, |all| list::<i32>(all, dictionary))),
        ("list_view", list_view(rows)),
        ("fixed_list", fixed_list(rows)),
        ("map", map(rows)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, cells)| (name, cells, true)))
        .unwrap()
}
