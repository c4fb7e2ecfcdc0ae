//! Hierarchies and the values that do not fit them.

use throng_engine::error::EngineError;
use throng_engine::progress::Quiet;
use throng_engine::summary::RunOutcome;

use crate::sandbox::Sandbox;

fn job(hierarchy: &str) -> String {
    format!(
        "input = 'in.csv'\noutput = 'out.csv'\n[columns]\nname = {{ role = 'identifier' }}\n\
         x = {{ role = 'quasi', hierarchy = {hierarchy} }}\ny = {{ role = 'other' }}\n[privacy]\nk = 2\n"
    )
}

const ROWS: &str = "name,x,y\nAnn,a,1\nBob,b,2\nCas,c,3\nDan,d,4\n";

#[test]
fn a_top_of_several_values_is_a_top() {
    let sandbox = Sandbox::with(&[("in.csv", ROWS), ("x.csv", "a;ab\nb;ab\nc;cd\nd;cd\ne;cd\n")]);
    let summary = sandbox.run(&job("'x.csv'"));
    assert_eq!((&summary.levels.unwrap()["x"], &summary.heights["x"]), (&1.into(), &1.into()));
    assert_eq!(sandbox.text("out.csv"), "x,y\nab,1\nab,2\ncd,3\ncd,4\n");
}

#[test]
fn a_top_too_fine_makes_the_job_infeasible_and_leaves_the_old_release() {
    let sandbox =
        Sandbox::with(&[("in.csv", ROWS), ("x.csv", "a;ab\nb;ab\nc;cd\nd;d\n"), ("out.csv", "x\nold\n")]);
    let before = sandbox.names();
    let summary = sandbox.run(&job("'x.csv'"));
    assert_eq!((summary.outcome, &summary.achieved["k"]), (RunOutcome::Infeasible, &1.into()));
    assert_eq!((summary.output, summary.levels, summary.optimal), (None, None, false));
    assert!(summary.measures.is_empty() && summary.warnings.is_empty());
    assert_eq!((sandbox.text("out.csv"), sandbox.names()), ("x\nold\n".to_owned(), before));
}

/// The message about a bad value: it names the row and the column, and shows no cell.
fn complaint(input: &str, hierarchy: &str) -> String {
    let sandbox = Sandbox::with(&[("in.csv", input), ("x.csv", "a;*\nb;*\n")]);
    let error = sandbox.fail(&job(hierarchy), &Quiet);
    assert!(matches!(error, EngineError::BadInput(_)), "{error}");
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains("secret"), "{shown}");
    error.to_string()
}

#[test]
fn a_value_that_the_hierarchy_lacks_is_named_by_its_row() {
    let input = "name,x,y\nAnn,a,1\nBob,b,2\nCas,secret2,3\nDan,secret1,4\n";
    let message = complaint(input, "'x.csv'");
    assert!(
        message.contains("row 3, column 'x'") && message.contains("2 values of the column are"),
        "{message}"
    );
    assert!(message.contains("x.csv"), "{message}");
    let message = complaint("name,x,y\nAnn,a,1\nBob,secret,2\n", "'x.csv'");
    assert!(
        message.contains("row 2, column 'x'") && message.contains("1 value of the column is"),
        "{message}"
    );
}

#[test]
fn a_value_that_a_builder_cannot_use_is_named_by_its_row() {
    let numbers = complaint("name,x,y\nAnn,1,1\nBob,,2\nCas,secret,3\nDan,secret,4\n", "{ intervals = [5] }");
    assert!(numbers.contains("row 3, column 'x'") && numbers.contains("number"), "{numbers}");
    let dates = complaint("name,x,y\nAnn,2020-01-01,1\nBob,secret,2\n", "{ dates = ['year'] }");
    assert!(dates.contains("row 2, column 'x'") && dates.contains("date"), "{dates}");
}

#[test]
fn a_hierarchy_is_never_written_over() {
    let hierarchy = "a;*\nb;*\nc;*\nd;*\n";
    let sandbox = Sandbox::with(&[("in.csv", ROWS), ("x.csv", hierarchy)]);
    let error = sandbox.fail(&job("'x.csv'").replace("'out.csv'", "'x.csv'"), &Quiet);
    assert!(matches!(error, EngineError::BadInput(_)), "{error}");
    assert_eq!(sandbox.text("x.csv"), hierarchy);
}
