//! A job file or flags, to a release and a report.

use crate::sandbox::{AGE, JOB, PEOPLE, Sandbox, stable};

/// The best release of the small table.
const RELEASE: &str = "\
age,sex,zip,illness
30-39,female,123**,flu
30-39,male,123**,cold
30-39,female,123**,flu
30-39,male,123**,gout
40-49,female,223**,flu
40-49,female,223**,cold
40-49,male,223**,gout
40-49,male,223**,flu
";

const FLAGS: &str = "anonymize people.csv --qi age=age.csv --qi sex --qi zip=mask:right \
                     --identifier name --sensitive illness -k 2 -o release.csv";

#[test]
fn a_job_file_becomes_a_release_and_a_report() {
    let sandbox = Sandbox::new();
    let report = sandbox.throng("anonymize job.toml").done();
    insta::assert_snapshot!(stable(&report));
    assert_eq!(sandbox.read("release.csv"), RELEASE);
    assert_eq!(sandbox.names(), ["age.csv", "job.toml", "people.csv", "release.csv"]);
}

#[test]
fn flags_do_the_same_as_a_job_file() {
    let sandbox = Sandbox::new();
    let from_flags = sandbox.throng(FLAGS).done();
    assert_eq!(sandbox.read("release.csv"), RELEASE);
    let from_file = sandbox.throng("anonymize job.toml").done();
    let facts = |report: &str| -> Vec<String> {
        // Only one of them has a job file.
        let lines = stable(report).lines().map(str::to_owned).collect::<Vec<_>>();
        let mut lines: Vec<String> = lines.into_iter().filter(|line| !line.contains("of the job")).collect();
        lines.sort();
        lines
    };
    assert_eq!(facts(&from_flags), facts(&from_file));
}

