//! Means over columns, and what suppressing costs, from the job to everything that shows a loss.

use serde_json::Value;

use crate::sandbox::{JOB, Sandbox};

fn sandbox(search: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("job.toml", format!("{JOB}suppression = 2\n[search]\n{search}\n"));
    sandbox
}

fn summary(sandbox: &Sandbox, line: &str) -> Value {
    serde_json::from_str(&sandbox.throng(line).done()).unwrap()
}

/// Of ages, sexes and ZIP codes, by the levels that are released: what each column loses by `lm`.
fn by_hand(levels: &Value, mean: &str) -> f64 {
    let share = |leaves: f64, domain: f64| (leaves - 1.0) / (domain - 1.0);
    // Of each age, those in the same group; 31-33, 36-38, 41 alone, 45-47-49 at level 1.
    let age = match levels["age"].as_u64().unwrap() {
        0 => 0.0,
        1 => (4.0 * share(2.0, 8.0) + 3.0 * share(3.0, 8.0)) / 8.0,
        2 => share(4.0, 8.0),
        _ => 1.0,
    };
    let sex = levels["sex"].as_u64().unwrap() as f64;
    // 12345 to 12347 without their last digit, and with 12399 without two; and the same that begin with 2.
    let zip = match levels["zip"].as_u64().unwrap() {
        0 => 0.0,
        1 => 6.0 * share(3.0, 8.0) / 8.0,
        2..=4 => share(4.0, 8.0),
        _ => 1.0,
    };
    match mean {
        "geometric" => ((1.0 + age) * (1.0 + sex) * (1.0 + zip)).cbrt() - 1.0,
        "largest" => age.max(sex).max(zip),
        _ => (age + sex + zip) / 3.0,
    }
}

#[test]
fn losses_are_those_of_the_mean() {
    for mean in ["arithmetic", "geometric", "largest"] {
        let sandbox = sandbox("");
        let line = format!("anonymize job.toml --suppression 0 --mean {mean} --json");
        let found = summary(&sandbox, &line);
        let (lm, expected) = (found["measures"]["lm"].as_f64().unwrap(), by_hand(&found["levels"], mean));
        assert!((lm - expected).abs() < 1e-12, "{mean}: {lm}, not {expected} at {}", found["levels"]);
        assert_eq!(found["optimal"], true, "{mean}");
        let said = found.get("aggregate").map(|of| of["mean"].as_str().unwrap());
        assert_eq!(said, Some(mean).filter(|&mean| mean != "arithmetic"));
    }
}

/// The cheaper it is to suppress, the more rows are left out; where generalising is free, none is.
#[test]
fn what_is_cheaper_is_done() {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 300 --dir .").done();
    let suppressed = ["0", "0.5", "0.75", "1"].map(|preference| {
        let line = "anonymize hospital.toml --suppression 10% --json --suppress-or-generalise";
        let found = summary(&sandbox, &format!("{line} {preference} -o {preference}.csv"));
        assert_eq!(found["optimal"], true, "{preference}");
        let said = found.get("aggregate").map(|of| of["suppress_or_generalise"].as_f64());
        assert_eq!(said, Some(preference).filter(|&one| one != "0.5").map(|one| one.parse().ok()));
        found["suppressed_rows"].as_u64().unwrap()
    });
    assert!(suppressed.is_sorted_by(|a, b| a >= b), "{suppressed:?}");
    assert!(suppressed[0] > suppressed[2] && suppressed[3] == 0, "{suppressed:?}");
}

#[test]
fn a_saved_recoding_is_measured_alike() {
    let sandbox = sandbox("mean = \"geometric\"\nsuppress_or_generalise = 0.25");
    let first = summary(&sandbox, "anonymize job.toml --save saved.json --json");
    let again = summary(&sandbox, "apply saved.json people.csv -o again.csv --json");
    assert_eq!(first["aggregate"], again["aggregate"]);
    assert_eq!(first["measures"], again["measures"]);
    assert!(first["aggregate"].is_object());
}

#[test]
fn everything_that_shows_a_loss_says_by_what_mean() {
    let sandbox = sandbox("mean = \"largest\"\nsuppress_or_generalise = 0.25");
    let said = "largest loss of a column, suppressed cells count 0.5 times";
    let text = sandbox.throng("anonymize job.toml --report report.html").done();
    assert!(text.contains(said), "{text}");
    assert!(sandbox.read("report.html").contains(said));
    let text = sandbox.throng("compare job.toml --algorithms flash,ola --k 2 --repeat 1").done();
    assert!(text.contains(said), "{text}");
    let text =
        sandbox.throng("frontier job.toml --objectives k,lm --local mondrian --k 2 --html front.html").done();
    assert!(text.contains(said), "{text}");
    assert!(sandbox.read("front.html").contains(said));
    let found = summary(&sandbox, "anonymize job.toml --json");
    let front = summary(&sandbox, "frontier job.toml --objectives k,lm --json");
    let of_k = |point: &&Value| point["k"].as_u64() >= Some(2);
    let lm = |point: &Value| point["values"]["lm"].as_f64().unwrap();
    let least = front["front"].as_array().unwrap().iter().filter(of_k).map(lm).fold(1.0, f64::min);
    assert!((found["measures"]["lm"].as_f64().unwrap() - least).abs() < 1e-9);
}

#[test]
fn what_no_search_can_minimise_is_refused() {
    let refused = |flags: &str| {
        let ran = sandbox("").throng(&format!("anonymize job.toml {flags}"));
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        ran.stderr
    };
    let cut = refused("--algorithm cut-search --mean largest");
    assert!(
        cut.contains("'cut-search' cannot minimise by mean = \"largest\"") && cut.contains("flash"),
        "{cut}"
    );
    let local = refused("--algorithm mondrian --suppress-or-generalise 0.1");
    assert!(local.contains("'mondrian' cannot minimise by suppress_or_generalise"), "{local}");
    let near = refused("--mean geometrical");
    assert!(near.contains("geometric") && near.contains("arithmetic"), "{near}");
    for wrong in ["-0.1", "1.5", "0.0001", "half"] {
        let message = refused(&format!("--suppress-or-generalise {wrong}"));
        assert!(message.contains("from 0 to 1"), "{message}");
    }
    let sandbox = sandbox("mean = \"average\"");
    let ran = sandbox.throng("anonymize job.toml");
    assert!(ran.code == Some(2) && ran.stderr.contains("unknown mean 'average'"), "{}", ran.stderr);
}

#[test]
fn a_mean_that_changes_nothing_is_warned_of() {
    let found = summary(&sandbox("mean = \"largest\""), "anonymize job.toml --measure dm --json");
    let warnings = found["warnings"].to_string();
    assert!(warnings.contains("mean and suppress_or_generalise have no effect on the search"), "{warnings}");
}
