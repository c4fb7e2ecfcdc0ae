//! Every format in and out.

use std::fs::File;
use std::io::{Read, Write};

use crate::sandbox::{PEOPLE, Sandbox};

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn gunzip(bytes: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_string(&mut text).unwrap();
    text
}

/// Anonymises `input` to `output`.
fn convert(sandbox: &Sandbox, input: &str, output: &str) {
    let flags = "--qi age --qi sex --qi zip=mask:right --identifier name --sensitive illness -k 2";
    sandbox.throng(&format!("anonymize {input} {flags} -o {output}")).done();
}

/// What comes out when nothing is compressed.
fn plain() -> String {
    let sandbox = Sandbox::new();
    convert(&sandbox, "people.csv", "plain.csv");
    let text = sandbox.read("plain.csv");
    assert_eq!(text.lines().count(), 9);
    text
}

#[test]
fn gzip_in_and_out() {
    let sandbox = Sandbox::new();
    sandbox.write("people.csv.gz", gzip(PEOPLE));
    convert(&sandbox, "people.csv.gz", "out.csv.gz");
    assert_eq!(gunzip(&std::fs::read(sandbox.path("out.csv.gz")).unwrap()), plain());
}

#[test]
fn zstd_in_and_out() {
    let sandbox = Sandbox::new();
    sandbox.write("people.csv.zst", zstd::encode_all(PEOPLE.as_bytes(), 3).unwrap());
    convert(&sandbox, "people.csv.zst", "out.csv.zst");
    let text = zstd::decode_all(File::open(sandbox.path("out.csv.zst")).unwrap()).unwrap();
    assert_eq!(String::from_utf8(text).unwrap(), plain());
}

#[test]
fn parquet_in_and_out() {
    let sandbox = Sandbox::new();
    convert(&sandbox, "people.csv", "out.parquet");
    let start = std::fs::read(sandbox.path("out.parquet")).unwrap();
    assert!(start.starts_with(b"PAR1"));
    let again = "anonymize out.parquet --qi age --qi sex --qi zip --sensitive illness -k 2 -o again.csv";
    sandbox.throng(again).done();
    assert_eq!(sandbox.read("again.csv"), plain());
}

#[test]
fn the_dialect_is_found_or_told() {
    let sandbox = Sandbox::new();
    sandbox.write("semicolons.csv", format!("\u{feff}{}", PEOPLE.replace(',', ";")));
    convert(&sandbox, "semicolons.csv", "out.csv");
    assert_eq!(sandbox.read("out.csv"), format!("\u{feff}{}", plain().replace(',', ";")), "the mark is kept");

    let rows: String = PEOPLE.lines().skip(1).map(|line| format!("{}\n", line.replace(',', "!"))).collect();
    sandbox.write("odd.txt", rows);
    let flags = "--delimiter ! --no-header --qi column_3 --rest identifier -k 2 -o out.txt";
    sandbox.throng(&format!("anonymize odd.txt {flags}")).done();
    assert_eq!(sandbox.read("out.txt"), "female\nmale\n".repeat(2) + "female\nfemale\nmale\nmale\n");
}

#[test]
fn tabs_are_written_to_tsv() {
    let sandbox = Sandbox::new();
    convert(&sandbox, "people.csv", "out.tsv");
    assert_eq!(sandbox.read("out.tsv"), plain().replace(',', "\t"));
}
