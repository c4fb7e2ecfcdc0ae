//! What each address answers: it reads what was sent, has it done, and shows a page or goes on to another.

pub(crate) mod choose;
pub(crate) mod detail;
pub(crate) mod draft;
pub(crate) mod jobs;
pub(crate) mod run;
pub(crate) mod take;
pub(crate) mod upload;
pub(crate) mod visit;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use throng_engine::job::Job;
use throng_engine::profile::Profile;

use crate::app::App;
use crate::draft::Looked;
use crate::failure::Failure;

/// Why a page is not answered: something failed, or another page comes before it.
#[derive(Debug)]
pub(crate) enum Stop {
    Failed(Failure),
    Before(Redirect),
}

impl<E: Into<Failure>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Failed(error.into())
    }
}

impl IntoResponse for Stop {
    fn into_response(self) -> Response {
        match self {
            Stop::Failed(failure) => failure.into_response(),
            Stop::Before(page) => page.into_response(),
        }
    }
}

/// What pages about the decisions on a table answer.
type Reply = std::result::Result<Response, Stop>;

/// A draft whose table was looked at: its profile, and the job as it was decided so far.
#[derive(Debug)]
struct Decided {
    looked: Looked,
    profile: Profile,
    job: Job,
}

impl Decided {
    /// A draft; its first page where the table is still looked at, or cannot be read.
    fn at(app: &App, id: &str) -> std::result::Result<Decided, Stop> {
        let looked = Looked::at(app, id)?;
        match looked.decided() {
            Some((profile, job)) => Ok(Decided { profile: profile.clone(), job: job.clone(), looked }),
            None => Err(Stop::Before(looked.waits())),
        }
    }
}

/// Whether something is there that a page waits for.
fn ready(is_busy: bool) -> Response {
    if is_busy { StatusCode::ACCEPTED } else { StatusCode::OK }.into_response()
}
