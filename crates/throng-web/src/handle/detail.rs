//! How much detail must stay: the steps of each column, shown and changed.

use std::sync::Arc;

use axum::Form;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::choose::next;
use super::{Decided, Reply};
use crate::app::App;
use crate::draft::{Said, can_undo, change, look_at, quasi, said};
use crate::failure::Failure;
use crate::session::Visitor;
use crate::store::Draft;
use crate::{jobs, pages, words};

pub(crate) async fn detail(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Reply {
    show(&app, &visitor, &id, None).await
}

async fn show(app: &Arc<App>, visitor: &Visitor, id: &str, failure: Option<(usize, Failure)>) -> Reply {
    let Decided { looked, job, .. } = Decided::at(app, id)?;
    let (asked, place, shows) = (Arc::clone(app), looked.place.clone(), visitor.session.shows_originals);
    let mut columns = app.engine.look(move || look_at(asked, place, job, shows)).await?;
    for column in &mut columns {
        column.can_undo = can_undo(&looked.place, &column.name);
    }
    let status = if failure.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    if let Some((at, failure)) = failure
        && let Some(column) = columns.get_mut(at)
    {
        column.failure = Some(failure);
    }
    Ok((status, pages::detail(visitor, &looked, &columns)).into_response())
}

/// Changes how a column is generalised.
pub(crate) async fn set_detail(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    Form(form): Form<Said>,
) -> Reply {
    let _alone = app.changes.lock().await;
    let Decided { looked, job, .. } = Decided::at(&app, &id)?;
    let at: usize = said(&form, "column").and_then(|at| at.parse().ok()).unwrap_or(usize::MAX);
    let name = quasi(&job).get(at).cloned().ok_or_else(|| Failure::bad(words::NO_SUCH_COLUMN))?;
    match change(&app, &looked, job.clone(), &name, &form).await {
        Ok(job) => {
            jobs::write(&looked.place.join(Draft::JOB), &job)?;
            Ok(to_column(&form, &id, at))
        }
        Err(failure) => show(&app, &visitor, &id, Some((at, failure))).await,
    }
}

fn to_column(form: &Said, id: &str, at: usize) -> Response {
    next(form, id, &format!("detail#column-{at}"), &format!("detail#column-{at}"))
}
