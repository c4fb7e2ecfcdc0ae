//! Workbooks as people have them, made by another writer than ours; and ours, read back.

mod hostile;
mod written;

use std::path::Path;

use ::arrow::array::{Array, AsArray};
use rust_xlsxwriter::{ExcelDateTime, Format as CellFormat, Formula, Workbook, Worksheet, XlsxError};

use super::*;
use crate::input::dialect::DialectOverrides;
use crate::input::totals::Totals;

type Table = Vec<Vec<Option<String>>>;

/// The columns and the rows of a table.
fn read(path: &Path, said: &DialectOverrides) -> Result<(Vec<String>, Table)> {
    let source = Source::open(path, said)?;
    let all: Vec<usize> = (0..source.columns().len()).collect();
    let mut rows = Vec::new();
    for batch in source.format.rows(&source, &all, &[])? {
        let batch = batch?;
        for row in 0..batch.num_rows() {
            let cell = |cells: &::arrow::array::ArrayRef| {
                let cells = cells.as_string::<i32>();
                cells.is_valid(row).then(|| cells.value(row).to_owned())
            };
            rows.push(batch.columns().iter().map(cell).collect());
        }
    }
    Ok((source.columns().to_vec(), rows))
}

/// The same as lines, with a bar between cells.
fn lines(path: &Path, said: &DialectOverrides) -> Vec<String> {
    let (names, rows) = read(path, said).unwrap();
    let line = |row: &Vec<Option<String>>| {
        row.iter().map(|cell| cell.clone().unwrap_or_default()).collect::<Vec<_>>().join("|")
    };
    std::iter::once(names.join("|")).chain(rows.iter().map(line)).collect()
}

fn refusal(path: &Path, said: &DialectOverrides) -> String {
    let error = read(path, said).unwrap_err();
    assert!(matches!(error, EngineError::BadInput(_)), "{error:?}");
    error.to_string()
}

/// What puts cells into a sheet.
type Fill<'a> = &'a dyn Fn(&mut Worksheet) -> std::result::Result<(), XlsxError>;

