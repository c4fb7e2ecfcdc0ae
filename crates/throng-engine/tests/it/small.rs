//! The smallest tables.

use throng_engine::error::EngineError;
use throng_engine::progress::Quiet;
use throng_engine::summary::RunOutcome;

use crate::sandbox::Sandbox;

const JOB: &str =
    "input = 'in.csv'\noutput = 'out.csv'\n[columns]\nx = { role = 'quasi' }\n[privacy]\nk = 2\n";

#[test]
fn one_row_cannot_hide() {
    let sandbox = Sandbox::with(&[("in.csv", "x\nsecret\n")]);
    let error = sandbox.fail(JOB, &Quiet);
    assert!(
        matches!(error, EngineError::BadInput(_)) && error.to_string().contains("the 1 row of"),
        "{error}"
    );
    assert!(!error.to_string().contains("secret"));
}

#[test]
fn two_rows_hide_behind_each_other() {
    let sandbox = Sandbox::with(&[("in.csv", "x\na\nb\n")]);
    let summary = sandbox.run(JOB);
    assert_eq!((summary.outcome, summary.rows, summary.optimal), (RunOutcome::Released, 2, true));
    assert_eq!(sandbox.text("out.csv"), "x\n*\n*\n");
}

#[test]
fn pairs_stay_as_they_are() {
    for rows in ["x\na\nb\na\nb\n", "x\n\"\"\na\na\n\"\"\n"] {
        let sandbox = Sandbox::with(&[("in.csv", rows)]);
        sandbox.run(JOB);
        assert_eq!(sandbox.text("out.csv"), rows);
    }
}

#[test]
fn a_star_in_the_data_is_a_value() {
    let rows = "x\n*\na\n*\na\n";
    let sandbox = Sandbox::with(&[("in.csv", rows)]);
    sandbox.run(JOB);
    assert_eq!(sandbox.text("out.csv"), rows);
}

#[test]
fn without_rows_there_is_nothing_to_do() {
    let sandbox = Sandbox::with(&[("in.csv", "x,y\n")]);
    let error = sandbox.fail(&JOB.replace("[privacy]", "y = { role = 'other' }\n[privacy]"), &Quiet);
    assert!(
        matches!(error, EngineError::BadInput(_)) && error.to_string().contains("no data rows"),
        "{error}"
    );
}
