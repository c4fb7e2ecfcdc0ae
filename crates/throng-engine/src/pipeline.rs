//! A job from its table to its verified release: read → encode → search → apply → verify →
//! measure → write → verify what was written → publish.

mod chosen;
mod class_numbers;
mod kept;
mod local_recoding;
mod persons;
mod read;
mod read_back;
mod reused;
mod sql;
mod start;
mod warnings;
mod worth;
mod write;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Map, json};

use throng::algorithm::Entry;
use throng::lattice::Index;
use throng::masked::{Masked, mask};
use throng::notion::Notion;
use throng::problem::Problem;
use throng::recoding::Recoding;
use throng::regions::Region;
use throng::release::Release;
use throng::requirement::Requirement;
use throng::run::Stop;
use throng::solve::{self, Judged, Outcome, Solution, solve, solve_at};
use throng::wording::count_nodes;

use crate::address::Address;
use crate::error::{EngineError, Result};
use crate::job::{Job, SuppressedRows};
pub use crate::job::{find_algorithm, find_measure};
use crate::memory::{ByteSize, MemoryWatch};
use crate::nodes::has_nodes;
use crate::plan::{Plan, Target};
pub use crate::plan::{refuse_own_file, validate};
use crate::prepare::EncodedTable;
use crate::progress::{Progress, Watch, refuse_cancelled};
use crate::pseudonym::PseudonymKey;
use crate::reuse::SavedRecoding;
use crate::summary::{self, Asked, Hashing, HashingByNodes, Provenance, RunOutcome, Seconds, Summary};
pub use chosen::{CHOSEN, ChosenRelease, Levels};
use class_numbers::summarise;
pub(crate) use read::read;
use read_back::verify_written;
pub use reused::APPLIED;
pub use sql::{Drafted, draft_sql};
use throng_tables::output::metadata;
use throng_tables::output::sink::{Written, sweep};
use throng_tables::tables::Tables;
use warnings::{formulas, warnings};
use worth::{is_empty, is_worth_it};
use write::write;
pub use write::{ReleaseWriter, Writing};

/// Runs a job; must be called in a multi-threaded Tokio runtime.
///
/// # Errors
/// Bad input, a machine that failed, or an interruption; no file is left behind then. That no
/// release satisfies the job is not an error but an [`RunOutcome`].
pub async fn anonymize(job: &Job, progress: &dyn Progress) -> Result<Summary> {
    anonymize_with(job, None, progress).await
}

/// As [`anonymize`], with a key for the pseudonyms that the job asks for.
///
/// # Errors
/// Also if it asks for some and there is no key.
pub async fn anonymize_with(
    job: &Job,
    key: Option<&PseudonymKey>,
    progress: &dyn Progress,
) -> Result<Summary> {
    Ok(run(job, None, key, progress).await?.0)
}

/// As [`anonymize_with`]; also what was found, if anything was, for [`save_found`].
///
/// # Errors
/// Those of [`anonymize_with`].
pub async fn anonymize_keeping(
    job: &Job,
    key: Option<&PseudonymKey>,
    progress: &dyn Progress,
) -> Result<(Summary, Option<Recoding>)> {
    run(job, None, key, progress).await
}

/// Releases again what [`anonymize_keeping`] found for the same job, without another search: for a job that now says
/// where to save the recoding. A local recoding may give other rows then; the summary shows it.
///
/// # Errors
/// Also if the table is not the same any more.
pub async fn save_found(
    job: &Job,
    found: &Recoding,
    key: Option<&PseudonymKey>,
    progress: &dyn Progress,
) -> Result<Summary> {
    Ok(run(job, Some(&ChosenRelease::Found(found.clone())), key, progress).await?.0)
}

/// Releases levels that were chosen, if they satisfy the job; else as [`anonymize_with`].
///
/// # Errors
/// Also if the lattice has no such node, or the frontier is of another job.
pub async fn release_chosen(
    job: &Job,
    choice: &ChosenRelease,
    key: Option<&PseudonymKey>,
    progress: &dyn Progress,
) -> Result<Summary> {
    Ok(run(&choice.job(job)?, Some(choice), key, progress).await?.0)
}

