//! Fronts, and the release of what was chosen on one.

use std::sync::atomic::{AtomicU64, Ordering};

use throng_engine::error::{EngineError, Result};
use throng_engine::frontier::{FrontierOptions, FrontierSummary, Method, frontier};
use throng_engine::job::Job;
use throng_engine::pipeline::{CHOSEN, ChosenRelease, release_chosen};
use throng_engine::progress::{Progress, Quiet};

use crate::hospital::{hierarchies, hospital};
use crate::truth::Case;

fn options(objectives: &[&str], method: Method) -> FrontierOptions {
    FrontierOptions {
        objectives: objectives.iter().map(|&name| name.to_owned()).collect(),
        method,
        seed: 1,
        ..FrontierOptions::default()
    }
}

fn find(job: &Job, options: &FrontierOptions, progress: &dyn Progress) -> Result<FrontierSummary> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.unwrap().block_on(frontier(job, options, progress))
}

#[test]
fn fronts_do_not_depend_on_the_threads() {
    let (sandbox, job) = hospital(&[]);
    let job = sandbox.job(&job);
    for method in [Method::Exact, Method::PbgEa, Method::FrontWalk] {
        let mut options = options(&["k", "l", "t-closeness:diagnosis", "glm"], method);
        options.local = vec!["mondrian".to_owned()];
        options.ks = vec![2, 10];
        let [one, three] = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| find(&job, &options, &Quiet)).unwrap()
        });
        assert!(!one.front.is_empty() && one.local.len() == 2);
        assert_eq!(one, three, "{method:?}");
    }
}

/// Counts, and wants the run to stop after so many nodes.
struct Counts {
    nodes: AtomicU64,
    most: u64,
}

impl Progress for Counts {
    fn nodes_checked(&self, checked: u64, total: u64) {
        assert!(checked <= total);
        self.nodes.fetch_max(checked, Ordering::SeqCst);
    }

    fn cancelled(&self) -> bool {
        self.nodes.load(Ordering::SeqCst) >= self.most
    }
}

#[test]
fn every_method_tells_its_progress_and_can_be_cancelled() {
    let (sandbox, job) = hospital(&[]);
    let job = sandbox.job(&job);
    for method in [Method::Exact, Method::PbgEa, Method::FrontWalk] {
        let options = options(&["k", "glm"], method);
        let watched = Counts { nodes: 0.into(), most: u64::MAX };
        let found = find(&job, &options, &watched).unwrap();
        assert_eq!(watched.nodes.into_inner(), found.evaluated_nodes, "{method:?}");
        let stopped = find(&job, &options, &Counts { nodes: 0.into(), most: 3 });
        assert!(matches!(stopped, Err(EngineError::Interrupted)), "{method:?}");
    }
}

#[test]
fn what_is_picked_is_released_truly() {
    let (sandbox, text) = hospital(&[]);
    let job = sandbox.job(&text);
    let found = find(&job, &options(&["k", "glm"], Method::Exact), &Quiet).unwrap();
    let point = found.front.iter().find(|point| point.k >= 5 && point.suppressed_rows > 0);
    let point = point.or(found.front.iter().find(|point| point.k >= 5)).unwrap();
    let choice =
        ChosenRelease::Point { frontier: Box::new(found.clone()), number: point.number, own_k: true };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let summary = runtime.block_on(release_chosen(&job, &choice, None, &Quiet)).unwrap();
    assert_eq!((summary.algorithm.as_str(), summary.optimal, summary.proven), (CHOSEN, false, false));
    assert_eq!(
        (summary.levels.as_ref(), summary.suppressed_rows),
        (Some(&point.levels), point.suppressed_rows)
    );
    let (input, output) = (sandbox.table("hospital.csv"), sandbox.table("hospital-k5.csv"));
    let quasi = &hierarchies(&sandbox, &input);
    Case { input: &input, output: &output, quasi, kept: &["diagnosis"], k: point.k as usize, masked: false }
        .assert_true(&summary);
}
