//! Tables as surveys have them: many columns, codes for no answer, households, weights; and what `init` and the summary
//! advise about many columns.

use std::fmt::Write as _;

use serde_json::Value;

use crate::sandbox::Sandbox;

/// 98 questions of few answers, some with codes for no answer, of 600 people in 200 households.
fn questionnaire(sandbox: &Sandbox) {
    let mut text = String::from("hh_id,age,region,weight");
    (1..=98).for_each(|at| write!(text, ",v{at}").unwrap());
    for row in 0..600_usize {
        write!(text, "\n{},{},{},0.{:03}", 1000 + row / 3, 20 + row * 7 % 60, ["N", "S"][row % 2], 100 + row)
            .unwrap();
        for at in 0..98 {
            let answers: &[&str] = match at % 3 {
                0 => &["1", "2", "3", "4", "5", "99"],
                1 => &["1", "2", "3", "4", "5", "DK"],
                _ => &["1", "2", "3", "4", "5"],
            };
            write!(text, ",{}", answers[(row * 31 + at * 17 + row / 5) % answers.len()]).unwrap();
        }
    }
    sandbox.write("survey.csv", text + "\n");
}

#[test]
fn a_questionnaire_is_decided_as_one() {
    let sandbox = Sandbox::empty();
    questionnaire(&sandbox);
    let said = sandbox.throng("init survey.csv").done();
    for expected in [
        "v1 … v98  sensitive   98 columns  one of many survey answers, which others are unlikely to know",
        "98 columns of survey answers: released unchanged",
        "99 looks like a code for no answer; it counts as an answer unless you empty those cells",
        "DK looks like a code for no answer",
        "'hh' in its name: identifies households, not persons",
        "'weight' in its name: a sampling weight so precise that it identifies rows or households",
        "of 200 households, by hh_id",
        "column hh_id: some households have several rows, so k counts households by this column, not rows",
    ] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
    let job = sandbox.read("survey.toml");
    assert!(job.contains("# 98 columns of survey answers, decided as one."), "{job}");
    assert!(job.contains("v96 = { role = \"sensitive\" }   # integer: one of many survey answers"), "{job}");
    assert!(job.contains("# Some households have several rows"), "{job}");
    sandbox.throng("anonymize survey.toml --report survey.html").done();
    let page = sandbox.read("survey.html");
    assert!(
        page.contains("200 households, counted by") && page.contains("Each household looks like"),
        "{page}"
    );
    let profile = sandbox.throng("profile survey.csv").done();
    assert!(profile.contains("identifies households, not persons"), "{profile}");
}

/// A table of twelve columns that others may know, of which the first has most values.
fn crowded(sandbox: &Sandbox) {
    let names = [
        "zip",
        "age",
        "sex",
        "city",
        "job_title",
        "nationality",
        "religion",
        "height",
        "school",
        "language",
        "car",
        "smoker",
    ];
    let mut text = names.join(",");
    for row in 0..300_usize {
        let cell = |at: usize| match at {
            0 => format!("{:05}", 10_000 + row * 7),
            _ => format!("{}{}", char::from(b'a' + at as u8), (row * (at + 3) / 7) % 3),
        };
        write!(text, "\n{}", (0..names.len()).map(cell).collect::<Vec<_>>().join(",")).unwrap();
    }
    sandbox.write("many.csv", text + "\n");
}

#[test]
fn many_quasi_identifiers_are_said_to_cost_much_and_can_be_chosen_from() {
    let sandbox = Sandbox::empty();
    crowded(&sandbox);
    let said = sandbox.throng("init many.csv").done();
    assert!(
        said.contains("12 quasi-identifiers: with this many, little will be left of each. 300 of 300 rows"),
        "{said}"
    );
    assert!(said.contains("throng init many.csv --force --qi COLUMN,…"), "{said}");
    assert!(
        said.contains("column religion: its name suggests a special category of personal data: religion"),
        "{said}"
    );
    assert!(sandbox.read("many.toml").contains("# With 12 quasi-identifiers, little will be left of each"));
    let found: Value = serde_json::from_str(&sandbox.throng("init many.csv --force --json").done()).unwrap();
    assert_eq!(found["crowded"]["costs"][0]["column"], "zip");
    let combinations = |at: usize| found["crowded"]["costs"][at]["combinations_without"].as_u64().unwrap();
    assert!(combinations(0) < combinations(1) && combinations(0) < 300);
    assert_eq!(found["crowded"]["unique_rows"], 300);

    let said = sandbox.throng("init many.csv --force --qi age,sex,zip").done();
    assert!(said.contains("not among the quasi-identifiers that you named: left out"), "{said}");
    let job = sandbox.read("many.toml");
    assert_eq!(job.matches("role = \"quasi\"").count(), 3, "{job}");
    sandbox.throng("anonymize many.toml").done();
    assert_eq!(sandbox.read("many-anonymous.csv").lines().next(), Some("zip,age,sex"));
    let refused = sandbox.refused("init many.csv --force --qi agee");
    assert!(refused.contains("the table has no column 'agee' (did you mean 'age'?)"), "{refused}");
}

#[test]
fn what_a_local_recoding_loses_less_is_measured() {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 1000 --dir .").done();
    let json = |line: &str| -> Value { serde_json::from_str(&sandbox.throng(line).done()).unwrap() };
    let levels = json("anonymize hospital.toml --json");
    let local = &levels["search"]["local_recoding"];
    let (loss, lm) = (local["loss"].as_f64().unwrap(), levels["measures"]["lm"].as_f64().unwrap());
    assert!((local["less"].as_f64().unwrap() - (1.0 - loss / lm)).abs() < 1e-12);
    let sequential = json("anonymize hospital.toml --algorithm sequential -o local.csv --json");
    assert_eq!(sequential["measures"]["lm"].as_f64().unwrap(), loss);
    assert!(sequential["search"].get("local_recoding").is_none());
    let said = sandbox.throng("anonymize hospital.toml").done();
    let expected = format!("a local recoding would lose {} % less", (100.0 * (1.0 - loss / lm)).floor());
    assert!(said.contains(&expected) && said.contains(": --algorithm sequential\n"), "{expected}\n{said}");
    let limited = json("anonymize hospital.toml --time-limit 60 --json");
    assert!(limited["search"].get("local_recoding").is_none(), "a limit is the most that a search may take");
}

#[test]
fn a_weight_that_nothing_uses_is_said_to_have_no_effect() {
    let sandbox = Sandbox::new();
    let job = sandbox.read("job.toml").replacen("role = \"quasi\"", "role = \"quasi\", weight = 3.0", 1);
    sandbox.write("weighted.toml", job);
    let warned = |line: &str| {
        let found: Value = serde_json::from_str(&sandbox.throng(line).done()).unwrap();
        let warnings = found["warnings"].as_array().unwrap().clone();
        warnings.iter().any(|one| one.as_str().unwrap().contains("has no effect on the search"))
    };
    assert!(warned("anonymize weighted.toml --measure dm --json"));
    assert!(!warned("anonymize weighted.toml --measure lm --json"));
    assert!(!warned("anonymize job.toml --measure dm --json"));
}
