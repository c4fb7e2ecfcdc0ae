//! What is not released is not in the file: neither as a cell nor as bytes that no cell shows.
//!
//! Tables are made of every type that a file can have, with marks in rows that are suppressed, in identifiers, under
//! nulls, in entries of dictionaries that no row has, and beside the items of lists. Then the marks are looked for in the
//! bytes of the release, decompressed by code of this file.

mod bytes;
mod marked;

use std::sync::Arc;

use arrow::array::{ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray};
use arrow::datatypes::Int32Type;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use throng_engine::check::{CheckedTable, check};
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::input::source::Source;
use throng_engine::progress::Quiet;
use throng_engine::verify::readback::class_sizes_of;

use crate::sandbox::Sandbox;
use crate::table::Table;
use bytes::{all_bytes, contains};
use marked::{Row, UNSHOWN, kept_columns, of_row, of_unseen, people, plain_columns};

/// Quasi-identifiers that stay as they are, and one row or some that go.
fn job(input: &str, output: &str, columns: &str) -> String {
    format!(
        "input = '{input}'\noutput = {output}\n[columns]\nname = {{ role = 'identifier' }}\n\
         town = {{ role = 'quasi' }}\nage = {{ role = 'quasi' }}\n{columns}\n'*' = {{ role = 'other' }}\n\
         [privacy]\nk = 3\nsuppression = '100 %'\n"
    )
}

/// A few rows that are released in any case, and others.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    let others = prop_oneof![6 => Just(Row::Shown), 3 => Just(Row::Missing), 1 => Just(Row::Suppressed)];
    proptest::collection::vec(others, 3..40).prop_map(|mut rows| {
        // As many as k, so that they may be masked.
        rows.extend([Row::Suppressed, Row::Missing, Row::Suppressed, Row::Suppressed]);
        rows.extend([Row::Shown; 4]);
        rows
    })
}

/// Looks for marks in all files of a release.
fn refuse_marks(sandbox: &Sandbox, output: &str, marks: &[&str]) -> Result<(), TestCaseError> {
    let all = all_bytes(&sandbox.path(output));
    prop_assert!(
        all.iter().any(|(_, bytes)| contains(bytes, b"shown 0")),
        "what is released is found in {output}"
    );
    for (file, bytes) in all {
        for mark in marks {
            prop_assert!(!contains(&bytes, mark.as_bytes()), "{mark} in {file}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_file_holds_what_is_not_released(rows in rows(), per_file in 1_usize..30) {
        let sandbox = Sandbox::with(&[]);
        let table = people(&rows);
        bytes::write_arrow(&sandbox.path("in.arrow"), &table);
        prop_assert!(UNSHOWN.iter().all(|mark| contains(&sandbox.bytes("in.arrow"), mark.as_bytes())));
        let (typed, plain) = (kept_columns(&table), plain_columns(&table));
        let outputs = [
            ("out.arrow", "'out.arrow'".to_owned(), &typed),
            ("out.parquet", "'out.parquet'".to_owned(), &typed),
            ("mixed.arrow", "{ path = 'mixed.arrow', order = 'shuffle' }".to_owned(), &typed),
            ("mixed.parquet", "{ path = 'mixed.parquet', order = 'shuffle:7' }".to_owned(), &typed),
            ("parts", format!("{{ path = 'parts/', format = 'arrow', rows_per_file = {per_file} }}"), &typed),
            ("pages", format!("{{ path = 'pages/', format = 'parquet', rows_per_file = {per_file} }}"), &typed),
            ("out.csv", "'out.csv'".to_owned(), &plain),
            ("out.csv.gz", "'out.csv.gz'".to_owned(), &plain),
            ("out.jsonl.zst", "{ path = 'out.jsonl.zst', order = 'shuffle' }".to_owned(), &plain),
        ];
        for (output, spelled, columns) in outputs {
            let summary = sandbox.run(&job("in.arrow", &spelled, columns));
            prop_assert!(summary.suppressed_rows > 0, "{output}");
            refuse_marks(&sandbox, output, &UNSHOWN)?;
        }
        // The cells of masked rows that are not quasi-identifiers are released.
        sandbox.run(&job("in.arrow", "{ path = 'masked.arrow', suppressed = 'mask' }", &typed));
        refuse_marks(&sandbox, "masked.arrow", &[of_unseen(), marked::of_quasi()])?;
        prop_assert!(all_bytes(&sandbox.path("masked.arrow")).iter().any(|(_, b)| contains(b, of_row().as_bytes())));
        assert_same_cells(&sandbox, &table, &rows);
    }
}

/// The released rows have the cells that they had.
fn assert_same_cells(sandbox: &Sandbox, table: &RecordBatch, rows: &[Row]) {
    let released = bytes::read_arrow(&sandbox.path("out.arrow"));
    let expected = Table::from_batch(table);
    let places: Vec<usize> = (0..rows.len()).filter(|&row| rows[row] != Row::Suppressed).collect();
    for (place, field) in released.schema().fields().iter().enumerate() {
        let before = expected.column(field.name());
        let after = Table::from_batch(&released.project(&[place]).unwrap());
        let before: Vec<&str> = places.iter().map(|&row| before[row]).collect();
        assert_eq!(after.column(field.name()), before, "{field}");
    }
    let parquet = crate::table::read_parquet(&sandbox.path("out.parquet"));
    assert_eq!(Table::from_batch(&parquet), Table::from_batch(&released));
}

/// A list with a value twice tells no rows apart: cells are what they show.
#[test]
fn a_dictionary_with_a_value_twice_is_read_by_values() {
    let sandbox = Sandbox::with(&[]);
    let places = Int32Array::from_iter_values((0..12).map(|row| row % 3));
    let towns = StringArray::from(vec!["A", "A", "B"]);
    let towns: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::new(places, Arc::new(towns)));
    bytes::write_arrow(&sandbox.path("in.arrow"), &RecordBatch::try_from_iter([("town", towns)]).unwrap());
    let said = DialectOverrides::default();
    let subject = CheckedTable::of_table(
        &Default::default(),
        sandbox.path("in.arrow"),
        &said,
        &["town".to_owned()],
        &[],
    );
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    let found = runtime.block_on(check(&subject.unwrap(), 5, &Quiet)).unwrap();
    assert_eq!((found.rows, found.classes, found.k), (12, 2, 4));
    let source = Source::open(sandbox.path("in.arrow"), &DialectOverrides::default()).unwrap();
    let read = runtime.block_on(class_sizes_of(&source, &["town".to_owned()])).unwrap();
    assert_eq!(read.sizes.into_iter().collect::<Vec<_>>(), [(4, 1), (8, 1)]);
}
