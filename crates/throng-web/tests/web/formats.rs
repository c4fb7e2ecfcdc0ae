//! Tables in other formats than text, from the file to the release.

use std::fs::File;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use rust_xlsxwriter::Workbook;

use crate::client::serve;
use crate::steps::{ROLES, ask, folder_of, is_looked_at, place};

const ROWS: usize = 120;

fn texts(name: &str, different: usize) -> Vec<String> {
    (0..ROWS).map(|row| format!("{name}-{}", row % different)).collect()
}

/// A workbook whose second sheet has people.
fn workbook() -> Vec<u8> {
    let mut book = Workbook::new();
    let notes = book.add_worksheet().set_name("Notes").unwrap();
    for row in 0..5 {
        notes.write_row(row, 0, ["a note", "of somebody"]).unwrap();
    }
    let people = book.add_worksheet().set_name("People").unwrap();
    people.write_row(0, 0, ["name", "town", "age", "illness"]).unwrap();
    let (names, towns, illnesses) = (texts("name", ROWS), texts("town", 4), texts("illness", 3));
    for row in 0..ROWS {
        let place = row as u32 + 1;
        people.write(place, 0, &names[row]).unwrap().write(place, 1, &towns[row]).unwrap();
        people.write(place, 2, 20 + row as u32 % 40).unwrap().write(place, 3, &illnesses[row]).unwrap();
    }
    book.save_to_buffer().unwrap()
}

#[test]
fn the_sheet_of_a_workbook_is_chosen() {
    let served = serve(|_| {});
    let visit = served.enter();
    let sent = place(&visit.send("/tables", "table", "people.xlsx", &workbook()));
    let page = visit.wait(&sent, is_looked_at).body;
    // It is asked which one, and both are named.
    assert!(
        page.contains("class=\"failure\"") && page.contains("Notes") && page.contains("People"),
        "{page}"
    );
    assert!(page.contains("name=\"sheet\"") && !page.contains("name=\"delimiter\""), "{page}");
    let asked = visit.post(&sent, &[("sheet", "People")]);
    assert_eq!(place(&asked), sent);
    let page = visit.wait(&sent, is_looked_at).body;
    assert!(!page.contains("class=\"failure\"") && page.contains("<dd>120</dd>"), "{page}");
    let draft = sent.trim_end_matches("/table");
    visit.post(&format!("{draft}/columns"), &ROLES);
    let (run, page) = ask(&visit, draft, &[("k", "3"), ("suppression", "1")]);
    assert!(page.body.contains("Will you send this?"), "{}", page.body);
    let release = std::fs::read(folder_of(&served, &run).join("release.xlsx")).unwrap();
    assert!(release.starts_with(b"PK"));
}

#[test]
fn parquet_is_sent_and_released() {
    let served = serve(|_| {});
    let columns: [(&str, ArrayRef); 4] = [
        ("name", Arc::new(StringArray::from(texts("name", ROWS)))),
        ("town", Arc::new(StringArray::from(texts("town", 4)))),
        ("age", Arc::new((0..ROWS as i64).map(|row| 20 + row % 40).collect::<Int64Array>())),
        ("illness", Arc::new(StringArray::from(texts("illness", 3)))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let path = served.folder.join("sent.parquet");
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let visit = served.enter();
    let sent = place(&visit.send("/tables", "table", "people.parquet", &bytes));
    let page = visit.wait(&sent, is_looked_at).body;
    assert!(page.contains("<dd>120</dd>"), "{page}");
    let draft = sent.trim_end_matches("/table");
    visit.post(&format!("{draft}/columns"), &ROLES);
    let (run, page) = ask(&visit, draft, &[("k", "3"), ("suppression", "1")]);
    assert!(page.body.contains("Will you send this?"), "{}", page.body);
    let release = std::fs::read(folder_of(&served, &run).join("release.parquet")).unwrap();
    assert!(release.starts_with(b"PAR1") && !release.windows(6).any(|bytes| bytes == b"name-1"));
}
