//! What each address answers: it reads what was sent, has it done, and shows a page or goes on to another.

pub(crate) mod choose;
pub(crate) mod detail;
pub(crate) mod draft;
pub(crate) mod jobs;
pub(crate) mod run;
pub(crate) mod take;
pub(crate) mod upload;
pub(crate) mod visit;

use std::sync::Arc;

use axum::Form;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Redirect, Response};
use throng_engine::job::Job;
use throng_engine::profile::Profile;
use tokio::sync::OwnedMutexGuard;

use crate::app::App;
use crate::draft::{Looked, Said};
use crate::failure::Failure;

/// Why a page is not answered: something failed, another page comes before it, or what was sent is no form.
#[derive(Debug)]
pub(crate) enum Stop {
    Failed(Failure),
    Before(Redirect),
    Refused(Box<Response>),
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
            Stop::Refused(answer) => *answer,
        }
    }
}

/// What pages about the decisions on a table answer.
type Reply = std::result::Result<Response, Stop>;

/// The draft that an address names, once its table was looked at: its profile, and the job as it was decided so far.
#[derive(Debug)]
pub(crate) struct Decided {
    app: Arc<App>,
    looked: Looked,
    profile: Profile,
    job: Job,
}

impl Decided {
    /// A draft; its first page where the table is still looked at, or cannot be read.
    fn at(app: &Arc<App>, id: &str) -> std::result::Result<Decided, Stop> {
        let looked = Looked::at(app, id)?;
        match looked.decided() {
            Some((profile, job)) => {
                Ok(Decided { profile: profile.clone(), job: job.clone(), looked, app: Arc::clone(app) })
            }
            None => Err(Stop::Before(looked.waits())),
        }
    }
}

impl FromRequestParts<Arc<App>> for Decided {
    type Rejection = Stop;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> std::result::Result<Decided, Stop> {
        Decided::at(app, &id(parts, app).await?)
    }
}

/// A form that changes a draft, and the draft as it is. No other form changes it until this one is dropped.
#[derive(Debug)]
pub(crate) struct Change {
    draft: Decided,
    form: Said,
    _alone: OwnedMutexGuard<()>,
}

impl FromRequest<Arc<App>> for Change {
    type Rejection = Stop;

    async fn from_request(request: Request, app: &Arc<App>) -> std::result::Result<Change, Stop> {
        let (mut parts, body) = request.into_parts();
        let id = id(&mut parts, app).await?;
        // The form comes first, however slowly, so that others need not wait for it.
        let form = Form::from_request(Request::from_parts(parts, body), app).await;
        let Form(form) = form.map_err(|refused| Stop::Refused(Box::new(refused.into_response())))?;
        let alone = Arc::clone(&app.changes).lock_owned().await;
        Ok(Change { draft: Decided::at(app, &id)?, form, _alone: alone })
    }
}

/// The name of the draft or the run in an address.
async fn id(parts: &mut Parts, app: &Arc<App>) -> std::result::Result<String, Stop> {
    let path = Path::from_request_parts(parts, app).await;
    path.map(|Path(id)| id).map_err(|refused| Stop::Refused(Box::new(refused.into_response())))
}

/// Whether something is there that a page waits for.
fn ready(is_busy: bool) -> Response {
    if is_busy { StatusCode::ACCEPTED } else { StatusCode::OK }.into_response()
}