/// Applies a recoding to a delivery of its table, in the place of a search; else as [`anonymize_with`]. That it does
/// not satisfy what is required any more is an [`RunOutcome`].
///
/// # Errors
/// Also if the table is not that of the recoding.
pub async fn apply(
    job: &Job,
    recoding: &SavedRecoding,
    key: Option<&PseudonymKey>,
    progress: &dyn Progress,
) -> Result<Summary> {
    Ok(run(job, Some(&ChosenRelease::Recoding(Box::new(recoding.clone()))), key, progress).await?.0)
}

/// Runs a job within its memory limit, if it has one.
async fn run(
    job: &Job,
    choice: Option<&ChosenRelease>,
    key: Option<&PseudonymKey>,
    progress: &dyn Progress,
) -> Result<(Summary, Option<Recoding>)> {
    let Some(limit) = job.search.memory_limit else {
        return run_phases(job, choice, key, progress).await;
    };
    let watch = MemoryWatch::new(limit, progress);
    let summary = run_phases(job, choice, key, &watch).await;
    summary.map_err(|error| watch.explain(error, &job.input))
}

/// What a run is given.
struct Run<'a> {
    plan: &'a Plan,
    target: &'a Target,
    key: Option<&'a PseudonymKey>,
    hashing_by_nodes: HashingByNodes,
    progress: &'a dyn Progress,
}

impl Run<'_> {
    /// Waits for the hash of the input that nodes compute, if they do.
    async fn hash_by_nodes(&self, summary: &mut Summary) -> Result<()> {
        let hash = self.hashing_by_nodes.finish(self.progress).await?;
        summary.provenance.input_sha256 = hash.or(summary.provenance.input_sha256.take());
        Ok(())
    }
}

async fn run_phases(
    job: &Job,
    choice: Option<&ChosenRelease>,
    key: Option<&PseudonymKey>,
    progress: &dyn Progress,
) -> Result<(Summary, Option<Recoding>)> {
    let (mut plan, target) = Plan::to_release(job, key, |source| match choice {
        Some(ChosenRelease::Recoding(saved)) => saved.refuse_other_table(source),
        _ => Ok(()),
    })?;
    let (provenance, hashing) = (Provenance::now(), hash_input(&mut plan)?);
    let (plan, target) = (&plan, &target);
    reused::refuse_bad_recoding(plan)?;
    start::refuse_useless(plan)?;
    let swept = sweep_beside(job.output.path()?);
    let mut seconds = Seconds::default();

    progress.phase("read");
    let started = Instant::now();
    let prepared = read(plan, Some(job.output.order), progress).await?;
    hashing.iter().for_each(Hashing::end_scan);
    // Nodes have nothing else to do while somebody searches here.
    let hashing_by_nodes = HashingByNodes::start(&job.input, &prepared.source);
    let run = Run { plan, target, key, hashing_by_nodes, progress };
    target.refuse_other_release(plan)?;
    let max_suppressed_rows = job.privacy.suppression.max_rows(prepared.rows());
    // Before what it asks for is judged: that belongs to its own job.
    choice.map_or(Ok(()), |choice| choice.refuse_foreign(&prepared, max_suppressed_rows))?;
    let problem = prepared.problem(job.privacy.k, max_suppressed_rows, plan.measure)?;
    seconds.read = started.elapsed().as_secs_f64();

    progress.phase("search");
    let started = Instant::now();
    let mut recoded = None;
    let solution = match choice {
        Some(ChosenRelease::Recoding(saved)) => {
            let (solution, found) = reused::solve_reusing(saved, &prepared, &problem)?;
            recoded = Some((reused::describe(saved, &found, &problem), found.left_out));
            solution
        }
        Some(ChosenRelease::Found(found)) => chosen::solve_found(found, &problem)?,
        Some(choice) => {
            let node = choice.node(job, &problem)?;
            tokio::task::block_in_place(|| solve_at(&problem, &node))
        }
        None => match &job.search.start {
            Some(path) => start::search(plan, &prepared, &problem, path, progress).await?,
            None => search(&problem, plan.algorithm, job.search.time_budget(), progress)?,
        },
    };
    let (solution, regions) = reused::settle(job, &problem, solution, progress)?;
    seconds.search = started.elapsed().as_secs_f64();

    let mut summary = Summary { seconds, provenance, ..start_summary(plan, &problem, &solution) };
    if choice.is_some_and(|choice| !matches!(choice, ChosenRelease::Found(_))) {
        CHOSEN.clone_into(&mut summary.algorithm);
    }
    let left_out = recoded.map_or_else(Vec::new, |(applied, left_out)| {
        APPLIED.clone_into(&mut summary.algorithm);
        summary.settings.clear();
        summary.applied = Some(applied);
        left_out
    });
    let found = solution.outcome.recoding();
    let judged = found.map(|recoding| judge_without(&problem, recoding, &left_out, progress));
    if let Some(judged) = judged.transpose()?.filter(|judged| is_worth_it(job, &solution, judged)) {
        release(&run, &prepared, judged, regions.as_deref(), &mut summary).await?;
        if choice.is_none() {
            summary.search.local_recoding = local_recoding::compare(plan, &problem, &summary, progress);
        }
    }
    summary.warnings.extend(swept);
    summary.warnings.extend(summary::levels_to_blame(&problem, &solution));
    match hashing {
        Some(hashing) => summary.provenance.input_sha256 = Some(hashing.finish()?),
        None => run.hash_by_nodes(&mut summary).await?,
    }
    summary.peak_memory_bytes = summary::peak_memory_bytes();
    let found = match solution.outcome {
        Outcome::Found(found) | Outcome::Stopped { best: Some(found), .. } => Some(found),
        Outcome::Stopped { best: None, .. } | Outcome::Infeasible { .. } => None,
    };
    Ok((summary, found))
}

