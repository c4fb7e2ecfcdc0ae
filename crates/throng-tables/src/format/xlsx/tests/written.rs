//! What we write: read by calamine, by our own reader of releases, and byte for byte.

use std::io::Read;
use std::sync::Arc;

use ::arrow::array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use proptest::prelude::*;

use super::*;
use crate::format::reopen::Stored;
use crate::output::sink::{FileLayout, Sink};

fn text(cells: &[Option<&str>]) -> ArrayRef {
    Arc::new(cells.iter().copied().collect::<StringArray>())
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, cells)| (name, cells, true)))
        .unwrap()
}

fn write(folder: &Path, batches: &[RecordBatch]) -> Result<std::path::PathBuf> {
    let path = folder.join("release.xlsx");
    let mut sink = Sink::create(&path, batches[0].schema(), &FileLayout::PLAIN)?;
    batches.iter().try_for_each(|batch| sink.write(batch))?;
    sink.finish()?.publish()?;
    Ok(path)
}

/// The cells that a stranger reads.
fn reopen(path: &Path) -> Result<Table> {
    let layout = FileLayout::of_target(path, &FileLayout::PLAIN)?;
    let table = Stored { files: vec![path], layout, columns: &[], newlines: true, memory: None }.open()?;
    let all: Vec<usize> = (0..table.columns().len()).collect();
    let mut rows: Table = Vec::new();
    for batch in table.rows(0, &all).unwrap() {
        let batch = batch.map_err(|_| table.failed())?;
        for row in 0..batch.num_rows() {
            let cell = |cells: &ArrayRef| {
                let cells = cells.as_string::<i32>();
                cells.is_valid(row).then(|| cells.value(row).to_owned())
            };
            rows.push(batch.columns().iter().map(cell).collect());
        }
    }
    Ok(rows)
}

fn header() -> DialectOverrides {
    DialectOverrides { header: Some(true), totals: Some(Totals::Keep), ..said() }
}

/// All parts of a workbook, unpacked.
fn unpack(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut parts = Vec::new();
    for at in 0..archive.len() {
        let mut part = archive.by_index(at).unwrap();
        let mut bytes = Vec::new();
        part.read_to_end(&mut bytes).unwrap();
        parts.push((part.name().unwrap().into_owned(), bytes));
    }
    parts
}

#[test]
fn numbers_are_numbers_and_text_is_text() {
    let dir = tempfile::tempdir().unwrap();
    let table = batch(vec![
        ("zip", text(&[Some("01234"), Some("12345"), Some("99999")])),
        ("age", text(&[Some("31"), Some("*"), Some("40")])),
        ("costs", text(&[Some("1.50"), Some("12"), Some("0.25")])),
        ("note", text(&[Some("=1+1"), Some("5-9"), Some("http://example.org")])),
        ("count", Arc::new(Int64Array::from(vec![Some(1), None, Some(-3)]))),
        ("weight", Arc::new(Float64Array::from(vec![1.0, 0.5, f64::NAN]))),
        ("smokes", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
    ]);
    let path = write(dir.path(), &[table]).unwrap();
    let expected = [
        ["01234", "31", "1.50", "=1+1", "1", "1", "true"],
        ["12345", "*", "12", "5-9", "", "0.5", ""],
        ["99999", "40", "0.25", "http://example.org", "-3", "NaN", "false"],
    ];
    let expected: Vec<String> = expected.iter().map(|row| row.join("|")).collect();
    assert_eq!(lines(&path, &header())[1..], expected);
    let again: Vec<String> = reopen(&path)
        .unwrap()
        .iter()
        .map(|row| row.iter().map(|cell| cell.clone().unwrap_or_default()).collect::<Vec<_>>().join("|"))
        .collect();
    assert_eq!(again, expected);
    let sheet = String::from_utf8(unpack(&path)[6].1.clone()).unwrap();
    let cell = |place: &str| {
        sheet.split(&format!("r=\"{place}\"")).nth(1).unwrap().split("</c>").next().unwrap().to_owned()
    };
    assert!(
        cell("A3").contains("inlineStr") && cell("D2").contains("<t>=1+1</t>"),
        "codes and formulas are text"
    );
    assert_eq!((cell("B2").as_str(), cell("C3").as_str()), ("><v>31</v>", "><v>12</v>"));
    assert!(!sheet.contains("<f>") && !sheet.contains("hyperlink"));
}

#[test]
fn the_bytes_depend_on_the_cells_alone() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let cells: Vec<String> = (0..20_000).map(|row| format!("{}", row % 90)).collect();
    let cells: Vec<Option<&str>> = cells.iter().map(|cell| Some(cell.as_str())).collect();
    let table = batch(vec![("age", text(&cells)), ("city", text(&vec![Some("Ulm"); 20_000]))]);
    let pieces: Vec<RecordBatch> = (0..20).map(|at| table.slice(at * 1000, 1000)).collect();
    let one = write(one.path(), &[table]).unwrap();
    let other = write(other.path(), &pieces).unwrap();
    assert!(std::fs::read(&one).unwrap() == std::fs::read(&other).unwrap());
    assert_eq!(reopen(&one).unwrap().len(), 20_000);
}

