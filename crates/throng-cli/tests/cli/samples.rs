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

#[test]
fn households_are_found_if_somebody_of_them_is() {
    let sandbox = Sandbox::new();
    // North is of one row, south of two, west of three; nobody says whose the last one is.
    let rows = ["north,1", "south,1", "south,2", "west,2", "west,2", "west,"];
    sandbox.write("homes.csv", format!("ward,home\n{}\n", rows.join("\n")));
    let found = checked(&sandbox, "check homes.csv --qi ward --household home --json");
    let household = &found["household"];
    assert_eq!((&household["households"], &household["largest"]), (&Value::from(3), &Value::from(3)));
    // Of the first one is certain; of the second 1 − 1/2 · 2/3 · 2/3.
    let second = 1.0 - 0.5 * 4.0 / 9.0;
    assert_near(&household["highest_risk"], 1.0);
    assert_near(&household["expected_rows"], 2.0 + 3.0 * second + 1.0 / 3.0);
    assert_near(&household["mean_risk"], (2.0 + 3.0 * second + 1.0 / 3.0) / 6.0);
    let found =
        checked(&sandbox, "check homes.csv --qi ward --household home --sampling-fraction 0.5 --json");
    // r(1) = ln 2, r(2) = 1 − r(1), r(3) = 1/2 − r(2).
    let (one, two) = (2.0f64.ln(), 1.0 - 2.0f64.ln());
    let three = 0.5 - two;
    let first = 1.0 - (1.0 - one) * (1.0 - two);
    let second = 1.0 - (1.0 - two) * (1.0 - three).powi(2);
    assert_near(&found["household"]["expected_rows"], 2.0 * first + 3.0 * second + three);
    let text = sandbox.throng("check homes.csv --qi ward --household home").done();
    assert!(text.contains("Households") && text.contains("households by home"), "{text}");
    for (line, problem) in [
        ("check homes.csv --qi ward --household hom", "'home'"),
        ("check homes.csv --qi ward,home --household home", "a column of their own"),
        ("check homes.csv --qi ward --household home --person home", "persons cannot be counted"),
    ] {
        let ran = sandbox.throng(line);
        assert!(ran.code == Some(2) && ran.stderr.contains(problem), "{line}: {}", ran.stderr);
    }
}

#[test]
fn estimates_are_required_of_a_table_and_of_a_release() {
    let check = |more: &str, code: i32| {
        let ran = wards().throng(&format!("check wards.csv --qi ward --sampling-fraction 0.5 {more} --json"));
        assert_eq!(ran.code, Some(code), "{more}: {}", ran.stderr);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["requirements"][0].clone()
    };
    let (one, two, three) = (0.5, 2.0 * 0.5 * 6.0 / 11.0, 3.0 * 0.5 * 6.0 / 11.0 * 5.0 / 10.0);
    let share = one / (one + two + three) / 6.0;
    let found = check("--require population-uniqueness:share=0.05,estimator=zayatz", 1);
    assert!((found["degree"].as_f64().unwrap() - share).abs() < 1e-8, "{found}");
    assert_eq!((&found["verdict"], &found["worst_rows"]), (&Value::from("fails"), &serde_json::json!([1])));
    assert_eq!(check("--require population-uniqueness:share=0.1,estimator=zayatz", 0)["holds"], true);
    // One of two, and two of three, are sampled with more than a twentieth: nobody can tell north from a class of one.
    assert_eq!(check("--require estimated-k-map:k=2", 1)["degree"], 1.0);
    assert_eq!(check("--require estimated-k-map:k=2,fraction=0.01", 0)["degree"], 6.0);
    // Pitman's estimator needs classes of more rows.
    let alone = "ward\na\nb\nc\nd\n";
    let sandbox = Sandbox::new();
    sandbox.write("alone.csv", alone);
    let line = "check alone.csv --qi ward --sampling-fraction 0.1 --require population-uniqueness:share=1,estimator=pitman";
    let ran = sandbox.throng(line);
    assert!(ran.code == Some(1) && ran.stderr.contains("use estimator = \"zayatz\""), "{}", ran.stderr);
    let lacking = wards().throng("check wards.csv --qi ward --require population-uniqueness:share=0.1");
    assert!(lacking.code == Some(2) && lacking.stderr.contains("sampling_fraction"), "{}", lacking.stderr);
}

