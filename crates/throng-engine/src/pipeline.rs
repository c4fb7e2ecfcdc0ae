//! A job from its table to its verified release: read → encode → search → apply → verify →
//! measure → write → verify what was written → publish.

mod fit;
mod write;

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use throng::algorithm::Entry;
use throng::notion::Notion;
use throng::problem::Problem;
use throng::recoding::Recoding;
use throng::release::Release;
use throng::run::Stop;
use throng::solve::{self, Solution, solve};
use throng::verify::{Achieved, Verdict, verify};

use crate::error::{EngineError, Result};
use crate::input::dialect::DialectOverrides;
use crate::input::source::Source;
use crate::job::{HierarchySpec, Job, Role, RowOrder, SuppressedRows};
use crate::output::sink::{Written, refuse_bad_target, refuse_same_file};
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::progress::Watch;
use crate::report::{self, Asked, Outcome, Report, Seconds};
use crate::verify::linkage::Linkage;
use crate::verify::readback::{Expected, Stored, verify_file};
pub use fit::{find_algorithm, find_measure, find_names};
pub(crate) use fit::{refuse_unfit, refuse_unused};
use write::{refuse_cancelled, write};

/// Runs a job; must be called in a multi-threaded Tokio runtime.
///
/// # Errors
/// Bad input, a machine that failed, or an interruption; no file is left behind then. That no
/// release satisfies the job is not an error but an [`Outcome`].
pub async fn anonymize(job: &Job, progress: &dyn Progress) -> Result<Report> {
    job.validate()?;
    let (algorithm, measure) = find_names(job)?;
    refuse_unpaired(job)?;
    refuse_bad_target(&job.output.path)?;
    refuse_own_file(job, &job.output.path)?;
    let mut seconds = Seconds::default();

    progress.phase("read");
    let started = Instant::now();
    let prepared = Prepared::read(job, progress).await?;
    let max_suppressed_rows = job.privacy.suppression.max_rows(prepared.rows());
    let problem = prepared.problem(job.privacy.k, max_suppressed_rows, measure)?;
    seconds.read = started.elapsed().as_secs_f64();

    progress.phase("search");
    let started = Instant::now();
    let solution = search(&problem, algorithm, job.search.time_budget(), progress)?;
    seconds.search = started.elapsed().as_secs_f64();

    let mut report = start_report(job, algorithm, &problem, &solution);
    if let Some(recoding) = recoding(&solution) {
        let started = Instant::now();
        let release = tokio::task::block_in_place(|| recoding.apply(&problem));
        let tally = tokio::task::block_in_place(|| release.tally());
        seconds.apply = started.elapsed().as_secs_f64();

        let started = Instant::now();
        let judged = judge(&release)?;
        seconds.verify = started.elapsed().as_secs_f64();

        report.levels = report::levels(&release);
        report.measures = report::measures(&problem, &tally);
        report.fully_generalised = report::fully_generalised(&problem, &tally);
        report.suppressed_rows = tally.suppressed_rows;
        report.achieved = achieved(tally.sizes.smallest);
        if job.privacy.notion != Notion::K {
            report.achieved.insert(job.privacy.notion.name().to_owned(), json!(judged.degree));
        }

        progress.phase("write");
        let started = Instant::now();
        let written = write(job, &prepared, &release, progress).await?;
        seconds.write = started.elapsed().as_secs_f64();

        progress.phase("verify");
        let started = Instant::now();
        // k-anonymity has every notion, and full-domain releases are k-anonymous.
        let by_classes = job.privacy.notion == Notion::K || release.node().is_some();
        verify_written(job, &prepared, &written, report.suppressed_rows, by_classes, progress).await?;
        seconds.verify += started.elapsed().as_secs_f64();
        refuse_cancelled(progress)?;
        written.publish()?;
        report.output = Some(job.output.path.display().to_string());
        report.warnings = warnings(job, &report);
    }
    report.seconds = seconds;
    report.peak_memory_bytes = report::peak_memory_bytes();
    Ok(report)
}

/// Refuses an output that is a file which the job reads: its table or a hierarchy.
///
/// # Errors
/// If it is one of them, also by way of links.
pub fn refuse_own_file(job: &Job, output: &Path) -> Result<()> {
    refuse_same_file(&job.input, output)?;
    for (_, column) in job.columns.named() {
        if let Some(HierarchySpec::File(hierarchy)) = &column.hierarchy {
            refuse_same_file(hierarchy, output)?;
        }
    }
    Ok(())
}

/// Refuses a release whose notion could not be verified in the written file.
fn refuse_unpaired(job: &Job) -> Result<()> {
    if job.privacy.notion == Notion::K || job.output.order == RowOrder::Keep {
        return Ok(());
    }
    Err(EngineError::bad(format!(
        "order = \"shuffle\" goes with notion = \"k\" only: {} is verified row by row against the original",
        job.privacy.notion.text()
    )))
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
        solve::Outcome::Stopped { reason: Stop::LatticeTooLarge, .. } => Err(EngineError::bad(format!(
            "the lattice of {} nodes is more than '{}' can take on; use fewer or flatter hierarchies, \
             or 'improved-greedy' or 'datafly', which have no such limit",
            solution.lattice_nodes, algorithm.name
        ))),
        _ => Ok(solution),
    }
}

fn recoding(solution: &Solution) -> Option<&Recoding> {
    match &solution.outcome {
        solve::Outcome::Found(recoding) => Some(recoding),
        solve::Outcome::Stopped { best, .. } => best.as_ref(),
        solve::Outcome::Infeasible { .. } => None,
    }
}

