mod settings;

use std::path::Path;
use std::sync::Mutex;

use tempfile::TempDir;

use super::*;
use crate::demo::{Demo, Hospital, write_demo};
use crate::format::Format;
use crate::pipeline::find_measure;
use crate::progress::Quiet;

const ROWS: u64 = 400;

fn demo() -> (TempDir, Job) {
    let directory = tempfile::tempdir().unwrap();
    let demo = Demo { dataset: &Hospital, seed: 1, rows: ROWS };
    let job = write_demo(directory.path(), demo, Format::CSV, &Quiet).unwrap();
    let job = Job::read(&job).unwrap();
    (directory, job)
}

fn plan(contenders: &[&str], ks: &[u64]) -> ComparisonPlan {
    let job = "input = 'a.csv'\noutput = 'b.csv'\ncolumns.age = { role = 'quasi' }\nprivacy.k = 5";
    let job = Job::parse(job, Path::new("")).unwrap();
    ComparisonPlan {
        contenders: contenders.iter().map(|text| Contender::parse(text, &job).unwrap()).collect(),
        measures: vec![find_measure("lm").unwrap()],
        ks: ks.to_vec(),
        only_ks_within_rows: false,
        quasi_counts: None,
        quasi_k: 10,
        sample: None,
        classifiers: Vec::new(),
        seed: 1,
        suppression: Suppression::Share(0.05),
        time_limit: None,
        repeats: 1,
    }
}

