use std::sync::Arc;

use arrow::array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, LargeStringArray, StringArray};
use arrow::datatypes::{DataType, Int32Type};
use futures::TryStreamExt;

use super::*;
use crate::address::Address;
use crate::error::Result;
use crate::input::source::Source;
use crate::output::sink::Sink;

fn numbers(from: i64, to: i64) -> RecordBatch {
    let numbers: ArrayRef = Arc::new((from..to).collect::<Int64Array>());
    RecordBatch::try_from_iter([("number", numbers)]).unwrap()
}

fn values(batches: &[RecordBatch]) -> Vec<i64> {
    let cells = batches.iter().map(|batch| batch.column(0).as_any().downcast_ref::<Int64Array>().unwrap());
    cells.flat_map(|cells| cells.values().to_vec()).collect()
}

#[tokio::test]
async fn rows_come_in_order_and_in_parts() {
    let batches = vec![numbers(0, 200_000), numbers(0, 0), numbers(200_000, 200_001)];
    let table = MemoryTable::from_batches("t", batches[0].schema(), batches);
    let source = Source::open(Address::from(table), &Default::default()).unwrap();
    assert_eq!((source.expected_rows(), source.has_parts().unwrap()), (Some(200_001), true));
    let all: Vec<RecordBatch> = source.scan(&[0]).await.unwrap().try_collect().await.unwrap();
    assert_eq!(values(&all), (0..200_001).collect::<Vec<_>>());
    let parts = source.parts(&[0], &[]).unwrap();
    let starts = parts.starts();
    for (part, &start) in starts.iter().enumerate() {
        let rows: Vec<RecordBatch> = parts.rows(part).unwrap().collect::<Result<_>>().unwrap();
        let end = starts.get(part + 1).map_or(200_001, |&end| end as i64);
        assert_eq!(values(&rows), (start as i64..end).collect::<Vec<_>>());
    }
}

#[test]
fn a_table_is_itself_and_no_text() {
    let one =
        Address::from(MemoryTable::from_batches("people.csv", numbers(0, 1).schema(), vec![numbers(0, 1)]));
    let other =
        Address::from(MemoryTable::from_batches("people.csv", numbers(0, 1).schema(), vec![numbers(0, 1)]));
    assert_eq!(one, one.clone());
    assert_ne!(one, other);
    assert_ne!(one, Address::from_path("people.csv"));
    let error = serde_json::to_string(&one).unwrap_err().to_string();
    assert!(error.contains("'people.csv' is in memory"), "{error}");
    let named: Address = serde_json::from_str("\"people.csv\"").unwrap();
    assert!(matches!(named, Address::Files(_)));
}

#[test]
fn columns_of_one_name_are_refused() {
    let cells: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let batch = RecordBatch::try_from_iter([("a", cells.clone()), ("a", cells)]).unwrap();
    let table = MemoryTable::from_batches("frame", batch.schema(), vec![batch]);
    let error = Source::open(Address::from(table), &Default::default()).unwrap_err();
    assert_eq!(error.file(), Some(Path::new("frame")));
    assert!(error.to_string().contains("columns 1 and 2 have the same name"), "{error}");
}

/// What is taken has nothing but its cells: neither the entries of a dictionary nor the rows beside a slice.
#[test]
fn a_table_is_built_anew_and_published_at_once() {
    let towns = StringArray::from(vec!["Bonn", "Kiel", "Ulm"]);
    let towns: ArrayRef =
        Arc::new(DictionaryArray::<Int32Type>::new(Int32Array::from(vec![1, 0, 1]), Arc::new(towns)));
    let notes: ArrayRef = Arc::new(LargeStringArray::from(vec![Some("a"), None, Some("secret")]));
    let batch = RecordBatch::try_from_iter([("town", towns), ("note", notes)]).unwrap().slice(0, 2);
    let target = MemoryTable::unwritten("release");
    assert!(Source::open(Address::from(target.clone()), &Default::default()).is_err());
    let mut sink = Sink::create_in_memory(&target, &batch.schema()).unwrap();
    sink.write(&batch).unwrap();
    let written = sink.finish().unwrap();
    assert!(target.rows().is_none());
    assert!(written.files().is_empty() && written.rows() == 2);
    written.publish().unwrap();
    let rows = target.rows().unwrap();
    assert_eq!(rows.schema.field(0).data_type(), &DataType::Utf8);
    let [town, note] = [0, 1].map(|column| rows.batches[0].column(column).to_data());
    assert_eq!(town.buffers()[1].as_slice(), b"KielBonn");
    assert_eq!((note.data_type(), note.buffers()[1].as_slice()), (&DataType::LargeUtf8, &b"a"[..]));
}
