//! What contenders may say of themselves, and what trials then say of it.

use serde_json::{Value, json};
use throng::algorithm::Settings;

use super::*;

/// The demo without hierarchies, as a job would say it.
const OPEN: &str = "[columns]
    birth_date = { role = 'quasi', generalise = 'range' }
    sex = { role = 'quasi', generalise = { set = 20 } }
    zip = { role = 'quasi', generalise = { set = 20 } }
    nationality = { role = 'quasi', generalise = { set = 20 } }
    occupation = { role = 'quasi', generalise = { set = 20 } }
    admission_date = { role = 'quasi', generalise = 'range' }
    '*' = { role = 'other' }
    [privacy]
    k = 5";

fn found<'a>(trials: &'a [Trial], algorithm: &str) -> Vec<&'a JudgedRecoding> {
    let of_algorithm = trials.iter().filter(|trial| trial.algorithm == algorithm);
    of_algorithm.map(|trial| trial.found.as_ref().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_comparison_finds_what_two_jobs_find() {
    let (directory, job) = demo();
    let text = format!("input = 'hospital.csv'\noutput = 'o.csv'\n{OPEN}");
    let open = Job::parse(&text, directory.path()).unwrap();
    let plan = |contenders: &[&str]| ComparisonPlan {
        measures: vec![find_measure("ncp").unwrap()],
        suppression: Suppression::Rows(0),
        sample: Some(RowSample { rows: 150, seed: 3 }),
        quasi_counts: Some(2..=3),
        quasi_k: 4,
        ..plan(contenders, &[3, 8])
    };
    let both = plan(&[
        "datafly",
        "mondrian:generalise=range-or-set:20",
        "agglomerative:generalise=range-or-set:20",
        "spatial-distance:generalise=range-or-set:20",
    ]);
    let both = compare(&job, &both, &Quiet).await.unwrap();
    let closed = compare(&job, &plan(&["datafly", "mondrian"]), &Quiet).await.unwrap();
    let open_plan = plan(&["mondrian", "agglomerative", "spatial-distance"]);
    let open = compare(&open, &open_plan, &Quiet).await.unwrap();
    for of in [|c: &Comparison| c.by_k.clone(), |c: &Comparison| c.by_quasi_count.clone()] {
        let (both, closed, open) = (of(&both), of(&closed), of(&open));
        assert_eq!(found(&both, "datafly"), found(&closed, "datafly"));
        for algorithm in ["mondrian", "agglomerative", "spatial-distance"] {
            assert_eq!(found(&both, algorithm), found(&open, algorithm), "{algorithm}");
        }
        assert_ne!(found(&both, "mondrian"), found(&closed, "mondrian"));
    }
    let ways: Vec<(&str, &Value)> =
        both.without_hierarchies.iter().map(|(name, way)| (name.as_str(), way)).collect();
    assert_eq!((ways[0], ways[2]), (("birth_date", &json!("range")), ("zip", &json!("set"))));
    assert!(closed.without_hierarchies.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn each_limit_of_sets_has_a_table_of_its_own() {
    let (_directory, job) = demo();
    let plan = plan(&["forest:generalise=range-or-set:2", "forest:generalise=range-or-set"], &[5]);
    let compared = compare(&job, &plan, &Quiet).await.unwrap();
    let [small, usual] = &compared.by_k[..] else { panic!("two trials") };
    assert!(small.measured("lm") > usual.measured("lm"));
    assert_eq!(small.settings["generalise"], "range-or-set:2");
    assert_eq!(usual.settings["generalise"], "range-or-set");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_the_job_are_named_where_they_are_in_force() {
    let (_directory, mut job) = demo();
    let told = Settings::default().with("block_rows", "100").and_then(|told| told.with("distance", "4"));
    job.search.settings = told.unwrap();
    let names = ["flash", "forest", "agglomerative:shrink", "sequential:block_rows=4000", "mondrian"];
    let contenders = names.map(|name| Contender::parse(name, &job).unwrap()).to_vec();
    let plan = ComparisonPlan { contenders, suppression: Suppression::Rows(0), ..plan(&[], &[5]) };
    let compared = compare(&job, &plan, &Quiet).await.unwrap();
    let [flash, forest, agglomerative, sequential, mondrian] = &compared.by_k[..] else { panic!("five") };
    assert!(flash.settings.is_empty(), "{:?}", flash.settings);
    for trial in [forest, agglomerative, mondrian] {
        assert_eq!(trial.settings["block_rows"], 100, "{}", trial.contender);
        assert!(trial.settings["blocks"].as_u64() >= Some(4), "{}", trial.contender);
    }
    assert_eq!((forest.settings.len(), &forest.settings["variant"]), (3, &json!("improved")));
    let of = |trial: &Trial, key: &str| trial.settings.get(key).cloned();
    assert_eq!(
        (of(agglomerative, "distance"), of(agglomerative, "shrink")),
        (Some(json!(4)), Some(json!(true)))
    );
    assert_eq!((of(mondrian, "relaxed"), of(mondrian, "distance")), (Some(json!(false)), None));
    // Its blocks are larger than the table, so there are none.
    let keys: Vec<&str> = sequential.settings.keys().map(String::as_str).collect();
    assert_eq!(keys, ["distance", "epsilon", "passes"]);
}
