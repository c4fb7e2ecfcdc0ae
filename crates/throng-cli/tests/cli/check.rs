//! `throng check` on tables of ours and of others.

use serde_json::Value;

use crate::sandbox::Sandbox;

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("one JSON object")
}

/// A demo of a few hundred rows, with its release.
fn demo() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 600 --dir demo").done();
    sandbox
}

#[test]
fn text_says_k_the_risk_and_the_columns() {
    let text = Sandbox::new().throng("check people.csv --qi sex --qi zip --k 4").done();
    assert!(text.starts_with("people.csv: 8 rows, k = 1\n"), "{text}");
    assert!(text.contains("unique rows        8 (100 %)"), "{text}");
    assert!(text.contains("in 8 classes smaller than 4"), "{text}");
    // Without zip, four women and four men are left.
    let columns: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("  column")).collect();
    assert!(columns[1].starts_with("  zip ") && columns[1].contains("0 %"), "{text}");
    assert!(columns[2].starts_with("  sex ") && columns[2].contains("100 %"), "{text}");
    assert!(!text.contains("Secret") && !text.contains("12345"), "{text}");
}

#[test]
fn columns_are_named_one_by_one_or_in_a_list() {
    let sandbox = Sandbox::new();
    let one_by_one = sandbox.throng("check people.csv --qi sex --qi zip --json").done();
    assert_eq!(one_by_one, sandbox.throng("check people.csv --qi sex,zip --json").done());
    assert_eq!(json(&one_by_one)["quasi"], json(r#"["sex", "zip"]"#));
}

#[test]
fn json_has_stable_keys() {
    let found = json(&Sandbox::new().throng("check people.csv --qi sex --require 4 --json").done());
    let keys: Vec<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "file",
        "rows",
        "masked_rows",
        "quasi",
        "classes",
        "k",
        "threshold",
        "classes_at_risk",
        "unique_rows",
        "unique_share",
        "at_risk_rows",
        "at_risk_share",
        "risk",
        "histogram",
        "columns",
        "required_k",
        "meets_required_k",
    ];
    assert_eq!(keys, expected);
    assert_eq!((&found["k"], &found["classes"], &found["at_risk_rows"]), (&4.into(), &2.into(), &8.into()));
    assert_eq!(found["risk"], json(r#"{"highest": 0.25, "mean": 0.25}"#));
    assert_eq!(found["histogram"][2], json(r#"{"from": 3, "to": 4, "classes": 2, "rows": 8}"#));
    assert_eq!(found["columns"][0]["left_out"]["at_risk_share"], 0.0);
    assert_eq!(found["meets_required_k"], true);
}

#[test]
fn a_required_k_that_is_not_met_is_exit_code_1() {
    let sandbox = Sandbox::new();
    sandbox.throng("check people.csv --qi sex --require 4").done();
    let ran = sandbox.throng("check people.csv --qi sex --require 5");
    assert_eq!(ran.stderr, "k is 4, below the 5 that is required\n");
    assert!(ran.no_release().starts_with("people.csv"));
    let found = json(&sandbox.throng("check people.csv --qi sex --require 5 --json").no_release());
    assert_eq!((&found["required_k"], &found["meets_required_k"]), (&5.into(), &false.into()));
}

#[test]
fn a_job_stands_for_its_release_or_its_input() {
    let sandbox = demo();
    let release = json(&sandbox.throng("check demo/hospital.toml --require 5 --json").done());
    assert!(release["file"].as_str().unwrap().ends_with("hospital-k5.csv"));
    assert_eq!((&release["threshold"], &release["unique_rows"]), (&5.into(), &0.into()));
    let input = json(&sandbox.throng("check demo/hospital.toml --input --json").done());
    assert!(input["file"].as_str().unwrap().ends_with("hospital.csv"));
    assert_eq!((&input["rows"], &input["k"]), (&600.into(), &1.into()));
    assert_eq!(input["quasi"].as_array().unwrap().len(), 6);
    let some = json(&sandbox.throng("check demo/hospital.toml --input --qi sex --json").done());
    assert_eq!(some["classes"], 2);
}

#[test]
fn masked_rows_are_counted_apart() {
    let sandbox = demo();
    sandbox.throng("anonymize demo/hospital.toml --suppressed mask --suppression 5% -o masked.csv").done();
    let line = "check masked.csv --qi birth_date,sex,zip,nationality,occupation,admission_date --json";
    let found = json(&sandbox.throng(line).done());
    assert_eq!(found["rows"], 600);
    let masked = found["masked_rows"].as_u64().unwrap();
    assert!((1..=30).contains(&masked), "{masked}");
    assert!(found["k"].as_u64().unwrap() >= 5);
}

#[test]
fn text_can_be_spelled_in_other_ways() {
    let sandbox = Sandbox::empty();
    sandbox.write("t.txt", "a;b\n'x;1';2\n'x;1';3\n");
    let line = "check t.txt --no-header --delimiter ; --quote ' --qi column_1 --json";
    let found = json(&sandbox.throng(line).done());
    assert_eq!((&found["rows"], &found["classes"]), (&3.into(), &2.into()));
}

#[test]
fn what_cannot_be_checked_is_explained() {
    let sandbox = Sandbox::new();
    let none = sandbox.refused("check people.csv");
    assert!(none.contains("--qi COLUMN") && none.contains("'illness'"), "{none}");
    let unknown = sandbox.refused("check people.csv --qi zipp");
    assert!(unknown.contains("no column 'zipp' (did you mean 'zip'?)"), "{unknown}");
    assert!(sandbox.refused("check people.csv --qi zip,zip").contains("'zip' is given twice"));
    assert!(sandbox.refused("check missing.csv --qi zip").contains("missing.csv"));
    assert!(sandbox.refused("check missing.toml").contains("no such job file"));
    let early = sandbox.refused("check job.toml");
    assert!(early.contains("throng anonymize job.toml") && early.contains("--input"), "{early}");
    assert!(sandbox.refused("check people.csv --qi zip --input").contains("--input is for jobs"));
    sandbox.write("header.csv", "a,b\n");
    sandbox.refused("check header.csv --qi a");
    assert!(sandbox.refused("check people.csv --qi zip --k 1").contains("1 is not in 2.."));
}
