//! Tables in files.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::path::Path;

use arrow::array::{Array, RecordBatch};
use futures::StreamExt;
use serde_json::{Map, Value};
use throng_engine::error::EngineError;
use throng_engine::format::json_lines::line::{LineColumns, text_of, visit};
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::input::source::Source;
use throng_engine::input::totals::Totals;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Rows that are read of a table: a small file can claim very many.
const MOST_ROWS: usize = 100_000;

/// Any bytes are an Arrow IPC file or stream, or an error.
pub fn arrow(bytes: &[u8]) {
    read(bytes, ".arrow", &DialectOverrides::default());
}

/// Any bytes are a Parquet file, or an error.
pub fn parquet(bytes: &[u8]) {
    read(bytes, ".parquet", &DialectOverrides::default());
}

/// Any bytes are a workbook, or an error; and so is a workbook with any sheet, if they are XML.
pub fn xlsx(bytes: &[u8]) {
    let said = DialectOverrides { totals: Some(Totals::Drop), ..DialectOverrides::default() };
    read(bytes, ".xlsx", &said);
    if bytes.first() == Some(&b'<') {
        read(&workbook(bytes), ".xlsx", &said);
    }
}

/// A workbook with one sheet, whose parts are stored as they are: so a fuzzer need not know how to compress.
fn workbook(sheet: &[u8]) -> Vec<u8> {
    const RELATION: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let relation = |kind: &str, target: &str| {
        format!(
            "<Relationships><Relationship Id=\"r\" Type=\"{RELATION}/{kind}\" Target=\"{target}\"/></Relationships>"
        )
    };
    let styles = "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"dd/mm/yyyy hh:mm\"/></numFmts><cellXfs>\
                  <xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"164\"/><xf numFmtId=\"46\"/><xf numFmtId=\"2\"/>\
                  </cellXfs></styleSheet>";
    let texts = "<sst uniqueCount=\"2\"><si><t>name</t></si><si><r><t>a</t></r><r><t>ge</t></r></si></sst>";
    let book = "<workbook><sheets><sheet name=\"t\" sheetId=\"1\" r:id=\"r\"/></sheets></workbook>";
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in [
        ("_rels/.rels", relation("officeDocument", "xl/workbook.xml").as_bytes()),
        ("xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml").as_bytes()),
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/styles.xml", styles.as_bytes()),
        ("xl/sharedStrings.xml", texts.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet),
    ] {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        archive.start_file(name, options).expect("a new part");
        archive.write_all(text).expect("room for it");
    }
    archive.finish().expect("an archive").into_inner()
}

/// Any bytes are delimited text or an error, whatever encoding they are taken for.
pub fn encoding(bytes: &[u8]) {
    for encoding in [None, Some("utf-16le"), Some("windows-1252")] {
        let said = DialectOverrides { encoding: encoding.map(str::to_owned), ..Default::default() };
        read(bytes, ".csv", &said);
    }
}

/// Any bytes are JSON lines or an error; and cells are what serde_json makes of them.
pub fn lines(bytes: &[u8]) {
    read(bytes, ".jsonl", &DialectOverrides::default());
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let columns = LineColumns::find(text);
    assert_eq!(columns.names.len(), columns.kinds.len());
    text.lines().for_each(compare_with_serde);
}

fn compare_with_serde(line: &str) {
    let mut cells = BTreeMap::new();
    let visited = visit(line, |key, value| {
        let text = text_of(value)?.map(|text| text.into_owned());
        cells.insert(key.to_owned(), (value, text));
        Ok(())
    });
    // Numbers that no float has are cells, but no values of serde_json.
    let Ok(object) = serde_json::from_str::<Map<String, Value>>(line) else { return };
    visited.expect("an object is a line");
    assert_eq!(object.len(), cells.len());
    for (key, (json, text)) in cells {
        match &object[&key] {
            Value::Null => assert_eq!(text, None),
            Value::String(value) => assert_eq!(text.as_ref(), Some(value)),
            _ => assert_eq!(text.as_deref(), Some(json)),
        }
    }
}

/// Reads a file of these bytes: all columns, and the last alone.
fn read(bytes: &[u8], ending: &str, said: &DialectOverrides) {
    let mut file = tempfile::Builder::new().suffix(ending).tempfile().expect("a file");
    file.write_all(bytes).expect("room for it");
    let source = match Source::open(file.path(), said) {
        Ok(source) => source,
        Err(error) => return blame_input(&error, file.path()),
    };
    assert!(!source.columns().is_empty());
    let all: Vec<usize> = (0..source.columns().len()).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    for columns in [&all[..], &all[all.len() - 1..]] {
        if let Err(error) = runtime.block_on(scan(&source, columns)) {
            blame_input(&error, file.path());
        }
    }
}

async fn scan(source: &Source, columns: &[usize]) -> Result<(), EngineError> {
    let mut batches = source.scan(columns).await?;
    let mut rows = 0;
    while let Some(batch) = batches.next().await {
        let batch = batch?;
        check_batch(&batch, columns.len());
        rows += batch.num_rows();
        if rows > MOST_ROWS {
            break;
        }
    }
    Ok(())
}

/// Whatever comes out of a reader is what Arrow allows: code that works on it relies on that.
fn check_batch(batch: &RecordBatch, columns: usize) {
    assert_eq!(batch.num_columns(), columns);
    for column in batch.columns() {
        column.to_data().validate_full().expect("a reader gives valid arrays");
    }
}

/// A file that is damaged is bad input, and never the fault of the machine or of this program.
fn blame_input(error: &EngineError, path: &Path) {
    assert!(matches!(error, EngineError::BadInput(_)), "{error:?}");
    assert_eq!(error.file(), Some(path));
}
