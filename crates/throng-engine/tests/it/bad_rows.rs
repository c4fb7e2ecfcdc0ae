//! Rows that are no text, or no rows.

use throng_engine::error::EngineError;
use throng_engine::progress::Quiet;

use crate::sandbox::Sandbox;

const JOB: &str = "input = 'in.csv'\noutput = 'out.parquet'\n[columns]\nx = { role = 'quasi' }\n\
                   y = { role = 'other' }\nz = { role = 'other' }\n[privacy]\nk = 2\n";

fn complaint(bytes: &[u8]) -> String {
    let sandbox = Sandbox::with(&[]);
    std::fs::write(sandbox.path("in.csv"), bytes).unwrap();
    let error = sandbox.fail(JOB, &Quiet);
    assert!(matches!(error, EngineError::BadInput(_)), "{error}");
    assert!(!error.to_string().contains("secret"));
    error.to_string()
}

#[test]
fn ragged_rows_are_named() {
    assert!(complaint(b"x,y,z\na,1,2\na,secret\n").contains("row 2"));
}

#[test]
fn bytes_that_are_no_text_are_named() {
    assert!(complaint(b"x,y,z\na,1,2\na,secret\xff,2\n").contains("row 2, column 'y'"));
}

/// The two bytes of an é, with a delimiter between them.
#[test]
fn a_character_cut_by_a_delimiter_is_no_text() {
    assert!(complaint(b"x,y,z\na,1,2\na,secret\xc3,\xa9secret\n").contains("row 2"));
}
