//! The input is read twice, and may change in between.

use std::fs;

use throng_engine::error::EngineError;
use throng_engine::progress::Progress;

use crate::sandbox::Sandbox;
use crate::table::{Table, read_parquet};

/// Does something when the second scan is about to begin.
struct BeforeWriting<F>(F);

impl<F: Fn() + Send + Sync> Progress for BeforeWriting<F> {
    fn phase(&self, name: &'static str) {
        if name == "write" {
            (self.0)();
        }
    }
}

const JOB: &str = "input = 'in.csv'\noutput = 'out.csv'\n[columns]\nx = { role = 'quasi' }\n\
                   y = { role = 'other' }\n[privacy]\nk = 2\nsuppression = '1 row'\n";
/// What an earlier release may have been.
const OLD: &str = "x\nold\n";
const BEFORE: &str = "x,y\na,1\na,2\nb,3\nb,4\nc,5\n";

/// The error of a run whose input becomes `after` between its two scans.
fn complaint(job: &str, after: &[u8]) -> EngineError {
    let sandbox = Sandbox::with(&[("in.csv", BEFORE), ("out.csv", OLD)]);
    let meddler = BeforeWriting(|| fs::write(sandbox.path("in.csv"), after).unwrap());
    let error = sandbox.fail(job, &meddler);
    assert_eq!(sandbox.text("out.csv"), OLD);
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains("secret"), "{shown}");
    error
}

#[test]
fn other_rows_or_values_are_noticed() {
    let changes = [
        ("a row less", "x,y\na,1\na,2\nb,3\nb,4\n"),
        ("a row more", "x,y\na,1\na,2\nb,3\nb,4\nc,5\na,6\n"),
        ("a new value", "x,y\na,1\na,2\nb,3\nb,4\nsecret,5\n"),
        ("a suppressed value for a released one", "x,y\na,1\na,2\nc,3\nb,4\nc,5\n"),
        ("nothing but the header", "x,y\n"),
    ];
    for order in ["keep", "shuffle"] {
        let job = JOB.replace("'out.csv'", &format!("{{ path = 'out.csv', order = '{order}' }}"));
        for (change, after) in changes {
            let error = complaint(&job, after.as_bytes());
            let noticed =
                matches!(error, EngineError::BadInput(_)) && error.to_string().contains("changed while");
            assert!(noticed, "{change}: {error}");
        }
    }
}

#[test]
fn rows_that_change_classes_are_noticed_in_the_release() {
    let error = complaint(JOB, b"x,y\na,1\na,2\na,3\nb,4\nc,5\n");
    assert!(
        matches!(error, EngineError::Unverified(_)) && error.to_string().contains("fewer than 2"),
        "{error}"
    );
}

#[test]
fn a_file_that_can_no_longer_be_read_is_an_error() {
    assert!(matches!(complaint(JOB, b"x,y\na,1\na\n"), EngineError::BadInput(_)));
    assert!(matches!(complaint(JOB, b"x,y\na,1\n\xff,2\n"), EngineError::BadInput(_)));
    complaint(JOB, b"");
    let sandbox = Sandbox::with(&[("in.csv", BEFORE), ("out.csv", OLD)]);
    let meddler = BeforeWriting(|| fs::remove_file(sandbox.path("in.csv")).unwrap());
    crate::sandbox::run(&sandbox.job(JOB), &meddler).unwrap_err();
    assert_eq!((sandbox.names(), sandbox.text("out.csv")), (vec!["out.csv".to_owned()], OLD.to_owned()));
}

#[test]
fn parquet_that_changes_is_an_error() {
    let sandbox = Sandbox::with(&[("in.csv", BEFORE)]);
    sandbox.run(&JOB.replace("out.csv", "in.parquet"));
    sandbox.run(&JOB.replace("out.csv", "out.parquet").replace("k = 2", "k = 4"));
    let old = sandbox.bytes("out.parquet");
    let whole = sandbox.bytes("in.parquet");
    assert_eq!(Table::from_batch(&read_parquet(&sandbox.path("in.parquet"))).rows.len(), 4);
    let job = JOB.replace(".csv", ".parquet");
    for length in [0, 10, whole.len() / 2, whole.len() - 1] {
        fs::write(sandbox.path("in.parquet"), &whole).unwrap();
        let meddler = BeforeWriting(|| fs::write(sandbox.path("in.parquet"), &whole[..length]).unwrap());
        sandbox.fail(&job, &meddler);
        assert!(sandbox.bytes("out.parquet") == old);
    }
}