#[test]
fn rows_without_cells_are_rows_of_a_release() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(
        dir.path(),
        &[batch(vec![("a", text(&[Some("x"), None, None])), ("b", text(&[None, None, Some("y")]))])],
    )
    .unwrap();
    assert_eq!(reopen(&path).unwrap().len(), 3);
    let none = batch(vec![("a", text(&[])), ("b", text(&[]))]);
    let path = write(dir.path(), &[none]).unwrap();
    assert_eq!(reopen(&path).unwrap().len(), 0);
    assert_eq!(lines(&path, &header()), ["a|b"]);
}

#[test]
fn what_a_sheet_cannot_hold_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let long = "x".repeat(MOST_CHARACTERS + 1);
    let error = write(dir.path(), &[batch(vec![("note", text(&[Some("short"), Some(&long)]))])])
        .unwrap_err()
        .to_string();
    assert!(error.contains("row 2") && error.contains("'note'") && error.contains("32767"), "{error}");
    assert!(!error.contains("xxx"), "{error}");
    let fits = "😀".repeat(MOST_CHARACTERS / 2);
    let path = write(dir.path(), &[batch(vec![("note", text(&[Some(&fits)]))])]).unwrap();
    assert_eq!(reopen(&path).unwrap()[0][0].as_deref(), Some(fits.as_str()));
    std::fs::remove_file(&path).unwrap();
    let many = batch(vec![("a", Arc::new(Int64Array::from(vec![1; MOST_ROWS as usize])))]);
    let error = write(dir.path(), &[many]).unwrap_err().to_string();
    assert!(error.contains("more than 1048575 rows") && error.contains(".csv"), "{error}");
    assert!(std::fs::read_dir(dir.path()).unwrap().next().is_none(), "whole or not at all");
    let names: Vec<String> = (0..=MOST_COLUMNS).map(|column| format!("c{column}")).collect();
    let wide = batch(names.iter().map(|name| (name.as_str(), text(&[Some("1")]))).collect());
    assert!(write(dir.path(), &[wide]).unwrap_err().to_string().contains("16384 columns"));
}

