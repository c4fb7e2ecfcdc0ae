//! Algorithms side by side: the same table, every algorithm, several k, and several numbers of
//! quasi-identifiers.
//!
//! The table is read and encoded once, also where some contenders use the job's hierarchies and
//! others generalise without. Nothing is released, but every recoding is applied and judged before
//! it is shown, as for a release.

mod best;
mod contender;
mod generalise;
mod sample;
mod searches;
mod tables;
mod trial;

use std::ops::RangeInclusive;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use throng::loss::Loss;
use throng::problem::Problem;

use crate::error::{EngineError, Result};
use crate::evaluate::ClassifierKind;
use crate::job::{Job, Suppression};
use crate::progress::Progress;
use crate::summary;
use crate::wording::Message;
pub use best::LeastLoss;
pub use contender::Contender;
pub use generalise::Generalise;
pub use sample::RowSample;
use searches::Searches;
use tables::ComparedTables;
pub use trial::{Crowds, Ending, JudgedRecoding, StopReason, Trial};

/// What to compare.
#[derive(Clone)]
pub struct ComparisonPlan {
    /// The algorithms, with their settings.
    pub contenders: Vec<Contender>,
    /// What the searches minimise; each measure is a comparison of its own.
    pub measures: Vec<&'static dyn Loss>,
    /// The k to reach with all quasi-identifiers; 1 for no more than what the job requires beside its k.
    pub ks: Vec<u64>,
    /// Whether a k above the number of rows is left out, rather than refused.
    pub only_ks_within_rows: bool,
    /// How many quasi-identifiers to use, the first ones in the order of the table; none for no
    /// such comparison.
    pub quasi_counts: Option<RangeInclusive<usize>>,
    /// The k to reach with so many.
    pub quasi_k: u64,
    /// The rows to use; all if there is none.
    pub sample: Option<RowSample>,
    /// How many rows may be suppressed.
    pub suppression: Suppression,
    /// The most that one search may take.
    pub time_limit: Option<Duration>,
    /// How often each search is timed; the median counts.
    pub repeats: usize,
    /// The classifiers that learn from each release, if there is a target.
    pub classifiers: Vec<ClassifierKind>,
    /// What they start from.
    pub seed: u64,
}

/// Algorithms side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Rows of the table, or of the sample of it.
    pub rows: u64,
    /// Distinct tuples of all quasi-identifiers.
    pub distinct_tuples: usize,
    /// Most rows that might be suppressed.
    pub max_suppressed_rows: u64,
    /// Names of the measures that the searches minimised.
    pub measures: Vec<String>,
    /// How the losses of columns became one number, where that is not the plain sum: in all measures that are sums over
    /// columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregate: Option<summary::AggregateSummary>,
    /// Names of the classifiers that learned from each release.
    #[serde(default)]
    pub classifiers: Vec<ClassifierKind>,
    /// How often each search was timed.
    pub repeats: usize,
    /// Height of each quasi-identifier's hierarchy, in the order of the table.
    pub heights: Map<String, Value>,
    /// What each quasi-identifier becomes where contenders generalise without hierarchies: a range,
    /// a set or a prefix. Empty if none does.
    pub without_hierarchies: Map<String, Value>,
    /// With all quasi-identifiers, for each measure and k the contenders in turn.
    pub by_k: Vec<Trial>,
    /// For each measure the best variant of each algorithm over all k.
    pub best: Vec<LeastLoss>,
    /// For each measure and number of quasi-identifiers the contenders in turn.
    pub by_quasi_count: Vec<Trial>,
}

