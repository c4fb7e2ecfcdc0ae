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
use throng_engine::job::Job;
use throng_engine::plan::OpenJob;
use throng_engine::progress::Quiet;
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
use crate::words;

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
        return Ok(pages::running(&visitor, &id, &run, sight).into_response());
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

/// A new draft of what a run did, to be changed: also of next month's file.
pub(crate) async fn again(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Form(form): Form<draft::Said>,
) -> Answer {
    let (place, run) = find(&app, &id)?;
    let mut job = Job::read(&place.join(Run::JOB))?;
    let (mut table, mut name) = (run.table, run.name);
    if let Some(other) = draft::said(&form, "table") {
        table = app.folder.resolve(other).ok_or_else(|| Failure::not_there(words::NO_SUCH_TABLE))?;
        other.clone_into(&mut name);
        job.input = Address::of(table.clone());
    }
    let (draft, folder) = app.folder.create(Kind::Drafts)?;
    let kept = Draft { table, name, csv: job.csv.clone(), created: store::now() };
    draft::keep_job(&folder, &job)?;
    store::write(&folder.join(Draft::FILE), &kept)?;
    draft::look(&app, &draft, folder, false);
    Ok(Redirect::to(&format!("/drafts/{draft}/columns")).into_response())
}

/// Poses as those who look for people.
pub(crate) async fn attack(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let (place, run) = released(&app, &id)?;
    let path = place.join(Run::JOB);
    let release = place.join(&run.release);
    let found = app.engine.look(move || async move {
        let job = Job::read(&path)?;
        let secret = |(_, column): &(&str, &throng_engine::job::Column)| {
            column.role == throng_engine::job::Role::Sensitive
        };
        let sensitive: Vec<String> =
            job.columns.named().filter(secret).map(|(name, _)| name.to_owned()).collect();
        let opened = OpenJob::of_tables(&job)?;
        attack_with(&opened, &Address::from(&release), &sensitive, true, None, &Quiet).await
    });
    store::write(&place.join(Run::ATTACK), &found.await?)?;
    Ok(to_part(&id, "attack"))
}

/// Searches again without each column, to see what it costs.
pub(crate) async fn costs(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let (place, run) = released(&app, &id)?;
    let path = place.join(Run::JOB);
    let release = place.join(&run.release);
    let summary = store::read(&place.join(Run::SUMMARY));
    let found = app.engine.look(move || async move {
        let job = Job::read(&path)?;
        Evidence::gather(&job, &release, summary.as_ref(), Some(COSTS_TIME), &Quiet).await
    });
    let found = found.await?;
    let cost = |driver: &throng_report::evidence::LossDriver| pages::Cost {
        name: driver.name.clone(),
        own: driver.own,
        others: driver.others,
        without: match driver.without {
            WhatIf::Loses(loss) => Some(loss),
            WhatIf::Unknown | WhatIf::Senseless => None,
        },
    };
    let costs = pages::Costs { columns: found.drivers.iter().map(cost).collect(), none: found.no_drivers };
    store::write(&place.join(Run::COSTS), &costs)?;
    Ok(to_part(&id, "costs"))
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
