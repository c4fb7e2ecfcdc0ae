//! Errors say where they are in parts, not only as text.

use std::fs;
use std::path::Path;

use throng_engine::error::{EngineError, ErrorKind};
use throng_engine::job::Job;
use throng_engine::progress::Quiet;

use crate::sandbox::Sandbox;

const JOB: &str = "input = 'in.csv'\noutput = 'out.csv'\n[columns]\n\
                   x = { role = 'quasi', hierarchy = 'x.csv' }\ny = { role = 'other' }\n[privacy]\nk = 2\n";

/// Runs the job on an input with a hierarchy, and gives back how it fails.
fn fault(input: &[u8], hierarchy: &str) -> EngineError {
    let sandbox = Sandbox::with(&[("x.csv", hierarchy)]);
    fs::write(sandbox.path("in.csv"), input).unwrap();
    sandbox.fail(JOB, &Quiet)
}

/// The name of the file, the row, the line and the column.
fn place(error: &EngineError) -> (Option<&str>, Option<u64>, Option<u64>, Option<&str>) {
    let file = error.file().and_then(Path::file_name).and_then(|name| name.to_str());
    (file, error.row(), error.line(), error.column())
}

#[test]
fn faults_of_a_table_have_a_row_and_a_column() {
    let ragged = fault(b"x,y\na,1\na\n", "a;*\n");
    assert_eq!(place(&ragged), (Some("in.csv"), Some(2), None, None), "{ragged}");
    assert_eq!(ragged.message(), "1 cell, expected 2 cells");
    let bytes = fault(b"x,y\na,1\n\xff,2\n", "a;*\n");
    assert_eq!(place(&bytes), (Some("in.csv"), Some(2), None, Some("x")), "{bytes}");
    let value = fault(b"x,y\na,1\nb,2\n", "a;*\n");
    assert_eq!(place(&value), (Some("in.csv"), Some(2), None, Some("x")), "{value}");
    assert!(value.message().starts_with("the value is not in the hierarchy "), "{value}");
    let unknown = fault(b"y,z\na,1\nb,2\n", "a;*\n");
    assert_eq!((place(&unknown).3, unknown.kind()), (Some("x"), ErrorKind::BadInput), "{unknown}");
}

#[test]
fn faults_of_a_hierarchy_have_a_line() {
    let ragged = fault(b"x,y\na,1\nb,2\n", "a;*\nb\n");
    assert_eq!(place(&ragged), (Some("x.csv"), None, Some(2), None), "{ragged}");
    let sandbox = Sandbox::with(&[("in.csv", "x,y\na,1\nb,2\n")]);
    let missing = sandbox.fail(JOB, &Quiet);
    assert_eq!(place(&missing), (Some("x.csv"), None, None, Some("x")), "{missing}");
    assert_eq!(missing.kind(), ErrorKind::NotFound);
}

#[test]
fn faults_of_a_job_have_a_line_and_a_character_or_a_column() {
    let sandbox = Sandbox::with(&[
        ("typo.toml", "input = 'in.csv'\n  outptu = 'out.csv'\n"),
        ("weight.toml", &JOB.replace("role = 'quasi'", "weight = -1.0, role = 'quasi'")),
    ]);
    let typo = Job::read(&sandbox.path("typo.toml")).unwrap_err();
    assert_eq!(place(&typo), (Some("typo.toml"), None, Some(2), None), "{typo}");
    assert_eq!(typo.character(), Some(3));
    // Flags may still change a job, so what needs no table is checked where it is run, not where it is read.
    let weight = Job::read(&sandbox.path("weight.toml")).unwrap().validate().unwrap_err();
    assert_eq!(place(&weight), (None, None, None, Some("x")), "{weight}");
    let missing = Job::read(&sandbox.path("none.toml")).unwrap_err();
    assert_eq!((place(&missing).0, missing.kind()), (Some("none.toml"), ErrorKind::NotFound));
}