async fn complaint(plan: ComparisonPlan) -> String {
    let (_directory, job) = demo();
    match compare(&job, &plan, &Quiet).await {
        Err(error @ EngineError::BadInput(_)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_algorithm_meets_every_k_and_none_beats_the_optimum() {
    let (directory, job) = demo();
    let plan = plan(&["datafly", "improved-greedy", "flash"], &[2, 10]);
    let compared = compare(&job, &plan, &Quiet).await.unwrap();
    assert_eq!((compared.rows, compared.max_suppressed_rows), (ROWS, 20));
    let order: Vec<(&str, u64)> =
        compared.by_k.iter().map(|trial| (trial.algorithm.as_str(), trial.k)).collect();
    let names = ["datafly", "improved-greedy", "flash"];
    let expected: Vec<(&str, u64)> = [2, 10].iter().flat_map(|&k| names.map(|name| (name, k))).collect();
    assert_eq!(order, expected);
    for trials in compared.by_k.chunks(3) {
        let optimum = trials[2].measured("lm").unwrap();
        assert!(trials[2].optimal && !trials[0].optimal);
        for trial in trials {
            let found = trial.found.as_ref().unwrap();
            assert_eq!((trial.ending, trial.quasi_identifiers), (Ending::Found, 6));
            assert!(found.achieved_k >= trial.k && found.suppressed_rows <= 20);
            assert!(trial.measured("lm").unwrap() >= optimum - 1e-12, "{}", trial.algorithm);
            let levels: i64 = found.levels.values().map(|level| level.as_i64().unwrap()).sum();
            assert_eq!(trial.measured("level"), Some(levels as f64));
            assert!(trial.counted_nodes() > 0 && trial.seconds > 0.0);
        }
    }
    assert!(!directory.path().join("hospital-k5.csv").exists(), "nothing is released");
}

#[tokio::test(flavor = "multi_thread")]
async fn fewer_quasi_identifiers_are_the_first_of_the_table() {
    let (_directory, job) = demo();
    let plan = ComparisonPlan { quasi_counts: Some(2..=6), quasi_k: 4, ..plan(&["flash"], &[4]) };
    let compared = compare(&job, &plan, &Quiet).await.unwrap();
    let counts: Vec<usize> = compared.by_quasi_count.iter().map(|t| t.quasi_identifiers).collect();
    assert_eq!(counts, [2, 3, 4, 5, 6]);
    let heights: Vec<u128> = compared.heights.values().map(|h| h.as_u64().unwrap().into()).collect();
    for trial in &compared.by_quasi_count {
        let expected: u128 = heights[..trial.quasi_identifiers].iter().map(|height| height + 1).product();
        assert_eq!((trial.lattice_nodes, trial.k), (expected, 4));
    }
    let (all, last) = (&compared.by_k[0], compared.by_quasi_count.last().unwrap());
    assert_eq!((&all.found, all.lattice_nodes), (&last.found, last.lattice_nodes));
}

/// Two shields of the job, with and without a k over all quasi-identifiers.
#[tokio::test(flavor = "multi_thread")]
async fn a_k_of_one_asks_for_what_the_job_requires_and_no_more() {
    let (_directory, mut job) = demo();
    let over = |k: u64, shield: &[&str]| {
        let shield = shield.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
        let text = format!("model = 'k'\nk = {k}\nshield = [{shield}]");
        toml::from_str(&text).unwrap()
    };
    job.privacy.require = vec![over(9, &["sex", "nationality"]), over(4, &["birth_date", "zip"])];
    let compared = compare(&job, &plan(&["flash", "ascent"], &[1, 4]), &Quiet).await.unwrap();
    let [alone, cut, with_k, _] = &compared.by_k[..] else { panic!("{:?}", compared.by_k) };
    let k = |trial: &Trial| trial.found.as_ref().unwrap().achieved_k;
    assert_eq!((alone.k, alone.ending, cut.ending), (1, Ending::Found, Ending::Found));
    assert!(k(alone) < 4 && k(with_k) >= 4, "{} {}", k(alone), k(with_k));
    assert!(alone.measured("lm") < with_k.measured("lm"));
    let none = complaint(ComparisonPlan { ks: vec![0], ..plan(&["flash"], &[]) }).await;
    assert!(none.starts_with("k is 0"), "{none}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_out_of_time_is_a_trial_that_says_so() {
    let (_directory, job) = demo();
    let plan =
        ComparisonPlan { time_limit: Some(Duration::from_nanos(1)), repeats: 3, ..plan(&["samarati"], &[5]) };
    let compared = compare(&job, &plan, &Quiet).await.unwrap();
    let [trial] = &compared.by_k[..] else { panic!("one trial") };
    assert_eq!(trial.ending, Ending::Stopped { reason: StopReason::TimeLimit });
    assert!(trial.found.is_none() && !trial.optimal);
    assert_eq!(trial.measured("lm"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn plans_that_cannot_be_carried_out_are_explained() {
    assert_eq!(complaint(plan(&["flash"], &[5, 1])).await, "k is 1; it must be at least 2");
    assert_eq!(complaint(plan(&["flash"], &[5, 0])).await, "k is 0; it must be at least 2");
    assert_eq!(complaint(plan(&[], &[5])).await, "no algorithm to compare");
    assert_eq!(complaint(plan(&["flash"], &[])).await, "no k to compare at");
    let none = ComparisonPlan { repeats: 0, ..plan(&["flash"], &[5]) };
    assert!(complaint(none).await.starts_with("repeat is 0"));
    let none = ComparisonPlan { measures: Vec::new(), ..plan(&["flash"], &[5]) };
    assert_eq!(complaint(none).await, "no measure to compare by");
    let none = ComparisonPlan { sample: Some(RowSample { rows: 0, seed: 1 }), ..plan(&["flash"], &[5]) };
    assert!(complaint(none).await.starts_with("rows is 0"));
    let unfit = complaint(plan(&["expansion"], &[5])).await;
    assert!(unfit.contains("'expansion' does not guarantee k-anonymity"), "{unfit}");
    let small =
        ComparisonPlan { sample: Some(RowSample { rows: 100, seed: 1 }), ..plan(&["flash"], &[2, 101]) };
    assert!(complaint(small).await.starts_with("k = 101 is more than the 100 rows"));
    let many = complaint(plan(&["flash"], &[2, 401])).await;
    assert!(many.starts_with("k = 401 is more than the 400 rows"), "{many}");
    for counts in [3..=7, 0..=2, RangeInclusive::new(4, 3)] {
        let plan = ComparisonPlan { quasi_counts: Some(counts.clone()), ..plan(&["flash"], &[5]) };
        let message = complaint(plan).await;
        assert!(message.contains("between 1 and 6, the number"), "{counts:?}: {message}");
    }
}

/// Stops at the first search, and notes the phases.
#[derive(Default)]
struct Impatient {
    phases: Mutex<Vec<&'static str>>,
}

impl Progress for Impatient {
    fn phase(&self, name: &'static str) {
        self.phases.lock().unwrap().push(name);
    }

    fn cancelled(&self) -> bool {
        self.phases.lock().unwrap().len() > 1
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interruption_ends_the_comparison() {
    let (_directory, job) = demo();
    let watcher = Impatient::default();
    let stopped = compare(&job, &plan(&["datafly", "flash"], &[5]), &watcher).await;
    assert!(matches!(stopped, Err(EngineError::Interrupted)));
    assert_eq!(*watcher.phases.lock().unwrap(), ["read", "datafly"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn infeasible_jobs_say_what_could_be_had() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("h.csv"), "a;x\nb;x\nc;y\n").unwrap();
    std::fs::write(directory.path().join("t.csv"), "q\na\nb\na\nc\nc\n").unwrap();
    let text = "input = 't.csv'\noutput = 'o.csv'\nprivacy.k = 2\n\
                [columns]\nq = { role = 'quasi', hierarchy = 'h.csv' }";
    let job = Job::parse(text, Path::new(directory.path())).unwrap();
    let plan = ComparisonPlan { suppression: Suppression::Rows(0), ..plan(&["flash", "datafly"], &[2, 3]) };
    let compared = compare(&job, &plan, &Quiet).await.unwrap();
    assert_eq!(compared.by_k[0].ending, Ending::Found);
    for trial in &compared.by_k[2..] {
        assert_eq!(trial.ending, Ending::Infeasible { best_k: 2 }, "{}", trial.algorithm);
        assert!(trial.found.is_none());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_measure_has_its_trials_and_its_best() {
    let (_directory, job) = demo();
    let contenders = ["agglomerative:distance=1", "agglomerative:distance=3+shrink", "forest"];
    let measures = ["lm", "entropy"].map(|name| find_measure(name).unwrap()).to_vec();
    let plan = ComparisonPlan { measures, suppression: Suppression::Rows(0), ..plan(&contenders, &[3, 6]) };
    let compared = compare(&job, &plan, &Quiet).await.unwrap();
    let order: Vec<(&str, u64, &str)> = compared
        .by_k
        .iter()
        .map(|trial| (trial.measure.as_str(), trial.k, trial.contender.as_str()))
        .collect();
    let each = |measure: &'static str| {
        [3, 6].into_iter().flat_map(move |k| contenders.map(|contender| (measure, k, contender)))
    };
    assert_eq!(order, each("lm").chain(each("entropy")).collect::<Vec<_>>());
    for best in &compared.best {
        let sum = |contender: &str| -> f64 {
            let trials = compared
                .by_k
                .iter()
                .filter(|t| (t.measure.as_str(), t.contender.as_str()) == (best.measure.as_str(), contender));
            trials.map(|trial| trial.measured(&best.measure).unwrap()).sum()
        };
        assert!(best.of.iter().all(|other| sum(&best.contender) <= sum(other)), "{best:?}");
    }
    let names: Vec<&str> = compared.best.iter().map(|best| best.name.as_str()).collect();
    assert_eq!(names, ["best(agglomerative)", "forest", "best(agglomerative)", "forest"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_and_notions_reach_the_search() {
    let (_directory, job) = demo();
    let contenders = [
        "agglomerative:distance=1",
        "agglomerative:distance=4",
        "expansion:notion=kk",
        "expansion:notion=global-1k",
    ];
    let plan = ComparisonPlan { suppression: Suppression::Rows(0), ..plan(&contenders, &[4]) };
    let compared = compare(&job, &plan, &Quiet).await.unwrap();
    let [one, four, kk, global] = &compared.by_k[..] else { panic!("four trials") };
    assert_ne!(one.measured("lm"), four.measured("lm"));
    assert_eq!([&one.notion, &kk.notion, &global.notion], ["k", "kk", "global-1k"]);
    let crowds = |trial: &Trial| trial.found.as_ref().unwrap().crowds.clone();
    assert_eq!(crowds(one), None);
    let (kk_crowds, global_crowds) = (crowds(kk).unwrap(), crowds(global).unwrap());
    for crowds in [&kk_crowds, &global_crowds] {
        assert!(crowds.degree >= 4 && crowds.mean_neighbours >= crowds.mean_matches, "{crowds:?}");
        assert!(crowds.mean_neighbours >= 4.0, "{crowds:?}");
    }
    assert_eq!(global_crowds.rows_below_k_matches, 0);
    // The demo's (k,k) tables need Algorithm 6, or there would be nothing to see here.
    assert!(kk_crowds.rows_below_k_matches > 0 && global.measured("lm") > kk.measured("lm"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sample_is_compared_in_the_place_of_the_table() {
    let (_directory, job) = demo();
    let of =
        |seed: u64| ComparisonPlan { sample: Some(RowSample { rows: 150, seed }), ..plan(&["forest"], &[5]) };
    let (one, other) =
        (compare(&job, &of(1), &Quiet).await.unwrap(), compare(&job, &of(2), &Quiet).await.unwrap());
    assert_eq!((one.rows, one.max_suppressed_rows, other.rows), (150, 7, 150));
    assert_ne!(one.by_k[0].found, other.by_k[0].found);
}

/// Every ending, and what was found, as a script reads it.
#[test]
fn endings_can_be_read_back() {
    let endings = [
        (Ending::Found, r#"{"outcome":"found"}"#),
        (Ending::Infeasible { best_k: 3 }, r#"{"outcome":"infeasible","best_k":3}"#),
        (
            Ending::Stopped { reason: StopReason::LatticeTooLarge },
            r#"{"outcome":"stopped","reason":"lattice too large"}"#,
        ),
    ];
    for (ending, text) in endings {
        assert_eq!(serde_json::to_string(&ending).unwrap(), text);
        assert_eq!(serde_json::from_str::<Ending>(text).unwrap(), ending);
    }
    for reason in [StopReason::TimeLimit, StopReason::LatticeTooLarge, StopReason::Cancelled] {
        assert_eq!(serde_json::to_value(reason).unwrap(), reason.name());
    }
}