/// Writes a release, has the file judged, and publishes it; the report says what became of it.
async fn release(
    run: &Run<'_>,
    prepared: &EncodedTable,
    judged: Judged,
    regions: Option<&[Region]>,
    summary: &mut Summary,
) -> Result<()> {
    let job = &run.plan.job;
    let summarised = tokio::task::block_in_place(|| summarise(prepared, &judged.release))?;
    let written = summarised.as_ref().map(|summarised| &summarised.written);
    let (judged, shown) = tokio::task::block_in_place(|| show_suppressed(job, judged, written));
    if is_empty(&judged, shown.is_some()) && !job.search.accept_any {
        summary.refuse_empty();
        return Ok(());
    }
    summary.seconds.apply = judged.apply_time.as_secs_f64();
    summary.seconds.verify = judged.verify_time.as_secs_f64();
    summary.describe(&judged, shown.as_ref().map_or(0, |_| judged.release.suppressed_rows()));
    summary.columns = summary::columns(prepared, &judged.release, &judged.tally, summary.masked_rows);
    let recoding = reused::save(job, prepared, &judged.release, regions)?;

    // A search may have taken long enough for somebody to put something there.
    run.target.refuse_other_release(run.plan)?;
    run.progress.phase("write");
    let started = Instant::now();
    let suppressed = if shown.is_some() { SuppressedRows::Mask } else { SuppressedRows::Drop };
    let release = written.unwrap_or(&judged.release);
    let written = write(run, prepared, release, suppressed).await?;
    summary.seconds.write = started.elapsed().as_secs_f64();

    // k-anonymity has every notion, and releases of whole columns are k-anonymous; others, and masked rows, which
    // may satisfy another notion only, have no least class: they are judged row by row.
    let is_k_anonymous = !judged.release.is_local() && shown.is_none();
    let by_classes = job.privacy.notion == Notion::K || is_k_anonymous;
    let metadata = metadata::warning(&prepared.source.schema(), written.layout().format.is_text());
    let seen = shown.as_ref().unwrap_or(release);
    let formulas = formulas(&written, prepared);
    let certain = publish(run, prepared, written, (seen, by_classes), recoding.as_deref(), summary).await?;
    let of_run = warnings(job, job.output.order, summary, prepared.kept.is_sorted);
    let notes = summarised.into_iter().flat_map(|summarised| summarised.notes);
    let notes = notes.chain(reused::note(regions)).chain(formulas);
    summary.warnings = prepared
        .notes
        .iter()
        .chain(&prepared.kept.warnings)
        .cloned()
        .chain(of_run)
        .chain(certain)
        .chain(metadata)
        .chain(notes)
        .collect();
    Ok(())
}

