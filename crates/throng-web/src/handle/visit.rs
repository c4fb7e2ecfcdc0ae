//! The first page, who comes in by a password, and the switch for cells of the original.

use std::sync::Arc;

use axum::Form;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};

use crate::app::App;
use crate::draft::{Said, said};
use crate::session::Visitor;
use crate::{guard, pages};

/// The first page.
pub(crate) async fn start(State(app): State<Arc<App>>) -> Response {
    pages::start(&app).into_response()
}

/// Turns the switch, and goes back to the page that it was on.
pub(crate) async fn show_originals(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    Form(form): Form<Said>,
) -> Redirect {
    app.sessions.show_originals(&visitor.cookie, said(&form, "show") == Some("yes"));
    let from = headers.get(header::REFERER).and_then(|from| from.to_str().ok()).unwrap_or_default();
    let path = from.strip_prefix(app.scheme()).and_then(|rest| rest.find('/').map(|at| &rest[at..]));
    // Two slashes would be another host.
    let path = path.filter(|path| !path.starts_with("//")).unwrap_or("/");
    Redirect::to(path)
}

pub(crate) async fn try_password(State(app): State<Arc<App>>, Form(form): Form<Said>) -> Response {
    let token = said(&form, "token").unwrap_or_default().to_owned();
    if !app.sessions.is_token(&token) {
        return (StatusCode::UNAUTHORIZED, pages::locked()).into_response();
    }
    let text = said(&form, "password").unwrap_or_default().to_owned();
    let asked = Arc::clone(&app);
    // It takes a while on purpose.
    let is_right = tokio::task::spawn_blocking(move || asked.sessions.is_password(&text)).await;
    if is_right.unwrap_or(false) {
        guard::open(&app)
    } else {
        (StatusCode::UNAUTHORIZED, pages::enter(&token, true)).into_response()
    }
}
