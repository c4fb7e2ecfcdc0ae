use std::fmt::Write as _;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, FixedSizeBinaryArray, Int32Array, ListArray, RecordBatch, StringArray,
};
use arrow::datatypes::{DataType, Int32Type};
use futures::StreamExt;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use tempfile::TempDir;

use super::*;
use crate::input::dialect::DialectOverrides;
use crate::progress::Quiet;
use crate::role::Role;

fn open(text: &str) -> (TempDir, Source) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.csv");
    std::fs::write(&path, text).unwrap();
    let source = Source::open(&path, &DialectOverrides::default()).unwrap();
    (directory, source)
}

pub(super) async fn profile_text(text: &str) -> Profile {
    let (_directory, source) = open(text);
    profile(&source, &ProfileOptions::default(), &Quiet).await.unwrap()
}

/// A table of one column, beside one that makes its rows more than empty lines.
async fn column(name: &str, cells: impl IntoIterator<Item = impl AsRef<str>>) -> ColumnProfile {
    let mut text = format!("{name},filler\n");
    for (row, cell) in cells.into_iter().enumerate() {
        writeln!(text, "{},{row}", cell.as_ref()).unwrap();
    }
    profile_text(&text).await.columns.swap_remove(0)
}

const PEOPLE: &str = "\
name,born,sex,zip,illness
Ann,1980-01-31,f,01067,flu
Bob,1980-01-31,m,01067,cold
Cas,1981-05-06,f,22301,flu
Dan,1980-01-31,m,22301,gout
Eve,1981-05-06,f,,flu
Fay,1990-07-08,f,22301,flu
";

#[tokio::test]
async fn columns_are_counted_and_judged() {
    let profile = profile_text(PEOPLE).await;
    assert_eq!((profile.rows, profile.columns.len()), (6, 5));
    let shown: Vec<_> = profile
        .columns
        .iter()
        .map(|c| (c.kind.to_string(), c.distinct.value, c.missing, c.unique_rows.value, c.suggestion.role))
        .collect();
    let expected = [
        ("category", 6, 0, 6, Role::Identifier),
        ("date %Y-%m-%d", 3, 0, 1, Role::Quasi),
        ("category", 2, 0, 0, Role::Quasi),
        ("code", 2, 1, 1, Role::Quasi),
        ("category", 3, 0, 2, Role::Sensitive),
    ];
    assert_eq!(shown, expected.map(|(kind, d, m, u, role)| (kind.to_owned(), d, m, u, role)));
    let zip = &profile.columns[3];
    assert_eq!((zip.min_length, zip.max_length, zip.missing_share), (Some(5), Some(5), 1.0 / 6.0));
    assert!(!profile.has_estimates());
}

#[tokio::test]
async fn combinations_are_counted_and_ranked() {
    let profile = profile_text(PEOPLE).await;
    assert_eq!(profile.combined, ["born", "sex", "zip"]);
    let shown: Vec<_> = profile
        .combinations
        .iter()
        .map(|c| (c.columns.join("+"), c.classes.value, c.unique_rows.value))
        .collect();
    let expected = [("born+sex+zip", 6, 6), ("born+zip", 5, 4), ("sex+zip", 5, 4), ("born+sex", 4, 2)];
    assert_eq!(shown, expected.map(|(columns, classes, unique)| (columns.to_owned(), classes, unique)));
    assert_eq!(profile.combinations[0].unique_share, 1.0);
}

#[tokio::test]
async fn the_caller_may_choose_what_to_combine() {
    let (_directory, source) = open(PEOPLE);
    let combine = |names: &[&str]| {
        let combine = names.iter().map(|&name| name.to_owned()).collect();
        ProfileOptions { combine, ..ProfileOptions::default() }
    };
    let chosen = profile(&source, &combine(&["illness", "sex"]), &Quiet).await.unwrap();
    assert_eq!((chosen.combined.len(), chosen.combinations.len()), (2, 1));
    assert_eq!(chosen.combinations[0].columns, ["sex", "illness"]);
    let error = profile(&source, &combine(&["ilness"]), &Quiet).await.unwrap_err().to_string();
    assert!(error.ends_with("there is no column 'ilness' (did you mean 'illness'?)"), "{error}");
    let error = profile(&source, &combine(&["sex", "sex"]), &Quiet).await.unwrap_err().to_string();
    assert_eq!(error, "column 'sex' is given twice");
}

