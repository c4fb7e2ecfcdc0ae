//! What all requests share, and which address asks for what.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use throng_engine::memory::ByteSize;
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::engine::Engine;
use crate::folder::Folder;
use crate::queue::Queue;
use crate::session::Sessions;
use crate::{assets, draft, guard, jobs, pages, run, upload};

/// Bytes of a form; tables are sent elsewhere.
const FORM_BYTES: usize = 512 * 1024;

/// How long a client may be silent while it sends a form or a table.
const SILENCE: Duration = Duration::from_secs(20);

/// What a run may take.
#[derive(Clone, Copy, Debug)]
pub struct RunBudget {
    /// Bytes of the largest table that may be sent.
    pub upload: ByteSize,
    /// The most memory that a run's tuples may take; no limit when not given.
    pub memory: Option<ByteSize>,
    /// The most seconds that a search may take; then the best release so far is taken.
    pub seconds: f64,
    /// Threads of searches; all cores when not given.
    pub threads: Option<usize>,
}

impl Default for RunBudget {
    fn default() -> RunBudget {
        RunBudget { upload: ByteSize(4 << 30), memory: None, seconds: 3600.0, threads: None }
    }
}

/// What all requests share.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) folder: Folder,
    pub(crate) sessions: Sessions,
    /// Names by which this server may be asked.
    pub(crate) hosts: Vec<String>,
    pub(crate) port: u16,
    pub(crate) is_secure: bool,
    pub(crate) budget: RunBudget,
    pub(crate) engine: Arc<Engine>,
    pub(crate) queue: Queue,
    /// One change of a draft after the other: each reads the job and writes it again.
    pub(crate) changes: tokio::sync::Mutex<()>,
    /// Entries that are being worked on right now.
    pub(crate) busy: Mutex<BTreeSet<PathBuf>>,
}

impl App {
    pub(crate) fn scheme(&self) -> &'static str {
        if self.is_secure { "https://" } else { "http://" }
    }

    /// Cookies are shared by all ports of a host, so each server has a name of its own.
    pub(crate) fn cookie_name(&self) -> String {
        format!("throng-{}", self.port)
    }

    /// Marks an entry as busy; false if it is already.
    pub(crate) fn begin(&self, entry: PathBuf) -> bool {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner).insert(entry)
    }

    pub(crate) fn end(&self, entry: &std::path::Path) {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner).remove(entry);
    }

    pub(crate) fn is_busy(&self, entry: &std::path::Path) -> bool {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner).contains(entry)
    }
}

/// All addresses.
pub(crate) fn router(app: Arc<App>) -> Router {
    let drafts = Router::new()
        .route("/", get(draft::open))
        .route("/ready", get(draft::ready))
        .route("/table", get(draft::table).post(draft::set_table))
        .route("/columns", get(draft::columns).post(draft::set_columns))
        .route("/detail", get(draft::detail).post(draft::set_detail))
        .route("/safety", get(draft::safety).post(draft::set_safety))
        .route("/frontier", post(draft::frontier))
        .route("/job", get(draft::job))
        .route("/run", post(run::start))
        .route("/remove", post(draft::remove));
    let runs = Router::new()
        .route("/", get(run::show))
        .route("/events", get(run::events))
        .route("/cancel", post(run::cancel))
        .route("/again", post(run::again))
        .route("/attack", post(run::attack))
        .route("/costs", post(run::costs))
        .route("/remove", post(run::remove))
        .route("/files/{file}", get(run::file));
    let sized = Router::new()
        .route("/", get(pages::start))
        .route("/originals", post(pages::show_originals))
        .route("/drafts", post(draft::create))
        .route("/tables/remove", post(draft::remove_table))
        .nest("/drafts/{id}", drafts)
        .nest("/runs/{id}", runs)
        .route("/enter", post(pages::try_password))
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
