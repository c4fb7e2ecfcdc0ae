//! Runs: started from drafts, watched, stopped, looked at and removed.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Form};
use futures::stream::{self, Stream};
use throng_engine::address::Address;
use throng_engine::evaluate::{ClassifierKind, EvaluateOptions, FOLDS, evaluate};
use throng_engine::input::source::Source;
use throng_engine::job::Job;
use throng_engine::plan::OpenJob;
use throng_engine::verify::attack::attack as attack_with;
use throng_report::evidence::{Evidence, WhatIf};

use crate::app::App;
use crate::draft;
use crate::failure::{Answer, Failure};
use crate::folder::Kind;
use crate::pages;
use crate::run::{find, prepare, released};
use crate::session::Visitor;
use crate::store::{self, Draft, Run};
use crate::{task, words};

/// How often a watcher is told where a run is.
const TICK: Duration = Duration::from_millis(250);

/// How long it is searched for what each column costs.
const COSTS_TIME: Duration = Duration::from_secs(20);

/// Starts what a draft says.
pub(crate) async fn start(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let (place, draft) = draft::find(&app, &id)?;
    let run = prepare(&app, &place, &draft)?;
    Ok(Redirect::to(&format!("/runs/{run}")).into_response())
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Answer {
    let (place, run) = find(&app, &id)?;
    if !run.state.is_over() {
        let sight = app.queue.find(&place).map(|watched| watched.sight());
        return Ok(pages::running(&id, &run, sight).into_response());
    }
    let page = pages::Result::read(&app, &id, place, run, visitor.session.shows_originals).await?;
    Ok(page.show(&visitor).into_response())
}

/// Where a run is, until it is over.
pub(crate) async fn events(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Answer<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let (place, _) = find(&app, &id)?;
    let watched = app.queue.find(&place);
    let told = stream::unfold((app, place, watched, false), |(app, place, watched, was_last)| async move {
        if was_last {
            return None;
        }
        tokio::time::sleep(TICK).await;
        let is_over = store::read::<Run>(&place.join(Run::FILE)).is_none_or(|run| run.state.is_over());
        let event = match &watched {
            Some(watched) if !is_over => {
                let sight = serde_json::to_string(&watched.sight()).unwrap_or_default();
                Event::default().event("sight").data(sight)
            }
            _ => Event::default().event("over").data("over"),
        };
        let is_last = is_over || watched.is_none();
        Some((Ok(event), (app, place, watched, is_last)))
    });
    Ok(Sse::new(told).keep_alive(KeepAlive::default()))
}

pub(crate) async fn cancel(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let (place, _) = find(&app, &id)?;
    if let Some(watched) = app.queue.find(&place) {
        watched.cancel();
    }
    Ok(Redirect::to(&format!("/runs/{id}")).into_response())
}

/// The same of a run that the form names: for the first page, where there is a choice of them.
pub(crate) async fn again_by_name(state: State<Arc<App>>, Form(form): Form<draft::Said>) -> Answer {
    let id = draft::said(&form, "run").unwrap_or_default().to_owned();
    again(state, Path(id), Form(form)).await
}

/// A new draft of what a run did, to be changed: also of next month's file.
pub(crate) async fn again(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Form(form): Form<draft::Said>,
) -> Answer {
    let (place, run) = find(&app, &id)?;
    let mut job = Job::read(&place.join(Run::JOB))?;
    let (mut table, mut name) = (run.table, run.name);
    let table_is_same = draft::said(&form, "table").is_none();
    if let Some(other) = draft::said(&form, "table") {
        table = app.folder.resolve(other).ok_or_else(|| Failure::not_there(words::NO_SUCH_TABLE))?;
        other.clone_into(&mut name);
        job.input = Address::from_path(table.clone());
    }
    let (draft, folder) = app.folder.create(Kind::Drafts)?;
    let kept = Draft { table, name, csv: job.csv.clone(), created: store::now() };
    // What would make a release possible is asked for as an answer about safety.
    let is_remedy = draft::said(&form, "k").or(draft::said(&form, "suppression")).is_some();
    draft::choose_safety(&app, &mut job, &form)?;
    draft::keep_job(&folder, &job)?;
    store::write(&folder.join(Draft::FILE), &kept)?;
    let is_known =
        table_is_same && store::copy(&place.join(Draft::PROFILE), &folder.join(Draft::PROFILE)).is_ok();
    if !is_known {
        draft::look(&app, &draft, folder, false);
    }
    let page = if is_remedy { "safety" } else { "columns" };
    Ok(Redirect::to(&format!("/drafts/{draft}/{page}")).into_response())
}

/// Poses as those who look for people.
pub(crate) async fn attack(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let (place, run) = released(&app, &id)?;
    let (path, release) = (place.join(Run::JOB), place.join(&run.release));
    task::begin(&app, place.join(Run::ATTACK), move |deadline| async move {
        let job = Job::read(&path)?;
        let sensitive = draft::secrets(&job);
        let opened = OpenJob::of_tables(&job)?;
        attack_with(&opened, &Address::from(&release), &sensitive, true, None, &deadline).await
    });
    Ok(to_part(&id, "attack"))
}

/// Lets classifiers learn from the release, and from the original.
pub(crate) async fn classify(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Form(form): Form<draft::Said>,
) -> Answer {
    let (place, run) = released(&app, &id)?;
    let (path, release) = (place.join(Run::JOB), place.join(&run.release));
    let target = draft::said(&form, "target").unwrap_or_default().to_owned();
    task::begin(&app, place.join(Run::LEARNED), move |deadline| async move {
        let job = Job::read(&path)?;
        let original = Source::open(&job.input, &job.csv)?;
        let released = Source::open(&release, &job.csv_of_release())?;
        let quasi = draft::quasi(&job);
        original.recognise(&[&target])?;
        let options = EvaluateOptions {
            target,
            quasi,
            folds: FOLDS,
            seed: 1,
            classifiers: ClassifierKind::ALL.to_vec(),
        };
        evaluate(&original, &released, &options, &deadline).await
    });
    Ok(to_part(&id, "learned"))
}

/// Searches again without each column, to see what it costs.
pub(crate) async fn costs(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let (place, run) = released(&app, &id)?;
    let (path, release) = (place.join(Run::JOB), place.join(&run.release));
    let summary = store::read(&place.join(Run::SUMMARY));
    task::begin(&app, place.join(Run::COSTS), move |deadline| async move {
        let job = Job::read(&path)?;
        let found = Evidence::gather(&job, &release, summary.as_ref(), Some(COSTS_TIME), &deadline).await?;
        let cost = |driver: &throng_report::evidence::LossDriver| pages::Cost {
            name: driver.name.clone(),
            own: driver.own,
            others: driver.others,
            without: match driver.without {
                WhatIf::Loses(loss) => Some(loss),
                WhatIf::Unknown | WhatIf::Senseless => None,
            },
        };
        Ok(pages::Costs { columns: found.drivers.iter().map(cost).collect(), none: found.no_drivers })
    });
    Ok(to_part(&id, "costs"))
}

/// Whether a part is there that a page waits for.
pub(crate) async fn ready(State(app): State<Arc<App>>, Path((id, part)): Path<(String, String)>) -> Answer {
    let (place, _) = find(&app, &id)?;
    let file = match part.as_str() {
        "attack" => Run::ATTACK,
        "costs" => Run::COSTS,
        "learned" => Run::LEARNED,
        _ => return Err(Failure::not_there(words::NO_SUCH_FILE)),
    };
    Ok(super::ready(app.is_busy(&place.join(file))))
}

fn to_part(id: &str, part: &str) -> Response {
    Redirect::to(&format!("/runs/{id}#{part}")).into_response()
}

pub(crate) async fn remove(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let (place, run) = find(&app, &id)?;
    if !run.state.is_over() {
        return Err(Failure::bad(words::STOP_FIRST));
    }
    app.queue.forget(&place);
    app.folder.remove(Kind::Runs, &id)?;
    Ok(Redirect::to("/").into_response())
}