#[tokio::test]
async fn a_column_of_all_missing_values() {
    let column = column("age", ["", "", ""]).await;
    assert_eq!((column.kind, column.missing, column.distinct.value), (ColumnKind::Empty, 3, 0));
    assert_eq!((column.suggestion.role, column.min_length), (Role::Other, None));
    assert_eq!(column.notes, ["every cell is missing"]);
}

#[tokio::test]
async fn a_single_value() {
    let column = column("x", ["5", "5", "5"]).await;
    assert_eq!((column.kind, column.suggestion.role), (ColumnKind::Integer, Role::Other));
    assert_eq!(column.notes, ["every cell has the same value"]);
}

#[tokio::test]
async fn numbers_mixed_with_text() {
    let column = column("x", ["5", "6", "seven", "8"]).await;
    assert_eq!(column.kind, ColumnKind::Mixed);
    assert_eq!(column.notes, ["numbers, but 1 of 4 cells is not a number: treated as text"]);
}

#[tokio::test]
async fn dates_in_two_formats() {
    let column = column("visit", ["2024-03-17", "17.03.2024", "2024-03-18"]).await;
    assert_eq!((column.kind, column.kind.date_format()), (ColumnKind::Mixed, None));
    assert_eq!(column.notes, ["dates in several formats (%Y-%m-%d, %d.%m.%Y): treated as text"]);
}

/// More than are kept, so the number is an estimate; the kind is not.
#[tokio::test]
async fn a_hundred_thousand_categories() {
    let cells = (0..200_000).map(|row| format!("kind {}", char_code(row % 100_000)));
    let column = column("x", cells).await;
    assert_eq!((column.kind, column.suggestion.role), (ColumnKind::Category, Role::Quasi));
    assert_eq!(column.notes, ["too many categories to group by hand"]);
    assert!(column.distinct.estimated);
    assert!(column.distinct.value.abs_diff(100_000) <= column.distinct.margin, "{:?}", column.distinct);
    assert!(column.distinct.margin < 2_000);
    assert_eq!(column.unique_rows.value, 0);
}

