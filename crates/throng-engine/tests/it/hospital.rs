//! The demo's hospital with 2,000 rows, each with a number.

use std::fs;

use throng_engine::demo::{Demo, Hospital, write_demo};
use throng_engine::format::Format;
use throng_engine::progress::Quiet;
use throng_engine::summary::RunOutcome;

use crate::sandbox::Sandbox;
use crate::table::Table;
use crate::truth::{Case, Hierarchy};

pub(crate) const ROWS: u64 = 2_000;

/// A sandbox with the demo as text and its job, to which `settings` are applied one by one:
/// each replaces what comes before the `=>` by what comes after it.
pub(crate) fn hospital(settings: &[&str]) -> (Sandbox, String) {
    let sandbox = Sandbox::with(&[]);
    let demo = Demo { dataset: &Hospital, seed: 1, rows: ROWS };
    let path = write_demo(&sandbox.path(""), demo, Format::CSV, &Quiet).unwrap();
    let text = sandbox.text("hospital.csv");
    let number = |(row, line): (usize, &str)| match row {
        0 => format!("record,{line}\n"),
        _ => format!("{row},{line}\n"),
    };
    let numbered: String = text.lines().enumerate().map(number).collect();
    fs::write(sandbox.path("hospital.csv"), numbered).unwrap();
    let mut job = fs::read_to_string(path).unwrap();
    let numbers = "[columns] => [columns]\nrecord = { role = \"other\" }";
    for setting in [numbers].iter().chain(settings) {
        let (old, new) = setting.split_once(" => ").unwrap();
        assert!(job.contains(old), "{old}");
        job = job.replace(old, new);
    }
    (sandbox, job)
}

fn masks(zip: &str) -> Vec<String> {
    (1..zip.len()).map(|masked| format!("{:*<5}", &zip[..zip.len() - masked])).collect()
}

fn calendar(date: &str) -> Vec<String> {
    let (year, month) = (&date[..4], date[5..7].parse::<usize>().unwrap());
    vec![date[..7].to_owned(), format!("{year}-Q{}", month.div_ceil(3)), year.to_owned()]
}

fn decade(date: &str) -> Vec<String> {
    [calendar(date), vec![format!("{}0s", &date[..3])]].concat()
}

/// The hierarchies that the demo's job asks for.
pub(crate) fn hierarchies(sandbox: &Sandbox, input: &Table) -> [(&'static str, Hierarchy); 6] {
    let of = |name: &str, labels: fn(&str) -> Vec<String>| Hierarchy::build(&input.column(name), labels);
    let file = |name: &str| Hierarchy::parse(&sandbox.text(&format!("hierarchies/{name}.csv")));
    [
        ("birth_date", of("birth_date", decade)),
        ("sex", of("sex", |_| Vec::new())),
        ("zip", of("zip", masks)),
        ("nationality", file("nationality")),
        ("occupation", file("occupation")),
        ("admission_date", of("admission_date", calendar)),
    ]
}

/// Runs the demo's job with some settings, and judges its release row by row.
fn assert_true(settings: &[&str], k: usize, masked: bool) {
    let (sandbox, job) = hospital(settings);
    let summary = sandbox.run(&job);
    assert_eq!(summary.outcome, RunOutcome::Released);
    let (input, output) = (sandbox.table("hospital.csv"), sandbox.table("hospital-k5.csv"));
    let kept = ["diagnosis", "length_of_stay"];
    let quasi = &hierarchies(&sandbox, &input);
    Case { input: &input, output: &output, quasi, kept: &kept, k, masked }.assert_true(&summary);
    assert!(!output.columns.contains(&"name".to_owned()));
    let text = sandbox.text("hospital-k5.csv");
    assert!(input.column("name").iter().all(|name| !text.contains(name)), "no identifier is released");
}

const MASK: &str =
    "output = \"hospital-k5.csv\" => output = { path = \"hospital-k5.csv\", suppressed = \"mask\" }";

#[test]
fn every_row_is_true_and_in_a_crowd() {
    assert_true(&[], 5, false);
}

#[test]
fn every_masked_row_is_of_a_class_too_small() {
    assert_true(&[MASK], 5, true);
}

#[test]
fn without_suppression_every_row_is_there() {
    assert_true(&["0.02 => 0", "k = 5 => k = 40"], 40, false);
}

#[test]
fn other_algorithms_and_measures_are_as_true() {
    assert_true(&["\"flash\" => \"datafly\""], 5, false);
    assert_true(&["\"lm\" => \"entropy\"", "\"flash\" => \"improved-greedy\"", "k = 5 => k = 3"], 3, false);
}
