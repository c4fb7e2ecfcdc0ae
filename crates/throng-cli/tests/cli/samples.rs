//! Tables that are samples: what `check` says of their population, and what it refuses.

use serde_json::Value;

use crate::sandbox::{JOB, Sandbox};

/// Wards of one row, of two and of three, with what each row stands for.
const WARDS: &str = "ward,wgt,sex\nnorth,10,f\nsouth,4,m\nsouth,6,m\nwest,3,f\nwest,4,f\nwest,5,m\n";

fn wards() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("wards.csv", WARDS);
    sandbox
}

fn checked(sandbox: &Sandbox, line: &str) -> Value {
    serde_json::from_str(&sandbox.throng(line).done()).unwrap()
}

fn assert_near(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
}

#[test]
fn a_sampling_fraction_says_how_many_are_unique_in_the_population() {
    let found = checked(&wards(), "check wards.csv --qi ward --sampling-fraction 0.5 --json");
    // Six rows of twelve people: the hypergeometric probabilities of one of one, of two and of three people.
    let (one, two, three) = (0.5, 2.0 * 0.5 * 6.0 / 11.0, 3.0 * 0.5 * 6.0 / 11.0 * 5.0 / 10.0);
    assert_near(&found["population"]["zayatz"]["share"], one / (one + two + three) / 6.0);
    for name in ["pitman", "zayatz", "snb", "dankar"] {
        assert!(found["population"][name].get("share").is_some(), "{name}");
    }
    assert_near(&found["sample"]["sampling_fraction"], 0.5);
    assert_near(&found["sample"]["population_rows"], 12.0);
    // r(1) = ln 2, r(2) = 1 - r(1), r(3) = 1/2 - r(2).
    let one = 2.0f64.ln();
    let expected = one + 2.0 * (1.0 - one) + 3.0 * (0.5 - (1.0 - one));
    assert_near(&found["sample"]["expected_reidentifications"], expected);
    assert_near(&found["sample"]["highest_risk"], one);
    assert_near(&found["sample"]["global_risk"], expected / 6.0);
    let text = wards().throng("check wards.csv --qi ward --sampling-fraction 0.5").done();
    assert!(text.contains("unique by dankar") && text.contains("about 12"), "{text}");
}

/// Each class by its own weights: Benedetti and Franconi's exact form.
#[test]
fn design_weights_give_each_class_its_own_risk() {
    let found = checked(&wards(), "check wards.csv --qi ward --sampling-weight wgt --json");
    let one = |p: f64| p / (1.0 - p) * -p.ln();
    let next = |p: f64, f: f64, before: f64| p / (1.0 - p) * (1.0 / f - before);
    let (north, south, west) = (0.1, 2.0 / 10.0, 3.0 / 12.0);
    let risks = [one(north), next(south, 1.0, one(south)), next(west, 2.0, next(west, 1.0, one(west)))];
    let expected = risks[0] + 2.0 * risks[1] + 3.0 * risks[2];
    assert_near(&found["sample"]["expected_reidentifications"], expected);
    assert_near(&found["sample"]["highest_risk"], risks[0]);
    assert_near(&found["sample"]["sampling_fraction"], 6.0 / 32.0);
    assert_eq!(found["sample"]["sampling_weight"], "wgt");
    // Nothing else changes.
    let plain = checked(&wards(), "check wards.csv --qi ward --json");
    assert_eq!((&plain["sample"], &plain["population"]), (&Value::Null, &Value::Null));
    assert_eq!((&plain["models"], &plain["histogram"]), (&found["models"], &found["histogram"]));
}

/// In the north alone a row is alone; in the west its sex tells one from the others.
#[test]
fn special_uniques_are_found_with_what_columns_contribute() {
    let found = checked(&wards(), "check wards.csv --qi ward,sex --suda 2 --json");
    let special = &found["special_uniques"];
    assert_eq!((&special["rows"], &special["sets"]), (&serde_json::json!(2), &serde_json::json!([1, 1])));
    // Scores are 1 for each, as factors below 1 are left out: the ward is in both sets, the sex in one.
    assert_eq!(special["columns"][0], serde_json::json!({ "name": "ward", "share": 1.0 }));
    assert_eq!(special["columns"][1], serde_json::json!({ "name": "sex", "share": 0.5 }));
    assert_eq!(special["highest_score"], 1.0);
    let text = wards().throng("check wards.csv --qi ward,sex --suda 2").done();
    assert!(text.contains("Special uniques") && text.contains("by ward"), "{text}");
}

