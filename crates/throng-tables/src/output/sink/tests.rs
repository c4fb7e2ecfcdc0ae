//! Tables written and read again by Arrow's own readers.

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::PathBuf;

use arrow::array::{
    ArrayRef, Date32Array, DictionaryArray, Float64Array, Int32Array, ListArray, StringArray,
    TimestampMillisecondArray, UInt32Array,
};
use arrow::csv::ReaderBuilder;
use arrow::datatypes::{DataType, Int32Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tempfile::TempDir;

use super::*;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn awkward() -> RecordBatch {
    let text = StringArray::from(vec![
        Some("plain"),
        Some("a,b"),
        Some("say \"hi\""),
        Some("two\nlines"),
        Some("dos\r\n"),
        None,
        Some(" spaced "),
    ]);
    let number = Int32Array::from(vec![Some(1), None, Some(-3), Some(4), Some(5), Some(6), Some(7)]);
    batch(vec![("te\"xt", Arc::new(text)), ("number", Arc::new(number))])
}

fn write(name: &str, batches: &[RecordBatch]) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join(name);
    let mut sink = Sink::create(&target, batches[0].schema(), &FileLayout::PLAIN).unwrap();
    batches.iter().for_each(|batch| sink.write(batch).unwrap());
    sink.finish().unwrap().publish().unwrap();
    (dir, target)
}

fn read_text(reader: impl Read, schema: SchemaRef) -> RecordBatch {
    let mut batches: Vec<RecordBatch> =
        ReaderBuilder::new(schema).with_header(true).build(reader).unwrap().map(|b| b.unwrap()).collect();
    assert_eq!(batches.len(), 1);
    batches.remove(0)
}

#[test]
fn awkward_cells_survive_text() {
    let awkward = awkward();
    let (_dir, path) = write("out.csv", std::slice::from_ref(&awkward));
    assert_eq!(read_text(File::open(path).unwrap(), awkward.schema()), awkward);
}

#[test]
fn text_is_compressed_as_its_name_says() {
    let awkward = awkward();
    let (_dir, path) = write("out.csv.gz", std::slice::from_ref(&awkward));
    let gzip = flate2::read::GzDecoder::new(File::open(path).unwrap());
    assert_eq!(read_text(gzip, awkward.schema()), awkward);
    let (_dir, path) = write("out.csv.zst", std::slice::from_ref(&awkward));
    let zstd = zstd::Decoder::with_buffer(BufReader::new(File::open(path).unwrap())).unwrap();
    assert_eq!(read_text(zstd, awkward.schema()), awkward);
}

#[test]
fn labels_are_those_of_each_batch() {
    let labelled = |values: Vec<&str>| {
        let keys = Int32Array::from(vec![Some(1), None, Some(0)]);
        let values = Arc::new(StringArray::from(values));
        batch(vec![
            ("label", Arc::new(DictionaryArray::<Int32Type>::new(keys, values)) as ArrayRef),
            ("n", Arc::new(Int32Array::from(vec![1, 2, 3]))),
        ])
    };
    let (_dir, path) = write("out.csv", &[labelled(vec!["a", "b;,"]), labelled(vec!["c", "d"])]);
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(text, "label,n\n\"b;,\",1\n,2\na,3\nd,1\n,2\nc,3\n");
}

#[test]
fn a_dictionary_without_values_is_all_missing() {
    let keys = Int32Array::from(vec![None, None]);
    let empty: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
    let column: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::new(keys, empty));
    let (_dir, path) = write("out.csv", &[batch(vec![("only", column)])]);
    assert_eq!(fs::read_to_string(path).unwrap(), "only\n\"\"\n\"\"\n");
}

#[test]
fn pieces_keep_the_order_of_rows() {
    let rows: Vec<u32> = (0..30_000).collect();
    let column: ArrayRef = Arc::new(UInt32Array::from(rows.clone()));
    let (_dir, path) = write("out.csv", &[batch(vec![("row", column)])]);
    let text = fs::read_to_string(path).unwrap();
    let read: Vec<u32> = text.lines().skip(1).map(|line| line.parse().unwrap()).collect();
    assert_eq!(read, rows);
}

#[test]
fn a_dialect_without_header_and_with_semicolons() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out.csv");
    let dialect = Dialect { delimiter: b';', quote: b'\'', header: false, trim: false, marked: false };
    let column: ArrayRef = Arc::new(StringArray::from(vec!["a;b", "it's", "c,d"]));
    let batch = batch(vec![("x", column.clone()), ("y", column)]);
    let mut sink = Sink::create(&target, batch.schema(), &dialect).unwrap();
    sink.write(&batch).unwrap();
    sink.finish().unwrap().publish().unwrap();
    assert_eq!(fs::read_to_string(target).unwrap(), "'a;b';'a;b'\n'it''s';'it''s'\nc,d;c,d\n");
}

