//! No release is not an error, but an outcome that says what would help.

use crate::sandbox::{Sandbox, stable};

/// Without a level for all, women stay women and men stay men.
const OPEN_SEX: &str = "anonymize people.csv --qi sex=sex.csv --identifier name --rest other -o release.csv";

fn open_ended() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("sex.csv", "female;f\nmale;m\n");
    sandbox
}

#[test]
fn a_k_that_no_node_reaches_is_infeasible() {
    let sandbox = open_ended();
    let before = sandbox.names();
    let report = sandbox.throng(&format!("{OPEN_SEX} -k 5")).no_release();
    insta::assert_snapshot!(stable(&report));
    assert_eq!(sandbox.names(), before);
    sandbox.throng(&format!("{OPEN_SEX} -k 4")).done();
}

#[test]
fn an_infeasible_job_has_a_summary() {
    let sandbox = open_ended();
    let summary = sandbox.throng(&format!("{OPEN_SEX} -k 5 --json")).no_release();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["outcome"], "infeasible");
    assert_eq!(summary["achieved"]["k"], 4);
    assert_eq!(summary["optimal"], false);
    assert!(summary["levels"].is_null() && summary["output"].is_null());
}

#[test]
fn what_was_released_before_survives_an_infeasible_job() {
    let sandbox = open_ended();
    sandbox.write("release.csv", "sex\n*\n");
    sandbox.throng(&format!("{OPEN_SEX} -k 5")).no_release();
    assert_eq!(sandbox.read("release.csv"), "sex\n*\n");
}

#[test]
fn a_search_that_is_stopped_before_it_found_anything_says_so() {
    let sandbox = Sandbox::new();
    let report = sandbox.throng("anonymize job.toml --time-limit 0.000000001").no_release();
    assert!(report.starts_with("No release: nothing was written\n"), "{report}");
    assert!(report.contains("more time (--time-limit)"), "{report}");
    assert!(!sandbox.names().contains(&"release.csv".to_owned()));
    let summary = sandbox.throng("anonymize job.toml --time-limit 0.000000001 --json").no_release();
    assert!(summary.contains("\"outcome\": \"stopped\""), "{summary}");
}

#[test]
fn a_local_search_that_is_stopped_is_not_sent_to_whole_columns() {
    let sandbox = Sandbox::new();
    let line = "anonymize job.toml --time-limit 0.000000001 --algorithm";
    let clusters = sandbox.throng(&format!("{line} agglomerative")).no_release();
    assert!(
        clusters.contains("a search in blocks (--block-rows") && clusters.contains("mondrian"),
        "{clusters}"
    );
    let blocks = sandbox.throng(&format!("{line} agglomerative --block-rows 4")).no_release();
    assert!(blocks.contains("smaller blocks (--block-rows"), "{blocks}");
    for text in [clusters, blocks] {
        assert!(!text.contains("datafly") && !text.contains("improved-greedy"), "{text}");
    }
}

#[test]
fn a_release_without_rows_says_so() {
    let sandbox = Sandbox::empty();
    sandbox.write("t.csv", "a,b\n1,x\n2,y\n3,z\n");
    let line = "anonymize t.csv --qi a --qi b -k 2 --suppression 1.0 -o out.csv --accept-any --json";
    let text = sandbox.throng(line).done();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["suppressed_rows"], 3, "{text}");
    assert!(text.contains("the release has no rows: all 3 are suppressed"), "{text}");
}

#[test]
fn values_that_a_whole_class_shares_are_warned_of() {
    let sandbox = Sandbox::new();
    let job = sandbox.read("job.toml");
    // Everybody of one sex has the same illness, and of the other nearly everybody.
    let mut people = "name,age,sex,zip,illness\n".to_owned();
    for row in 0..60 {
        let (sex, illness) = match row {
            0..30 => ("female", "flu"),
            30 => ("male", "cold"),
            _ => ("male", "gout"),
        };
        people += &format!("N{row},31,{sex},12345,{illness}\n");
    }
    sandbox.write("people.csv", people);
    let text = sandbox.throng("anonymize job.toml").done();
    assert!(
        text.contains("30 rows where all have the same, 30 rows where more than 90 % have the same"),
        "{text}"
    );
    assert!(text.contains("distinct-l"), "{text}");
    sandbox.write(
        "job.toml",
        job.replace(
            "k = 2",
            "k = 2\n[[privacy.require]]\nmodel = 'alpha-k'\nalpha = 0.8\ncolumn = 'illness'",
        ),
    );
    let text = sandbox.throng("anonymize job.toml").done();
    assert!(!text.contains("who finds the class"), "{text}");
}