/// A number as letters.
fn char_code(mut number: u32) -> String {
    let mut letters = String::new();
    for _ in 0..5 {
        letters.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    letters
}

#[tokio::test]
async fn negative_and_non_finite_numbers() {
    let negative = column("x", ["-5", "6", "-7"]).await;
    assert_eq!(negative.kind, ColumnKind::Integer);
    assert_eq!(negative.notes, ["2 cells are negative numbers"]);
    let endless = column("x", ["1.5", "NaN", "2.5", "inf", "3.5"]).await;
    assert_eq!(endless.kind, ColumnKind::Mixed);
    assert_eq!(endless.notes[1], "2 cells are not finite numbers");
}

#[tokio::test]
async fn codes_that_look_like_numbers() {
    let column = column("x", ["007", "7", "123"]).await;
    assert_eq!((column.kind, column.distinct.value), (ColumnKind::Characters, 3), "007 is not 7");
    assert_eq!(column.notes, ["1 cell with leading zeros: kept as text, not as numbers"]);
}

#[tokio::test]
async fn values_that_look_like_sets() {
    let column = column("x", ["\"{a, b}\"", "{c}", "{c}", "d"]).await;
    assert_eq!((column.kind, column.suggestion.role), (ColumnKind::Category, Role::Quasi));
    assert!(column.notes[0].starts_with("3 cells look like sets ({…})"), "{:?}", column.notes);
}

/// Each combination against a plain count, on rows beyond those that the columns are chosen by.
#[tokio::test(flavor = "multi_thread")]
async fn later_rows_count_like_the_first() {
    let mut text = String::from("age,sex,city\n");
    let mut classes = std::collections::BTreeMap::new();
    for row in 0..100_000_u64 {
        let random = sample::mix(row + 1);
        let (age, sex, city) = (random % 90, random >> 8 & 1, random >> 16 & 0x1f);
        *classes.entry((age, sex, city)).or_insert(0) += 1;
        writeln!(text, "{age},{sex},place {city}").unwrap();
    }
    writeln!(text, "99,1,place 99").unwrap();
    let profile = profile_text(&text).await;
    let all = profile.combinations.iter().find(|set| set.columns.len() == 3).unwrap();
    let alone = classes.values().filter(|&&rows| rows == 1).count() as u64;
    assert_eq!(all.classes, Estimate::exact(classes.len() as u64 + 1));
    assert_eq!(all.unique_rows, Estimate::exact(alone + 1));
}

/// In the first rows of a sorted table, a column may be empty, constant, or look like a key.
#[tokio::test(flavor = "multi_thread")]
async fn the_order_of_the_rows_does_not_matter() {
    let rows = 80_000_u64;
    let row = |at: u64| {
        let random = sample::mix(at + 1);
        let (sex, job) = (random & 1, random >> 8 & 7);
        let region = if at < 70_000 { String::new() } else { (at % 9).to_string() };
        let ward = if at < 66_000 { 3 } else { random >> 16 & 15 };
        let step = if at < 66_000 { at } else { at % 50 };
        format!("{sex},job {job},{region},{ward},{step}")
    };
    let text = |order: &dyn Fn(u64) -> u64| {
        let lines = (0..rows).map(|at| row(order(at)) + "\n");
        std::iter::once("sex,job,region,ward,step\n".to_owned()).chain(lines).collect::<String>()
    };
    let sorted = profile_text(&text(&|at| at)).await;
    // 30,011 and the number of rows have no common factor: every row comes once.
    let shuffled = profile_text(&text(&|at| at * 30_011 % rows)).await;
    assert_eq!(sorted.combined, ["step", "ward", "region", "job", "sex"]);
    assert_eq!(sorted, shuffled);
    let all = sorted.combinations.iter().find(|set| set.columns.len() == 5).unwrap();
    assert_eq!(all.columns, ["sex", "job", "region", "ward", "step"]);
}

/// Beyond the limit of exact counts, the figures are within their margins, and marked.
#[tokio::test(flavor = "multi_thread")]
async fn estimates_are_marked_and_near() {
    let mut text = String::from("age,zip,born\n");
    let mut classes = std::collections::BTreeMap::new();
    for row in 0..150_000_u64 {
        let random = sample::mix(row + 1);
        let (age, zip, born) = (random % 90, 10_000 + (random >> 8) % 3_000, 1940 + (random >> 32) % 70);
        *classes.entry((age, zip)).or_insert(0) += 1;
        writeln!(text, "{age},{zip},{born}").unwrap();
    }
    let profile = profile_text(&text).await;
    assert!(profile.has_estimates());
    let pair = profile.combinations.iter().find(|set| set.columns == ["age", "zip"]).unwrap();
    let alone = classes.values().filter(|&&rows| rows == 1).count() as u64;
    assert!(pair.classes.estimated && pair.unique_rows.estimated);
    assert!(pair.classes.value.abs_diff(classes.len() as u64) <= pair.classes.margin, "{pair:?}");
    assert!(pair.unique_rows.value.abs_diff(alone) <= pair.unique_rows.margin, "{pair:?}");
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let mut text = String::from("age,zip,x\n");
    for row in 0..90_000_u64 {
        let random = sample::mix(row);
        writeln!(text, "{},{},{}", random % 90, random >> 8 & 0xffff, random >> 40).unwrap();
    }
    let (_directory, source) = open(&text);
    let run = |threads: usize| {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).build().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| runtime.block_on(profile(&source, &ProfileOptions::default(), &Quiet)).unwrap())
    };
    assert_eq!(run(1), run(2));
}

