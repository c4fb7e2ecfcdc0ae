//! The fuzz targets, over the inputs in `fuzz/corpus` and over files that were damaged on purpose.

// What is public there is so for the targets, which are a crate of their own.
#[allow(unreachable_pub)]
#[path = "../../../../fuzz/src/lib.rs"]
mod targets;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, DictionaryArray, Float64Array, Int32Array, RecordBatch, StringArray};
use arrow::datatypes::Int32Type;
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use targets::{TARGETS, Target};
use throng::random::Random;

/// Inputs of each target that are tried here; the fuzzer itself tries all.
const INPUTS: usize = 200;
/// Damaged files of each kind that are tried here, unless `THRONG_DAMAGED` says how many.
const DAMAGED: usize = 30;

#[test]
fn targets_hold_for_what_was_found_before() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for (name, target) in TARGETS {
        let inputs = fs::read_dir(corpus.join(name)).unwrap_or_else(|_| panic!("{name} has no corpus"));
        let mut inputs: Vec<_> = inputs.map(|input| input.unwrap().path()).collect();
        inputs.sort();
        assert!(!inputs.is_empty(), "{name} has no corpus");
        inputs.iter().take(INPUTS).for_each(|input| target(&fs::read(input).unwrap()));
    }
}

#[test]
fn damaged_files_are_bad_input() {
    let files = std::env::var("THRONG_DAMAGED").map_or(DAMAGED, |files| files.parse().expect("a number"));
    let mut random = Random::new(26);
    for (name, target, bytes) in valid_files() {
        target(&bytes);
        for file in 0..files {
            let damaged = damage(&bytes, &mut random);
            let outcome = std::panic::catch_unwind(|| target(&damaged));
            assert!(outcome.is_ok(), "{name}: damaged file {file}");
        }
    }
}

/// One more byte, one fewer, another bit, a length that cannot be, an end: one to three of these.
fn damage(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    const LENGTHS: [i64; 8] = [-1, 0, 1, 1 << 20, i32::MAX as i64, i32::MIN as i64, i64::MAX, 1 << 40];
    let mut damaged = bytes.to_vec();
    for _ in 0..=random.below(3) {
        if damaged.is_empty() {
            break;
        }
        let at = random.below(damaged.len() as u64) as usize;
        match random.below(6) {
            0 => damaged[at] ^= 1 << random.below(8),
            1 => damaged[at] = random.below(256) as u8,
            2 => damaged.truncate(at),
            3 => drop(damaged.remove(at)),
            kind => {
                let length = LENGTHS[random.below(LENGTHS.len() as u64) as usize].to_le_bytes();
                let length = if kind == 4 { &length[..4] } else { &length[..] };
                let end = damaged.len().min(at + length.len());
                damaged[at..end].copy_from_slice(&length[..end - at]);
            }
        }
    }
    damaged
}

fn valid_files() -> Vec<(&'static str, Target, Vec<u8>)> {
    let text =
        b"name,age,city\nAnn,31,Ulm\nBob,,\"K\xc3\xb6ln, S\xc3\xbcd\"\n\"Cas \"\"x\"\"\",40,Ulm\n".to_vec();
    let lines =
        b"{\"name\":\"Ann\",\"age\":31}\n{\"age\":null,\"name\":\"B\\u00f6b\"}\n{\"age\":4}\n".to_vec();
    let wide: Vec<u8> = String::from_utf8_lossy(&text).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let plain = IpcWriteOptions::default();
    let packed = |codec| IpcWriteOptions::default().try_with_compression(Some(codec)).unwrap();
    let pages = |compression| WriterProperties::builder().set_compression(compression).build();
    vec![
        ("csv", targets::encoding, text.clone()),
        ("csv in UTF-16", targets::encoding, [&[0xff, 0xfe][..], &wide].concat()),
        ("csv.gz", targets::encoding, gzip(&text)),
        ("csv.zst", targets::encoding, zstd::encode_all(&text[..], 3).unwrap()),
        ("jsonl", targets::lines, lines.clone()),
        ("jsonl.gz", targets::lines, gzip(&lines)),
        ("jsonl.zst", targets::lines, zstd::encode_all(&lines[..], 3).unwrap()),
        ("arrow", targets::arrow, arrow_file(plain)),
        ("arrow with LZ4", targets::arrow, arrow_file(packed(CompressionType::LZ4_FRAME))),
        ("arrow with zstd", targets::arrow, arrow_file(packed(CompressionType::ZSTD))),
        ("stream of arrow", targets::arrow, arrow_stream()),
        ("parquet", targets::parquet, parquet_file(pages(Compression::UNCOMPRESSED))),
        ("parquet with snappy", targets::parquet, parquet_file(pages(Compression::SNAPPY))),
        ("xlsx", targets::xlsx, workbook()),
        ("sheet", targets::xlsx, SHEET.as_bytes().to_vec()),
        ("parquet with zstd", targets::parquet, parquet_file(pages(Compression::ZSTD(ZstdLevel::default())))),
    ]
}

