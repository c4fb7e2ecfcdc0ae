//! Releases that are generalised further: `--start`.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Runs `anonymize` on the small table for k = 2; its summary.
fn anonymize(sandbox: &Sandbox, flags: &str) -> Value {
    let done = sandbox.throng(&format!("anonymize job.toml --json {flags}")).done();
    serde_json::from_str(&done).expect("JSON")
}

#[test]
fn a_release_that_is_21_anonymous_becomes_22_anonymous_and_then_global() {
    let sandbox = Sandbox::new();
    anonymize(&sandbox, "--algorithm expansion --notion k1 -o k1.csv");
    for variant in ["improved", "printed"] {
        let told = format!("--algorithm expansion --variant {variant} --replace");
        anonymize(&sandbox, &format!("{told} --notion kk --start k1.csv -o {variant}-kk.csv"));
        anonymize(&sandbox, &format!("{told} --notion kk -o {variant}-at-once.csv"));
        assert_eq!(
            sandbox.read(&format!("{variant}-kk.csv")),
            sandbox.read(&format!("{variant}-at-once.csv"))
        );
        let start = format!("--start {variant}-kk.csv -o {variant}-global.csv");
        let summary = anonymize(&sandbox, &format!("{told} --notion global-1k {start}"));
        assert!(summary["search"]["matching_steps"].is_array(), "{summary}");
        sandbox.throng(&format!("check job.toml {variant}-global.csv --notion global-1k --require 2")).done();
    }
}

/// The table of Proposition 4.5 of the paper, generalised by Algorithm 5 alone: each person is consistent with two rows, the
/// last row with one person.
fn weak() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("pairs.csv", "a,b\n1,3\n1,4\n2,4\n");
    let flags = "--qi a --qi b -k 2 --algorithm expansion --variant printed --notion 1k";
    sandbox.throng(&format!("anonymize pairs.csv {flags} -o 1k.csv")).done();
    sandbox
}

#[test]
fn algorithm_5_alone_gives_12_anonymity_and_no_more() {
    let sandbox = weak();
    assert_eq!(sandbox.read("1k.csv"), "a,b\n*,*\n1,*\n2,4\n");
    let done = sandbox.throng("check pairs.csv 1k.csv --qi a,b --json").done();
    let found: Value = serde_json::from_str(&done).expect("JSON");
    assert_eq!((&found["degrees"]["1k"], &found["degrees"]["k1"]), (&2.into(), &1.into()), "{found}");
}

#[test]
fn what_cannot_be_begun_with_is_refused() {
    let sandbox = weak();
    let refusal = |flags: &str| {
        sandbox
            .refused(&format!("anonymize pairs.csv --qi a --qi b -k 2 {flags} --start 1k.csv -o never.csv"))
    };
    let other = refusal("--algorithm forest");
    assert!(
        other.contains(
            "'forest' cannot start from a release (start). Algorithms that can: nearest, expansion"
        ),
        "{other}"
    );
    let blocks = refusal("--algorithm nearest --notion kk --block-rows 4");
    assert!(blocks.contains("cannot be divided into blocks"), "{blocks}");
    let weak = refusal("--algorithm nearest --notion kk");
    assert!(weak.contains("1k.csv: the release in start is not (k,1)-anonymous for k = 2"), "{weak}");
    let nothing = refusal("--algorithm nearest --notion k1");
    assert!(nothing.contains("not (k,1)-anonymity"), "{nothing}");
}
