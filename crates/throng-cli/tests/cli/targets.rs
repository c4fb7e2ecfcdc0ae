//! Several requirements and a target: the worked tables of 'Data privacy with heuristic anonymisation', through
//! the binary.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Figure 3: so many records of each row, with the hierarchies as the text has them.
fn figure_3() -> Sandbox {
    let sandbox = Sandbox::empty();
    let rows = [
        ("10th,M,40,A", 20),
        ("10th,M,30,B", 4),
        ("9th,M,30,B", 2),
        ("9th,F,30,B", 4),
        ("9th,F,40,B", 6),
        ("12th,F,30,B", 2),
        ("12th,F,40,B", 2),
    ];
    let records: String = rows.iter().map(|(row, records)| format!("{row}\n").repeat(*records)).collect();
    sandbox.write("table.csv", format!("edu,sex,hours,class\n{records}"));
    sandbox.write("edu.csv", "9th;High;School;*\n10th;High;School;*\n12th;High;School;*\n");
    sandbox.write("hours.csv", "30;[1,40);*\n40;[40,99);*\n");
    sandbox.write(
        "job.toml",
        "input = 'table.csv'\noutput = 'out.csv'\n[columns]\nedu = { role = 'quasi', hierarchy = 'edu.csv' }\n\
         sex = { role = 'quasi' }\nhours = { role = 'quasi', hierarchy = 'hours.csv' }\n\
         class = { role = 'target' }\n[privacy]\nk = 4\n",
    );
    sandbox
}

fn summary(sandbox: &Sandbox, line: &str) -> Value {
    serde_json::from_str(&sandbox.throng(line).done()).unwrap()
}

fn prec(report: &Value) -> f64 {
    report["measures"]["prec"].as_f64().unwrap()
}

#[test]
fn three_optima_of_figure_10() {
    let sandbox = figure_3();
    let report = summary(&sandbox, "anonymize job.toml --algorithm heuristic-min --json");
    assert_eq!(report["cuts"], json!({ "edu": ["High"], "sex": ["F", "M"], "hours": ["30", "40"] }));
    assert_eq!((&report["measures"]["classes"], &report["proven"]), (&4.into(), &true.into()));
    assert!((prec(&report) - 0.89).abs() < 0.005);

    let report = summary(&sandbox, "anonymize job.toml --algorithm all-min --json");
    assert_eq!(report["minimal"][0]["levels"], json!({ "edu": 1, "sex": 0, "hours": 0 }));
    assert_eq!(report["minimal"].as_array().unwrap().len(), 1);
    let text = sandbox.throng("anonymize job.toml --algorithm all-min").done();
    assert!(text.contains("The only node of the least height\n  edu 1, sex 0, hours 0"), "{text}");

    let report = summary(&sandbox, "anonymize job.toml --algorithm min-gen --json");
    assert_eq!(report["measures"]["classes"], 5);
    assert!((prec(&report) - 0.95).abs() < 0.005);
}

#[test]
fn searches_for_a_classifier_keep_what_tells_classes_apart() {
    let sandbox = figure_3();
    for algorithm in ["top-down-specialization", "bottom-up-generalization", "cut-search"] {
        let report = summary(&sandbox, &format!("anonymize job.toml --algorithm {algorithm} --json"));
        // Half of the records are of the most common class.
        let cm = report["measures"]["cm"].as_f64().unwrap();
        assert!(cm < 0.2 && (cm == 0.0 || algorithm == "bottom-up-generalization"), "{algorithm}: {cm}");
        assert!(report["cuts"].is_object() && report["levels"].is_null(), "{algorithm}");
        let found = summary(&sandbox, "evaluate job.toml --classifiers naive-bayes --json");
        let accuracy = found["results"][1]["accuracy"].as_f64().unwrap();
        assert!(accuracy >= 1.0 - cm - 0.1, "{algorithm}: {accuracy}");
    }
    let report = summary(&sandbox, "anonymize job.toml --algorithm flash --measure cm --json");
    assert_eq!((&report["measures"]["cm"], &report["optimal"]), (&0.into(), &true.into()));
}

#[test]
fn ranges_of_a_cut_are_listed() {
    let sandbox = figure_3();
    let job = sandbox.read("job.toml").replace("hierarchy = 'hours.csv'", "generalise = 'range'");
    sandbox.write("ranges.toml", job);
    let report = summary(&sandbox, "anonymize ranges.toml --algorithm top-down-specialization --json");
    assert_eq!(report["cuts"]["hours"], json!(["30", "40"]));
}

#[test]
fn compare_shows_what_is_learned() {
    let sandbox = figure_3();
    let flags = "--k 4 --repeat 1 --classifiers naive-bayes --algorithms flash,top-down-specialization";
    let text = sandbox.throng(&format!("compare job.toml {flags}")).done();
    assert!(text.contains("naive-bayes") && text.contains("100.00 %"), "{text}");
    let csv = sandbox.throng(&format!("compare job.toml {flags} --format csv")).done();
    let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    assert_eq!(head.last(), Some(&"naive-bayes"));
    let without = sandbox.read("job.toml").replace("role = 'target'", "role = 'other'");
    sandbox.write("without.toml", without);
    let refused = sandbox.refused(&format!("compare without.toml {flags}"));
    assert!(refused.contains("the role target"), "{refused}");
    let refused = sandbox.refused("anonymize without.toml --measure cm");
    assert!(refused.contains("it needs a target"), "{refused}");
}

#[test]
fn a_target_that_cannot_be_learned_is_said() {
    let sandbox = figure_3();
    let table = sandbox.read("table.csv").replace(",A\n", ",B\n");
    sandbox.write("table.csv", table);
    let report = summary(&sandbox, "anonymize job.toml --algorithm top-down-specialization --json");
    assert!(report["warnings"].to_string().contains("the target 'class' has only one class"), "{report}");
    let refused = sandbox.refused("anonymize job.toml --measure cm");
    assert!(refused.contains("the target 'class' has only one class"), "{refused}");
}

#[test]
fn too_many_tuples_for_every_cell() {
    let sandbox = Sandbox::empty();
    let rows: String = (0..40).map(|row| format!("{row},{}\n", row % 3)).collect();
    sandbox.write("rows.csv", format!("a,b\n{rows}"));
    let refused = sandbox.refused("anonymize rows.csv --qi a --qi b -k 2 --algorithm min-gen -o out.csv");
    assert!(refused.contains("min-gen"), "{refused}");
}
