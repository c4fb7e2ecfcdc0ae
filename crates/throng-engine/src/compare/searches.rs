//! Searches that are timed.

use std::time::{Duration, Instant};

use throng::algorithm::Entry;
use throng::problem::Problem;
use throng::run::Stop;
use throng::solve::{Outcome, Solution, solve};

use crate::error::{EngineError, Result};
use crate::progress::Progress;
use crate::progress::Watch;

/// The searches of one algorithm on one problem: they find the same, but not in the same time.
pub(super) struct Searches {
    pub(super) solution: Solution,
    seconds: Vec<f64>,
}

impl Searches {
    pub(super) fn first(
        problem: &Problem,
        algorithm: &Entry,
        time_limit: Option<Duration>,
        progress: &dyn Progress,
    ) -> Result<Searches> {
        let (solution, seconds) = search(problem, algorithm, time_limit, progress)?;
        Ok(Searches { solution, seconds: vec![seconds] })
    }

    pub(super) fn repeat(
        &mut self,
        problem: &Problem,
        algorithm: &Entry,
        time_limit: Option<Duration>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let (_, seconds) = search(problem, algorithm, time_limit, progress)?;
        self.seconds.push(seconds);
        Ok(())
    }

    /// A search that was stopped would only be stopped again.
    pub(super) fn is_stopped(&self) -> bool {
        matches!(self.solution.outcome, Outcome::Stopped { .. })
    }

    pub(super) fn median_seconds(&self) -> f64 {
        let mut seconds = self.seconds.clone();
        seconds.sort_by(f64::total_cmp);
        let middle = seconds.len() / 2;
        if seconds.len() % 2 == 1 { seconds[middle] } else { (seconds[middle - 1] + seconds[middle]) / 2.0 }
    }
}

fn search(
    problem: &Problem,
    algorithm: &Entry,
    time_limit: Option<Duration>,
    progress: &dyn Progress,
) -> Result<(Solution, f64)> {
    let watch = Watch::new(problem, progress);
    let started = Instant::now();
    let solution = solve(problem, algorithm, time_limit, &watch);
    let seconds = started.elapsed().as_secs_f64();
    match solution.outcome {
        Outcome::Stopped { reason: Stop::Cancelled, .. } => Err(EngineError::Interrupted),
        _ => Ok((solution, seconds)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_ignores_one_slow_run() {
        let median = |seconds: &[f64]| {
            let solution = Solution::without_search(Outcome::Infeasible { reach: vec![1.0] }, 1);
            Searches { solution, seconds: seconds.to_vec() }.median_seconds()
        };
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[1.0, 90.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 90.0]), 3.0);
    }
}
