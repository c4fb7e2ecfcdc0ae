//! How a run is made: its folder with all it needs, the release by the engine, and the report about it.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use throng_engine::address::Address;
use throng_engine::error::EngineError;
use throng_engine::input::source::Source;
use throng_engine::job::{Job, Output, RowOrder};
use throng_engine::pipeline;
use throng_engine::plan::validate;
use throng_engine::summary::{RunOutcome, Summary};
use throng_report::evidence::{Colour, Evidence};
use throng_report::page;

use super::{crowds, losses};
use crate::app::App;
use crate::draft;
use crate::failure::{Answer, Failure};
use crate::folder::{Kind, write_whole};
use crate::jobs;
use crate::queue::{Waiting, Watched};
use crate::store::{self, Draft, Judgement, Run, State};
use crate::words;

/// Puts all that a run needs into a folder of its own, and the run behind those that wait.
pub(crate) fn prepare(app: &App, place: &Path, draft: &Draft) -> Answer<String> {
    let mut job = Job::read(&place.join(Draft::JOB))?;
    jobs::refuse_outside(app, &job)?;
    let source = Source::open(&job.input, &job.csv)?;
    let release = format!("release.{}", source.extension());
    let order = repeatable(job.output.order);
    let recoding = job.output.recoding.map(|_| Run::RECODING.into());
    job.output = Output { path: Some(Address::of_target(&release)), recoding, order, ..job.output };
    job.search.time_limit = job.search.time_limit.or(Some(app.budget.seconds));
    job.search.memory_limit = job.search.memory_limit.or(app.budget.memory);
    job.search.threads = None;
    job.validate()?;
    validate(&job)?;
    let (id, folder) = app.folder.create(Kind::Runs)?;
    let run = Run {
        state: State::Queued,
        name: draft.name.clone(),
        table: draft.table.clone(),
        created: store::now(),
        release,
        failure: None,
        judgement: None,
        unreported: None,
    };
    // For a draft that is made of the run again.
    let _ = store::copy(&place.join(Draft::PROFILE), &folder.join(Draft::PROFILE));
    let kept = draft::keep_job(&folder, &job).and_then(|()| store::write(&folder.join(Run::FILE), &run));
    if let Err(error) = kept {
        app.folder.remove(Kind::Runs, &id)?;
        return Err(error);
    }
    app.queue.add(folder);
    Ok(id)
}

/// Sorted in the place of shuffled: that tells as little about the input, and the command gives the same bytes.
fn repeatable(order: RowOrder) -> RowOrder {
    match order {
        RowOrder::Shuffle { seed: None } => RowOrder::Sort,
        other => other,
    }
}

/// Makes the runs of the queue, one after the other, until there is no queue any more.
pub(crate) fn work(app: &Arc<App>, waiting: &Receiver<Waiting>) {
    for (place, watched) in waiting {
        let Some(run) = store::read::<Run>(&place.join(Run::FILE)) else { continue };
        let _ = store::write(&place.join(Run::FILE), &Run { state: State::Running, ..run.clone() });
        let work = || app.engine.search(|| make(app, &place, &run, &watched));
        // A bug ends this run, but not those behind it.
        let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        let run = match made {
            Ok(Ok(run)) => run,
            Ok(Err(EngineError::Interrupted)) => Run { state: State::Cancelled, ..run },
            Ok(Err(error)) => Run { state: State::Failed, failure: Some(Failure::from(error)), ..run },
            Err(_) => Run { state: State::Failed, failure: Some(Failure::bad(words::BUG)), ..run },
        };
        let _ = store::write(&place.join(Run::FILE), &run);
        app.queue.forget(&place);
    }
}

/// What the command does, and then what its `--report` does.
async fn make(app: &App, place: &Path, run: &Run, watched: &Watched) -> throng_engine::error::Result<Run> {
    if throng_engine::progress::Progress::cancelled(watched) {
        return Err(EngineError::Interrupted);
    }
    let mut job = Job::read(&place.join(Run::JOB))?;
    job.output.path = Some(Address::of_target(place.join(&run.release)));
    job.output.recoding = job.output.recoding.map(|_| place.join(Run::RECODING));
    let summary = pipeline::anonymize_with(&job, app.key.as_ref(), watched).await?;
    keep(place, Run::SUMMARY, &summary)?;
    if summary.output.is_none() || summary.outcome == RunOutcome::Infeasible {
        return Ok(Run { state: State::Infeasible, ..run.clone() });
    }
    let released = Run { state: State::Released, ..run.clone() };
    Ok(match tell(app, place, &job, &summary, watched).await {
        Ok(judgement) => Run { judgement: Some(judgement), ..released },
        // The release is there and was verified, whatever becomes of the page about it.
        Err(error) => Run { unreported: Some(Failure::from(error)), ..released },
    })
}

/// Writes the report, and what the page shows of it.
async fn tell(
    app: &App,
    place: &Path,
    job: &Job,
    summary: &Summary,
    watched: &Watched,
) -> throng_engine::error::Result<Judgement> {
    throng_engine::progress::Progress::phase(watched, "report");
    let evidence = Evidence::gather(job, job.output.path()?, Some(summary), None, watched).await?;
    let text = page::report(&evidence, Some(&command(place)));
    write(place, Run::REPORT, text.as_bytes())?;
    keep(place, Run::BEFORE, &evidence.before)?;
    keep(place, Run::AFTER, &evidence.after)?;
    keep(place, Run::KEPT, &losses::find(app, place, job).await?)?;
    keep(place, Run::CROWDS, &crowds::find(job, watched).await?)?;
    let colour = match evidence.colour() {
        Colour::Green => "green",
        Colour::Amber => "amber",
        Colour::Red => "red",
    };
    Ok(Judgement { colour: colour.to_owned(), banner: page::banner(&evidence) })
}

fn keep<T: serde::Serialize>(place: &Path, name: &str, what: &T) -> throng_engine::error::Result<()> {
    let text =
        serde_json::to_vec_pretty(what).map_err(|error| EngineError::Data(error.to_string().into()))?;
    write(place, name, &text)
}

fn write(place: &Path, name: &str, text: &[u8]) -> throng_engine::error::Result<()> {
    let path = place.join(name);
    write_whole(&path, text).map_err(|cause| EngineError::Io { path, action: "cannot write", cause })
}

/// The command that does the same.
pub(crate) fn command(place: &Path) -> String {
    let job = place.join(Run::JOB);
    let job = job.strip_prefix(std::env::current_dir().unwrap_or_default()).unwrap_or(&job);
    format!("throng anonymize {} --report report.html", quoted(&job.display().to_string()))
}

/// A word of a shell.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+".contains(c);
    match text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}
