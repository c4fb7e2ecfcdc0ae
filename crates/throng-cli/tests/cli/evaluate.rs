//! `throng evaluate`: how well a classifier learns from a release.

use std::fmt::Write as _;

use serde_json::Value;

use crate::sandbox::Sandbox;

/// People whose class follows from their age, nearly.
fn people() -> String {
    let mut text = "id,age,sex,salary\n".to_owned();
    for row in 0..400_u32 {
        let age = 20 + row * 7 % 40;
        let class = if (age >= 40) != (row % 11 == 0) { "high" } else { "low" };
        writeln!(text, "{row},{age},{},{class}", ["f", "m"][(row % 3 % 2) as usize]).unwrap();
    }
    text
}

const JOB: &str = "\
input = 'people.csv'
output = 'release.csv'
[columns]
id = { role = 'identifier' }
age = { role = 'quasi', hierarchy = { intervals = [20] } }
sex = { role = 'quasi' }
salary = { role = 'target' }
[privacy]
k = 5
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("people.csv", people());
    sandbox.write("job.toml", JOB);
    sandbox.throng("anonymize job.toml").done();
    sandbox
}

#[test]
fn a_job_tells_the_tables_and_the_target() {
    let sandbox = sandbox();
    insta::assert_snapshot!(sandbox.throng("evaluate job.toml").done());
    let found = |line: &str| -> Value { serde_json::from_str(&sandbox.throng(line).done()).unwrap() };
    let of_job = found("evaluate job.toml --json");
    assert_eq!(
        (&of_job["rows"], &of_job["released_rows"], &of_job["classes"]),
        (&400.into(), &400.into(), &2.into())
    );
    assert_eq!(of_job["features"], serde_json::json!(["age", "sex"]));
    let of_files = found("evaluate people.csv release.csv --target salary --qi age,sex --json");
    assert_eq!(of_files["results"], of_job["results"]);
    let bayes = found("evaluate job.toml --classifiers naive-bayes --threads 1 --json");
    assert_eq!(bayes["results"].as_array().unwrap()[..], of_job["results"].as_array().unwrap()[..4]);
}

#[test]
fn what_is_missing_is_asked_for() {
    let sandbox = sandbox();
    let refused = sandbox.refused("evaluate people.csv --target salary");
    assert!(refused.contains("give the release as well"), "{refused}");
    let refused = sandbox.refused("evaluate people.csv release.csv");
    assert!(refused.contains("--target COLUMN"), "{refused}");
    let refused = sandbox.refused("evaluate people.csv release.csv --target salry");
    assert!(refused.contains("did you mean 'salary'?"), "{refused}");
    let refused = sandbox.refused("evaluate job.toml --classifiers naive-bays");
    assert!(refused.contains("did you mean 'naive-bayes'?"), "{refused}");
    let refused = sandbox.refused("evaluate job.toml --folds 500");
    assert!(refused.contains("fewer than the 500 folds"), "{refused}");
}

#[test]
fn the_release_of_a_job_is_read_in_its_encoding() {
    let results = |output: &str| -> Value {
        let sandbox = Sandbox::empty();
        sandbox.write("people.csv", people().replace("high", "höher"));
        sandbox.write("job.toml", JOB.replace("output = 'release.csv'", output));
        sandbox.throng("anonymize job.toml").done();
        let found: Value = serde_json::from_str(&sandbox.throng("evaluate job.toml --json").done()).unwrap();
        found["results"].clone()
    };
    let plain = results("output = 'release.csv'");
    assert_eq!(results("output = { path = 'release.csv', encoding = 'macintosh' }"), plain);
}