#[test]
fn a_job_says_how_its_table_was_sampled() {
    let sandbox = Sandbox::new();
    sandbox.write("job.toml", JOB.replace("[privacy]", "[privacy]\nsampling_fraction = 0.1"));
    sandbox.throng("anonymize job.toml").done();
    let found = checked(&sandbox, "check job.toml --json");
    assert_near(&found["sample"]["sampling_fraction"], 0.1);
    // No class is of one row.
    assert_eq!(found["population"]["dankar"]["share"], 0.0);
    let found = checked(&sandbox, "check job.toml --input --sampling-fraction 0.25 --json");
    assert_near(&found["sample"]["sampling_fraction"], 0.25);
    for wrong in ["0", "-0.1", "1.5", "nan"] {
        sandbox
            .write("bad.toml", JOB.replace("[privacy]", &format!("[privacy]\nsampling_fraction = {wrong}")));
        let ran = sandbox.throng("check bad.toml --input");
        assert_eq!(ran.code, Some(2), "{wrong}: {}", ran.stderr);
        assert!(ran.stderr.contains("above 0 and at most 1"), "{wrong}: {}", ran.stderr);
    }
    let both = "[privacy]\nsampling_fraction = 0.1\nsampling_weight = 'zip'";
    sandbox.write("bad.toml", JOB.replace("[privacy]", both));
    let ran = sandbox.throng("check bad.toml --input");
    assert!(ran.code == Some(2) && ran.stderr.contains("give only one of them"), "{}", ran.stderr);
}

#[test]
fn fractions_and_weights_that_are_none_are_refused_without_showing_them() {
    for fraction in ["0", "-1", "1.01", "NaN"] {
        let ran = wards().throng(&format!("check wards.csv --qi ward --sampling-fraction {fraction}"));
        assert_eq!(ran.code, Some(2), "{fraction}");
        assert!(ran.stderr.contains("above 0 and at most 1"), "{}", ran.stderr);
    }
    for (weight, problem) in [
        ("", "is missing"),
        ("-7.25", "is negative"),
        ("0.625", "is below one"),
        ("heavy", "is not a number"),
        ("inf", "is not a finite number"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("wards.csv", WARDS.replace("west,3,", &format!("west,{weight},")));
        let ran = sandbox.throng("check wards.csv --qi ward --sampling-weight wgt");
        assert_eq!(ran.code, Some(2), "{weight}");
        let (row, column) = (ran.stderr.contains("row 4"), ran.stderr.contains("'wgt'"));
        assert!(ran.stderr.contains(problem) && row && column, "{}", ran.stderr);
        assert!(weight.is_empty() || !ran.stderr.contains(weight), "{}", ran.stderr);
    }
    let near = wards().throng("check wards.csv --qi ward --sampling-weight wg");
    assert!(near.code == Some(2) && near.stderr.contains("'wgt'"), "{}", near.stderr);
    let quasi = wards().throng("check wards.csv --qi ward,wgt --sampling-weight wgt");
    assert!(quasi.code == Some(2) && quasi.stderr.contains("a column of their own"), "{}", quasi.stderr);
}

#[test]
fn a_policy_says_by_how_much_a_table_fails_and_why() {
    let judged = |policy: &str, more: &str, code: i32| {
        let line = format!("check wards.csv --qi ward,sex --policy {policy} {more} --json");
        let ran = wards().throng(&line);
        assert_eq!(ran.code, Some(code), "{}", ran.stderr);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["policy"].clone()
    };
    let found = judged("k-3", "", 1);
    assert_eq!(
        (&found["holds"], &found["criteria"][0]["short_by"]),
        (&Value::from(false), &Value::from(2.0))
    );
    // Six rows are in classes of fewer than three; without the ward there are two of three.
    assert_eq!(found["columns"][0], serde_json::json!({ "name": "ward", "rows_saved": 6 }));
    let found = judged("ema-0070", "", 1);
    assert_near(&found["criteria"][0]["short_by"], 1.0 - 0.09);
    // A sample of one in a thousand: hardly anybody is found.
    let found = judged("hdx", "--sampling-fraction 0.001", 0);
    assert_eq!(found["holds"], true);
    assert_eq!(judged("hdx", "", 1)["holds"], false);
    let unknown = wards().throng("check wards.csv --qi ward --policy ema-007");
    assert!(unknown.code == Some(2) && unknown.stderr.contains("'ema-0070'"), "{}", unknown.stderr);
}

#[test]
fn a_job_with_a_policy_is_released_by_it() {
    let sandbox = Sandbox::new();
    sandbox.write("job.toml", format!("policy = 'k-3'\n{JOB}"));
    sandbox.throng("anonymize job.toml").done();
    let found = checked(&sandbox, "check job.toml --json");
    assert!(found["k"].as_u64().unwrap() >= 3, "{}", found["k"]);
    let ran = sandbox.throng("anonymize job.toml -k 2 -o other.csv");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let found = checked(&sandbox, "check other.csv --qi age,sex,zip --json");
    assert!(found["k"].as_u64().unwrap() >= 3, "{}", found["k"]);
    let list = checked(&sandbox, "policies --json");
    assert!(list["policies"].as_array().unwrap().iter().all(|policy| policy["source"].is_string()));
}
