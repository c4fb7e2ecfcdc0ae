//! Runs that are stopped.

use std::sync::atomic::{AtomicBool, Ordering};

use throng_engine::error::EngineError;
use throng_engine::progress::{Progress, Quiet};
use throng_engine::summary::RunOutcome;

use crate::hospital::{ROWS, hierarchies, hospital};
use crate::truth::Case;

/// Wants the run to stop from some moment on.
#[derive(Default)]
struct Stopper {
    phase: Option<&'static str>,
    rows_written: Option<u64>,
    stopped: AtomicBool,
}

impl Progress for Stopper {
    fn phase(&self, name: &'static str) {
        self.stopped.fetch_or(self.phase == Some(name), Ordering::SeqCst);
    }

    fn rows_written(&self, rows: u64) {
        self.stopped.fetch_or(self.rows_written == Some(rows), Ordering::SeqCst);
    }

    fn cancelled(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }
}

const SHUFFLE: &str =
    "output = \"hospital-k5.csv\" => output = { path = \"hospital-k5.csv\", order = \"shuffle\" }";

#[test]
fn a_run_can_be_cancelled_in_every_phase() {
    for order in [&[] as &[&str], &[SHUFFLE]] {
        let (sandbox, job) = hospital(order);
        for phase in ["read", "search", "write", "verify"] {
            let error = sandbox.fail(&job, &Stopper { phase: Some(phase), ..Stopper::default() });
            assert!(matches!(error, EngineError::Interrupted), "{phase}: {error}");
        }
        let error = sandbox.fail(&job, &Stopper { rows_written: Some(ROWS), ..Stopper::default() });
        assert!(matches!(error, EngineError::Interrupted), "{error}");
    }
}

#[test]
fn a_cancelled_run_keeps_the_old_release() {
    let (sandbox, job) = hospital(&[]);
    sandbox.run(&job);
    let before = sandbox.bytes("hospital-k5.csv");
    sandbox.fail(&job, &Stopper { phase: Some("verify"), ..Stopper::default() });
    assert_eq!(sandbox.bytes("hospital-k5.csv"), before);
    let never = Stopper { phase: Some("none"), ..Stopper::default() };
    assert_eq!(crate::sandbox::run(&sandbox.job(&job), &never).unwrap().outcome, RunOutcome::Released);
}

#[test]
fn what_a_time_limit_leaves_is_nothing_or_a_true_release() {
    for limit in ["1e-9", "0.0005", "0.002", "0.01", "60"] {
        let limit_line = format!("seed      = 1 => seed = 1\ntime_limit = {limit}");
        let (sandbox, job) = hospital(&[&limit_line]);
        let summary = crate::sandbox::run(&sandbox.job(&job), &Quiet).unwrap();
        let stopped = summary.outcome == RunOutcome::Stopped;
        assert!(stopped || summary.outcome == RunOutcome::Released, "{:?}", summary.outcome);
        assert!(!(stopped && summary.optimal));
        assert!(stopped || summary.optimal);
        assert!(stopped || limit != "1e-9", "no search is that fast");
        assert!(!stopped || limit != "60");
        let exists = sandbox.path("hospital-k5.csv").exists();
        assert_eq!((summary.output.is_some(), summary.levels.is_some()), (exists, exists));
        if exists {
            let (input, output) = (sandbox.table("hospital.csv"), sandbox.table("hospital-k5.csv"));
            let quasi = &hierarchies(&sandbox, &input);
            Case { input: &input, output: &output, quasi, kept: &["diagnosis"], k: 5, masked: false }
                .assert_true(&summary);
        }
    }
}
