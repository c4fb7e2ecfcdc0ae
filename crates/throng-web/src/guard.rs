//! Who is let in, and what every answer says: checked before any page is asked.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use crate::app::App;
use crate::pages;
use crate::session::Visitor;
use crate::words;

/// What the pages may load and do: nothing but what this server has.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Lets in whoever asks for this server by its own name, from its own pages, with the cookie of a session.
pub(crate) async fn admit(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let response = match refuse(&app, &request) {
        Some(refused) => refused,
        None => match visitor(&app, &request) {
            Some(visitor) => {
                request.extensions_mut().insert(visitor);
                next.run(request).await
            }
            None if is_open(request.uri().path()) => next.run(request).await,
            None => begin(&app, &request),
        },
    };
    with_headers(response)
}

/// What is there before a session begins: the page for the password, and the style.
fn is_open(path: &str) -> bool {
    path == "/enter" || path.starts_with("/assets/")
}

/// Wrong hosts, by which a name elsewhere would be led here; and requests from pages of others.
fn refuse(app: &App, request: &Request) -> Option<Response> {
    let headers = request.headers();
    let hosts: Vec<_> = headers.get_all(header::HOST).iter().collect();
    let is_ours =
        |host: &HeaderValue| host.to_str().is_ok_and(|host| app.hosts.iter().any(|known| known == host));
    if hosts.len() != 1 || !is_ours(hosts[0]) || request.uri().authority().is_some() {
        return Some(plain(StatusCode::MISDIRECTED_REQUEST, words::WRONG_HOST));
    }
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    let origin = headers.get(header::ORIGIN).map(|origin| origin.to_str().unwrap_or_default());
    let is_own = |origin: &str| {
        origin.strip_prefix(app.scheme()).is_some_and(|host| app.hosts.iter().any(|known| known == host))
    };
    let site = headers.get("sec-fetch-site").map(|site| site.to_str().unwrap_or_default());
    let is_foreign = match origin {
        Some(origin) => !is_own(origin),
        None => {
            changes || matches!(site, Some("cross-site" | "same-site")) && request.uri().query().is_none()
        }
    };
    is_foreign.then(|| plain(StatusCode::FORBIDDEN, words::WRONG_ORIGIN))
}

fn visitor(app: &App, request: &Request) -> Option<Visitor> {
    let cookie = cookie(request.headers(), &app.cookie_name())?;
    let session = app.sessions.find(&cookie)?;
    Some(Visitor { cookie, session })
}

/// The value of a cookie.
fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
    let mut pairs = all.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value.to_owned())
}

/// Begins a session for whoever has the token; asks for the password first, where there is one.
fn begin(app: &App, request: &Request) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let token = query.split('&').find_map(|pair| pair.strip_prefix("token="));
    let is_first = *request.method() == Method::GET && request.uri().path() == "/";
    match token {
        Some(token) if is_first && app.sessions.is_token(token) => {
            if app.sessions.asks_password() {
                return pages::enter(token, false).into_response();
            }
            open(app)
        }
        _ => (StatusCode::UNAUTHORIZED, pages::locked()).into_response(),
    }
}

/// A new session, and the first page.
pub(crate) fn open(app: &App) -> Response {
    let Ok(secret) = app.sessions.begin() else {
        return plain(StatusCode::INTERNAL_SERVER_ERROR, words::NO_RANDOMNESS);
    };
    let secure = if app.is_secure { "; Secure" } else { "" };
    let cookie = format!("{}={secret}; HttpOnly; SameSite=Strict; Path=/{secure}", app.cookie_name());
    let mut response = Redirect::to("/").into_response();
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// A short answer without a page.
pub(crate) fn plain(status: StatusCode, text: &'static str) -> Response {
    (status, text).into_response()
}

fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let all = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in all {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