fn start_report(job: &Job, algorithm: &Entry, problem: &Problem, solution: &Solution) -> Report {
    let (outcome, achieved) = match solution.outcome {
        solve::Outcome::Found(_) => (Outcome::Released, Map::new()),
        solve::Outcome::Infeasible { best_k } => (Outcome::Infeasible, achieved(best_k)),
        solve::Outcome::Stopped { .. } => (Outcome::Stopped, Map::new()),
    };
    Report {
        algorithm: job.search.algorithm.clone(),
        settings: report::used_settings(algorithm, &problem.parameters),
        measure: job.search.measure.clone(),
        requirement: Asked { k: job.privacy.k, notion: job.privacy.notion.name().to_owned() },
        outcome,
        optimal: solution.optimal,
        rows: problem.table().rows(),
        suppressed_rows: 0,
        max_suppressed_rows: problem.max_suppressed_rows,
        achieved,
        levels: None,
        heights: report::heights(problem),
        fully_generalised: Vec::new(),
        measures: Map::new(),
        search: report::search_summary(problem, solution),
        seconds: Seconds::default(),
        peak_memory_bytes: None,
        output: None,
        warnings: Vec::new(),
    }
}

fn achieved(k: u64) -> Map<String, Value> {
    Map::from_iter([("k".to_owned(), json!(k))])
}

/// The core's independent judge; its refusal is a bug of ours, and stops the release.
fn judge(release: &Release<'_>) -> Result<Achieved> {
    match tokio::task::block_in_place(|| verify(release)) {
        Verdict::Safe(achieved) => Ok(achieved),
        Verdict::Unsafe(reason) => Err(EngineError::Unverified(reason.into())),
    }
}

/// Reads the written file back, and judges it as a stranger would.
async fn verify_written(
    job: &Job,
    prepared: &Prepared,
    written: &Written,
    suppressed_rows: u64,
    by_classes: bool,
    progress: &dyn Progress,
) -> Result<()> {
    let columns: Vec<String> = prepared.roles.released().map(|(_, name)| name.to_owned()).collect();
    let quasi: Vec<String> = prepared.quasi().map(str::to_owned).collect();
    let identifiers: Vec<String> =
        prepared.roles.with_role(Role::Identifier).map(|(_, name)| name.to_owned()).collect();
    let masks = job.output.suppressed == SuppressedRows::Mask;
    let expected = Expected {
        rows: prepared.rows() - if masks { 0 } else { suppressed_rows },
        // Other notions than k-anonymity have no least class; they are judged row by row below.
        k: if by_classes { job.privacy.k } else { 1 },
        columns: &columns,
        quasi: &quasi,
        identifiers: &identifiers,
        masked_allowed: masks,
    };
    let stored = Stored::of(written, &columns);
    tokio::select! {
        biased;
        () = cancellation(progress) => Err(EngineError::Interrupted),
        verdict = verify_file(&stored, &expected) => verdict.map(|_| ()),
    }?;
    if by_classes { Ok(()) } else { verify_notion(job, prepared, written, progress).await }
}

/// Reads the written file once more, beside the original, and judges its notion.
async fn verify_notion(
    job: &Job,
    prepared: &Prepared,
    written: &Written,
    progress: &dyn Progress,
) -> Result<()> {
    let dialect = written.layout().dialect;
    let overrides = DialectOverrides {
        delimiter: Some(char::from(dialect.delimiter)),
        quote: Some(char::from(dialect.quote)),
        header: Some(dialect.header),
        trim: Some(false),
    };
    let release = Source::open(written.path(), &overrides)?;
    let linkage = Linkage::of(prepared, &release, &[], job, progress).await?;
    let degree = tokio::task::block_in_place(|| linkage.degrees()).of(job.privacy.notion);
    if degree < job.privacy.k {
        let (notion, k) = (job.privacy.notion.text(), job.privacy.k);
        return Err(EngineError::Unverified(
            format!("it has {notion} with k = {degree} instead of {k}").into(),
        ));
    }
    Ok(())
}

/// Resolves when the caller wants the run to stop.
async fn cancellation(progress: &dyn Progress) {
    while !progress.cancelled() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn warnings(job: &Job, report: &Report) -> Vec<String> {
    let mut warnings = Vec::new();
    if job.output.order == RowOrder::Keep {
        // Other notions are judged row by row, so their rows stay in place.
        let remedy = if job.privacy.notion == Notion::K { " (order = \"shuffle\" changes it)" } else { "" };
        warnings.push(format!("rows keep the order of the input; an order can itself identify{remedy}"));
    }
    if report.suppressed_rows == report.rows {
        let rows = report.rows;
        let what = match job.output.suppressed {
            SuppressedRows::Drop => "the release has no rows",
            SuppressedRows::Mask => "every row of the release is masked",
        };
        warnings.push(format!("{what}: all {rows} are suppressed; allow fewer, or give finer hierarchies"));
    }
    if !report.fully_generalised.is_empty() && report.fully_generalised.len() == report.heights.len() {
        warnings.push(
            "nothing is left of any quasi-identifier: each shows one value, * or the top of its hierarchy, in \
             every row; a smaller k, more suppression, fewer quasi-identifiers or another algorithm may keep some"
                .to_owned(),
        );
    }
    let masked = report.suppressed_rows;
    if job.output.suppressed == SuppressedRows::Mask && masked > 0 && masked < job.privacy.k {
        let k = job.privacy.k;
        let are = if masked == 1 { "row is" } else { "rows are" };
        warnings.push(format!("only {masked} {are} masked, fewer than k = {k}: too small a crowd"));
    }
    warnings
}
