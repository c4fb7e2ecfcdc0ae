//! Files that have no end, or hold more than they should.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, DictionaryArray, Int8Array, Int32Array, ListArray, ListViewArray, NullArray, RecordBatch,
    RunArray, StringArray, StringViewBuilder,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Int32Type};
use arrow::ipc::writer::FileWriter;
use futures::StreamExt;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use throng_engine::error::{EngineError, Result};
use throng_engine::frontier::FrontierSummary;
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::input::source::Source;
use throng_engine::job::{HierarchySpec, Job};
use throng_engine::pseudonym::PseudonymKey;
use throng_engine::reuse::SavedRecoding;

use crate::table::write_parquet;

/// Everything that reads a file whole.
fn read_all(path: &Path) -> Vec<Result<()>> {
    let hierarchy = HierarchySpec::File(path.to_owned().into());
    vec![
        Job::read(path).map(drop),
        hierarchy.build("age", &["31"]).map(drop).map_err(EngineError::from),
        SavedRecoding::read(path).map(drop),
        FrontierSummary::read(path).map(drop),
        PseudonymKey::read(path).map(drop),
    ]
}

/// Only its owner may read it, whatever the umask, as a key has to be.
fn make_private(path: &Path) {
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
}

#[cfg(unix)]
#[test]
fn what_is_read_whole_is_a_regular_file() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    make_private(&pipe);
    for path in [&pipe, Path::new("/dev/zero"), dir.path()] {
        for read in read_all(path) {
            let error = read.unwrap_err();
            assert!(matches!(error, EngineError::BadInput(_)), "{error}");
            // A key that others can read is refused for that.
            let is_shared = path != pipe && error.to_string().contains("pseudonym key");
            assert!(is_shared || error.to_string().contains("not a regular file"), "{error}");
        }
    }
}

#[test]
fn what_is_read_whole_has_a_limit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("large");
    // A file with a hole: nothing of it is on the disk.
    fs::File::create(&path).unwrap().set_len(17 << 20).unwrap();
    make_private(&path);
    for error in [Job::read(&path).unwrap_err(), PseudonymKey::read(&path).unwrap_err()] {
        assert!(matches!(error, EngineError::BadInput(_)), "{error}");
        assert!(error.to_string().contains("more than 16 MiB"), "{error}");
    }
}

/// The rows of each batch of a table, and the error that ends them.
fn scan(path: &Path, said: &DialectOverrides) -> (Vec<usize>, Option<EngineError>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let source = Source::open(path, said).unwrap();
    let all: Vec<usize> = (0..source.columns().len()).collect();
    runtime.block_on(async {
        let (mut rows, mut batches) = (Vec::new(), source.scan(&all).await.unwrap());
        while let Some(batch) = batches.next().await {
            match batch {
                Ok(batch) => rows.push(batch.num_rows()),
                Err(error) => return (rows, Some(error)),
            }
        }
        (rows, None)
    })
}

fn failure(path: &Path, said: &DialectOverrides) -> EngineError {
    scan(path, said).1.expect("it fails")
}

/// Two GiB of one column in a batch would be more than its offsets can tell.
#[test]
fn batches_of_long_cells_are_short() {
    let dir = tempfile::tempdir().unwrap();
    let (rows, cell) = (48, "x".repeat(1 << 20));
    let csv = dir.path().join("a.csv");
    fs::write(&csv, format!("note,age\nshort,3\n{}", format!("{cell},3\n").repeat(rows))).unwrap();
    let lines = dir.path().join("a.jsonl");
    let line = format!("{{\"note\":\"{cell}\"}}\n");
    fs::write(&lines, format!("{{\"note\":\"short\"}}\n{}", line.repeat(rows))).unwrap();
    let parquet = dir.path().join("a.parquet");
    let notes: ArrayRef =
        Arc::new((0..=rows).map(|row| Some(format!("{row}{cell}"))).collect::<StringArray>());
    write_parquet(&parquet, &RecordBatch::try_from_iter([("note", notes)]).unwrap());
    for path in [csv, lines, parquet] {
        let (read, error) = scan(&path, &DialectOverrides { header: Some(true), ..Default::default() });
        assert!(error.is_none(), "{error:?}");
        assert_eq!(read.iter().sum::<usize>(), rows + 1);
        assert!(read.len() > 2 && read.iter().all(|&rows| rows < 20), "{}: {read:?}", path.display());
    }
}