#[test]
fn a_release_has_the_estimates_that_its_job_requires() {
    let sandbox = Sandbox::new();
    let required = "[privacy]\nsampling_fraction = 0.2";
    let more = "[[privacy.require]]\nmodel = 'population-uniqueness'\nshare = 0.0\n\
                [[privacy.require]]\nmodel = 'estimated-k-map'\nk = 4\n";
    sandbox.write("job.toml", format!("{}\n{more}", JOB.replace("[privacy]", required)));
    let summary = checked(&sandbox, "anonymize job.toml --json");
    assert_eq!(summary["outcome"], "released", "{summary}");
    let found = checked(&sandbox, "check job.toml --json");
    let requirements = found["requirements"].as_array().unwrap();
    assert!(requirements.iter().all(|one| one["verdict"] == "holds"), "{requirements:?}");
    let of = |model: &str| requirements.iter().find(|one| one["model"] == model).unwrap().clone();
    assert_eq!(of("population-uniqueness")["parameters"]["fraction"], 0.2);
    assert!(of("estimated-k-map")["degree"].as_f64().unwrap() >= 4.0);
}

#[test]
fn special_rows_are_named_by_their_numbers() {
    let found = checked(&wards(), "check wards.csv --qi ward,sex --suda 2 --sampling-fraction 0.5 --json");
    let special = &found["special_uniques"];
    // Two rows are alone, and four in pairs.
    assert_near(&special["dis"], 1.0 / 3.0);
    assert_eq!(
        (&special["worst"][0]["row"], &special["worst"][1]["row"]),
        (&Value::from(1), &Value::from(6))
    );
    assert_near(&special["worst"][0]["dis_suda"], 1.0 / 3.0);
    assert_eq!(special["worst"][0]["columns"][0], serde_json::json!({ "name": "ward", "share": 1.0 }));
    let plain = checked(&wards(), "check wards.csv --qi ward,sex --suda 2 --json");
    assert_eq!(plain["special_uniques"]["dis"], Value::Null);
}

const CLINIC: &str = "mrn,zip,admitted,age,home,diagnosis\n10045,03601,2024-03-17,34,*,flu\n10046,02139,2024-03-18,91,*,gout\n\
                      10047,02139,2024-04-02,57,*,flu\n";

#[test]
fn safe_harbor_says_column_by_column_what_must_go() {
    let sandbox = Sandbox::new();
    sandbox.write("clinic.csv", CLINIC);
    let line = "check clinic.csv --qi zip,age --policy hipaa-safe-harbor";
    let ran = sandbox.throng(&format!("{line} --json"));
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let findings = found["policy"]["findings"].as_array().unwrap();
    let of = |one: &Value| {
        (
            one["rule"].as_str().unwrap().to_owned(),
            one["column"].as_str().unwrap().to_owned(),
            one["rows"].as_u64().unwrap(),
        )
    };
    let expected = [("(H)", "mrn", 3), ("(B)", "zip", 3), ("(C)", "admitted", 3), ("(C)", "age", 1)];
    let expected = expected.map(|(rule, column, rows)| (rule.to_owned(), column.to_owned(), rows));
    assert_eq!(findings.iter().map(of).collect::<Vec<_>>(), expected);
    assert_eq!(found["policy"]["criteria"][0]["short_by"], 4.0);
    // No cell is shown.
    let text = sandbox.throng(line);
    assert!(text.stdout.contains("must go"), "{}", text.stdout);
    for cell in ["03601", "02139", "10046", "2024-03", "91"] {
        assert!(!text.stdout.contains(cell) && !text.stderr.contains(cell), "{}{}", text.stdout, text.stderr);
    }
    let safe = "zip,admitted,age,diagnosis\n036**,2024,30-39,flu\n021**,2024,90+,gout\n";
    sandbox.write("safe.csv", safe.replace("036**", "021**"));
    let ran = sandbox.throng("check safe.csv --qi zip,age --policy hipaa-safe-harbor");
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    sandbox.write("visits_2024-03-17.csv", safe);
    let ran = sandbox.throng("check visits_2024-03-17.csv --qi zip,age --policy hipaa-safe-harbor --json");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let findings = &found["policy"]["findings"];
    assert_eq!(
        (&findings[0]["column"], &findings[1]["column"]),
        (&Value::Null, &Value::from("zip")),
        "{findings}"
    );
    assert_eq!(findings[1]["rows"], 1);
}

/// What no search decides is no requirement, and a job does not pretend that it is.
#[test]
fn jobs_are_not_released_by_policies_that_no_search_decides() {
    let sandbox = Sandbox::new();
    for policy in ["hipaa-safe-harbor", "hipaa-expert-determination"] {
        sandbox.write("job.toml", format!("policy = '{policy}'\n{JOB}"));
        let ran = sandbox.throng("anonymize job.toml");
        assert!(ran.code == Some(2) && ran.stderr.contains("throng check JOB --policy"), "{}", ran.stderr);
    }
    let ran = wards().throng("check wards.csv --qi ward --policy hipaa-expert-determination");
    assert!(ran.code == Some(1) && ran.stderr.contains("an expert decides"), "{}", ran.stderr);
}
