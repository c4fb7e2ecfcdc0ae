//! Tables of hundreds of quasi-identifiers.

use std::fmt::Write;

use serde_json::Value;
use throng::random::Random;

use crate::sandbox::Sandbox;

/// Rows that mostly follow one of a few patterns; every column has the same hierarchy.
fn table(columns: usize, values: usize, rows: usize) -> Sandbox {
    let sandbox = Sandbox::empty();
    let mut random = Random::new(columns as u64);
    let mut row = || -> Vec<usize> { (0..columns).map(|_| random.index(values)).collect() };
    let patterns = [row(), row(), row()];
    let mut text: String = (0..columns).map(|column| format!("c{column},")).collect();
    text.push_str("kept\n");
    for at in 0..rows {
        let mut row = patterns[at % 3].clone();
        (0..3).for_each(|_| row[random.index(columns)] = random.index(values));
        row.iter().for_each(|value| write!(text, "v{value:02},").unwrap());
        writeln!(text, "{at}").unwrap();
    }
    sandbox.write("wide.csv", text);
    let line = |value: usize| format!("v{value:02};group {};*\n", value / 5);
    sandbox.write("values.csv", (0..values).map(line).collect::<String>());
    let mut job = String::from(
        "input = 'wide.csv'\noutput = 'out.csv'\n[privacy]\nk = 3\nsuppression = 0.2\n[columns]\n",
    );
    for column in 0..columns {
        writeln!(job, "c{column} = {{ role = 'quasi', hierarchy = 'values.csv' }}").unwrap();
    }
    job.push_str("kept = { role = 'other' }\n");
    sandbox.write("wide.toml", job);
    sandbox
}

/// A recoding of every kind, read back from its file; keys of 24 words, and of far more than any of a fixed size.
#[test]
fn three_hundred_and_a_thousand_quasi_identifiers() {
    for (columns, values) in [(300, 20), (1_000, 20)] {
        let sandbox = table(columns, values, 45);
        for algorithm in ["datafly", "top-down-specialization", "mondrian", "sequential"] {
            let ran = sandbox.throng(&format!("anonymize wide.toml --algorithm {algorithm} --json"));
            assert_eq!(ran.code, Some(0), "{algorithm} {columns}: {}", ran.stderr);
            let report: Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!(report["rows"], 45, "{algorithm}");
            assert!(report["achieved"]["k"].as_u64().unwrap() >= 3, "{algorithm}");
            let checked = sandbox.throng("check wide.toml --require 3");
            assert_eq!(checked.code, Some(0), "{algorithm} {columns}: {}", checked.stderr);
        }
        let refused = sandbox.throng("anonymize wide.toml --algorithm flash");
        assert_eq!(refused.code, Some(2));
        assert!(refused.stderr.contains("use 'auto'"), "{}", refused.stderr);
    }
}
