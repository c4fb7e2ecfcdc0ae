//! Tables that are sent.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use throng_engine::input::dialect::DialectOverrides;

use crate::app::App;
use crate::draft;
use crate::failure::Answer;
use crate::folder::Kind;
use crate::upload::take_table;

/// Takes a table, and begins a draft about it.
pub(crate) async fn table(State(app): State<Arc<App>>, headers: HeaderMap, request: Request) -> Answer {
    let (id, taken) = take_table(&app, request).await?;
    let begun = taken.and_then(|(path, name)| draft::begin(&app, &path, &name, DialectOverrides::default()));
    if begun.is_err() {
        app.folder.remove(Kind::Tables, &id)?;
    }
    Ok(sent(&headers, &format!("/drafts/{}/table", begun?)))
}

/// Where to go: for a form, or for the script that sent it.
fn sent(headers: &HeaderMap, to: &str) -> Response {
    let is_script = headers.get("x-sent-by").is_some();
    if is_script { to.to_owned().into_response() } else { Redirect::to(to).into_response() }
}