#[tokio::test]
async fn many_columns() {
    let columns = 500;
    let names: Vec<String> = (0..columns).map(|at| format!("c{at}")).collect();
    let mut text = names.join(",") + "\n";
    for row in 0..300_u64 {
        let cells: Vec<String> =
            (0..columns).map(|at| (sample::mix(row * columns + at) % (at + 2)).to_string()).collect();
        text.push_str(&(cells.join(",") + "\n"));
    }
    let profile = profile_text(&text).await;
    assert_eq!(profile.columns.len(), 500);
    let quasi = profile.columns.iter().filter(|column| column.suggestion.role == Role::Quasi).count();
    assert_eq!((quasi, profile.combined.len(), profile.combinations.len()), (MAX_QUASI, 10, 66));
}

#[tokio::test]
async fn one_row() {
    let profile = profile_text("name,age\nAnn,31\n").await;
    assert_eq!((profile.rows, profile.columns[1].unique_share), (1, 1.0));
    assert_eq!(profile.columns[0].suggestion.role, Role::Identifier);
    assert!(profile.combinations.is_empty());
}

#[tokio::test]
async fn no_rows_are_refused() {
    let (_directory, source) = open("name,age\n");
    let error = profile(&source, &ProfileOptions::default(), &Quiet).await.unwrap_err().to_string();
    assert!(error.ends_with("there are no data rows"), "{error}");
}

#[tokio::test]
async fn parquet_with_lists() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.parquet");
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)]), None, Some(vec![])]);
    let batch = RecordBatch::try_from_iter([
        ("age", Arc::new(Int32Array::from(vec![Some(31), None, Some(-4)])) as ArrayRef),
        ("zip", Arc::new(StringArray::from(vec!["01067", "22301", "22301"]))),
        ("visits", Arc::new(lists)),
    ])
    .unwrap();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let source = Source::open(&path, &DialectOverrides::default()).unwrap();
    let profile = profile(&source, &ProfileOptions::default(), &Quiet).await.unwrap();
    let kinds: Vec<_> = profile.columns.iter().map(|c| (c.kind, c.missing, c.suggestion.role)).collect();
    let expected = [
        (ColumnKind::Integer, 1, Role::Quasi),
        (ColumnKind::Characters, 0, Role::Quasi),
        (ColumnKind::Nested, 1, Role::Identifier),
    ];
    assert_eq!(kinds, expected);
    let combine =
        ProfileOptions { combine: vec!["age".into(), "visits".into()], ..ProfileOptions::default() };
    let error = super::profile(&source, &combine, &Quiet).await.unwrap_err().to_string();
    assert!(
        error.ends_with("column 'visits' holds lists, structures or bytes, which cannot be combined"),
        "{error}"
    );
}

/// Bytes are looked at as long as they are text; what they are, all rows decide.
#[tokio::test(flavor = "multi_thread")]
async fn parquet_with_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.parquet");
    let rows = 70_000_u64;
    let text = |row: u64| [b'a' + (sample::mix(row) % 7) as u8];
    let old: BinaryArray = (0..rows).map(|row| Some(text(row))).collect();
    let late: BinaryArray =
        (0..rows).map(|row| Some(if row < 69_999 { text(row) } else { [0xff] })).collect();
    let keys: FixedSizeBinaryArray =
        FixedSizeBinaryArray::try_from_iter((0..rows).map(|row| (row | 0xff << 56).to_le_bytes())).unwrap();
    let age: Int32Array = (0..rows as i32).map(|row| Some(row % 80)).collect();
    let columns: [(&str, ArrayRef); 4] =
        [("old", Arc::new(old)), ("late", Arc::new(late)), ("keys", Arc::new(keys)), ("age", Arc::new(age))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let source = Source::open(&path, &DialectOverrides::default()).unwrap();
    let found = profile(&source, &ProfileOptions::default(), &Quiet).await.unwrap();
    let kinds: Vec<_> = found.columns.iter().map(|c| (c.kind, c.suggestion.role)).collect();
    let binary = (ColumnKind::Binary, Role::Identifier);
    assert_eq!(kinds[..3], [(ColumnKind::Category, Role::Quasi), binary, binary]);
    assert_eq!(found.columns[1].notes, ["some values are bytes that are not text"]);
    assert_eq!((found.columns[1].distinct.value, found.columns[1].max_length), (0, None));
    assert_eq!(found.combined, ["age", "old"]);
    assert_eq!(found.combinations[0].classes, Estimate::exact(560));
    let combine = ProfileOptions { combine: vec!["age".into(), "late".into()], ..ProfileOptions::default() };
    let error = profile(&source, &combine, &Quiet).await.unwrap_err().to_string();
    assert!(error.ends_with("column 'late': a value cannot be written as text"), "{error}");
}

