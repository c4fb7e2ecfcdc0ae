//! Algorithms side by side: the same table, every algorithm, several k, and several numbers of
//! quasi-identifiers.
//!
//! The table is read and encoded once. Nothing is released, but every recoding is applied and
//! judged before it is shown, as for a release.

mod trial;

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Map, Value};

use throng::algorithm::Entry;
use throng::loss::Loss;
use throng::problem::Problem;
use throng::run::Stop;
use throng::solve::{Outcome, Solution, solve};

use crate::error::{EngineError, Result};
use crate::job::{Job, Suppression};
use crate::pipeline::refuse_unfit;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::report;
use crate::watch::Watch;
pub use trial::{Ending, Found, Trial};

/// What to compare.
#[derive(Clone)]
pub struct Plan {
    /// The algorithms.
    pub algorithms: Vec<&'static Entry>,
    /// The k to reach with all quasi-identifiers.
    pub ks: Vec<u64>,
    /// How many quasi-identifiers to use, the first ones in the order of the table; none for no
    /// such comparison.
    pub quasi_counts: Option<RangeInclusive<usize>>,
    /// The k to reach with so many.
    pub quasi_k: u64,
    /// How many rows may be suppressed.
    pub suppression: Suppression,
    /// What the searches minimise.
    pub measure: &'static dyn Loss,
    /// The most that one search may take.
    pub time_limit: Option<Duration>,
    /// How often each search is timed; the median counts.
    pub repeats: usize,
}

/// Algorithms side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Rows of the table.
    pub rows: u64,
    /// Distinct tuples of all quasi-identifiers.
    pub distinct_tuples: usize,
    /// Most rows that might be suppressed.
    pub max_suppressed_rows: u64,
    /// Name of the measure that the searches minimised.
    pub measure: &'static str,
    /// How often each search was timed.
    pub repeats: usize,
    /// Height of each quasi-identifier's hierarchy, in the order of the table.
    pub heights: Map<String, Value>,
    /// With all quasi-identifiers, for each k the algorithms in turn.
    pub by_k: Vec<Trial>,
    /// For each number of quasi-identifiers the algorithms in turn.
    pub by_quasi_count: Vec<Trial>,
}

/// Compares algorithms on a job's table; must be called in a multi-threaded Tokio runtime.
///
/// What the job says about k, suppression and the search does not count.
///
/// # Errors
/// Bad input, or an interruption. An algorithm that finds nothing is a [`Trial`] that says so.
pub async fn compare(job: &Job, plan: &Plan, progress: &dyn Progress) -> Result<Comparison> {
    job.validate()?;
    plan.validate()?;
    for algorithm in &plan.algorithms {
        refuse_unfit(algorithm, plan.measure, job.privacy.notion)?;
    }
    progress.phase("read");
    let prepared = Prepared::read(job, progress).await?;
    let attributes = prepared.quasi().len();
    let counts = plan.counts_within(attributes)?;
    let max_suppressed_rows = plan.suppression.max_rows(prepared.rows());
    let pose = |count: usize, k: u64| match count {
        all if all == attributes => prepared.problem(k, max_suppressed_rows, plan.measure),
        count => prepared.problem_over_first(count, k, max_suppressed_rows, plan.measure),
    };
    // The largest k first: if it cannot be posed, no time is lost on the others.
    let largest = pose(attributes, plan.largest_k())?;
    let try_k = |&k: &u64| plan.try_each(k, &pose(attributes, k)?, progress);
    let try_count = |count: usize| plan.try_each(plan.quasi_k, &pose(count, plan.quasi_k)?, progress);
    let (by_k, by_quasi_count) = tokio::task::block_in_place(|| {
        let by_k = plan.ks.iter().map(try_k).collect::<Result<Vec<_>>>()?;
        Ok((by_k, counts.map(try_count).collect::<Result<Vec<_>>>()?))
    })?;
    Ok(Comparison {
        rows: prepared.rows(),
        distinct_tuples: prepared.distinct_tuples(),
        max_suppressed_rows,
        measure: plan.measure.name(),
        repeats: plan.repeats,
        heights: report::heights(&largest),
        by_k: by_k.into_iter().flatten().collect(),
        by_quasi_count: by_quasi_count.into_iter().flatten().collect(),
    })
}

impl Plan {
    fn validate(&self) -> Result<()> {
        let ks = self.ks.iter().chain(self.quasi_counts.is_some().then_some(&self.quasi_k));
        if let Some(k) = ks.clone().find(|&&k| k < 2) {
            return Err(EngineError::bad(format!("k is {k}; it must be at least 2")));
        }
        if self.algorithms.is_empty() {
            return Err(EngineError::bad("no algorithm to compare"));
        }
        if ks.count() == 0 {
            return Err(EngineError::bad("no k to compare at"));
        }
        match self.repeats {
            0 => Err(EngineError::bad("repeat is 0; each search must be timed at least once")),
            _ => Ok(()),
        }
    }

    fn largest_k(&self) -> u64 {
        let other = self.quasi_counts.is_some().then_some(&self.quasi_k);
        self.ks.iter().chain(other).copied().max().unwrap_or(2)
    }

    /// The numbers of quasi-identifiers to use of a table that has `attributes` of them.
    fn counts_within(&self, attributes: usize) -> Result<RangeInclusive<usize>> {
        match self.quasi_counts.clone() {
            None => Ok(RangeInclusive::new(1, 0)),
            Some(counts) if counts.is_empty() || *counts.start() == 0 || *counts.end() > attributes => {
                let (from, to) = counts.into_inner();
                Err(EngineError::bad(format!(
                    "numbers of quasi-identifiers from {from} to {to}: they must rise, and be from 1 to \
                     {attributes}, which is how many the job has"
                )))
            }
            Some(counts) => Ok(counts),
        }
    }

    /// Every algorithm on one problem. They take turns, so that a moment in which the machine is
    /// busy with something else slows down all of them.
    fn try_each(&self, k: u64, problem: &Problem, progress: &dyn Progress) -> Result<Vec<Trial>> {
        let mut searches: Vec<Searches> = Vec::new();
        for turn in 0..self.repeats {
            for (index, &algorithm) in self.algorithms.iter().enumerate() {
                progress.phase(algorithm.name);
                if turn == 0 {
                    searches.push(Searches::first(problem, algorithm, self.time_limit, progress)?);
                } else if !searches[index].is_stopped() {
                    searches[index].repeat(problem, algorithm, self.time_limit, progress)?;
                }
            }
        }
        let trials = self.algorithms.iter().zip(searches);
        trials.map(|(entry, searches)| Trial::new(entry.name, k, problem, searches)).collect()
    }
}

/// The searches of one algorithm on one problem: they find the same, but not in the same time.
struct Searches {
    solution: Solution,
    seconds: Vec<f64>,
}

impl Searches {
    fn first(
        problem: &Problem,
        algorithm: &Entry,
        time_limit: Option<Duration>,
        progress: &dyn Progress,
    ) -> Result<Searches> {
        let (solution, seconds) = search(problem, algorithm, time_limit, progress)?;
        Ok(Searches { solution, seconds: vec![seconds] })
    }

    fn repeat(
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
    fn is_stopped(&self) -> bool {
        matches!(self.solution.outcome, Outcome::Stopped { .. })
    }

    fn median_seconds(&self) -> f64 {
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
mod tests;
