use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::{ArrayRef, Date32Array, Int32Array, ListArray, RecordBatch, StringArray};
use arrow::datatypes::Int32Type;
use futures::TryStreamExt;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use tempfile::TempDir;
use throng::random::Random;

use super::*;
use crate::input::dialect::DialectOverrides;
use crate::memory::ByteSize;
use crate::progress::Quiet;

fn open(text: &str) -> (TempDir, Source) {
    let (directory, path) = place("t.csv");
    std::fs::write(&path, text).unwrap();
    let source = Source::open(&path, &DialectOverrides::default()).unwrap();
    (directory, source)
}

fn place(name: &str) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    (directory, path)
}

async fn encode_text(text: &str, quasi: &[usize]) -> Result<Encoded> {
    let (_directory, source) = open(text);
    encode(&source, quasi, &Quiet).await
}

/// Each tuple as its values, with its weight.
fn tuples(encoded: &Encoded) -> Vec<(Vec<&str>, u32)> {
    let values = |at: usize| {
        let columns = encoded.columns.iter().zip(&encoded.dictionaries);
        columns.map(|(codes, dictionary)| dictionary.value(codes[at])).collect()
    };
    encoded.weights.iter().enumerate().map(|(at, &weight)| (values(at), weight)).collect()
}

#[tokio::test]
async fn counts_distinct_tuples_in_order() {
    let text = "zip,name,sex\n2,x,m\n10,y,f\n2,z,m\n,w,f\n2,v,f\n";
    let encoded = encode_text(text, &[0, 2]).await.unwrap();
    assert_eq!(encoded.rows, 5);
    let expected = [(vec!["", "f"], 1), (vec!["10", "f"], 1), (vec!["2", "f"], 1), (vec!["2", "m"], 2)];
    assert_eq!(tuples(&encoded), expected);
    let zip = &encoded.dictionaries[0];
    assert_eq!((zip.missing(), zip.first_row(0), zip.first_row(2)), (Some(0), 4, 1));
    assert_eq!(encoded.dictionaries[1].missing(), None);
}

#[tokio::test]
async fn the_order_of_rows_does_not_matter() {
    let rows: Vec<String> = (0..20_000u32).map(|n| format!("{},{}\n", n * 31 % 997, n % 13)).collect();
    let forward = encode_text(&format!("a,b\n{}", rows.concat()), &[0, 1]).await.unwrap();
    let backward: String = rows.iter().rev().map(String::as_str).collect();
    let backward = encode_text(&format!("a,b\n{backward}"), &[0, 1]).await.unwrap();
    assert_eq!(forward.columns, backward.columns);
    assert_eq!(forward.weights, backward.weights);
    assert_eq!(tuples(&forward), tuples(&backward));
    assert_eq!(forward.weights.iter().map(|&w| u64::from(w)).sum::<u64>(), 20_000);
    assert!(forward.columns[0].is_sorted());
}

/// Ten columns of 10 000 values take 14 bits each, thus keys of four words.
#[tokio::test(flavor = "multi_thread")]
async fn wide_tuples() {
    let mut text = (0..10).map(|c| format!("c{c}")).collect::<Vec<_>>().join(",") + "\n";
    for row in 0..20_000u64 {
        let n = row % 10_000;
        let cells: Vec<String> = (0..10).map(|c| (n * (2 * c + 1) % 10_000).to_string()).collect();
        text.push_str(&(cells.join(",") + "\n"));
    }
    let encoded = encode_text(&text, &(0..10).collect::<Vec<_>>()).await.unwrap();
    assert_eq!(encoded.weights, vec![2; 10_000]);
    for (values, _) in tuples(&encoded) {
        let n: u64 = values[0].parse().unwrap();
        for (c, value) in (0..).zip(&values) {
            assert_eq!(value.parse::<u64>().unwrap(), n * (2 * c + 1) % 10_000);
        }
    }
}