#[test]
fn a_column_of_which_nothing_is_left_is_pointed_out() {
    let sandbox = Sandbox::new();
    let all = "nothing is left of any quasi-identifier";
    let full_domain = sandbox.throng("anonymize job.toml -k 8").done();
    assert!(full_domain.contains("level 3 of 3: nothing left but the top value"), "{full_domain}");
    assert!(full_domain.contains("level 1 of 1: nothing left but *"), "{full_domain}");
    assert!(full_domain.contains(all), "{full_domain}");
    let local = sandbox.throng("anonymize job.toml -k 8 --algorithm mondrian").done();
    assert!(local.contains("quasi       nothing left but the top value\n"), "{local}");
    assert!(local.contains("quasi       nothing left but *\n") && local.contains(all), "{local}");

    let some = sandbox.throng("anonymize job.toml -k 4 --json").done();
    let report: serde_json::Value = serde_json::from_str(&some).unwrap();
    let emptied: Vec<&str> =
        report["fully_generalised"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    assert!(!emptied.is_empty() && emptied.len() < 3, "{emptied:?}");
    let warnings = report["warnings"].to_string();
    assert!(!warnings.contains(all), "{warnings}");
}

#[test]
fn quasi_identifiers_are_named_one_by_one_or_in_a_list() {
    let sandbox = Sandbox::new();
    let list = "--qi age=age.csv,sex,zip=mask:right";
    sandbox.throng(&FLAGS.replace("--qi age=age.csv --qi sex --qi zip=mask:right", list)).done();
    assert_eq!(sandbox.read("release.csv"), RELEASE);
    let line = "anonymize job.toml --qi zip=mask:left,age=intervals:5,10 -o other.csv";
    let report = sandbox.throng(line).done();
    assert!(report.contains("  age      quasi       level ") && report.contains(" of 3: "), "{report}");
    let misspelt = sandbox.refused("anonymize job.toml --qi zip=mask:left,agee=age.csv -o third.csv");
    assert!(misspelt.contains("the table has no column 'agee'"), "{misspelt}");
}

#[test]
fn paths_in_a_job_are_relative_to_it_and_those_in_flags_are_not() {
    let sandbox = Sandbox::empty();
    let inner = sandbox.path("inner");
    std::fs::create_dir(&inner).unwrap();
    for (name, text) in [("people.csv", PEOPLE), ("age.csv", AGE), ("job.toml", JOB)] {
        std::fs::write(inner.join(name), text).unwrap();
    }
    sandbox.throng("anonymize inner/job.toml").done();
    assert!(inner.join("release.csv").exists());
    sandbox.throng("anonymize inner/job.toml -o here.csv").done();
    assert_eq!(sandbox.names(), ["here.csv", "inner"]);
}

#[test]
fn flags_override_the_job_file() {
    let sandbox = Sandbox::new();
    let report = sandbox.throng(
        "anonymize job.toml -k 4 --algorithm datafly --measure dm --suppression 0 --order shuffle --seed 7",
    );
    let report = report.done();
    assert!(report.contains("required: k-anonymity with k = 4\n"), "{report}");
    assert!(report.contains("datafly, judged by dm: not proven optimal"), "{report}");
    assert!(report.contains("\n  dm       "), "{report}");
    assert!(!report.contains("Warnings"), "{report}");
    let mut rows: Vec<String> = sandbox.read("release.csv").lines().map(str::to_owned).collect();
    assert_eq!(rows.remove(0), "age,sex,zip,illness");
    assert_eq!(rows.len(), 8);
}

#[test]
fn the_json_summary_is_all_there_is_on_standard_output() {
    let sandbox = Sandbox::new();
    let ran = sandbox.throng("anonymize job.toml --json");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let summary: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one JSON object");
    let keys: Vec<&str> = summary.as_object().unwrap().keys().map(String::as_str).collect();
    for key in [
        "algorithm",
        "settings",
        "requirement",
        "outcome",
        "optimal",
        "rows",
        "suppressed_rows",
        "achieved",
        "levels",
        "measures",
        "search",
        "seconds",
        "peak_memory_bytes",
    ] {
        assert!(keys.contains(&key), "{key} is not in {keys:?}");
    }
    assert_eq!((&summary["algorithm"], &summary["settings"]), (&"auto".into(), &serde_json::json!({})));
    assert_eq!(summary["search"]["chosen"], "flash");
    assert_eq!(summary["search"]["gap"], 0.0);
    assert_eq!(summary["requirement"], serde_json::json!({ "k": 2, "notion": "k" }));
    assert_eq!(summary["outcome"], "released");
    assert_eq!(summary["optimal"], true);
    assert_eq!(summary["rows"], 8);
    assert_eq!(summary["suppressed_rows"], 0);
    assert_eq!(summary["achieved"]["k"], 2);
    assert_eq!(summary["levels"], serde_json::json!({ "age": 2, "sex": 0, "zip": 2 }));
    assert_eq!(summary["search"]["lattice_nodes"], 4 * 2 * 6);
    assert!(summary["search"]["checked_nodes"].as_u64().unwrap() > 0);
    for measure in ["iloss", "lm", "entropy", "ncp", "dm", "prec", "glm", "aecs", "classes"] {
        assert!(summary["measures"][measure].is_number(), "{measure}");
    }
    for phase in ["read", "search", "apply", "verify", "write"] {
        assert!(summary["seconds"][phase].as_f64().unwrap() >= 0.0, "{phase}");
    }
}

#[test]
fn suppressed_rows_are_left_out_or_masked() {
    let sandbox = Sandbox::new();
    sandbox.write("people.csv", format!("{}Ida Secretname,31,female,99999,flu\n", PEOPLE));
    let report = sandbox.throng("anonymize job.toml --suppression 1row").done();
    assert!(report.contains("1 row is left out (11.11 %); at most 1 was allowed"), "{report}");
    assert_eq!(sandbox.read("release.csv"), RELEASE);
    let report = sandbox.throng("anonymize job.toml --suppression 1row --suppressed mask").done();
    assert!(report.contains("the suppressed row is left out instead of masked"), "{report}");
    assert_eq!(sandbox.read("release.csv"), RELEASE);
}

#[test]
fn one_thread_finds_what_many_find() {
    let sandbox = Sandbox::new();
    sandbox.throng("anonymize job.toml --threads 1").done();
    assert_eq!(sandbox.read("release.csv"), RELEASE);
    sandbox.throng("anonymize job.toml --threads 3 -o many.csv").done();
    assert_eq!(sandbox.read("many.csv"), RELEASE);
}

#[test]
fn the_rest_can_be_decided_at_once() {
    let sandbox = Sandbox::new();
    sandbox.throng("anonymize people.csv --qi sex --rest other --identifier name -k 4 -o out.csv").done();
    assert_eq!(sandbox.read("out.csv").lines().next(), Some("age,sex,zip,illness"));
    sandbox.throng("anonymize people.csv --qi sex --rest identifier -k 4 -o out.csv").done();
    assert_eq!(
        sandbox.read("out.csv"),
        "sex\n".to_owned() + &"female\nmale\n".repeat(2) + "female\nfemale\nmale\nmale\n"
    );
}