/// Has a written file judged, and gives it its name; says what one could learn from it.
async fn publish(
    run: &Run<'_>,
    prepared: &EncodedTable,
    written: Written,
    (seen, by_classes): (&Release, bool),
    recoding: Option<&str>,
    summary: &mut Summary,
) -> Result<Vec<String>> {
    let (job, progress) = (&run.plan.job, run.progress);
    progress.phase("verify");
    let started = Instant::now();
    tokio::task::block_in_place(|| written.read_back())?;
    let hashing = written.memory().is_none().then(|| Hashing::start(written.path(), &Tables::default()));
    summary.output_files = written.parts();
    let found = verify_written(job, prepared, &written, seen, by_classes, progress).await?;
    let verified = summary.requirements.iter_mut().zip(found.verified);
    verified.for_each(|(requirement, verified)| requirement.verified = Some(verified));
    summary.provenance.output_sha256 = hashing.map(Hashing::finish).transpose()?;
    summary.seconds.verify += started.elapsed().as_secs_f64();
    // A node may be lost while it hashes: then nothing is published.
    run.hash_by_nodes(summary).await?;
    refuse_cancelled(progress)?;
    let started = Instant::now();
    tokio::task::block_in_place(|| reused::publish(job, written, recoding))?;
    summary.seconds.write += started.elapsed().as_secs_f64();
    summary.recoding = job.output.recoding.as_ref().map(|path| path.display().to_string());
    summary.output = Some(job.output.path()?.display().to_string());
    Ok(found.warnings)
}

/// A release, and as a reader sees it if its suppressed rows are shown: only where the job wants that, and where they
/// are a class that may be released. `written` is the release as it will be written, if that shows something else.
fn show_suppressed(job: &Job, judged: Judged, written: Option<&Release>) -> (Judged, Option<Release>) {
    if job.output.suppressed == SuppressedRows::Drop || judged.release.suppressed_rows() == 0 {
        return (judged, None);
    }
    let started = Instant::now();
    match mask(written.unwrap_or(&judged.release)) {
        None => (judged, None),
        Some(Masked { shown, achieved }) => {
            let verify_time = judged.verify_time + started.elapsed();
            (Judged { achieved, verify_time, ..judged }, Some(shown))
        }
    }
}

/// The hash of the input, if it is made of files that are here: what is read where it is has none. That of text is computed
/// while its rows are counted.
fn hash_input(plan: &mut Plan) -> Result<Option<Hashing>> {
    let is_here = match plan.job.input {
        // Nodes hash what they read.
        Address::Files(_) => plan.job.engine.cluster.is_none() || !has_nodes(&plan.source),
        Address::Stdio(_) => true,
        // What was fetched.
        Address::Object(_) => plan.source.remote().is_none(),
        Address::Postgres(_) | Address::Memory(_) => false,
    };
    if !is_here {
        return Ok(None);
    }
    let path = plan.job.input.path().to_owned();
    let failed = |cause| EngineError::Io { path: path.clone(), action: "cannot read", cause };
    Ok(Some(match plan.share_bytes().map_err(failed)? {
        Some(shared) => Hashing::start_shared(&plan.source, shared),
        None => Hashing::start(&path, plan.source.tables()),
    }))
}

/// Removes what killed runs left where the release will be, and says so.
fn sweep_beside(output: &Address) -> Vec<String> {
    let Address::Files(output) = output else { return Vec::new() };
    let output: PathBuf = output.components().collect();
    let directory = output.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let said = |path: PathBuf| format!("removed {}, left behind by a run that was killed", path.display());
    sweep(directory).into_iter().map(said).collect()
}