/// Files of a few kilobytes, of which each row has a long value that it shares with the others.
#[test]
fn values_that_rows_share_are_counted_in_each() {
    let dir = tempfile::tempdir().unwrap();
    let (rows, note) = (3000, "x".repeat(1 << 20));
    let listed: ArrayRef = Arc::new(
        DictionaryArray::<Int32Type>::try_new(
            Int32Array::from(vec![0; rows]),
            Arc::new(StringArray::from(vec![note.as_str()])),
        )
        .unwrap(),
    );
    let mut views = StringViewBuilder::new();
    let block = views.append_block(note.as_bytes().into());
    (0..rows).for_each(|_| views.try_append_view(block, 0, note.len() as u32).unwrap());
    let runs = RunArray::<Int32Type>::try_new(
        &Int32Array::from(vec![rows as i32]),
        &StringArray::from(vec![note.as_str()]),
    );
    let item = Arc::new(Field::new("item", DataType::Int8, true));
    let (starts, sizes) = (vec![0; rows].into(), vec![100_000; rows].into());
    let lists =
        ListViewArray::try_new(item, starts, sizes, Arc::new(Int8Array::from(vec![1; 100_000])), None);
    let shared: [(&str, ArrayRef); 4] = [
        ("listed", Arc::clone(&listed)),
        ("views", Arc::new(views.finish())),
        ("runs", Arc::new(runs.unwrap())),
        ("lists", Arc::new(lists.unwrap())),
    ];
    for (name, shared) in shared {
        let path = dir.path().join(format!("{name}.arrow"));
        write_arrow(&path, shared);
        let (read, error) = scan(&path, &DialectOverrides::default());
        assert!(error.is_none(), "{name}: {error:?}");
        assert_eq!(read.iter().sum::<usize>(), rows);
        assert!(read.iter().all(|&rows| rows <= 32), "{name}: {read:?}");
    }
    // 3 GiB of one column would be more than the offsets of a batch can tell.
    let path = dir.path().join("a.parquet");
    let notes = RecordBatch::try_from_iter([("note", listed)]).unwrap();
    // The note is listed once, and not in each row.
    let lists = WriterProperties::builder()
        .set_dictionary_page_size_limit(4 << 20)
        .set_compression(Compression::SNAPPY)
        .build();
    let plain = ArrowWriterOptions::new().with_skip_arrow_metadata(true).with_properties(lists);
    let file = fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new_with_options(file, notes.schema(), plain).unwrap();
    writer.write(&notes).unwrap();
    writer.close().unwrap();
    assert!(fs::metadata(&path).unwrap().len() < 1 << 20, "it is small");
    let (read, error) = scan(&path, &DialectOverrides::default());
    assert!(error.is_none(), "{error:?}");
    assert!(read.iter().sum::<usize>() == rows && read.iter().all(|&rows| rows <= 32), "{read:?}");
}

fn write_arrow(path: &Path, cells: ArrayRef) {
    let batch = RecordBatch::try_from_iter([("note", cells)]).unwrap();
    let mut writer = FileWriter::try_new(fs::File::create(path).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    assert!(fs::metadata(path).unwrap().len() < 2 << 20, "it is small");
}

/// Nulls of lists take nothing in a file, however many they are.
#[test]
fn a_row_of_a_list_has_an_end() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.arrow");
    let items = 1_000_000_000;
    let item = Arc::new(Field::new("item", DataType::Null, true));
    let ends = OffsetBuffer::new(vec![0, 1, items].into());
    let lists = ListArray::try_new(item, ends, Arc::new(NullArray::new(items as usize)), None).unwrap();
    write_arrow(&path, Arc::new(lists));
    let error = failure(&path, &DialectOverrides::default());
    assert!(matches!(error, EngineError::BadInput(_)) && error.to_string().contains("1 GiB"), "{error}");
}