#[tokio::test]
async fn a_second_scan_has_the_same_codes() {
    let (_directory, source) = open("a,b\nx,1\n,2\ny,1\nx,1\n");
    let encoded = encode(&source, &[1, 0], &Quiet).await.unwrap();
    let batches: Vec<RecordBatch> = source.scan(&[0]).await.unwrap().try_collect().await.unwrap();
    let codes = encoded.dictionaries[1].encode_array(batches[0].column(0)).unwrap();
    assert_eq!(codes, [1, 0, 2, 1]);
}

#[tokio::test]
async fn parquet_values_become_text() {
    let (_directory, path) = place("t.parquet");
    let age: ArrayRef = Arc::new(Int32Array::from(vec![Some(7), None, Some(7), Some(-1)]));
    let born: ArrayRef = Arc::new(Date32Array::from(vec![0, 0, 0, 365]));
    let list: ArrayRef =
        Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>((0..4).map(|n| Some(vec![Some(n)]))));
    let batch = RecordBatch::try_from_iter([("age", age), ("born", born), ("list", list)]).unwrap();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let source = Source::open(&path, &DialectOverrides::default()).unwrap();
    let encoded = encode(&source, &[0, 1], &Quiet).await.unwrap();
    let expected = [(vec!["", "1970-01-01"], 1), (vec!["-1", "1971-01-01"], 1), (vec!["7", "1970-01-01"], 2)];
    assert_eq!(tuples(&encoded), expected);
    let refused = encode(&source, &[2], &Quiet).await.unwrap_err().to_string();
    assert!(refused.contains("column 'list' has type List"), "{refused}");
}

#[tokio::test]
async fn no_rows_are_refused() {
    let error = encode_text("a,b\n", &[0]).await.unwrap_err();
    assert!(
        matches!(error, EngineError::BadInput(_)) && error.to_string().ends_with("there are no data rows")
    );
}

#[tokio::test]
async fn errors_of_the_reader_come_through() {
    let error = encode_text("a,b\n1,2\n3\n", &[0]).await.unwrap_err();
    assert!(
        matches!(error, EngineError::BadInput(_))
            && error.to_string().ends_with("row 2: 1 cell, expected 2 cells")
    );
}

/// Arrow's reader checks the bytes of a batch as a whole: here two cells are one character.
#[tokio::test]
async fn a_character_across_cells_is_refused() {
    let (_directory, path) = place("t.csv");
    let mut file = std::fs::File::create(&path).unwrap();
    file.write_all(b"a,b\nx,y\nz\xc3,\xa9w\n").unwrap();
    let source = Source::open(&path, &DialectOverrides::default()).unwrap();
    let message = encode(&source, &[0], &Quiet).await.unwrap_err().to_string();
    let expected = "row 2, column 'a': this is not UTF-8 text; give the encoding with --encoding NAME, or \
        convert the file to UTF-8";
    assert!(message.ends_with(expected), "{message}");
}

#[tokio::test]
async fn more_columns_than_a_packed_key_can_hold() {
    let names: Vec<String> = (0..1100).map(|c| format!("c{c}")).collect();
    let row = |last: &str| format!("{},{last}\n", vec!["x"; 1099].join(","));
    let text = format!("{}\n{}", names.join(","), ["b", "a", "b"].map(row).concat());
    let all: Vec<usize> = (0..1100).collect();
    let encoded = encode_text(&text, &all).await.unwrap();
    assert_eq!(
        (encoded.columns.len(), &encoded.columns[1099], &encoded.weights),
        (1100, &vec![0, 1], &vec![1, 2])
    );
}

/// Cancels once so many rows are read.
struct Watch {
    rows: AtomicU64,
    bytes: AtomicU64,
    stop_after: u64,
}

impl Progress for Watch {
    fn rows_read(&self, rows: u64) {
        assert!(self.rows.swap(rows, Ordering::Relaxed) < rows);
    }

    fn bytes_read(&self, bytes: u64, total: u64) {
        assert!(bytes <= total);
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.rows.load(Ordering::Relaxed) >= self.stop_after
    }
}

