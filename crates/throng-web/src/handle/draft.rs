//! Drafts: begun, shown page by page, and removed.

use std::fs;
use std::sync::Arc;

use axum::Form;
use axum::extract::{Extension, Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::input::source::Source;

use super::Decided;
use crate::app::App;
use crate::draft::{self, Looked, Said, said};
use crate::failure::{Answer, Failure};
use crate::folder::Kind;
use crate::rows::first_rows;
use crate::session::Visitor;
use crate::store::Draft;
use crate::{database, jobs, pages, run, words};

/// Begins a draft about a table of the folder.
pub(crate) async fn create(State(app): State<Arc<App>>, Form(form): Form<Said>) -> Answer {
    let of_database = said(&form, "relation").filter(|_| app.has_database).map(str::trim);
    let name = of_database.or_else(|| said(&form, "table")).unwrap_or_default();
    let table = if of_database.is_some() { database::address_of(name) } else { app.folder.resolve(name) };
    let table = table.ok_or_else(|| Failure::not_there(words::NO_SUCH_TABLE))?;
    let id = draft::begin(&app, &table, name, DialectOverrides::default())?;
    Ok(Redirect::to(&format!("/drafts/{id}/table")).into_response())
}

pub(crate) async fn open(Path(id): Path<String>) -> Redirect {
    Redirect::to(&format!("/drafts/{id}/table"))
}

/// Whether the table was looked at: asked by the page that waits.
pub(crate) async fn ready(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let looked = Looked::at(&app, &id)?;
    Ok(super::ready(looked.is_busy))
}

/// Whether its columns are known, for which nobody has to wait until roles are suggested.
pub(crate) async fn profiled(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let looked = Looked::at(&app, &id)?;
    Ok(super::ready(looked.is_busy && looked.profile.is_none()))
}

pub(crate) async fn table(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Answer {
    let mut looked = Looked::at(&app, &id)?;
    if looked.profile.is_none() && looked.failure.is_none() && !looked.is_busy {
        // The server ended while it looked.
        draft::look(&app, &id, looked.place.clone(), looked.job.is_none());
        looked.is_busy = true;
    }
    let rows = match visitor.session.shows_originals && looked.profile.is_some() {
        true => shown_rows(&app, &looked.draft).await.ok(),
        false => None,
    };
    Ok(pages::table(&visitor, &looked, rows).into_response())
}

/// The first rows of a table, for whoever turned the switch.
async fn shown_rows(app: &Arc<App>, draft: &Draft) -> Answer<Vec<Vec<String>>> {
    let Draft { table, csv, .. } = draft.clone();
    Ok(app.engine.look(move || async move { first_rows(&Source::open(&table, &csv)?).await }).await?)
}

pub(crate) async fn columns(draft: Decided) -> Response {
    pages::columns(&draft.app, &draft.looked, &draft.profile, &draft.job, None).into_response()
}

pub(crate) async fn safety(draft: Decided) -> Response {
    pages::safety(&draft.app, &draft.looked, &draft.profile, &draft.job, None).into_response()
}

/// The job as it stands.
pub(crate) async fn job(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let looked = Looked::at(&app, &id)?;
    let job = looked.job.ok_or_else(|| Failure::not_there(words::NO_SUCH_FILE))?;
    let kind = (axum::http::header::CONTENT_TYPE, "text/plain; charset=utf-8");
    Ok(([kind], jobs::text(&job)?).into_response())
}

pub(crate) async fn remove(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let (place, _) = draft::find(&app, &id)?;
    if app.is_busy(&place) {
        return Err(Failure::bad(words::STILL_LOOKING));
    }
    app.folder.remove(Kind::Drafts, &id)?;
    Ok(Redirect::to("/").into_response())
}

/// Removes a table, and everything that was made of it.
pub(crate) async fn remove_table(State(app): State<Arc<App>>, Form(form): Form<Said>) -> Answer {
    let id = said(&form, "draft").unwrap_or_default();
    let (_, Draft { table, .. }) = draft::find(&app, id)?;
    let runs = run::all(&app);
    if runs.iter().any(|(_, run)| run.table == table && !run.state.is_over()) {
        return Err(Failure::bad(words::STOP_FIRST));
    }
    for (id, _) in runs.iter().filter(|(_, run)| run.table == table) {
        app.folder.remove(Kind::Runs, id)?;
    }
    for (id, _) in draft::all(&app).iter().filter(|(_, draft)| draft.table == table) {
        app.folder.remove(Kind::Drafts, id)?;
    }
    // What a database has is not ours to remove.
    if database::table_of(&table).is_some() {
        return Ok(Redirect::to("/").into_response());
    }
    fs::remove_file(&table)?;
    let sent = app.folder.place(Kind::Tables);
    if let Some(folder) = table.parent().filter(|folder| folder.parent() == Some(&sent)) {
        fs::remove_dir_all(folder)?;
    }
    Ok(Redirect::to("/").into_response())
}
