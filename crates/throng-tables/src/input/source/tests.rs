use std::io::Write;

use arrow::array::RecordBatch;
use arrow::array::{Array, ArrayRef, AsArray, Date32Array, Int64Array, StringArray};
use arrow::datatypes::{DataType, Int64Type};
use futures::TryStreamExt;
use parquet::arrow::ArrowWriter;
use tempfile::TempDir;

use super::*;

/// A file in a directory that lives as long as it does.
struct Case {
    path: PathBuf,
    _directory: TempDir,
}

fn case(name: &str, bytes: impl AsRef<[u8]>) -> Case {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    Case { path, _directory: directory }
}

impl Case {
    fn open(&self) -> Result<Source> {
        Source::open(&self.path, &DialectOverrides::default())
    }

    /// Every row, with `∅` for null.
    async fn rows(&self) -> Result<Vec<String>> {
        let source = self.open()?;
        let all: Vec<usize> = (0..source.columns().len()).collect();
        rows(&source, &all).await
    }

    /// What is said about the file, without its directory.
    async fn complaint(&self) -> String {
        let error = self.rows().await.unwrap_err();
        assert!(matches!(error, EngineError::BadInput(_)), "{error:?}");
        let directory = format!("{}/", self.path.parent().unwrap().display());
        error.to_string().replace(&directory, "")
    }
}

async fn rows(source: &Source, columns: &[usize]) -> Result<Vec<String>> {
    let batches: Vec<RecordBatch> = source.scan(columns).await?.try_collect().await?;
    let mut rows = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let cell = |column: &ArrayRef| {
                let text = column.as_string::<i32>();
                if text.is_null(row) { "∅".to_owned() } else { text.value(row).to_owned() }
            };
            rows.push(batch.columns().iter().map(cell).collect::<Vec<_>>().join("/"));
        }
    }
    Ok(rows)
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn text_stays_text_and_empty_is_null() {
    let case = case("t.csv", "zip,city\n00501,\n,Bonn\n1e5,\"\"\n");
    assert_eq!(case.rows().await.unwrap(), ["00501/∅", "∅/Bonn", "1e5/∅"]);
    let source = case.open().unwrap();
    assert_eq!(source.columns(), ["zip", "city"]);
    assert_eq!(source.schema().field(0).data_type(), &DataType::Utf8);
    assert_eq!((source.format(), source.file_bytes()), (Format::CSV, 29));
}

#[tokio::test]
async fn only_the_columns_asked_for_in_their_order() {
    let case = case("t.csv", "a,b,c\n1,2,3\n4,5,6\n");
    let source = case.open().unwrap();
    assert_eq!(rows(&source, &[2, 0]).await.unwrap(), ["3/1", "6/4"]);
    let batches: Vec<RecordBatch> = source.scan(&[]).await.unwrap().try_collect().await.unwrap();
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 2);
}

#[tokio::test]
async fn quoted_newlines_quotes_and_delimiters() {
    let case = case("t.csv", "a,b\n\"x\ny\",\"1,\"\"2\"\"\"\r\nz,3\r\n");
    assert_eq!(case.rows().await.unwrap(), ["x\ny/1,\"2\"", "z/3"]);
}

#[tokio::test]
async fn a_quote_that_is_never_closed() {
    let text = "a,b\nw,x\ny,\"z\n1,2\n3,4\n";
    let complaint = case("t.csv", text).complaint().await;
    assert_eq!(complaint, "t.csv: row 2: a quote is opened and never closed");
    let complaint = case("t.csv.gz", gzip(text)).complaint().await;
    assert_eq!(complaint, "t.csv.gz: row 2: a quote is opened and never closed");
    let open = case("t.csv", text);
    let only_first = rows(&open.open().unwrap(), &[0]).await;
    assert!(only_first.unwrap_err().to_string().ends_with("row 2: a quote is opened and never closed"));
    let closed = case("t.csv", "a,b\nw,x\ny,\"z\n1,2\n\"\n");
    assert_eq!(closed.rows().await.unwrap(), ["w/x", "y/z\n1,2\n"]);
}

#[tokio::test]
async fn every_delimiter_and_line_end() {
    for text in ["a;b\n1,5;x\n2;y", "a\tb\r\n1,5\tx\r\n2\ty\r\n", "a|b\n\n1,5|x\n2|y\n\n"] {
        assert_eq!(case("t.txt", text).rows().await.unwrap(), ["1,5/x", "2/y"], "{text:?}");
    }
}

