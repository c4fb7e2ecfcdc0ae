//! Recodings that are saved for later deliveries, and those that are applied in the place of a search.

use std::path::Path;

use throng::algorithm::Family;
use throng::problem::Problem;
use throng::recoding::Recoding;
use throng::regions::{self, Region};
use throng::release::Release;
use throng::solve::{Outcome, Solution};

use crate::dictionary::NO_ROW;
use crate::error::{EngineError, Result};
use crate::job::Job;
use crate::plan::is_in_memory;
use crate::plan::{Plan, refuse_own_file};
use crate::prepare::EncodedTable;
use crate::progress::{Progress, Watch};
use crate::reuse::{self, RecodedTable, SavedRecoding};
use crate::summary::{Applied, FailingSummary, UnknownValue};
use throng_tables::output::sink::{Made, Written, refuse_bad_place, refuse_same_file, write_text_of};

/// What the summary names in the place of an algorithm.
pub const APPLIED: &str = "recoding";

/// Refuses a recoding file in the place of another file of the job, where none can be, or of a search whose recodings
/// cannot be saved.
pub(super) fn refuse_bad_recoding(plan: &Plan) -> Result<()> {
    let job = &plan.job;
    let Some(target) = &job.output.recoding else { return Ok(()) };
    reuse::refuse_unsaveable(job, plan.algorithm.family == Family::Local)?;
    refuse_own_file(job, target)?;
    let output = job.output.path()?;
    if !is_in_memory(output) {
        refuse_same_file(output, target)?;
    }
    // A job may come from somebody else: whatever it names is no file that a program would run or read as its own.
    if target.extension().is_none_or(|extension| extension != "json" && extension != "recoding") {
        return Err(EngineError::bad("the name of a recoding must end in .json or .recoding").in_file(target));
    }
    refuse_bad_place(target, Made::Recoding)
}

/// What a reader of the report should know of a local recoding that was saved.
pub(super) fn note(regions: Option<&[Region]>) -> Option<String> {
    let regions = regions?;
    Some(format!(
        "because the recoding was saved, each row is in the first of its {} classes that covers it; without \
            --save, rows may be in other classes",
        regions.len()
    ))
}

/// The classes of a local recoding that will be saved, and the recoding that they are by themselves.
pub(super) fn settle(
    job: &Job,
    problem: &Problem,
    mut solution: Solution,
    progress: &dyn Progress,
) -> Result<(Solution, Option<Vec<Region>>)> {
    let found = solution.outcome.recoding().filter(|_| job.output.recoding.is_some());
    let Some(found) = found else { return Ok((solution, None)) };
    let is_local = matches!(found, Recoding::Local(_));
    reuse::refuse_unsaveable(job, is_local)?;
    if !is_local {
        return Ok((solution, None));
    }
    let (release, watch) = (found.apply(problem), Watch::new(problem, progress));
    let settled = tokio::task::block_in_place(|| regions::settle(&release, &watch));
    if progress.cancelled() {
        return Err(EngineError::Interrupted);
    }
    let (regions, recoding) = settled.ok_or_else(|| reuse::unsettled(&job.search.algorithm))?;
    if recoding != *found {
        (solution.optimal, solution.proven) = (false, false);
    }
    match &mut solution.outcome {
        Outcome::Found(found) | Outcome::Stopped { best: Some(found), .. } => *found = recoding,
        Outcome::Stopped { best: None, .. } | Outcome::Infeasible { .. } => {}
    }
    Ok((solution, Some(regions)))
}

/// A recoding file in the place of a search: found if what it gives may be released.
pub(super) fn solve_reusing(
    saved: &SavedRecoding,
    prepared: &EncodedTable,
    problem: &Problem,
) -> Result<(Solution, RecodedTable)> {
    let recoded = tokio::task::block_in_place(|| saved.recode(prepared, problem))?;
    let holds = tokio::task::block_in_place(|| recoded.holds(problem));
    let reach = recoded.failing.iter().map(|failing| failing.degree).collect();
    let outcome =
        if holds { Outcome::Found(recoded.recoding.clone()) } else { Outcome::Infeasible { reach } };
    Ok((Solution::without_search(outcome, problem.lattice().size()), recoded))
}

/// What the report says of a recoding that was applied.
pub(super) fn describe(saved: &SavedRecoding, recoded: &RecodedTable, problem: &Problem) -> Applied {
    let failing = recoded.failing.iter().zip(problem.requirements.iter());
    let failing = failing.filter(|(failing, _)| failing.rows > 0);
    Applied {
        made_by: saved.throng.clone(),
        failing: failing
            .map(|(failing, requirement)| FailingSummary {
                model: requirement.name().to_owned(),
                asked: crate::summary::number(requirement.class_model().asked()),
                classes: failing.classes,
                rows: failing.rows,
            })
            .collect(),
        uncovered_rows: recoded.uncovered_rows,
        unknown: recoded.unknown.clone().map(|(column, row)| {
            let row = (row != NO_ROW).then_some(row);
            UnknownValue { column, row }
        }),
        rows_to_suppress: recoded.release(problem).suppressed_rows(),
    }
}

/// The text of the recoding file that the job asks for.
pub(super) fn save(
    job: &Job,
    prepared: &EncodedTable,
    release: &Release,
    regions: Option<&[Region]>,
) -> Result<Option<String>> {
    if job.output.recoding.is_none() {
        return Ok(None);
    }
    tokio::task::block_in_place(|| reuse::save(job, prepared, release, regions)).map(Some)
}

/// Puts a release in its place, and its recoding, if it is saved: both or neither.
pub(super) fn publish(job: &Job, written: Written, recoding: Option<&str>) -> Result<()> {
    let target: Option<&Path> = job.output.recoding.as_deref().filter(|_| recoding.is_some());
    if let Some(target) = target {
        write_text_of(&job.input, target, Made::Recoding, recoding.unwrap_or_default())?;
    }
    written.publish().inspect_err(|_| {
        // There is nothing to be done about a file that cannot be removed.
        target.iter().for_each(|target| drop(std::fs::remove_file(target)));
    })
}
