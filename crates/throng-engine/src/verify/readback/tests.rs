//! Files that pass and files that must not.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Date32Array, DictionaryArray, StringArray};
use arrow::datatypes::Int32Type;
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use tempfile::TempDir;

use super::*;
use crate::input::dialect::{Dialect, DialectOverrides};
use throng_tables::output::sink::{FileLayout, Sink, Written};

type Row = (&'static str, Option<&'static str>, &'static str);

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Two classes of 3, one of 2 with a missing value, and two masked rows.
const ROWS: [Row; 10] = [
    ("01*", Some("a,\n"), "x"),
    ("01*", Some("a,\n"), "y"),
    ("01*", Some("a,\n"), "z"),
    ("1*", Some("b"), "x"),
    ("1*", Some("b"), "x"),
    ("1*", Some("b"), "x"),
    ("*", None, "x"),
    ("*", None, "y"),
    ("*", Some("*"), "x"),
    ("*", Some("*"), "y"),
];

fn write(target: &Path, rows: &[Row], dialect: &Dialect) -> Written {
    let text = |column: fn(&Row) -> Option<&str>| -> ArrayRef {
        Arc::new(rows.iter().map(column).collect::<StringArray>())
    };
    let columns = [("Zip", text(|r| Some(r.0))), ("size", text(|r| r.1)), ("q0", text(|r| Some(r.2)))];
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let mut sink = Sink::create(target, batch.schema(), dialect).unwrap();
    sink.write(&batch).unwrap();
    sink.finish().unwrap()
}

fn written(name: &str) -> (TempDir, Written) {
    let dir = tempfile::tempdir().unwrap();
    let written = write(&dir.path().join(name), &ROWS, &FileLayout::PLAIN);
    (dir, written)
}

async fn verify(written: &Written, change: impl FnOnce(&mut Expected<'_>)) -> Result<ReadBack> {
    let (columns, quasi, identifiers) =
        (names(&["Zip", "size", "q0"]), names(&["Zip", "size"]), names(&["name"]));
    let mut expected = Expected {
        rows: 10,
        k: 2,
        columns: &columns,
        quasi: &quasi,
        sensitive: &[],
        exact: &[],
        identifiers: &identifiers,
        pseudonyms: &[],
        coded: &[],
        shifted: &[],
        sizes: None,
    };
    change(&mut expected);
    verify_file(&Stored::new(written, &columns), &expected).await
}

fn reason(found: Result<ReadBack>) -> String {
    match found {
        Err(EngineError::Unverified(fault)) => fault.message().to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_layout_gives_the_same_classes() {
    for name in ["o.csv", "o.tsv", "o.csv.gz", "o.csv.zst", "o.parquet", "50% [x] *.csv"] {
        let (_dir, written) = written(name);
        let found = verify(&written, |_| {}).await.unwrap();
        let sizes = BTreeMap::from([(2, 1), (3, 2)]);
        assert_eq!(found, ReadBack { rows: 10, masked_rows: 2, sizes, ..ReadBack::default() }, "{name}");
        assert_eq!((found.classes(), found.smallest(), found.classes_below(3)), (3, Some(2), 1));
    }
}

#[tokio::test]
async fn a_file_without_header_takes_the_expected_names() {
    let dir = tempfile::tempdir().unwrap();
    let dialect = Dialect { delimiter: b'|', header: false, ..FileLayout::PLAIN };
    let written = write(&dir.path().join("o.csv"), &ROWS, &dialect);
    assert_eq!(verify(&written, |_| {}).await.unwrap().rows, 10);
    let columns = names(&["Zip", "size"]);
    let reason = reason(
        verify_file(
            &Stored::new(&written, &columns),
            &Expected {
                rows: 10,
                k: 2,
                columns: &columns,
                quasi: &columns,
                sensitive: &[],
                exact: &[],
                identifiers: &[],
                pseudonyms: &[],
                coded: &[],
                shifted: &[],
                sizes: None,
            },
        )
        .await,
    );
    assert!(reason.contains("cannot be read back"), "{reason}");
}

#[tokio::test]
async fn a_class_of_k_minus_one_is_caught() {
    for name in ["o.csv", "o.parquet"] {
        let (_dir, written) = written(name);
        let reason = reason(verify(&written, |expected| expected.k = 3).await);
        // One of them is that of `*`.
        assert!(reason.contains("2 of its classes have fewer than 3 rows"), "{reason}");
        assert!(reason.contains("the smallest has 2"), "{reason}");
    }
}

#[tokio::test]
async fn masked_rows_are_a_class_like_any_other() {
    let dir = tempfile::tempdir().unwrap();
    let rows = [ROWS[3], ROWS[4], ROWS[5], ROWS[8], ROWS[9]];
    let written = write(&dir.path().join("o.csv"), &rows, &FileLayout::PLAIN);
    let found = verify(&written, |e| e.rows = 5).await.unwrap();
    assert_eq!((found.smallest(), found.smallest_of_all()), (Some(3), Some(2)));
    let refused = reason(verify(&written, |e| (e.rows, e.k) = (5, 3)).await);
    assert!(refused.contains("1 of its classes have fewer than 3 rows; the smallest has 2"), "{refused}");
    let sizes = |sizes: &[(u64, u64)]| Some(sizes.iter().copied().collect());
    verify(&written, |e| (e.rows, e.sizes) = (5, sizes(&[(2, 1), (3, 1)]))).await.unwrap();
    let refused = reason(verify(&written, |e| (e.rows, e.sizes) = (5, sizes(&[(3, 1)]))).await);
    assert!(refused.contains("its classes are not those that were verified"), "{refused}");
}

#[tokio::test]
async fn rows_and_columns_must_be_the_expected_ones() {
    let (_dir, written) = written("o.csv");
    let reason_of = async |change: fn(&mut Expected<'_>)| reason(verify(&written, change).await);
    assert!(reason_of(|e| e.rows = 11).await.contains("10 rows instead of 11"));
    let identifiers = names(&["q0"]);
    let found = reason(verify_with(&written, &["Zip", "size", "q0"], &identifiers).await);
    assert!(found.contains("the identifier 'q0'"), "{found}");
    for (columns, expected) in [
        (&["Zip", "size", "q0", "age"][..], "lacks the column 'age'"),
        (&["Zip", "size"], "unexpected column 'q0'"),
        (&["size", "Zip", "q0"], "a different order"),
        (&["zip", "size", "q0"], "lacks the column 'zip'"),
    ] {
        let found = reason(verify_with(&written, columns, &[]).await);
        assert!(found.contains(expected), "{found}");
    }
}

#[tokio::test]
async fn an_identifier_among_pseudonyms_is_caught() {
    let dir = tempfile::tempdir().unwrap();
    let hash = "0123456789abcdef0123456789abcdef";
    for name in ["o.csv", "o.parquet"] {
        for (last, is_fine) in [(Some(hash), true), (None, true), (Some("Secretname"), false)] {
            let rows = [("1*", Some(hash), "x"), ("1*", last, "y")];
            let written = write(&dir.path().join(name), &rows, &FileLayout::PLAIN);
            let pseudonyms = names(&["size"]);
            let columns = names(&["Zip", "size", "q0"]);
            let expected = Expected {
                rows: 2,
                k: 2,
                columns: &columns,
                quasi: &columns[..1],
                sensitive: &[],
                exact: &[],
                identifiers: &[],
                pseudonyms: &pseudonyms,
                coded: &[],
                shifted: &[],
                sizes: None,
            };
            let found = verify_file(&Stored::new(&written, &columns), &expected).await;
            if is_fine {
                found.unwrap();
            } else {
                assert_eq!(reason(found), "column 'size' has cells that are not pseudonyms");
            }
        }
    }
}

async fn verify_with(written: &Written, columns: &[&str], identifiers: &[String]) -> Result<ReadBack> {
    let columns = names(columns);
    let quasi = names(&["size"]);
    let expected = Expected {
        rows: 10,
        k: 1,
        columns: &columns,
        quasi: &quasi,
        sensitive: &[],
        exact: &[],
        identifiers,
        pseudonyms: &[],
        coded: &[],
        shifted: &[],
        sizes: None,
    };
    verify_file(&Stored::new(written, &columns), &expected).await
}

#[tokio::test]
async fn a_damaged_file_is_not_verified() {
    for name in ["o.csv.gz", "o.parquet"] {
        let (_dir, written) = written(name);
        let bytes = std::fs::read(written.path()).unwrap();
        std::fs::write(written.path(), &bytes[..bytes.len() / 2]).unwrap();
        let error = verify(&written, |_| {}).await.unwrap_err();
        assert!(matches!(error, EngineError::Unverified(_)), "{name}: {error}");
    }
}

#[tokio::test]
async fn classes_of_typed_columns_and_of_none() {
    let dir = tempfile::tempdir().unwrap();
    let days: ArrayRef = Arc::new(Date32Array::from(vec![Some(1), Some(1), None, Some(2)]));
    let batch = RecordBatch::try_from_iter([("day", days)]).unwrap();
    let mut sink = Sink::create(&dir.path().join("o.parquet"), batch.schema(), &FileLayout::PLAIN).unwrap();
    sink.write(&batch).unwrap();
    let written = sink.finish().unwrap();
    let stored = Stored::new(&written, &[]);
    let found = class_sizes(&stored, &names(&["day"])).await.unwrap();
    assert_eq!(found.sizes, BTreeMap::from([(1, 2), (2, 1)]));
    let found = class_sizes(&stored, &[]).await.unwrap();
    assert_eq!(
        found,
        ReadBack { rows: 4, masked_rows: 0, sizes: BTreeMap::from([(4, 1)]), ..ReadBack::default() }
    );
    let error = class_sizes(&stored, &names(&["Day"])).await.unwrap_err();
    assert!(matches!(error, EngineError::BadInput(_)), "{error}");
}

#[tokio::test]
async fn a_table_without_rows_has_no_classes() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["o.csv", "o.parquet"] {
        let written = write(&dir.path().join(name), &[], &FileLayout::PLAIN);
        assert_eq!(verify(&written, |e| e.rows = 0).await.unwrap(), ReadBack::default());
        let found = class_sizes(&Stored::new(&written, &[]), &[]).await.unwrap();
        assert_eq!(found, ReadBack::default());
    }
}

#[tokio::test]
async fn any_source_can_be_grouped() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("in.csv");
    std::fs::write(&path, "zip, sex, note\n01, f, p\n01, f, q\n1, f, p\n").unwrap();
    let source = Source::open(&path, &DialectOverrides::default()).unwrap();
    let found = class_sizes_of(&source, &names(&["sex", "zip"])).await.unwrap();
    assert_eq!(found.sizes, BTreeMap::from([(1, 1), (2, 1)]));
    assert_eq!(class_sizes_of(&source, &[]).await.unwrap().rows, 3);

    std::fs::write(&path, "zip,sex\n01,f\n01\n").unwrap();
    let source = Source::open(&path, &DialectOverrides::default()).unwrap();
    let error = class_sizes_of(&source, &names(&["sex"])).await.unwrap_err();
    assert!(matches!(error, EngineError::BadInput(_)), "{error}");
}

/// Files beyond 10 MB without line breaks in cells are read in parts by several threads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_file_read_in_parts_loses_no_row() {
    let dir = tempfile::tempdir().unwrap();
    let long = "x".repeat(200);
    let class: ArrayRef =
        Arc::new((0..70_000).map(|row| Some(format!("{}", row % 7))).collect::<StringArray>());
    let note: ArrayRef = Arc::new((0..70_000).map(|_| Some(&long)).collect::<StringArray>());
    let batch = RecordBatch::try_from_iter([("class", class), ("note", note)]).unwrap();
    let mut sink = Sink::create(&dir.path().join("o.csv"), batch.schema(), &FileLayout::PLAIN).unwrap();
    sink.write(&batch).unwrap();
    let written = sink.finish().unwrap();
    assert!(!written.has_newlines());
    assert!(std::fs::metadata(written.path()).unwrap().len() > 14_000_000);
    let found = class_sizes(&Stored::new(&written, &[]), &names(&["class"])).await.unwrap();
    assert_eq!(found.sizes, BTreeMap::from([(10_000, 7)]));
}

/// Row groups are read by several threads; columns are asked for in a different order than that of the file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn row_groups_read_by_threads_lose_no_row() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("o.parquet");
    let rows = 10_000;
    let number: ArrayRef = Arc::new((0..rows).map(|row| Some(row % 5)).collect::<Date32Array>());
    let keyed: DictionaryArray<Int32Type> = (0..rows).map(|row| ["a", "*", "c"][row as usize % 3]).collect();
    let star: ArrayRef =
        Arc::new((0..rows).map(|row| Some(["*", "x"][row as usize % 2])).collect::<StringArray>());
    let columns: [(&str, ArrayRef); 3] = [("star", star), ("keyed", Arc::new(keyed)), ("number", number)];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(999)).build();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let layout = FileLayout::of_target(&path, &FileLayout::PLAIN).unwrap();
    let stored = Stored { files: vec![&path], layout, columns: &[], newlines: false, memory: None };
    let found = class_sizes(&stored, &names(&["number", "star"])).await.unwrap();
    assert_eq!(
        found,
        ReadBack { rows: 10_000, masked_rows: 0, sizes: BTreeMap::from([(1000, 10)]), ..ReadBack::default() }
    );
    // Every sixth row has the mask in both, from the fifth on.
    let found = class_sizes(&stored, &names(&["keyed", "star"])).await.unwrap();
    let sizes = BTreeMap::from([(1666, 1), (1667, 4)]);
    assert_eq!(found, ReadBack { rows: 10_000, masked_rows: 1666, sizes, ..ReadBack::default() });
}

