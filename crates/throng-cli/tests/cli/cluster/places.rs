//! What plans say of a row that cannot be used: as without them, its file, its number and its column.

use std::fs;

use super::nodes::Cluster;
use crate::sandbox::Sandbox;

/// Rows before the one at fault, and after it.
const ROWS: usize = 20_000;

/// Two files, of which the second has a row that is at fault.
fn table(fault: &[u8]) -> Sandbox {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.path("t")).unwrap();
    let (header, row) = ("name,age,zip\n", "A,31,12345\n");
    let good = row.repeat(ROWS);
    sandbox.write("t/a.csv", format!("{header}{good}"));
    let bad = [header.as_bytes(), good.as_bytes(), fault, b"\n", good.as_bytes()].concat();
    sandbox.write("t/b.csv", bad);
    sandbox
}

#[test]
fn errors_name_file_and_row() {
    let cluster = Cluster::start(1);
    let cases: [(&[u8], &str); 6] = [
        (b"A,31", "2 cells, expected 3 cells"),
        (b"A,31,12345,6", "4 cells, expected 3 cells"),
        (b"A,\xff,12345", "column 'age': this is not UTF-8 text"),
        (b"\xff,31,12345", "column 'name': this is not UTF-8 text"),
        // A character whose bytes two cells share, of which the first is counted, or only written.
        (b"A,3\xc3,\xa4", "column 'age': this is not UTF-8 text"),
        (b"A\xc3,\xa4,1", "column 'name': this is not UTF-8 text"),
    ];
    for (fault, what) in cases {
        let sandbox = table(fault);
        let quasi = if fault.starts_with(b"A\xc3") { "zip --identifier age" } else { "age,zip" };
        let line = format!("anonymize t --qi {quasi} --other name --person none -k 2 -q -o out/");
        let plain = sandbox.throng(&line);
        let place = format!("t/b.csv: row {}", ROWS + 1);
        assert!(plain.stderr.contains(&place) && plain.stderr.contains(what), "{}", plain.stderr);
        for engine in ["local".to_owned(), cluster.address()] {
            let ran = sandbox.throng(&format!("{line} --cluster {engine}"));
            assert_eq!((ran.code, &ran.stderr), (Some(2), &plain.stderr), "{engine}");
        }
        assert!(!sandbox.path("out").exists());
    }
}

/// What is no text is told by its file alone.
#[test]
fn errors_name_a_damaged_file() {
    let sandbox = super::lake(3, 2_000);
    let path = sandbox.path("table/2.parquet");
    let mut bytes = fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    bytes[8..half].fill(0xff);
    fs::write(&path, bytes).unwrap();
    let ran = sandbox.throng("anonymize job.toml --cluster local -o out/ -q");
    assert!(ran.code == Some(2) && ran.stderr.contains("table/2.parquet: "), "{:?} {}", ran.code, ran.stderr);
}
