//! Settings of the algorithms: used and named in the summary, or refused.

use serde_json::{Value, json};

use crate::sandbox::{JOB, Sandbox};

fn summary(sandbox: &Sandbox, line: &str) -> Value {
    serde_json::from_str(&sandbox.throng(&format!("{line} --json")).done()).expect("one JSON object")
}

/// The small table's job with some lines in `[search]`.
fn with_search(lines: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("job.toml", format!("{JOB}\n[search]\n{lines}\n"));
    sandbox
}

#[test]
fn the_summary_names_what_was_used() {
    let sandbox = Sandbox::new();
    let standard = "anonymize job.toml --algorithm agglomerative";
    let expected = json!({ "variant": "improved", "distance": 3, "shrink": false });
    assert_eq!(summary(&sandbox, standard)["settings"], expected);
    let line = "anonymize job.toml --algorithm agglomerative --distance 4 --epsilon 0.5 --shrink";
    let expected = json!({ "variant": "improved", "distance": 4, "epsilon": 0.5, "shrink": true });
    assert_eq!(summary(&sandbox, line)["settings"], expected);
    let text = sandbox.throng(line).done();
    assert!(
        text.contains(
            "\n  agglomerative (variant = \"improved\", distance = 4, epsilon = 0.5, shrink = true), judged"
        ),
        "{text}"
    );
    let line = "anonymize job.toml --algorithm expansion --notion kk -k 3";
    let found = summary(&sandbox, line);
    assert_eq!(
        (&found["settings"], &found["requirement"]),
        (&json!({ "variant": "improved" }), &json!({ "k": 3, "notion": "kk" }))
    );
}

#[test]
fn settings_without_use_are_refused_in_jobs_and_flags() {
    let expected = "error: 'forest' does not use 'distance'; agglomerative and sequential do\n";
    let sandbox = with_search("algorithm = 'forest'\ndistance = 3");
    assert_eq!(sandbox.refused("anonymize job.toml"), expected);
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.refused("anonymize job.toml --algorithm forest --distance 1"), expected);
    assert_eq!(
        sandbox.refused("anonymize job.toml --relaxed"),
        "error: 'auto' does not use 'relaxed'; mondrian does\n"
    );
    assert_eq!(
        sandbox.refused("anonymize job.toml --algorithm agglomerative --epsilon 0.5"),
        "error: 'agglomerative' does not use 'epsilon' with this distance; 'epsilon' belongs to distance = \
            4\n"
    );
    assert!(
        sandbox
            .refused("anonymize job.toml --algorithm sequential --distance 4 --epsilon -1")
            .contains("epsilon is -1; it must be a number above 0")
    );
}

#[test]
fn another_algorithm_leaves_the_settings_of_the_job_behind() {
    let sandbox = with_search("algorithm = 'agglomerative'\ndistance = 4\nepsilon = 0.5\nblock_rows = 8");
    let found = summary(&sandbox, "anonymize job.toml --algorithm forest");
    assert_eq!(found["settings"], json!({ "variant": "improved", "block_rows": 8 }));
    let found = summary(&sandbox, "anonymize job.toml --distance 1");
    assert_eq!(
        found["settings"],
        json!({ "variant": "improved", "distance": 1, "shrink": false, "block_rows": 8 })
    );
    // Other commands search for nothing, and read the same job.
    sandbox.throng("check job.toml").done();
}

#[test]
fn only_what_is_near_is_suggested() {
    let sandbox = Sandbox::new();
    let refused = |flags: &str| sandbox.refused(&format!("anonymize job.toml {flags}"));
    let number = refused("--distance 5");
    assert!(number.contains("unknown distance '5'; allowed are: 1, 2, 3, 4, nergiz-clifton"), "{number}");
    assert!(refused("--distance nergiz").contains("allowed are: 1, 2"));
    assert!(refused("--distance nergis-clifton").contains("did you mean 'nergiz-clifton'?"));
    let notion = refused("--notion xx");
    assert!(notion.contains("unknown notion 'xx'; allowed are: k, 1k, k1, kk, global-1k"), "{notion}");
    assert!(refused("--notion kkk").contains("did you mean 'kk'?"));
    assert!(refused("--seed -1").contains("must be a whole number from 0"));
    assert!(refused("--threads -1").contains("must be a whole number of at least 1"));
}

