//! Levels and weights of columns, from the job to the written file.

use serde_json::Value;

use crate::sandbox::{JOB, Sandbox};

/// The job, with more said of the age.
fn job(more: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let age = JOB.lines().find(|line| line.starts_with("age")).unwrap();
    let said = age.replace("role", &format!("{more}, role"));
    sandbox.write("job.toml", JOB.replace(age, &said));
    sandbox
}

fn summary(sandbox: &Sandbox, line: &str) -> Value {
    serde_json::from_str(&sandbox.throng(line).done()).unwrap()
}

#[test]
fn an_age_is_released_at_no_other_levels() {
    for algorithm in ["flash", "ola", "incognito", "box-search", "exhaustive"] {
        let line = format!("anonymize job.toml --algorithm {algorithm} --json");
        let found = summary(&job("min_level = 2, max_level = 2"), &line);
        assert_eq!(found["levels"]["age"], 2, "{algorithm}");
        assert_eq!(found["optimal"], true, "{algorithm}");
        let top = summary(&job("min_level = 3"), &line);
        assert_eq!(top["levels"]["age"], 3, "{algorithm}");
    }
    let sandbox = job("min_level = 2");
    sandbox.throng("anonymize job.toml --algorithm mondrian").done();
    let release = sandbox.read("release.csv");
    let ages: Vec<&str> = release.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert!(ages.iter().all(|age| ["30-39", "40-49", "*"].contains(age)), "{ages:?}");
}

#[test]
fn levels_that_are_none_are_refused() {
    let refused = |more: &str, flags: &str| {
        let ran = job(more).throng(&format!("anonymize job.toml {flags}"));
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        ran.stderr
    };
    let none = refused("min_level = 2, max_level = 1", "");
    assert!(none.contains("min_level 2 is above max_level 1"), "{none}");
    let high = refused("max_level = 7", "");
    assert!(high.contains("'age'") && high.contains("no level 7") && high.contains("highest is 3"), "{high}");
    let node = refused("min_level = 2", "--node 1,1,5");
    assert!(node.contains("at least level 2"), "{node}");
}

/// Where the highest levels are why there is no release, the message names them.
#[test]
fn levels_that_no_release_can_satisfy_are_named() {
    let ran = job("max_level = 0").throng("anonymize job.toml --suppression 0 -k 4");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.contains("a higher max_level for 'age' (0)"), "{}", ran.stdout);
    let ran = job("max_level = 0").throng("anonymize job.toml --suppression 0 -k 4 --json");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let warnings = found["warnings"].to_string();
    assert!(
        warnings.contains("no release stays within the highest level of 'age' (max_level 0)"),
        "{warnings}"
    );
}

#[test]
fn a_weight_counts_in_lm() {
    let lm =
        |more: &str| summary(&job(more), "anonymize job.toml --measure lm --json")["measures"]["lm"].clone();
    let [heavy, light] = ["weight = 50.0", "weight = 0.02"].map(|more| lm(more).as_f64().unwrap());
    // The mean is nearly that of the age, or of the others.
    assert!((heavy - light).abs() > 0.01, "{heavy} {light}");
}

/// A saved cut is held against the levels of its job, also where somebody has changed these.
#[test]
fn a_saved_cut_keeps_to_the_levels_of_its_job() {
    let sandbox = job("min_level = 1, max_level = 2");
    sandbox.throng("anonymize job.toml --algorithm cut-search --save cut.json").done();
    sandbox.throng("apply cut.json people.csv -o again.csv").done();
    assert_eq!(sandbox.read("again.csv"), sandbox.read("release.csv"));
    let text = sandbox.read("cut.json");
    let (least, most) = ("\"min_level\": 1", "\"max_level\": 2");
    assert!(text.contains(least) && text.contains(most), "{text}");
    let text = text.replace(least, "\"min_level\": 3").replace(most, "\"max_level\": 3");
    sandbox.write("cut.json", text);
    let ran = sandbox.throng("apply cut.json people.csv -o none.csv");
    let named = ran.stderr.contains("'age'") && ran.stderr.contains("min_level");
    assert!(ran.code == Some(2) && named, "{}", ran.stderr);
}