#[tokio::test]
async fn an_empty_cell_is_not_a_missing_one() {
    let dir = tempfile::tempdir().unwrap();
    let rows = [("1", Some(""), "x"), ("1", None, "x"), ("1", None, "y")];
    let sizes = async |name: &str| {
        let written = write(&dir.path().join(name), &rows, &FileLayout::PLAIN);
        class_sizes(&Stored::new(&written, &[]), &names(&["Zip", "size"])).await.unwrap().sizes
    };
    assert_eq!(sizes("o.parquet").await, BTreeMap::from([(1, 1), (2, 1)]));
    assert_eq!(sizes("o.csv").await, BTreeMap::from([(3, 1)]), "text knows no difference");
}

/// Judges the written `q0` by distinct l-diversity over `Zip`.
async fn judge_diversity(known: &[&str], l: u64) -> Result<Option<f64>> {
    let (_dir, written) = written("t.csv");
    let columns = names(&["Zip", "size", "q0"]);
    let mut dictionary = crate::dictionary::Dictionary::default();
    known.iter().for_each(|value| _ = dictionary.intern(value.as_bytes(), 1));
    let model = throng::privacy::DistinctL { l, column: 0 };
    let column = Some(("q0", &dictionary));
    let required = Required { model: &model, shield: names(&["Zip"]), column };
    verify_required(&Stored::new(&written, &columns), &required).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sensitive_column_that_was_meddled_with_is_refused() {
    let refused = |found: Result<Option<f64>>| found.unwrap_err().to_string();
    // All rows of `1*` have x; `01*` has three values, `*` two.
    assert_eq!(judge_diversity(&["x", "y", "z"], 1).await.unwrap(), Some(1.0));
    let uniform = refused(judge_diversity(&["x", "y", "z"], 2).await);
    assert!(
        uniform.contains("1 of its classes over Zip do not have distinct-l = 2; the worst has 1"),
        "{uniform}"
    );
    let new = refused(judge_diversity(&["x", "y"], 1).await);
    assert!(new.contains("column 'q0' has a value that is new"), "{new}");
}

/// An Arrow file whose column `q0` has these cells; written by Arrow alone.
fn write_ipc(path: &Path, q0: ArrayRef) {
    let text = |column: fn(&Row) -> Option<&str>| -> ArrayRef {
        Arc::new(ROWS.iter().map(column).collect::<StringArray>())
    };
    let columns = [("Zip", text(|r| Some(r.0))), ("size", text(|r| r.1)), ("q0", q0)];
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = arrow::ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

async fn verify_ipc(q0: ArrayRef) -> Result<ReadBack> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("o.arrow");
    write_ipc(&path, q0);
    let (columns, quasi) = (names(&["Zip", "size", "q0"]), names(&["Zip", "size"]));
    let layout = FileLayout::of_target(&path, &FileLayout::PLAIN).unwrap();
    let expected = Expected {
        rows: 10,
        k: 2,
        columns: &columns,
        quasi: &quasi,
        sensitive: &[],
        exact: &[],
        identifiers: &[],
        pseudonyms: &[],
        coded: &[],
        shifted: &[],
        sizes: None,
    };
    verify_file(
        &Stored { files: vec![&path], layout, columns: &columns, newlines: false, memory: None },
        &expected,
    )
    .await
}

/// Values that no row has, values that rows are told apart by, and what stands under a null.
#[tokio::test(flavor = "multi_thread")]
async fn an_arrow_file_with_more_than_its_cells_is_refused() {
    let nulls = || {
        Some(arrow::buffer::NullBuffer::from(vec![
            false, true, true, true, true, true, true, true, true, true,
        ]))
    };
    let full = StringArray::from(vec!["secret"; 10]);
    let keys = |keys: Vec<i32>| arrow::array::Int32Array::from(keys);
    let listed = |places: Vec<i32>, values: Vec<&str>| -> ArrayRef {
        Arc::new(DictionaryArray::<Int32Type>::new(keys(places), Arc::new(StringArray::from(values))))
    };
    let item = Arc::new(arrow::datatypes::Field::new("item", arrow::datatypes::DataType::Utf8, true));
    let ends = arrow::buffer::OffsetBuffer::from_lengths([1; 10]);
    let bad: Vec<(&str, ArrayRef)> = vec![
        ("an entry that no row has", listed(vec![0; 10], vec!["x", "secret"])),
        ("an entry that is there twice", listed((0..10).map(|row| row % 2).collect(), vec!["x", "x"])),
        (
            "text under a null",
            Arc::new(StringArray::new(full.offsets().clone(), full.values().clone(), nulls())),
        ),
        ("a number under a null", Arc::new(Date32Array::new(vec![7; 10].into(), nulls()))),
        (
            "an item under a null",
            Arc::new(arrow::array::ListArray::new(item, ends, Arc::new(full.clone()), nulls())),
        ),
        (
            "views",
            Arc::new(arrow::array::StringViewArray::from(vec!["some text of more than twelve bytes"; 10])),
        ),
    ];
    for (what, cells) in bad {
        let error = verify_ipc(cells).await.unwrap_err();
        assert!(matches!(error, EngineError::Unverified(_)), "{what}: {error}");
        assert!(error.to_string().contains("column 'q0' holds more than its cells show"), "{what}: {error}");
    }
    let good =
        StringArray::from(vec![None, Some("a"), None, None, None, None, None, None, Some(""), Some("b")]);
    assert_eq!(verify_ipc(Arc::new(good)).await.unwrap().rows, 10);
}
