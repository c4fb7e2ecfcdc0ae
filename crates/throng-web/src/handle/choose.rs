//! What is chosen on the pages about the table, its columns and its safety.

use std::sync::Arc;
use std::time::Duration;

use axum::Form;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect};
use throng_engine::frontier::{FrontierOptions, frontier as find_frontier};
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::job::Job;
use throng_engine::plan::validate;

use super::{Change, Decided, Reply, ready, run};
use crate::app::App;
use crate::draft::{self, Looked, Said, choose_roles, choose_safety, said};
use crate::failure::{Answer, Failure};
use crate::store::{self, Draft};
use crate::{jobs, pages, task, words};

/// How long it is searched for the front.
const FRONT_TIME: Duration = Duration::from_secs(20);

/// How the table is spelled; it is looked at again, and roles are suggested anew.
pub(crate) async fn set_table(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Form(form): Form<Said>,
) -> Answer {
    let Looked { place, draft, is_busy, .. } = Looked::at(&app, &id)?;
    if is_busy {
        return Err(Failure::bad(words::STILL_LOOKING));
    }
    let one = |name: &str| said(&form, name).filter(|text| !text.is_empty());
    let character =
        |name: &str| one(name).and_then(|text| if text == "tab" { Some('\t') } else { text.chars().next() });
    let csv = DialectOverrides {
        delimiter: character("delimiter"),
        decimal: character("decimal"),
        header: one("header").map(|text| text == "yes"),
        encoding: one("encoding").map(str::to_owned),
        sheet: one("sheet").map(|name| name.trim().to_owned()),
        ..draft.csv.clone()
    };
    store::write(&place.join(Draft::FILE), &Draft { csv, ..draft })?;
    let _ = std::fs::remove_file(place.join(Draft::PROFILE));
    draft::look(&app, &id, place, true);
    Ok(Redirect::to(&format!("/drafts/{id}/table")).into_response())
}

/// What the columns are.
pub(crate) async fn set_columns(change: Change) -> Reply {
    let Decided { app, looked, profile, mut job } = change.draft;
    let names: Vec<String> = profile.columns.iter().map(|column| column.name.clone()).collect();
    match choose_roles(&app, &looked, &mut job, &names, &change.form).await {
        Ok(()) => {
            jobs::write(&looked.place.join(Draft::JOB), &job)?;
            Ok(next(&change.form, &looked.id, "columns", "detail"))
        }
        Err(failure) => {
            let page = pages::columns(&app, &looked, &profile, &job, Some(&failure));
            Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
        }
    }
}

/// Stays where a script saves a form, else goes on.
pub(super) fn next(form: &Said, id: &str, here: &str, there: &str) -> axum::response::Response {
    match said(form, "then") {
        Some("stay") => StatusCode::NO_CONTENT.into_response(),
        Some("here") => Redirect::to(&format!("/drafts/{id}/{here}")).into_response(),
        _ => Redirect::to(&format!("/drafts/{id}/{there}")).into_response(),
    }
}

/// What must hold.
pub(crate) async fn set_safety(change: Change) -> Reply {
    let (form, Decided { app, looked, profile, job }) = (change.form, change.draft);
    let faulty = |job: &Job, failure: &Failure| {
        let page = pages::safety(&app, &looked, &profile, job, Some(failure));
        (StatusCode::UNPROCESSABLE_ENTITY, page).into_response()
    };
    let mut changed = job.clone();
    let chosen = choose_safety(&app, &mut changed, &form).and_then(|()| Ok(validate(&changed).map(drop)?));
    if let Err(failure) = chosen {
        return Ok(faulty(&job, &failure));
    }
    jobs::write(&looked.place.join(Draft::JOB), &changed)?;
    if said(&form, "front-k").is_some() {
        return Ok(Redirect::to(&format!("/drafts/{}/safety", looked.id)).into_response());
    }
    if said(&form, "then") == Some("run") {
        let begun = run::start(State(Arc::clone(&app)), Path(looked.id.clone())).await;
        return Ok(begun.unwrap_or_else(|failure| faulty(&changed, &failure)));
    }
    Ok(next(&form, &looked.id, "safety", "safety"))
}

/// Finds what each crowd costs at least.
pub(crate) async fn frontier(draft: Decided) -> Reply {
    let Decided { app, looked, job, .. } = draft;
    task::begin(&app, looked.place.join(Draft::FRONT), move |deadline| async move {
        let options = FrontierOptions {
            objectives: vec!["k".to_owned(), "lm".to_owned()],
            time_limit: Some(FRONT_TIME),
            seed: job.search.seed,
            ..FrontierOptions::default()
        };
        find_frontier(&job, &options, &deadline).await
    });
    Ok(Redirect::to(&format!("/drafts/{}/safety#front", looked.id)).into_response())
}

/// Whether the front was found: asked by the page that waits.
pub(crate) async fn frontier_ready(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let (place, _) = draft::find(&app, &id)?;
    Ok(ready(app.is_busy(&place.join(Draft::FRONT))))
}