#[tokio::test]
async fn spaces_after_delimiters_are_trimmed() {
    let adult = case("adult.data", "39, State-gov, 77516\n50, , \"A \"\"B\"\"\"\n\n");
    let source = adult.open().unwrap();
    assert_eq!(source.columns(), ["column_1", "column_2", "column_3"]);
    assert_eq!(adult.rows().await.unwrap(), ["39/State-gov/77516", "50/∅/A \"B\""]);
    let named = case("t.csv", "age, \"job\"\n39, x\n");
    assert_eq!(named.open().unwrap().columns(), ["age", "job"]);
}

#[tokio::test]
async fn a_byte_order_mark_is_no_part_of_a_cell() {
    let named = case("t.csv", "\u{feff}age,job\n39,x\n");
    assert_eq!(named.open().unwrap().columns(), ["age", "job"]);
    assert_eq!(named.rows().await.unwrap(), ["39/x"]);
    assert_eq!(case("t.csv", "\u{feff}39,x\n40,y\n").rows().await.unwrap(), ["39/x", "40/y"]);
}

#[tokio::test]
async fn compressed_text_whatever_its_name() {
    let text = "a,b\n1,x\n2,y\n";
    let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
    let two_members = [gzip("a,b\n1,x\n"), gzip("2,y\n")].concat();
    let cases = [("t.csv.gz", gzip(text)), ("t.csv", gzip(text)), ("t.zst", zstd), ("t", two_members)];
    for (name, bytes) in cases {
        assert_eq!(case(name, bytes).rows().await.unwrap(), ["1/x", "2/y"], "{name}");
    }
    assert_eq!(case("plain.csv.gz", text).rows().await.unwrap(), ["1/x", "2/y"]);
}

#[tokio::test]
async fn odd_file_names() {
    for name in ["a b.csv", "50%.csv", "é#?.csv", "%20.csv", "no-extension"] {
        assert_eq!(case(name, "a\nx\n").rows().await.unwrap(), ["x"], "{name}");
    }
}

#[tokio::test]
async fn many_batches_keep_their_order() {
    let mut text = String::from("n\n");
    for n in 0..20_000 {
        text.push_str(&format!("{n}\n"));
    }
    let rows = case("t.csv", text).rows().await.unwrap();
    assert!(rows.iter().enumerate().all(|(at, cell)| *cell == at.to_string()));
    assert_eq!(rows.len(), 20_000);
}

#[tokio::test]
async fn files_that_are_no_tables() {
    let cases: [(&str, &[u8], &str); 8] = [
        ("t.csv", b"", "t.csv: the file is empty"),
        ("t.csv", b"\xef\xbb\xbf\n\r\n", "t.csv: the file is empty"),
        (
            "t.csv",
            b"Bonn,m,m\nUlm,f,m\nKiel,x,m\n",
            "columns 2 and 3 have the same name; the first row may be data",
        ),
        (
            "t.csv",
            b"Bonn,,m\nUlm,f,m\nKiel,x,m\n",
            "column 2 has no name; the first row may be data: if it is",
        ),
        (
            "t.csv",
            b"Pay of 2024;;;;\nname;age;town;pay;job\nAnn;31;Ulm;7;x\n",
            "column 2 has no name; the first row may be a title: if there are lines above the column names, skip",
        ),
        ("t.csv", b"x\xff,7\n1,2\n", "the name of column 1 is not UTF-8 text"),
        (
            "t.bin",
            b"MZ\x03\x04\0\0",
            "neither delimited text, JSON lines, Parquet, Arrow IPC nor Excel workbook",
        ),
        ("t.csv", b"\xff\xfea\0,\0b\0\n\0\x00\xd8,\0b\0\n\0", "not in the encoding"),
    ];
    for (name, bytes, expected) in cases {
        let complaint = case(name, bytes).complaint().await;
        assert!(complaint.starts_with(name) && complaint.contains(expected), "{complaint}");
    }
}