/// `passes` is declared in the file of `sequential` and named nowhere else but in tests: whatever an
/// algorithm declares, jobs, flags, variants, the summary and the list of algorithms know.
#[test]
fn a_setting_that_one_algorithm_declares_is_known_everywhere() {
    let sandbox = with_search("algorithm = 'sequential'\npasses = 3");
    let expected = |passes: u64| json!({ "distance": 3, "passes": passes });
    assert_eq!(summary(&sandbox, "anonymize job.toml")["settings"], expected(3));
    assert_eq!(summary(&sandbox, "anonymize job.toml --passes 0")["settings"], expected(0));
    let text = sandbox.throng("anonymize job.toml").done();
    assert!(text.contains("\n  sequential (distance = 3, passes = 3), judged"), "{text}");
    assert_eq!(
        summary(&Sandbox::new(), "anonymize job.toml --algorithm sequential")["settings"],
        expected(20)
    );

    let line = "compare job.toml --algorithms sequential,sequential:passes=0 --k 2 --repeat 1 --format json";
    let compared: Value = serde_json::from_str(&sandbox.throng(line).done()).unwrap();
    assert_eq!(compared["by_k"][0]["settings"], expected(3));
    assert_eq!(compared["by_k"][1]["settings"], expected(0));

    let list: Value = serde_json::from_str(&sandbox.throng("algorithms --json").done()).unwrap();
    let settings = list["settings"].as_array().unwrap();
    let passes = settings.iter().find(|setting| setting["name"] == "passes").unwrap();
    assert_eq!((&passes["type"], &passes["default"]), (&json!("count"), &json!(20)));
    assert_eq!((&passes["flag"], &passes["algorithms"]), (&json!("--passes"), &json!(["sequential"])));
    let help = sandbox.throng("anonymize --help").done();
    assert!(help.contains("--passes <PASSES>"), "{help}");
    let help = sandbox.throng("compare --help").done();
    let words: Vec<&str> = help.split_whitespace().collect();
    assert!(words.contains(&"passes,"), "{help}");
}

#[test]
fn a_setting_that_one_algorithm_declares_is_refused_where_it_makes_no_sense() {
    let refused = |lines: &str| with_search(lines).refused("anonymize job.toml");
    let unused = refused("algorithm = 'forest'\npasses = 3");
    assert_eq!(unused, "error: 'forest' does not use 'passes'; sequential does\n");
    let negative = refused("algorithm = 'sequential'\npasses = -1");
    assert!(negative.ends_with("column 10: passes is -1; it must be at least 0\n"), "{negative}");
    let misspelt = refused("algorithm = 'sequential'\npases = 3");
    assert!(misspelt.contains("unknown key 'pases' in [search]; did you mean 'passes'?"), "{misspelt}");
    let sandbox = Sandbox::new();
    let flag = sandbox.refused("anonymize job.toml --algorithm sequential --passes many");
    assert!(flag.contains("'many' for '--passes <PASSES>': must be a whole number of passes"), "{flag}");
    let variant = sandbox.refused("compare job.toml --algorithms forest:passes=3");
    assert!(
        variant.contains("'forest:passes=3': 'forest' does not use 'passes'; sequential does"),
        "{variant}"
    );
}

#[test]
fn flags_may_put_right_what_is_wrong_with_a_job() {
    let sandbox = with_search("algorithm = 'forest'\nblock_rows = 3");
    assert!(sandbox.refused("anonymize job.toml").ends_with("block_rows is 3; it must be at least 2k = 4\n"));
    sandbox.throng("anonymize job.toml --block-rows 4").done();
}
