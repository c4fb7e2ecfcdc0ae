//! How much detail must stay: the steps of each column, shown and changed.

use std::sync::Arc;

use axum::extract::Extension;
use axum::http::StatusCode;
use axum::response::IntoResponse;

use super::choose::next;
use super::{Change, Decided, Reply};
use crate::draft::{can_undo, change, look_at, quasi, said};
use crate::failure::Failure;
use crate::session::Visitor;
use crate::store::Draft;
use crate::{jobs, pages, words};

pub(crate) async fn detail(Extension(visitor): Extension<Visitor>, draft: Decided) -> Reply {
    show(&visitor, draft, None).await
}

async fn show(visitor: &Visitor, draft: Decided, failure: Option<(usize, Failure)>) -> Reply {
    let Decided { app, looked, job, .. } = draft;
    let (asked, place, shows) = (Arc::clone(&app), looked.place.clone(), visitor.session.shows_originals);
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
pub(crate) async fn set_detail(Extension(visitor): Extension<Visitor>, asked: Change) -> Reply {
    let (form, Decided { app, looked, job, .. }) = (&asked.form, &asked.draft);
    let at: usize = said(form, "column").and_then(|at| at.parse().ok()).unwrap_or(usize::MAX);
    let name = quasi(job).get(at).cloned().ok_or_else(|| Failure::bad(words::NO_SUCH_COLUMN))?;
    match change(app, looked, job.clone(), &name, form).await {
        Ok(job) => {
            jobs::write(&looked.place.join(Draft::JOB), &job)?;
            let column = format!("detail#column-{at}");
            Ok(next(form, &looked.id, &column, &column))
        }
        Err(failure) => show(&visitor, asked.draft, Some((at, failure))).await,
    }
}