#[tokio::test]
async fn text_of_other_encodings_is_decoded() {
    let text = "name,city\nJürgen,Köln\nZoë,Ulm\n";
    let wide =
        |mark: &str| format!("{mark}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let western = text.chars().map(|c| u8::try_from(c).unwrap()).collect::<Vec<u8>>();
    for bytes in [wide(""), wide("\u{feff}"), western] {
        let case = case("t.csv", bytes);
        assert_eq!(case.rows().await.unwrap(), ["Jürgen/Köln", "Zoë/Ulm"]);
        let note = case.open().unwrap().encoding_note().unwrap();
        assert!(note.contains("--encoding"), "{note}");
    }
    assert_eq!(case("t.csv", text).open().unwrap().encoding_note(), None);
    let polish = case("t.csv", b"name,city\nJan,\xa3\xf3d\x9f\n");
    let said = DialectOverrides { encoding: Some("windows-1250".into()), ..Default::default() };
    let source = Source::open(&polish.path, &said).unwrap();
    assert_eq!(rows(&source, &[0, 1]).await.unwrap(), ["Jan/Łódź"]);
    assert_eq!(source.encoding_note(), None);
}

/// Nothing that looks like a header is said to be data.
#[tokio::test]
async fn repeated_names_are_refused_without_bad_advice() {
    let complaint = case("t.csv", "a,b,a\n1,2,3\n").complaint().await;
    assert_eq!(complaint, "t.csv: columns 1 and 3 have the same name");
}

#[tokio::test]
async fn columns_without_a_name_get_one() {
    let names = |text: &str| case("t.csv", text).open().unwrap().columns().to_vec();
    assert_eq!(names(",age,sex\n0,34,M\n1,35,F\n"), ["column_1", "age", "sex"]);
    assert_eq!(names("age,sex,\n34,M,\n35,F,\n"), ["age", "sex", "column_3"]);
    assert_eq!(names("a,,c\n1,2,3\n"), ["a", "column_2", "c"]);
    assert_eq!(names("column_2,, \nx,1,2\n"), ["column_2", "column_2_2", "column_3"]);
    assert_eq!(names("column_2_2,,column_2\nx,1,2\n"), ["column_2_2", "column_2_3", "column_2"]);
    let pandas = case("t.csv", ",age,sex\n0,34,M\n1,35,F\n");
    assert_eq!(pandas.rows().await.unwrap(), ["0/34/M", "1/35/F"]);
    // Who says that there is a header need not name all columns.
    let said = DialectOverrides { header: Some(true), ..Default::default() };
    let doubtful = case("t.csv", "Bonn,,m\nUlm,f,m\nKiel,x,m\n");
    assert_eq!(Source::open(&doubtful.path, &said).unwrap().columns(), ["Bonn", "column_2", "m"]);
}

#[test]
fn missing_files_and_directories() {
    let directory = tempfile::tempdir().unwrap();
    let open = |path: &Path| Source::open(path, &DialectOverrides::default()).unwrap_err();
    let missing = open(&directory.path().join("none.csv"));
    assert!(matches!(missing, EngineError::NotFound(_)) && missing.to_string().ends_with("no such file"));
    let error = open(directory.path());
    assert!(
        matches!(error, EngineError::BadInput(_))
            && error.to_string().contains("no data file in this directory")
    );
}

#[tokio::test]
async fn ragged_rows_are_placed() {
    let short = case("t.csv", "a,b\n1,\"2\n2\"\n3\n4,5\n").complaint().await;
    assert_eq!(short, "t.csv: row 2: 1 cell, expected 2 cells");
    let long = case("t.csv", "a,b\n1,2\n3,4\n5,6,7\n8,9\n").complaint().await;
    assert_eq!(long, "t.csv: row 3: 3 cells, expected 2 cells");
    let headless = case("t.csv", "1,2\n3,4\n5,6,secret\n").complaint().await;
    assert_eq!(headless, "t.csv: row 3: 3 cells, expected 2 cells");
    let late = format!("a,b\n{}x\n", "1,2\n".repeat(10_000));
    let late = case("t.csv", late).complaint().await;
    assert_eq!(late, "t.csv: row 10001: 1 cell, expected 2 cells");
}

#[tokio::test]
async fn bytes_beyond_the_sample_that_are_not_utf8_are_placed() {
    let mut text = "age,name\n".to_owned() + &"1,x\n".repeat(90_000);
    text.push_str("2,M?ller\n3,y\n");
    let latin = text.bytes().map(|b| if b == b'?' { 0xfc } else { b }).collect::<Vec<u8>>();
    let complaint = case("t.csv", latin).complaint().await;
    assert!(complaint.starts_with("t.csv: row 90001, column 'name': this is not UTF-8"), "{complaint}");
}

#[tokio::test]
async fn damaged_compression_is_bad_input() {
    let text: String = (0..200_000).map(|n| format!("{n},{}\n", n * 7919 % 10_007)).collect();
    let gz = gzip(&text);
    let complaint = case("t.csv.gz", &gz[..gz.len() - 20]).complaint().await;
    assert_eq!(complaint, "t.csv.gz: the gzip data is damaged or cut short");
    let complaint = case("t.csv.gz", &gz[..40]).complaint().await;
    assert_eq!(complaint, "t.csv.gz: the gzip data is damaged or cut short");
    let zst = zstd::encode_all(text.as_bytes(), 1).unwrap();
    let complaint = case("t.csv.zst", &zst[..zst.len() - 20]).complaint().await;
    assert_eq!(complaint, "t.csv.zst: the zstd data is damaged or cut short");
}

fn parquet() -> Vec<u8> {
    let ages: ArrayRef = Arc::new((0..50_000).map(|n| (n % 7 != 0).then_some(n)).collect::<Int64Array>());
    let born: ArrayRef = Arc::new((0..50_000).map(Some).collect::<Date32Array>());
    let name: ArrayRef = Arc::new((0..50_000).map(|n| Some(format!("n{n}"))).collect::<StringArray>());
    let batch = RecordBatch::try_from_iter([("age", ages), ("born", born), ("name", name)]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[tokio::test]
async fn parquet_keeps_its_types_and_order() {
    let case = case("t.bin", parquet());
    let source = case.open().unwrap();
    assert_eq!((source.format(), source.dialect()), (Format::PARQUET, None));
    assert_eq!(source.expected_rows(), Some(50_000));
    let types: Vec<_> = source.schema().fields().iter().map(|f| f.data_type().clone()).collect();
    assert_eq!(types, [DataType::Int64, DataType::Date32, DataType::Utf8]);
    let batches: Vec<RecordBatch> = source.scan(&[2, 0]).await.unwrap().try_collect().await.unwrap();
    let mut row = 0;
    for batch in batches {
        assert_eq!(batch.schema().field(1).name(), "age");
        let (names, ages) = (batch.column(0).as_string::<i32>(), batch.column(1));
        for at in 0..batch.num_rows() {
            assert_eq!(names.value(at), format!("n{row}"));
            assert_eq!(ages.is_null(at), row % 7 == 0);
            assert!(ages.is_null(at) || ages.as_primitive::<Int64Type>().value(at) == row);
            row += 1;
        }
    }
    assert_eq!(row, 50_000);
}

#[tokio::test]
async fn damaged_parquet_is_bad_input() {
    let whole = parquet();
    let mut scratched = whole.clone();
    scratched[4..60].fill(0xff); // The header of the first page.
    for bytes in [&whole[..whole.len() / 2], &b"PAR1"[..]] {
        let complaint = case("t.parquet", bytes).complaint().await;
        assert!(
            complaint.contains("is missing: it was cut short; if it is still being written, wait"),
            "{complaint}"
        );
    }
    let complaint = case("t.parquet", "a,b\n1,2\n").complaint().await;
    assert!(complaint.contains("not a Parquet file, or it is damaged"), "{complaint}");
    let scratched = case("t.parquet", scratched);
    let source = scratched.open().unwrap();
    let batches: Result<Vec<RecordBatch>> = source.scan(&[0, 1]).await.unwrap().try_collect().await;
    assert!(matches!(batches, Err(EngineError::BadInput(_))), "{batches:?}");
    let complaint = case("t.parquet.gz", gzip("PAR1 and so on")).complaint().await;
    assert!(complaint.contains("decompress it first"), "{complaint}");
}

#[tokio::test]
async fn a_file_that_vanishes_is_a_failed_read() {
    let case = case("t.csv", "a\nx\n");
    let source = case.open().unwrap();
    std::fs::remove_file(&case.path).unwrap();
    let error = rows(&source, &[0]).await.unwrap_err();
    assert!(matches!(error, EngineError::Io { .. }), "{error:?}");
}

fn arrow() -> Vec<u8> {
    let ages: ArrayRef = Arc::new((0..20_000).map(|n| (n % 7 != 0).then_some(n)).collect::<Int64Array>());
    let name: ArrayRef = Arc::new((0..20_000).map(|n| Some(format!("n{n}"))).collect::<StringArray>());
    let batch = RecordBatch::try_from_iter([("age", ages), ("name", name)]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = arrow::ipc::writer::FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(&batch.slice(0, 12_000)).unwrap();
    writer.write(&batch.slice(12_000, 8_000)).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

#[tokio::test]
async fn arrow_keeps_its_types_and_order() {
    let case = case("t.bin", arrow());
    let source = case.open().unwrap();
    assert_eq!((source.format(), source.dialect()), (Format::ARROW, None));
    assert_eq!((source.expected_rows(), source.has_parts().unwrap()), (Some(20_000), true));
    let parts = source.parts(&[1], &[]).unwrap();
    assert_eq!(parts.starts(), [0, 12_000]);
    let batches: Vec<RecordBatch> = source.scan(&[1, 0, 1]).await.unwrap().try_collect().await.unwrap();
    assert!(batches.iter().all(|batch| batch.num_rows() <= BATCH_ROWS));
    let names: Vec<String> = batches
        .iter()
        .flat_map(|batch| batch.column(2).as_string::<i32>().iter().map(|cell| cell.unwrap().to_owned()))
        .collect();
    assert!(names.iter().enumerate().all(|(row, name)| *name == format!("n{row}")) && names.len() == 20_000);
    let batches: Vec<RecordBatch> = source.scan(&[]).await.unwrap().try_collect().await.unwrap();
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 20_000);
}

#[tokio::test]
async fn damaged_arrow_is_bad_input() {
    let whole = arrow();
    let complaint = case("t.arrow", &whole[..whole.len() / 2]).complaint().await;
    assert!(
        complaint.starts_with("t.arrow: the end of this Arrow IPC file is missing: it was cut short; if"),
        "{complaint}"
    );
    for bytes in [&b"ARROW1"[..], &b"a,b\n1,2\n"[..], &[0xff, 0xff, 0xff, 0xff, 0x10, 0, 0, 0, 1][..]] {
        let complaint = case("t.arrow", bytes).complaint().await;
        assert!(complaint.contains("Arrow IPC"), "{complaint}");
    }
    // Whatever byte is another one, nothing but an error comes of it, or other rows.
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        let mut scratched = whole.clone();
        scratched[at] ^= 0x55;
        let case = case("t.arrow", scratched);
        if let Ok(source) = case.open()
            && let Ok(batches) = source.scan(&[0, 1]).await
        {
            let _: Result<Vec<RecordBatch>> = batches.try_collect().await;
        }
    }
}

#[tokio::test]
async fn lines_are_rows_of_text() {
    let text = "\u{feff}{\"a\":1.50,\"b\":\"x\\ny\"}\n\n  \n{\"b\":null,\"a\":\"\"}\r\n{}\n{\"b\":true}";
    for (name, bytes) in
        [("t.jsonl", text.as_bytes().to_vec()), ("t.ndjson.gz", gzip(text)), ("t", gzip(text))]
    {
        let case = case(name, bytes);
        let source = case.open().unwrap();
        assert_eq!(
            (source.format(), source.columns()),
            (Format::JSON_LINES, &["a".to_owned(), "b".to_owned()][..])
        );
        assert_eq!(case.rows().await.unwrap(), ["1.50/x\ny", "/∅", "∅/∅", "∅/true"], "{name}");
        assert_eq!(rows(&source, &[1, 1]).await.unwrap()[3], "true/true");
        let batches: Vec<RecordBatch> = source.scan(&[]).await.unwrap().try_collect().await.unwrap();
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 4);
    }
    assert_eq!(case("t.jsonl", "\n\n").complaint().await, "t.jsonl: the file is empty");
    let complaint = case("t.jsonl", "name,age\nAnn,31\n").complaint().await;
    assert!(
        complaint.starts_with("t.jsonl: row 1: this is not JSON") && !complaint.contains("Ann"),
        "{complaint}"
    );
    let complaint = case("t.json", "[\n{\"a\":1}\n]\n").complaint().await;
    assert!(complaint.contains("not a table of JSON lines"), "{complaint}");
    let complaint = case("t.jsonl", b"{\"a\":1}\n{\"a\":\"\xff\"}\n".repeat(20_000)).complaint().await;
    assert!(complaint.contains("t.jsonl"), "{complaint}");
}

/// Pieces are cut so that lines stay whole, and rows are counted over them.
#[tokio::test]
async fn large_lines_are_cut_into_pieces() {
    let mut text = String::new();
    for row in 0..300_000 {
        text.push_str(&format!("{{\"row\":{row},\"note\":\"some text of a line\"}}\n"));
        if row % 1_000 == 0 {
            text.push('\n');
        }
    }
    let whole = case("t.jsonl", &text);
    let source = whole.open().unwrap();
    let parts = source.parts(&[0], &[]).unwrap();
    assert!(source.has_parts().unwrap() && parts.starts().len() > 2);
    for (part, start) in parts.starts().into_iter().enumerate() {
        let first = parts.rows(part).unwrap().next().unwrap().unwrap();
        assert_eq!(first.column(0).as_string::<i32>().value(0), start.to_string());
    }
    let read = rows(&source, &[0]).await.unwrap();
    assert!(read.len() == 300_000 && read.iter().enumerate().all(|(at, cell)| *cell == at.to_string()));
    text.push_str("nonsense\n");
    let complaint = case("t.jsonl", text).complaint().await;
    assert!(complaint.starts_with("t.jsonl: row 300001: this is not JSON"), "{complaint}");
}

/// Scans a table, and says how many of its bytes were not passed on meanwhile; what comes out is the file.
async fn bytes_not_passed_on(case: &Case, overrides: &DialectOverrides) -> u64 {
    let source = Source::open(&case.path, overrides).unwrap();
    let (sharing, shared) = source.sharing_bytes().unwrap().unwrap();
    let (path, wanted) = (case.path.clone(), Arc::clone(&shared));
    let bytes = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut wanted.bytes_of(&path).unwrap(), &mut bytes).map(|_| bytes)
    });
    let columns: Vec<usize> = (0..source.columns().len()).collect();
    assert_eq!(rows(&sharing, &columns).await.unwrap(), rows(&source, &columns).await.unwrap());
    shared.end();
    assert!(bytes.join().unwrap().unwrap() == std::fs::read(&case.path).unwrap());
    shared.bytes_read_again()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_passes_on_all_bytes() {
    let plain = DialectOverrides::default();
    let large: String = (0..900_000).map(|row| format!("{row},town {}\n", row % 77)).collect();
    let lines: String = (0..400_000).map(|row| format!("{{\"a\":{row},\"b\":\"x{row}\"}}\n")).collect();
    for (name, text) in [
        ("t.csv", format!("id,town\n{large}").into_bytes()),
        ("t.csv", b"\xef\xbb\xbfid,town\n1,x\n2,y\n".to_vec()),
        ("t.csv.gz", gzip("id,town\n1,x\n2,y\n")),
        ("t.jsonl", lines.into_bytes()),
    ] {
        assert_eq!(bytes_not_passed_on(&case(name, text), &plain).await, 0, "{name}");
    }
    let skipped = DialectOverrides { skip: Some(1), ..plain };
    let titled = case("t.csv", format!("A title\nid,town\n{large},\n,\n"));
    assert_eq!(bytes_not_passed_on(&titled, &skipped).await, 8 + 4);
}

#[tokio::test]
async fn keys_that_most_lines_lack() {
    let mut text = String::from("{\"a\":0,\"b\":[1],\"c\":null,\"d\":\"x\"}\n");
    (1..20_000).for_each(|row| match row % 7 {
        0 => text += &format!("{{\"d\":\"{row}\"}}\n"),
        3 => text += &format!("{{\"b\":{{\"k\":{row}}},\"a\":{row}}}\n"),
        _ => text += "{}\n",
    });
    let found = case("t.jsonl", &text).rows().await.unwrap();
    let expected = (0..20_000).map(|row| match row {
        0 => "0/[1]/∅/x".to_owned(),
        _ if row % 7 == 0 => format!("∅/∅/∅/{row}"),
        _ if row % 7 == 3 => format!("{row}/{{\"k\":{row}}}/∅/∅"),
        _ => "∅/∅/∅/∅".to_owned(),
    });
    assert_eq!(found, expected.collect::<Vec<_>>());
}