/// Compares algorithms on a job's table; must be called in a multi-threaded Tokio runtime.
///
/// What the job says about k, suppression and the algorithm does not count; what it requires beside k does.
///
/// # Errors
/// Bad input, or an interruption. An algorithm that finds nothing is a [`Trial`] that says so.
pub async fn compare(job: &Job, plan: &ComparisonPlan, progress: &dyn Progress) -> Result<Comparison> {
    plan.validate(job)?;
    plan.contenders.iter().try_for_each(|contender| contender.check_required(job))?;
    progress.phase("read");
    let tables = ComparedTables::read(job, plan, progress).await?;
    let table = tables.first();
    let plan = &plan.within(table.rows());
    let attributes = table.quasi().len();
    let counts = plan.counts_within(attributes)?;
    let max_suppressed_rows = plan.suppression.max_rows(table.rows());
    // The largest k first: if it cannot be posed, no time is lost on the others.
    let largest = table.problem(plan.largest_k(), max_suppressed_rows, plan.measures[0])?;
    if !plan.classifiers.is_empty() && largest.target().is_none() {
        return Err(EngineError::bad(
            "classifiers have nothing to predict: give one column of the job the role target",
        ));
    }
    let (mut by_k, mut by_quasi_count) = (Vec::new(), Vec::new());
    tokio::task::block_in_place(|| -> Result<()> {
        for &measure in &plan.measures {
            for &k in &plan.ks {
                by_k.extend(plan.try_each(k, &tables.pose(plan, measure, attributes, k)?, progress)?);
            }
            for count in counts.clone() {
                let problems = tables.pose(plan, measure, count, plan.quasi_k)?;
                by_quasi_count.extend(plan.try_each(plan.quasi_k, &problems, progress)?);
            }
        }
        Ok(())
    })?;
    let measures: Vec<String> = plan.measures.iter().map(|measure| measure.name().to_owned()).collect();
    Ok(Comparison {
        rows: table.rows(),
        distinct_tuples: table.distinct_tuples(),
        max_suppressed_rows,
        best: measures.iter().flat_map(|measure| best::best(by_k.iter(), measure)).collect(),
        measures,
        aggregate: summary::AggregateSummary::from_aggregate(largest.aggregate),
        classifiers: plan.classifiers.clone(),
        repeats: plan.repeats,
        heights: summary::heights(&largest),
        without_hierarchies: tables.without_hierarchies.clone(),
        by_k,
        by_quasi_count,
    })
}

impl ComparisonPlan {
    /// Refuses what needs no table to be refused.
    fn validate(&self, job: &Job) -> Result<()> {
        job.validate_of_tables()?;
        let ks = self.ks.iter().chain(self.quasi_counts.is_some().then_some(&self.quasi_k));
        let least = if job.privacy.require.is_empty() { 2 } else { 1 };
        if let Some(k) = ks.clone().find(|&&k| k < least) {
            let beside = if least == 1 { ", or 1 for no more than what the job requires" } else { "" };
            return Err(EngineError::bad((format!("k is {k}"), format!("it must be at least 2{beside}"))));
        }
        let missing: [(bool, Message); 5] = [
            (self.contenders.is_empty(), "no algorithm to compare".into()),
            (self.measures.is_empty(), "no measure to compare by".into()),
            (ks.count() == 0, "no k to compare at".into()),
            (self.repeats == 0, ("repeat is 0", "each search must be timed at least once").into()),
            (
                self.sample.is_some_and(|sample| sample.rows == 0),
                ("rows is 0", "a sample needs at least one row").into(),
            ),
        ];
        if let Some((_, problem)) = missing.into_iter().find(|(is_missing, _)| *is_missing) {
            return Err(EngineError::bad(problem));
        }
        for &measure in &self.measures {
            self.contenders.iter().try_for_each(|contender| contender.check(measure, self.largest_k()))?;
        }
        Ok(())
    }

    /// The plan for a table of so many rows. The least k stays, so that there is one to complain about.
    fn within(&self, rows: u64) -> ComparisonPlan {
        let mut plan = self.clone();
        if let Some(least) = plan.ks.iter().copied().min().filter(|_| plan.only_ks_within_rows) {
            plan.ks.retain(|&k| k <= rows.max(least));
        }
        plan
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
                    "numbers of quasi-identifiers from {from} to {to}: the second must be larger than the \
                        first, and both must lie between 1 and {attributes}, the number in the job"
                )))
            }
            Some(counts) => Ok(counts),
        }
    }

    /// Every contender on its form of one problem. They take turns, so that a moment in which the
    /// machine is busy with something else slows down all of them.
    fn try_each(&self, k: u64, problems: &[Problem], progress: &dyn Progress) -> Result<Vec<Trial>> {
        let mut searches: Vec<Searches> = Vec::new();
        for turn in 0..self.repeats {
            for (index, (contender, problem)) in self.contenders.iter().zip(problems).enumerate() {
                let algorithm = contender.algorithm;
                progress.phase(algorithm.name);
                if turn == 0 {
                    searches.push(Searches::first(problem, algorithm, self.time_limit, progress)?);
                } else if !searches[index].is_stopped() {
                    searches[index].repeat(problem, algorithm, self.time_limit, progress)?;
                }
            }
        }
        let trials = self.contenders.iter().zip(problems).zip(searches);
        trials
            .map(|((contender, problem), searches)| {
                Trial::new(contender, k, problem, searches, self, progress)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
