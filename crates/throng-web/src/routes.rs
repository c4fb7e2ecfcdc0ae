//! Which address asks for what.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::app::App;
use crate::handle::{choose, detail, draft, jobs, run, take, upload, visit};
use crate::{assets, guard, pages};

/// Bytes of a form; tables are sent elsewhere.
const FORM_BYTES: usize = 512 * 1024;

/// How long a client may be silent while it sends a form or a table.
const SILENCE: Duration = Duration::from_secs(20);

/// All addresses.
pub(crate) fn router(app: Arc<App>) -> Router {
    let drafts = Router::new()
        .route("/", get(draft::open))
        .route("/ready", get(draft::ready))
        .route("/profiled", get(draft::profiled))
        .route("/table", get(draft::table).post(choose::set_table))
        .route("/columns", get(draft::columns).post(choose::set_columns))
        .route("/detail", get(detail::detail).post(detail::set_detail))
        .route("/safety", get(draft::safety).post(choose::set_safety))
        .route("/frontier", post(choose::frontier))
        .route("/frontier/ready", get(choose::frontier_ready))
        .route("/job", get(draft::job))
        .route("/run", post(run::start))
        .route("/remove", post(draft::remove));
    let runs = Router::new()
        .route("/", get(run::show))
        .route("/events", get(run::events))
        .route("/cancel", post(run::cancel))
        .route("/again", post(run::again))
        .route("/attack", post(run::attack))
        .route("/classify", post(run::classify))
        .route("/ready/{part}", get(run::ready))
        .route("/costs", post(run::costs))
        .route("/remove", post(run::remove))
        .route("/files/{file}", get(take::file));
    let sized = Router::new()
        .route("/", get(visit::start))
        .route("/originals", post(visit::show_originals))
        .route("/drafts", post(draft::create))
        .route("/again", post(run::again_by_name))
        .route("/tables/remove", post(draft::remove_table))
        .nest("/drafts/{id}", drafts)
        .nest("/runs/{id}", runs)
        .route("/enter", post(visit::try_password))
        .route("/assets/{file}", get(assets::serve))
        .layer(DefaultBodyLimit::max(FORM_BYTES));
    let job =
        Router::new().route("/jobs", post(jobs::open)).layer(DefaultBodyLimit::max(2 * jobs::MOST_BYTES));
    let sent = Router::new().route("/tables", post(upload::table)).layer(DefaultBodyLimit::disable());
    sized
        .merge(job)
        .merge(sent)
        .fallback(|| async { (StatusCode::NOT_FOUND, pages::nothing_here()) })
        .layer(RequestBodyTimeoutLayer::new(SILENCE))
        .layer(from_fn_with_state(Arc::clone(&app), guard::admit))
        .with_state(app)
}