#[test]
fn parquet_keeps_types_and_rows_but_no_metadata() {
    let typed = batch(vec![
        ("day", Arc::new(Date32Array::from(vec![Some(1), None]))),
        ("share", Arc::new(Float64Array::from(vec![0.1, f64::MAX]))),
        ("moment", Arc::new(TimestampMillisecondArray::from(vec![1, 2]).with_timezone("UTC"))),
    ]);
    let schema = typed.schema().as_ref().clone();
    let noted = schema.with_metadata([("origin".to_owned(), "Jane Roe's desk".to_owned())].into());
    let noted = typed.clone().with_schema(Arc::new(noted)).unwrap();
    let (_dir, path) = write("out.parquet", &[noted.clone(), noted]);
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    assert_eq!(reader.schema().as_ref(), typed.schema().as_ref());
    let batches: Vec<RecordBatch> = reader.build().unwrap().map(|batch| batch.unwrap()).collect();
    assert_eq!(batches[0].slice(0, 2), typed);
    assert_eq!(batches[0].num_rows(), 4);
}

#[test]
fn parquet_holds_no_label_that_no_row_has() {
    let keys = Int32Array::from(vec![Some(1), Some(1)]);
    let values = Arc::new(StringArray::from(vec!["unreleased", "released"]));
    let column: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::new(keys, values));
    let batch = batch(vec![("label", column)]);
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out.parquet");
    let mut sink = Sink::create(&target, batch.schema(), &FileLayout::PLAIN).unwrap();
    sink.write(&batch).unwrap();
    sink.finish().unwrap().publish().unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(target).unwrap()).unwrap();
    let read = reader.build().unwrap().next().unwrap().unwrap();
    let values = read.column(0).as_any().downcast_ref::<StringArray>().unwrap();
    assert_eq!(values, &StringArray::from(vec!["released"; 2]), "values, and no list of them");
}

#[test]
fn a_table_without_rows_has_its_columns() {
    let none = awkward().slice(0, 0);
    let (_dir, path) = write("out.csv", std::slice::from_ref(&none));
    assert_eq!(fs::read_to_string(path).unwrap(), "\"te\"\"xt\",number\n");
    let (_dir, path) = write("out.parquet", std::slice::from_ref(&none));
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    assert_eq!(reader.schema().fields().len(), 2);
}

#[test]
fn a_failed_write_leaves_the_old_file_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["out.csv", "out.parquet"] {
        let target = dir.path().join(name);
        let awkward = awkward();
        let old = batch(vec![("number", Arc::new(Int32Array::from(vec![1])) as ArrayRef)]);
        let mut sink = Sink::create(&target, old.schema(), &FileLayout::PLAIN).unwrap();
        sink.write(&old).unwrap();
        sink.finish().unwrap().publish().unwrap();
        let old = fs::read(&target).unwrap();
        let mut sink = Sink::create(&target, awkward.schema(), &FileLayout::PLAIN).unwrap();
        sink.write(&awkward).unwrap();
        let other = batch(vec![("number", Arc::new(Int32Array::from(vec![1])) as ArrayRef)]);
        assert!(matches!(sink.write(&other), Err(EngineError::Data(_))));
        drop(sink);
        assert!(fs::read(&target).unwrap() == old);
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn what_was_written_can_be_read_before_it_is_published() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out.csv.gz");
    let awkward = awkward();
    let mut sink = Sink::create(&target, awkward.schema(), &FileLayout::PLAIN).unwrap();
    sink.write(&awkward).unwrap();
    let written = sink.finish().unwrap();
    assert!(!target.exists());
    assert_eq!((written.rows(), written.has_newlines()), (7, true));
    let gzip = flate2::read::GzDecoder::new(File::open(written.path()).unwrap());
    assert_eq!(read_text(gzip, awkward.schema()), awkward);
    drop(written);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn what_text_cannot_hold_is_refused_without_its_value() {
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)])]);
    let nested = batch(vec![("lists", Arc::new(list) as ArrayRef)]);
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out.csv");
    let Err(error) = Sink::create(&target, nested.schema(), &FileLayout::PLAIN) else {
        panic!("a list is no text")
    };
    assert!(error.to_string().contains("'lists'"), "{error}");

    let distant =
        batch(vec![("moment", Arc::new(TimestampMillisecondArray::from(vec![0, i64::MAX])) as ArrayRef)]);
    assert!(matches!(distant.column(0).data_type(), DataType::Timestamp(..)));
    let mut sink = Sink::create(&target, distant.schema(), &FileLayout::PLAIN).unwrap();
    let error = sink.write(&distant).unwrap_err().to_string();
    assert!(error.contains("row 2 of column 'moment'") && !error.contains("9223"), "{error}");
    drop(sink);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_sink_can_move_to_another_thread() {
    fn sends<T: Send>() {}
    sends::<Sink>();
    sends::<Written>();
}
