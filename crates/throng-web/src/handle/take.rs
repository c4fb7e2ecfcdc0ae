//! What can be taken away from a run.

use std::path::Path as FilePath;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures::stream;
use throng_engine::address::Address;
use throng_engine::job::{HierarchySpec, Job};
use throng_engine::pipeline::draft_sql;
use throng_engine::progress::Quiet;
use throng_engine::sql::{SqlDialect, SqlTarget};
use tokio::io::AsyncReadExt;

use crate::app::App;
use crate::failure::{Answer, Failure};
use crate::jobs;
use crate::run::{find, released};
use crate::store::Run;
use crate::words;

/// Bytes that are read of a file at a time.
const CHUNK: usize = 64 * 1024;

/// The report is a page of its own, with a style of its own, and may do nothing else.
const REPORT_POLICY: &str = "sandbox allow-modals; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

/// A file of a run, by what it is.
pub(crate) async fn file(State(app): State<Arc<App>>, Path((id, file)): Path<(String, String)>) -> Answer {
    let (place, run) = find(&app, &id)?;
    match file.as_str() {
        "job.toml" => {
            let job = portable(&place)?;
            Ok(attached("job.toml", Body::from(jobs::text(&job)?)))
        }
        "summary.json" => send(&place.join(Run::SUMMARY), "summary.json").await,
        "release" => send(&released(&app, &id)?.0.join(&run.release), &run.release).await,
        "report.html" => send(&place.join(Run::REPORT), "report.html").await,
        "report" => {
            let text = tokio::fs::read(place.join(Run::REPORT)).await?;
            let kind = (header::CONTENT_TYPE, "text/html; charset=utf-8");
            Ok(([kind, (header::CONTENT_SECURITY_POLICY, REPORT_POLICY)], text).into_response())
        }
        "recoding.json" => send(&place.join(Run::RECODING), "recoding.json").await,
        other => match (other.strip_prefix("sql-"), other.strip_prefix("hierarchy-")) {
            (Some(dialect), _) => sql(&app, &place, dialect).await,
            (_, Some(number)) => hierarchy(&place, number).await,
            _ => Err(Failure::not_there(words::NO_SUCH_FILE)),
        },
    }
}

/// The job with the whole paths of what it reads, so that it runs wherever it is put.
fn portable(place: &FilePath) -> Answer<Job> {
    let path = place.join(Run::JOB);
    let mut job = Job::read(&path)?;
    job.output.path = job.output.name().map(Address::of_target);
    job.output.recoding = job.output.recoding.map(|_| Run::RECODING.into());
    Ok(job)
}

/// The release in the words of another engine.
async fn sql(app: &Arc<App>, place: &FilePath, dialect: &str) -> Answer {
    let dialect: SqlDialect = dialect.parse()?;
    let path = place.join(Run::JOB);
    let drafted = app.engine.look(move || async move {
        let mut job = Job::read(&path)?;
        job.output.recoding = None;
        draft_sql(&job, None, &SqlTarget { dialect, table: None, release: None }, &Quiet).await
    });
    let text = drafted.await?.text.ok_or_else(|| Failure::not_there(words::NO_RELEASE_HERE))?;
    Ok(attached("release.sql", Body::from(text)))
}

/// The hierarchy of a column, by its number in the job.
async fn hierarchy(place: &FilePath, number: &str) -> Answer {
    let job = Job::read(&place.join(Run::JOB))?;
    let column = number.parse().ok().and_then(|number: usize| job.columns.named().nth(number));
    match column.and_then(|(name, column)| Some((name, column.hierarchy.as_ref()?))) {
        Some((_, HierarchySpec::File(file))) => {
            let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            send(file, &name).await
        }
        _ => Err(Failure::not_there(words::NO_SUCH_FILE)),
    }
}

/// Sends a file as it is read.
async fn send(path: &FilePath, name: &str) -> Answer {
    let file = tokio::fs::File::open(path).await.map_err(|_| Failure::not_there(words::NO_SUCH_FILE))?;
    let bytes = file.metadata().await?.len();
    let chunks = stream::unfold(file, |mut file| async move {
        let mut chunk = vec![0; CHUNK];
        match file.read(&mut chunk).await {
            Ok(0) => None,
            Ok(read) => {
                chunk.truncate(read);
                Some((Ok(chunk), file))
            }
            Err(error) => Some((Err(error), file)),
        }
    });
    let mut response = attached(name, Body::from_stream(chunks));
    response.headers_mut().insert(header::CONTENT_LENGTH, bytes.into());
    Ok(response)
}

/// A file to be saved, whatever is in it.
fn attached(name: &str, body: Body) -> Response {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    let kind = (header::CONTENT_TYPE, "application/octet-stream".to_owned());
    let disposition = (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""));
    ([kind, disposition], body).into_response()
}