/// A workbook in a file of its own.
fn workbook(sheets: &[(&str, Fill<'_>)]) -> tempfile::TempPath {
    let mut book = Workbook::new();
    for (name, fill) in sheets {
        let sheet = book.add_worksheet();
        sheet.set_name(*name).unwrap();
        fill(sheet).unwrap();
    }
    let path = tempfile::Builder::new().suffix(".xlsx").tempfile().unwrap().into_temp_path();
    book.save(&path).unwrap();
    path
}

/// Writes rows of texts, of which numbers are numbers, from a row on.
fn put(sheet: &mut Worksheet, first: u32, rows: &[&[&str]]) -> std::result::Result<(), XlsxError> {
    for (row, cells) in (first..).zip(rows) {
        for (column, cell) in (0..).zip(*cells) {
            match cell.parse::<f64>() {
                Ok(number) => sheet.write_number(row, column, number)?,
                Err(_) if cell.is_empty() => continue,
                Err(_) => sheet.write_string(row, column, *cell)?,
            };
        }
    }
    Ok(())
}

fn said() -> DialectOverrides {
    DialectOverrides::default()
}

const PEOPLE: [&[&str]; 4] =
    [&["name", "age", "city"], &["Ann", "31", "Ulm"], &["Bob", "", "Köln"], &["Cas", "40", ""]];

#[test]
fn a_plain_sheet_is_a_table() {
    let path = workbook(&[("People", &|sheet| put(sheet, 0, &PEOPLE))]);
    assert_eq!(lines(&path, &said()), ["name|age|city", "Ann|31|Ulm", "Bob||Köln", "Cas|40|"]);
    let source = Source::open(&*path, &said()).unwrap();
    assert_eq!(source.expected_rows(), Some(4));
    assert_eq!(source.json_kind(1), Some(crate::format::json_lines::line::JsonKind::Number));
    // Columns in another order, one twice.
    let batch = source.format.rows(&source, &[2, 0, 2], &[]).unwrap().next().unwrap().unwrap();
    let cell = |column: usize| batch.column(column).as_string::<i32>().value(0).to_owned();
    assert_eq!([cell(0), cell(1), cell(2)], ["Ulm", "Ann", "Ulm"]);
}

#[test]
fn titles_and_blank_rows_are_no_part_of_the_table() {
    let path = workbook(&[("People", &|sheet| {
        sheet.merge_range(0, 0, 0, 2, "Patients of 2024", &CellFormat::new())?;
        put(sheet, 1, &[&["as of", "2024-12-31"]])?;
        put(sheet, 3, &PEOPLE)?;
        // Blank, but formatted.
        sheet.write_blank(8, 1, &CellFormat::new().set_bold())?;
        Ok(())
    })]);
    // 'as of' has two cells of three: only who made it knows that it is no header.
    let skip = DialectOverrides { skip: Some(3), ..said() };
    assert_eq!(lines(&path, &skip), ["name|age|city", "Ann|31|Ulm", "Bob||Köln", "Cas|40|"]);
    let title = workbook(&[("People", &|sheet| {
        put(sheet, 1, &[&["Patients of 2024"], &["Ward 7"]])?;
        put(sheet, 4, &PEOPLE)
    })]);
    assert_eq!(lines(&title, &said()), lines(&path, &skip));
    let beyond = refusal(&path, &DialectOverrides { skip: Some(90), ..said() });
    assert!(beyond.contains("'People'") && beyond.contains("no row with cells"), "{beyond}");
}

#[test]
fn totals_at_the_end_are_asked_about() {
    let path = workbook(&[("People", &|sheet| {
        put(
            sheet,
            0,
            &[&["name", "visits", "costs", "ward"], &["Ann", "3", "120.5", "A"], &["Bob", "1", "80", "B"]],
        )?;
        put(sheet, 4, &[&["Total", "4", "200.5"], &["Source: the ward's own list"]])
    })]);
    let asked = refusal(&path, &said());
    assert!(
        asked.contains("the last 2 rows (from row 5 of the sheet on)") && asked.contains("--totals drop"),
        "{asked}"
    );
    assert!(!asked.contains("200.5") && !asked.contains("ward's"), "{asked}");
    let of = |totals| lines(&path, &DialectOverrides { totals: Some(totals), ..said() });
    assert_eq!(of(Totals::Drop), ["name|visits|costs|ward", "Ann|3|120.5|A", "Bob|1|80|B"]);
    assert_eq!(of(Totals::Keep).len(), 5);
    // A subtotal that others follow is a row: nobody else can tell.
    let within =
        workbook(&[("People", &|sheet| put(sheet, 0, &[&["name", "visits"], &["Sum", "3"], &["Bob", "1"]]))]);
    assert_eq!(lines(&within, &said()).len(), 3);
}

#[test]
fn cells_are_what_people_see() {
    let date = |code: &str| CellFormat::new().set_num_format(code);
    let path = workbook(&[("Visits", &|sheet| {
        put(sheet, 0, &[&["born", "seen", "share", "zip", "costs", "smokes", "sum", "error", "note"]])?;
        let born = ExcelDateTime::from_ymd(1970, 1, 31)?;
        let seen = ExcelDateTime::from_ymd(2024, 3, 17)?.and_hms(10, 20, 0)?;
        sheet.write_datetime_with_format(1, 0, &born, &date("dd.mm.yyyy"))?;
        sheet.write_datetime_with_format(1, 1, &seen, &date("yyyy-mm-dd hh:mm"))?;
        sheet.write_number(1, 2, 0.1 + 0.2)?;
        sheet.write_number_with_format(1, 3, 1234.0, &date("00000"))?;
        sheet.write_number_with_format(1, 4, 2.5, &date("#,##0.00"))?;
        sheet.write_boolean(1, 5, true)?;
        sheet.write_formula(1, 6, Formula::new("=1+1").set_result("2"))?;
        sheet.write_formula(1, 7, Formula::new("=1/0").set_result("#DIV/0!"))?;
        sheet.write_string(1, 8, "=1+1 \"quoted\"\n<second> line")?;
        Ok(())
    })]);
    let (_, rows) = read(&path, &DialectOverrides { header: Some(true), ..said() }).unwrap();
    let cells: Vec<&str> = rows[0].iter().map(|cell| cell.as_deref().unwrap()).collect();
    assert_eq!(
        cells,
        [
            "1970-01-31",
            "2024-03-17 10:20:00",
            "0.3",
            "01234",
            "2.50",
            "true",
            "2",
            "#DIV/0!",
            "=1+1 \"quoted\"\n<second> line"
        ]
    );
}

#[test]
fn merged_cells_show_their_value_in_every_row() {
    let path = workbook(&[("Wards", &|sheet| {
        put(sheet, 0, &[&["ward", "name", "bed"]])?;
        sheet.merge_range(1, 0, 2, 0, "North", &CellFormat::new())?;
        put(sheet, 1, &[&["North", "Ann", "1"], &["", "Bob", "2"], &["South", "Cas", "3"]])
    })]);
    assert_eq!(lines(&path, &said()), ["ward|name|bed", "North|Ann|1", "North|Bob|2", "South|Cas|3"]);
}

#[test]
fn the_sheet_is_said_where_there_are_several() {
    let other: &dyn Fn(&mut Worksheet) -> std::result::Result<(), XlsxError> =
        &|sheet| put(sheet, 0, &[&["code", "label"], &["1", "yes"], &["2", "no"]]);
    let hidden: &dyn Fn(&mut Worksheet) -> std::result::Result<(), XlsxError> = &|sheet| {
        sheet.set_hidden(true);
        put(sheet, 0, &[&["secret", "n"], &["x", "1"]])
    };
    let path = workbook(&[
        ("People", &|sheet| put(sheet, 0, &PEOPLE)),
        ("Lists", hidden),
        ("Codes", other),
        ("Empty", &|_| Ok(())),
    ]);
    let asked = refusal(&path, &said());
    assert!(
        asked.contains("2 sheets with cells, 'People', 'Codes'") && asked.contains("--sheet NAME"),
        "{asked}"
    );
    let of = |sheet: &str| DialectOverrides { sheet: Some(sheet.to_owned()), ..said() };
    assert_eq!(lines(&path, &of("Codes"))[0], "code|label");
    assert_eq!(lines(&path, &of("2"))[0], "code|label", "numbers count what is seen");
    assert_eq!(lines(&path, &of("Lists"))[0], "secret|n");
    let unknown = refusal(&path, &of("Peple"));
    assert!(unknown.contains("did you mean 'People'?"), "{unknown}");
    let shown: Fill<'_> = &|sheet| {
        // Excel opens a workbook at the active sheet, which cannot be hidden.
        sheet.set_active(true);
        put(sheet, 0, &PEOPLE)
    };
    let one = workbook(&[("Lists", hidden), ("People", shown)]);
    assert_eq!(lines(&one, &said())[0], "name|age|city", "hidden sheets are not in the way");
    let csv = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    std::fs::write(csv.path(), "a,b\n1,2\n").unwrap();
    assert!(refusal(csv.path(), &of("People")).contains("this is not a workbook"));
}

#[test]
fn a_table_may_begin_anywhere_and_has_nothing_beside_it() {
    let path = workbook(&[("People", &|sheet| {
        sheet.write_string(2, 1, "name")?.write_string(2, 2, "age")?;
        sheet.write_string(3, 1, "Ann")?.write_number(3, 2, 31)?.write_number(4, 3, 7)?;
        Ok(())
    })]);
    let table = lines(&path, &DialectOverrides { header: Some(true), ..said() });
    assert_eq!(table, ["name|age|column_3", "Ann|31|", "||7"]);
    let far = workbook(&[("People", &|sheet| {
        put(sheet, 0, &[&["name", "age"]])?;
        (1..1500).try_for_each(|row| put(sheet, row, &[&["Ann", "31"]]))?;
        sheet.write_string(1400, 5, "a secret remark")?;
        Ok(())
    })]);
    let beside = refusal(&far, &said());
    assert!(
        beside.contains("row 1401 of the sheet has a cell in column F") && !beside.contains("secret"),
        "{beside}"
    );
}
