//! A job up to its release, which is then told in SQL and not written.

use throng::solve::{Judged, Solution, solve_at};

use super::{ChosenRelease, judge, search, show_suppressed, start_summary, summarise};
use super::{is_worth_it, read, warnings};
use crate::error::{EngineError, Result};
use crate::job::{Job, RowOrder, SuppressedRows};
use crate::mapping::Mapping;
use crate::memory::MemoryWatch;
use crate::plan::Plan;
use crate::prepare::EncodedTable;
use crate::progress::Progress;
use crate::sql::{self, SqlTarget, TableName};
use crate::summary::Summary;

/// Tables of engines have no order to be warned of.
const UNORDERED: RowOrder = RowOrder::Shuffle { seed: None };

/// What became of a job whose release is told in SQL.
#[derive(Clone, Debug)]
pub struct Drafted {
    /// What was found; no release is written, so it names none.
    pub summary: Summary,
    /// The text, which has original values; nothing if nothing may be released.
    pub text: Option<String>,
    /// The table that it reads, and the one that it makes.
    pub tables: (TableName, TableName),
}

/// Searches as [`anonymize`](super::anonymize) does, or judges what was chosen, and tells the release in SQL; must be
/// called in a multi-threaded Tokio runtime.
///
/// # Errors
/// As of a run that writes; also what SQL cannot say.
pub async fn draft_sql(
    job: &Job,
    choice: Option<&ChosenRelease>,
    target: &SqlTarget,
    progress: &dyn Progress,
) -> Result<Drafted> {
    let job = &choice.map_or_else(|| Ok(job.clone()), |choice| choice.job(job))?;
    let Some(limit) = job.search.memory_limit else { return draft(job, choice, target, progress).await };
    let watch = MemoryWatch::new(limit, progress);
    let drafted = draft(job, choice, target, &watch).await;
    drafted.map_err(|error| watch.explain(error, &job.input))
}

async fn draft(
    job: &Job,
    choice: Option<&ChosenRelease>,
    target: &SqlTarget,
    progress: &dyn Progress,
) -> Result<Drafted> {
    let plan = &Plan::new(job)?;
    let tables = (
        target.table.clone().map_or_else(|| sql::default_table(&job.input), Ok)?,
        target.release.clone().map_or_else(|| sql::default_release(job.output.path.as_deref()), Ok)?,
    );
    sql::refuse_unsayable(job, &tables.0, &tables.1)?;
    progress.phase("read");
    let prepared = read(plan, Some(UNORDERED), progress).await?;
    let max_suppressed_rows = job.privacy.suppression.max_rows(prepared.rows());
    choice.map_or(Ok(()), |choice| choice.refuse_foreign(&prepared, max_suppressed_rows))?;
    let problem = prepared.problem(job.privacy.k, max_suppressed_rows, plan.measure)?;
    progress.phase("search");
    let solution: Solution = match choice {
        Some(ChosenRelease::Recoding(_)) => {
            return Err(EngineError::bad(
                "a saved recoding is applied by `throng apply`, not written as SQL",
            ));
        }
        Some(choice) => {
            let node = choice.node(job, &problem)?;
            tokio::task::block_in_place(|| solve_at(&problem, &node))
        }
        None => search(&problem, plan.algorithm, job.search.time_budget(), progress)?,
    };
    let mut summary = start_summary(plan, &problem, &solution);
    let judged =
        solution.outcome.recoding().map(|recoding| judge(&problem, recoding, progress)).transpose()?;
    let judged = judged.filter(|judged| is_worth_it(job, &solution, judged));
    let told = |judged| tell(job, &prepared, judged, target, &tables, &mut summary);
    let text = tokio::task::block_in_place(|| judged.map(told).transpose())?;
    Ok(Drafted { summary, text, tables })
}

/// The text of a release that was judged, as it would have been written.
fn tell(
    job: &Job,
    prepared: &EncodedTable,
    judged: Judged,
    target: &SqlTarget,
    (table, release): &(TableName, TableName),
    summary: &mut Summary,
) -> Result<String> {
    let summarised = summarise(prepared, &judged.release)?;
    let written = summarised.as_ref().map(|summarised| &summarised.written);
    let (judged, shown) = show_suppressed(job, judged, written);
    summary.describe(&judged, shown.as_ref().map_or(0, |_| judged.release.suppressed_rows()));
    let suppressed = if shown.is_some() { SuppressedRows::Mask } else { SuppressedRows::Drop };
    let written = written.unwrap_or(&judged.release);
    let notes = summarised.iter().flat_map(|summarised| summarised.notes.iter().cloned());
    let of_run = warnings(job, UNORDERED, summary, false);
    summary.warnings =
        prepared.notes.iter().chain(&prepared.kept.warnings).cloned().chain(of_run).chain(notes).collect();
    let mapping = Mapping::from_release(prepared, written, suppressed);
    sql::draft(job, prepared, written, &mapping, target.dialect, (table, release))
}