/// Writes a table with text in lists of values, with some of it spelled out, or with all.
fn write_parquet(path: &std::path::Path, batch: &RecordBatch, list_bytes: Option<usize>) -> Source {
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(list_bytes.is_some())
        .set_dictionary_page_size_limit(list_bytes.unwrap_or(1))
        .set_max_row_group_row_count(Some(30_000))
        .set_data_page_row_count_limit(1_000)
        .build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    Source::open(path, &DialectOverrides::default()).unwrap()
}

/// However a file stores its text, the profile is the same.
#[tokio::test(flavor = "multi_thread")]
async fn parquet_with_and_without_lists_of_values() {
    let random = |row: u64, column: u64| sample::mix(3 * row + column);
    let city = |row| match random(row, 0) % 50 {
        0 => None,
        1 => Some(String::new()),
        city => Some(format!("city {city}")),
    };
    let rows = 0..90_000_u64;
    let batch = RecordBatch::try_from_iter([
        ("city", Arc::new(rows.clone().map(city).collect::<StringArray>()) as ArrayRef),
        (
            "zip",
            Arc::new(
                rows.clone()
                    .map(|row| Some(format!("{:05}", random(row, 1) % 3_000)))
                    .collect::<StringArray>(),
            ),
        ),
        ("age", Arc::new(rows.map(|row| Some((random(row, 2) % 90) as i32)).collect::<Int32Array>())),
    ])
    .unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut found = Vec::new();
    for (name, list_bytes, coded) in
        [("lists", Some(1 << 20), true), ("some", Some(2_000), true), ("none", None, false)]
    {
        let source =
            write_parquet(&directory.path().join(name).with_extension("parquet"), &batch, list_bytes);
        let first = source.scan_coded(&[0, 1, 2], &[0, 1, 2]).await.unwrap().next().await.unwrap().unwrap();
        let is_coded = |column: &ArrayRef| matches!(column.data_type(), DataType::Dictionary(..));
        assert_eq!(first.columns().iter().any(is_coded), coded, "{name}");
        found.push(profile(&source, &ProfileOptions::default(), &Quiet).await.unwrap());
    }
    assert_eq!(found[0].columns[0].distinct.value, 48);
    assert!(found[0] == found[2] && found[1] == found[2], "{found:#?}");
}

/// The message is that of other scans.
#[tokio::test(flavor = "multi_thread")]
async fn damaged_parquet_is_refused() {
    let batch = RecordBatch::try_from_iter([(
        "zip",
        Arc::new((0..90_000).map(|row| Some((row % 500).to_string())).collect::<StringArray>()) as ArrayRef,
    )])
    .unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.parquet");
    let source = write_parquet(&path, &batch, Some(1 << 20));
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 3..bytes.len() / 2;
    bytes[middle].fill(0xff);
    std::fs::write(&path, bytes).unwrap();
    let error = profile(&source, &ProfileOptions::default(), &Quiet).await.unwrap_err().to_string();
    assert!(error.contains("this Parquet file is damaged"), "{error}");
}

struct Stopped;

impl Progress for Stopped {
    fn cancelled(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_profile_can_be_stopped() {
    let (_directory, source) = open(PEOPLE);
    let error = profile(&source, &ProfileOptions::default(), &Stopped).await.unwrap_err();
    assert!(matches!(error, crate::error::EngineError::Interrupted));
}
