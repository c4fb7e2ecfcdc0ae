//! What throng wrote, throng reads: a release whose header looks like one more row of data.

use serde_json::Value;

use crate::sandbox::Sandbox;

const JOB: &str = "input = 'rows.jsonl'\noutput = 'out.csv'\n[columns]\nc1 = { role = 'quasi' }\n\
                   c2 = { role = 'quasi' }\nc3 = { role = 'other' }\n[privacy]\nk = 2\n";

/// Forty rows of codes below columns that are called like codes.
fn codes() -> Sandbox {
    let sandbox = Sandbox::empty();
    let row =
        |at: usize| format!("{{\"c1\":\"a{}\",\"c2\":\"b{}\",\"c3\":\"d{}\"}}\n", at % 2, at % 4 / 2, at % 3);
    sandbox.write("rows.jsonl", (0..40).map(row).collect::<String>());
    sandbox.write("job.toml", JOB);
    sandbox.throng("anonymize job.toml").done();
    assert!(sandbox.read("out.csv").starts_with("c1,c2,c3\n"));
    sandbox
}

#[test]
fn check_and_attack_know_the_header_of_a_release() {
    let sandbox = codes();
    for line in [
        "check job.toml --json",
        "check out.csv --qi c1,c2 --json",
        "check out.csv --qi c1 --qi c2 --json",
        "attack job.toml --json",
        "attack rows.jsonl out.csv --qi c1,c2 --json",
    ] {
        let found: Value = serde_json::from_str(&sandbox.throng(line).done()).unwrap();
        let rows = if line.starts_with("check") { &found["rows"] } else { &found["released_rows"] };
        assert_eq!(rows, 40, "{line}: {found}");
    }
}