/// Each column takes memory of its own, in every batch.
#[test]
fn a_table_has_so_many_columns() {
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..50_001).map(|column| format!("c{column}")).collect();
    let keys: Vec<String> = names.iter().map(|name| format!("\"{name}\":1")).collect();
    let lines = |keys: &[String]| format!("{{{}}}\n", keys.join(","));
    let files = [
        ("a.csv", format!("{}\n1\n", names.join(","))),
        ("commas.csv", ",".repeat(3_000_000) + "\n"),
        ("a.jsonl", lines(&keys)),
        ("parts/1.jsonl", lines(&keys[..30_000])),
        ("parts/2.jsonl", lines(&keys[20_000..])),
    ];
    fs::create_dir(dir.path().join("parts")).unwrap();
    for (name, text) in files {
        fs::write(dir.path().join(name), text).unwrap();
    }
    for name in ["a.csv", "commas.csv", "a.jsonl", "parts"] {
        let error = Source::open(dir.path().join(name), &DialectOverrides::default()).unwrap_err();
        assert!(matches!(error, EngineError::BadInput(_)), "{name}: {error}");
        assert!(error.to_string().contains("more than 50000 columns"), "{name}: {error}");
    }
    Source::open(dir.path().join("parts/1.jsonl"), &DialectOverrides::default()).unwrap();
}

/// Lines that have few of the columns of a table.
#[test]
fn what_lines_lack_takes_room_in_a_batch() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    let keys: Vec<String> = (0..20_000).map(|column| format!("\"c{column}\":1")).collect();
    fs::write(&path, format!("{{{}}}\n{}", keys.join(","), "{}\n".repeat(1500))).unwrap();
    let (read, error) = scan(&path, &DialectOverrides::default());
    assert!(error.is_none(), "{error:?}");
    assert!(read.iter().sum::<usize>() == 1501 && read.iter().all(|&rows| rows < 1000), "{read:?}");
}

#[test]
fn a_row_of_text_has_an_end() {
    let dir = tempfile::tempdir().unwrap();
    let long = "x".repeat(90 << 20);
    let lines = format!("{{\"note\":\"a\"}}\n{{\"note\":\"{long}\"}}\n");
    let path = dir.path().join("a.jsonl.zst");
    fs::write(&path, zstd::encode_all(lines.as_bytes(), 1).unwrap()).unwrap();
    assert!(fs::metadata(&path).unwrap().len() < 1 << 20, "it is small");
    let error = failure(&path, &DialectOverrides::default());
    assert!(matches!(error, EngineError::BadInput(_)) && error.to_string().contains("64 MiB"), "{error}");
    let path = dir.path().join("a.csv");
    fs::write(&path, format!("note,age\na,1\nb,2\n{long},3\n")).unwrap();
    let error = failure(&path, &DialectOverrides::default());
    assert!(error.to_string().contains("row 3: a row does not end within 64 MiB"), "{error}");
    // The first row, by which a file is judged, is called by its length, too, and not by what is cut off.
    for (name, text) in [("b.jsonl", format!("{{\"note\":\"{long}\"}}\n")), ("b.csv", long)] {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        let error = Source::open(&path, &DialectOverrides::default()).expect_err("it is refused");
        assert!(error.to_string().contains("a row does not end within 64 MiB"), "{name}: {error}");
    }
}

/// The bytes of `é` in two cells: together they are UTF-8, and neither of them is.
#[test]
fn a_character_is_in_one_cell() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.csv");
    let said = DialectOverrides { encoding: Some("utf-8".into()), ..Default::default() };
    fs::write(&path, b"a,b\nx,y\n\xc3,\xa9\n").unwrap();
    let error = failure(&path, &said).to_string();
    assert!(error.contains("row 2, column 'a': this is not UTF-8 text"), "{error}");
}