/// What our reader of releases refuses: anything that a sheet can hold and no cell of a release shows.
#[test]
fn a_release_holds_nothing_but_its_cells() {
    let refused = |path: &Path| {
        let error = reopen(path).unwrap_err();
        matches!(error, EngineError::Unverified(_))
    };
    // A list of texts, even if all are used.
    assert!(refused(&workbook(&[("release", &|sheet| put(sheet, 0, &PEOPLE))])));
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), &[batch(vec![("a", text(&[Some("x"), Some("y")]))])]).unwrap();
    let good = std::fs::read(&path).unwrap();
    assert!(reopen(&path).is_ok());
    let store = |parts: &[(String, Vec<u8>)]| {
        use std::io::Write;
        let mut archive = zip::ZipWriter::new_stream(Vec::new());
        for (name, bytes) in parts {
            archive.start_file(name.as_str(), zip::write::SimpleFileOptions::default()).unwrap();
            archive.write_all(bytes).unwrap();
        }
        std::fs::write(&path, archive.finish().unwrap().into_inner()).unwrap();
    };
    let parts = unpack(&path);
    store(&parts);
    assert!(reopen(&path).is_ok(), "packed anew it is the same");
    let change = |at: usize, from: &str, to: &str| {
        let mut parts = parts.clone();
        let text = String::from_utf8(parts[at].1.clone()).unwrap();
        assert!(text.contains(from), "{from}");
        parts[at].1 = text.replace(from, to).into_bytes();
        store(&parts);
        refused(&path)
    };
    for (from, to) in [
        ("</sheetData>", "</sheetData><!-- Ann Koch -->"),
        ("</sheetData>", "</sheetData><legacyDrawing/>"),
        ("</sheetData>", "Ann Koch</sheetData>"),
        ("<is>", "<f>1+1</f><is>"),
        ("<is><t>x</t>", "<is><t>x</t><t>Ann Koch</t>"),
        ("r=\"A2\"", "r=\"A3\""),
        ("<row r=\"3\">", "<row r=\"4\">"),
        ("r=\"A3\"", "r=\"B3\""),
        ("t=\"inlineStr\"", "t=\"str\""),
    ] {
        assert!(change(6, from, to), "{from} -> {to}");
    }
    assert!(change(7, "<dc:creator></dc:creator>", "<dc:creator>Ann Koch</dc:creator>"));
    assert!(change(5, "name=\"release\"", "name=\"release\"/><!-- Ann Koch --><x y=\"\""));
    let mut more = parts.clone();
    more.push(("xl/comments1.xml".to_owned(), b"<comments/>".to_vec()));
    store(&more);
    assert!(refused(&path));
    for bytes in [[&good[..], b"Ann Koch"].concat(), [b"Ann Koch", &good[..]].concat()] {
        std::fs::write(&path, bytes).unwrap();
        assert!(refused(&path));
    }
    // A bit of the sheet's data.
    let at = good.windows(14).position(|bytes| bytes == b"xl/worksheets/").unwrap() + 40;
    let mut bits = good.clone();
    bits[at] ^= 1;
    std::fs::write(&path, bits).unwrap();
    assert!(refused(&path));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Cells of delimited text, written as a workbook, are read as they were.
    #[test]
    fn cells_stay_what_they_are(
        rows in prop::collection::vec(prop::collection::vec(cell(), 3), 1..30),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let csv = dir.path().join("t.csv");
        let quote = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
        let body: String = rows.iter().map(|row| row.iter().map(quote).collect::<Vec<_>>().join(",") + "\n").collect();
        std::fs::write(&csv, format!("a,b,c\n{body}")).unwrap();
        let (_, expected) = read(&csv, &header()).unwrap();
        let column = |at: usize| text(&expected.iter().map(|row| row[at].as_deref()).collect::<Vec<_>>());
        let path = write(dir.path(), &[batch(vec![("a", column(0)), ("b", column(1)), ("c", column(2))])]).unwrap();
        prop_assert_eq!(&reopen(&path).unwrap(), &expected);
        let (names, found) = read(&path, &header()).unwrap();
        prop_assert_eq!(names, ["a", "b", "c"]);
        // A row without any cell is none for whoever reads workbooks.
        let filled: Vec<_> = expected.iter().filter(|row| row.iter().any(Option::is_some)).cloned().collect();
        prop_assert_eq!(found, filled);
    }
}

/// Numbers in all spellings, and awkward text.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "-?[0-9]{1,4}(\\.[0-9]{0,4})?",
        "-?[0-9]{1,20}",
        "0{0,3}[1-9][0-9]{0,3}",
        "[0-9]\\.[0-9]{1,3}[eE]-?[0-9]",
        "[ \t\r\na-zé_x0-9<>&'\"=+@-]{0,12}",
        "(_x[0-9A-F]{4}_?){1,2}",
        "\\PC{0,8}",
        Just("true".to_owned()),
        Just("2024-03-17".to_owned()),
        Just("#N/A".to_owned()),
    ]
}
