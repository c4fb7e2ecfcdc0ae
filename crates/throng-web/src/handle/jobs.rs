//! Jobs that are sent.

use std::fs;
use std::sync::Arc;

use axum::extract::{Multipart, State};
use axum::response::{IntoResponse, Redirect};
use throng_engine::job::Job;

use crate::app::App;
use crate::draft;
use crate::failure::{Answer, Failure};
use crate::folder::Kind;
use crate::jobs::{refuse_outside, write};
use crate::store::{self, Draft};
use crate::upload::broken;
use crate::words;

/// Bytes of a job that is sent.
pub(crate) const MOST_BYTES: usize = 1 << 20;

/// Opens a job file: its paths start at the folder, and it becomes a draft.
pub(crate) async fn open(State(app): State<Arc<App>>, mut parts: Multipart) -> Answer {
    let mut sent = Vec::new();
    while let Some(mut field) = parts.next_field().await.map_err(broken)? {
        if field.name() != Some("job") {
            return Err(Failure::bad(words::NOT_A_JOB_FORM));
        }
        while let Some(chunk) = field.chunk().await.map_err(broken)? {
            sent.extend_from_slice(&chunk);
            if sent.len() > MOST_BYTES {
                return Err(Failure::bad(words::JOB_TOO_LARGE));
            }
        }
    }
    let text = String::from_utf8(sent).map_err(|_| Failure::bad(words::JOB_NOT_TEXT))?;
    let job = Job::parse(&text, app.folder.root())?;
    refuse_outside(&app, &job)?;
    let table = fs::canonicalize(&*job.input)?;
    let name = table.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (id, place) = app.folder.create(Kind::Drafts)?;
    let kept = Draft { table, name, csv: job.csv.clone(), created: store::now() };
    store::write(&place.join(Draft::FILE), &kept)?;
    write(&place.join(Draft::JOB), &job)?;
    draft::look(&app, &id, place, false);
    Ok(Redirect::to(&format!("/drafts/{id}/table")).into_response())
}