/// Searches on a blocking thread.
///
/// # Errors
/// If the run was interrupted, or the lattice is too large for the algorithm.
pub fn search(
    problem: &Problem,
    algorithm: &Entry,
    time_limit: Option<Duration>,
    progress: &dyn Progress,
) -> Result<Solution> {
    let watch = Watch::new(problem, progress);
    let solution = tokio::task::block_in_place(|| solve(problem, algorithm, time_limit, &watch));
    match &solution.outcome {
        solve::Outcome::Stopped { reason: Stop::Cancelled, .. } => Err(EngineError::Interrupted),
        solve::Outcome::Stopped { reason: Stop::LatticeTooLarge, .. } => Err(EngineError::bad((
            format!(
                "the lattice of {} nodes is too large for '{}', which lists all nodes in at most {} of \
                 memory",
                count_nodes(solution.lattice_nodes),
                algorithm.name,
                ByteSize(Index::MAX_BYTES as u64)
            ),
            "use 'auto', which has no such limit, or a local recoding such as 'sequential' or 'mondrian', \
             which loses far less",
        ))),
        solve::Outcome::Stopped { reason: Stop::TableTooLarge, .. }
            if problem.table().rows() > u64::from(u32::MAX) =>
        {
            Err(EngineError::bad((
                format!(
                    "a table of {} rows is too large for '{}', which counts at most {}, like all local \
                     algorithms",
                    problem.table().rows(),
                    algorithm.name,
                    u32::MAX
                ),
                "use 'auto', or a search among cuts such as 'cut-search'",
            )))
        }
        solve::Outcome::Stopped { reason: Stop::TableTooLarge, .. } => Err(EngineError::bad((
            format!(
                "a table of {} distinct tuples of quasi-identifiers is too large for '{}'",
                problem.table().tuples(),
                algorithm.name
            ),
            "use another algorithm, such as 'agglomerative' or 'mondrian'",
        ))),
        _ => Ok(solution),
    }
}

/// Applies a recoding and has it judged, on a blocking thread.
///
/// # Errors
/// If the run was interrupted; the judge's refusal, which is a bug of ours and stops the release.
pub(crate) fn judge(problem: &Problem, recoding: &Recoding, progress: &dyn Progress) -> Result<Judged> {
    judge_without(problem, recoding, &[], progress)
}

/// The same without some tuples, of which the recoding says nothing.
fn judge_without(
    problem: &Problem,
    recoding: &Recoding,
    left_out: &[usize],
    progress: &dyn Progress,
) -> Result<Judged> {
    let watch = Watch::new(problem, progress);
    let judged = tokio::task::block_in_place(|| solve::judge_without(problem, recoding, left_out, &watch));
    judged.ok_or(EngineError::Interrupted)?.map_err(|reason| EngineError::Unverified(reason.into()))
}

fn start_summary(plan: &Plan, problem: &Problem, solution: &Solution) -> Summary {
    let job = &plan.job;
    let (outcome, reach) = match &solution.outcome {
        solve::Outcome::Found(_) => (RunOutcome::Released, &[][..]),
        solve::Outcome::Infeasible { reach } => (RunOutcome::Infeasible, &reach[..]),
        solve::Outcome::Stopped { .. } => (RunOutcome::Stopped, &[][..]),
    };
    // A crowd of k in one class has every notion.
    let is_crowd = |one: &Requirement| one.shield().is_none() && one.class_model().least_rows().is_some();
    let best_k = problem.requirements.iter().zip(reach).find(|(one, _)| is_crowd(one));
    let best_k = best_k.map(|(_, &degree)| degree as u64);
    Summary {
        provenance: Provenance::default(),
        algorithm: job.search.algorithm.clone(),
        settings: summary::used_settings(plan.algorithm, &problem.settings),
        measure: job.search.measure.clone(),
        aggregate: summary::AggregateSummary::from_aggregate(problem.aggregate),
        requirement: Asked { k: job.privacy.k, notion: job.privacy.notion.name().to_owned() },
        outcome,
        optimal: solution.optimal,
        proven: solution.proven,
        rows: problem.table().rows(),
        person: job.person().map(str::to_owned),
        suppressed_rows: 0,
        masked_rows: 0,
        max_suppressed_rows: problem.max_suppressed_rows,
        achieved: best_k.map(|k| ("k".to_owned(), json!(k))).into_iter().collect(),
        requirements: summary::requirements(problem, reach),
        levels: None,
        cuts: None,
        minimal: summary::minimal(plan.algorithm, problem, solution),
        heights: summary::heights(problem),
        fully_generalised: Vec::new(),
        columns: Vec::new(),
        measures: Map::new(),
        search: summary::search_summary(problem, solution),
        seconds: Seconds::default(),
        peak_memory_bytes: None,
        output: None,
        output_files: None,
        recoding: None,
        applied: None,
        warnings: Vec::new(),
    }
}