#[tokio::test]
async fn progress_is_told_and_cancelling_stops() {
    let (_directory, source) = open(&format!("a,b\n{}", "1,2\n".repeat(30_000)));
    let watch = |stop_after| Watch { rows: 0.into(), bytes: 0.into(), stop_after };
    let patient = watch(u64::MAX);
    encode(&source, &[0], &patient).await.unwrap();
    assert_eq!(patient.rows.load(Ordering::Relaxed), 30_000);
    assert_eq!(patient.bytes.load(Ordering::Relaxed), source.file_bytes());
    let hasty = watch(10_000);
    let error = encode(&source, &[0], &hasty).await.unwrap_err();
    assert!(matches!(error, EngineError::Interrupted));
    assert!(hasty.rows.load(Ordering::Relaxed) < 30_000);
}

/// A file of many small row groups, with text in lists, days, and numbers some of which are missing.
pub(super) fn grouped(rows: usize) -> (TempDir, Source) {
    let mut random = Random::new(3);
    let texts = (0..rows).map(|row| Some(format!("v{}", random.below(2 + row as u64 / 9))));
    let texts: ArrayRef = Arc::new(texts.collect::<StringArray>());
    let days = (0..rows).map(|_| Some(random.below(40_000) as i32 - 20_000));
    let days: ArrayRef = Arc::new(days.collect::<Date32Array>());
    let numbers = (0..rows).map(|_| Some(random.below(7) as i32).filter(|&n| n > 0));
    let numbers: ArrayRef = Arc::new(numbers.collect::<Int32Array>());
    let batch = RecordBatch::try_from_iter([("t", texts), ("d", days), ("n", numbers)]).unwrap();
    let (directory, path) = place("t.parquet");
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(700)).build();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let source = Source::open(&path, &DialectOverrides::default()).unwrap();
    (directory, source)
}

fn nobody() -> Observers {
    Observers::new(Vec::new())
}

/// Which hand reads which row group decides nothing.
#[tokio::test(flavor = "multi_thread")]
async fn groups_side_by_side_are_like_one_scan() {
    let (_directory, source) = grouped(20_000);
    for quasi in [&[0, 1, 2][..], &[2, 0], &[2], &[]] {
        let expected = finish(vec![
            encode_in_order(&source, quasi, &Default::default(), nobody(), &Quiet).await.unwrap(),
        ])
        .unwrap();
        for workers in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().unwrap();
            let groups =
                pool.install(|| by_groups::open(&source, quasi, &Default::default(), false)).unwrap();
            assert_eq!(groups.is_some(), workers > 1);
            let Some(groups) = groups else { continue };
            let found = finish(groups.encode(nobody(), &Quiet).await.unwrap()).unwrap();
            assert_eq!(
                (&found.columns, &found.weights, found.rows),
                (&expected.columns, &expected.weights, 20_000)
            );
            for (one, other) in found.dictionaries.iter().zip(&expected.dictionaries) {
                assert!(one.values().eq(other.values()));
                assert!((0..one.len() as u32).all(|code| one.first_row(code) == other.first_row(code)));
            }
        }
    }
}

struct Impatient;

impl Progress for Impatient {
    fn cancelled(&self) -> bool {
        true
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn groups_side_by_side_stop_when_told_to() {
    let (_directory, source) = grouped(200_000);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let groups =
        pool.install(|| by_groups::open(&source, &[0, 1, 2], &Default::default(), false)).unwrap().unwrap();
    assert!(matches!(groups.encode(nobody(), &Impatient).await, Err(EngineError::Interrupted)));
}

/// What is said is what is held, of values and of tuples.
#[tokio::test(flavor = "multi_thread")]
async fn more_than_the_memory_limit_is_refused_with_numbers() {
    let (_directory, source) = grouped(20_000);
    let within = |bytes| {
        let budget = Budget::new(Some(ByteSize(bytes)), u64::MAX);
        encode_observed(&source, &[0, 1, 2], budget, Vec::new(), &Quiet)
    };
    assert_eq!(within(64 << 20).await.unwrap().rows, 20_000);
    let error = within(100_000).await.unwrap_err().to_string();
    assert!(
        error.starts_with("not enough memory: ") && error.contains("memory_limit is 97.7 KiB"),
        "{error}"
    );
    assert!(error.contains("distinct tuples") && !error.contains("v1"), "{error}");
}