/// What a workbook may have: dates, numbers, texts in a list and in the cell, merged cells, an error.
const SHEET: &str = "<worksheet><dimension ref=\"A1:D4\"/><sheetData><row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" \
                     t=\"s\"><v>1</v></c></row><row r=\"2\"><c r=\"A2\" t=\"inlineStr\"><is><t>Ann</t></is></c><c r=\"B2\" \
                     s=\"2\"><v>45368.5</v></c></row><row r=\"3\"><c r=\"A3\" t=\"str\"><f>A2</f><v>Ann</v></c><c r=\"B3\" \
                     t=\"e\"><v>#N/A</v></c></row><row r=\"4\"><c r=\"A4\" t=\"b\"><v>1</v></c><c r=\"B4\" s=\"3\"><v>1.5</v>\
                     </c></row></sheetData><mergeCells><mergeCell ref=\"A2:A3\"/></mergeCells></worksheet>";

fn workbook() -> Vec<u8> {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    for (column, name) in (0..).zip(["name", "age", "born"]) {
        sheet.write_string(0, column, name).unwrap();
    }
    let date = rust_xlsxwriter::Format::new().set_num_format("dd/mm/yyyy");
    for row in 1..40 {
        sheet.write_string(row, 0, format!("person {}", row % 5)).unwrap();
        sheet.write_number(row, 1, f64::from(row) / 3.0).unwrap();
        sheet.write_number_with_format(row, 2, 40_000 + row, &date).unwrap();
    }
    book.save_to_buffer().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Texts, numbers, and texts by their places in a list, some missing.
fn table() -> RecordBatch {
    let rows = 0..40;
    let is_there = |row: &i32| row % 7 != 0;
    let name = rows.clone().map(|row| is_there(&row).then(|| format!("person {}", row % 5)));
    let city: DictionaryArray<Int32Type> =
        rows.clone().map(|row| ["Ulm", "Bonn"][row as usize % 2]).collect();
    let columns: [(&str, ArrayRef); 4] = [
        ("name", Arc::new(name.collect::<StringArray>())),
        ("age", Arc::new(rows.clone().map(|row| is_there(&row).then_some(row)).collect::<Int32Array>())),
        ("weight", Arc::new(rows.map(|row| Some(f64::from(row) / 3.0)).collect::<Float64Array>())),
        ("city", Arc::new(city)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn arrow_file(options: IpcWriteOptions) -> Vec<u8> {
    let table = table();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &table.schema(), options).unwrap();
    writer.write(&table.slice(0, 25)).unwrap();
    writer.write(&table.slice(25, 15)).unwrap();
    writer.into_inner().unwrap()
}

fn arrow_stream() -> Vec<u8> {
    let table = table();
    let mut writer = StreamWriter::try_new(Vec::new(), &table.schema()).unwrap();
    writer.write(&table).unwrap();
    writer.into_inner().unwrap()
}

fn parquet_file(properties: WriterProperties) -> Vec<u8> {
    let table = table();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, table.schema(), Some(properties)).unwrap();
    writer.write(&table.slice(0, 25)).unwrap();
    writer.flush().unwrap();
    writer.write(&table.slice(25, 15)).unwrap();
    writer.close().unwrap();
    bytes
}
