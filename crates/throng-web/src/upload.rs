//! Tables that are sent: written to disk as they come, up to a limit, and never held in memory.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use axum::body::Body;
use axum::extract::multipart::Field;
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use futures::{StreamExt, ready, stream};

use crate::app::App;
use crate::failure::{Answer, Failure};
use crate::folder::{Kind, extensions, safe_name};
use crate::words;
use crate::{draft, run};

/// Bytes of a form that may have come without being written.
const MOST_HELD: u64 = 256 * 1024;

/// Times that a form is waited for while nothing of it is written.
const MOST_WAITS: u32 = 16;

/// Takes the table of a request into a folder of its own: the folder's name, and the table's path and name. What was begun
/// of it stays for the caller to remove.
pub(crate) async fn take_table(app: &App, request: Request) -> Answer<(String, Answer<(PathBuf, String)>)> {
    refuse_announced(app, request.headers())?;
    let written = Arc::new(AtomicU64::new(0));
    let form = Multipart::from_request(bounded(request, &written), &()).await;
    let mut form = form.map_err(|_| Failure::bad(words::BROKEN_FORM))?;
    let (id, folder) = app.folder.create(Kind::Tables)?;
    let taken = take_one(app, &folder, &mut form, &written).await;
    Ok((id, taken))
}

/// The same request, whose body waits where more of it has come than was written and a buffer holds, and breaks off where
/// that goes on: who reads the form takes all that is ready, and the head of a part could grow for ever, in memory.
fn bounded(request: Request, written: &Arc<AtomicU64>) -> Request {
    let written = Arc::clone(written);
    request.map(|body| {
        let mut body = body.into_data_stream();
        let (mut come, mut seen, mut waits) = (0_u64, 0_u64, 0_u32);
        Body::from_stream(stream::poll_fn(move |context| {
            let done = written.load(Ordering::Relaxed);
            if come - done <= MOST_HELD {
                waits = 0;
                let chunk = ready!(body.poll_next_unpin(context));
                come +=
                    chunk.as_ref().map_or(0, |chunk| chunk.as_ref().map_or(0, |bytes| bytes.len() as u64));
                return Poll::Ready(chunk.map(|chunk| chunk.map_err(std::io::Error::other)));
            }
            (seen, waits) = (done, if done == seen { waits + 1 } else { 0 });
            if waits > MOST_WAITS {
                return Poll::Ready(Some(Err(std::io::Error::other("too much of the form is not a table"))));
            }
            context.waker().wake_by_ref();
            Poll::Pending
        }))
    })
}

/// Takes the one table of a form; its path and its name.
async fn take_one(
    app: &App,
    folder: &Path,
    parts: &mut Multipart,
    written: &AtomicU64,
) -> Answer<(PathBuf, String)> {
    let mut taken = None;
    while let Some(mut field) = parts.next_field().await.map_err(broken)? {
        if field.name() != Some("table") || taken.is_some() {
            return Err(Failure::bad(words::NOT_A_TABLE_FORM));
        }
        let name = field.file_name().and_then(safe_name);
        let name = name.ok_or_else(|| Failure::bad(words::not_a_table(&extensions())))?;
        take(&mut field, &folder.join(&name), app.budget.upload.0, written).await?;
        taken = Some((folder.join(&name), name));
    }
    taken.ok_or_else(|| Failure::bad(words::NO_TABLE_SENT))
}

/// Refuses before the first byte what would be too large anyway.
fn refuse_announced(app: &App, headers: &HeaderMap) -> Answer<()> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    // The form around a table has some bytes of its own.
    match announced {
        Some(bytes) if bytes > app.budget.upload.0 + 4096 => Err(too_large(app.budget.upload.0)),
        _ => Ok(()),
    }
}

/// Writes what is sent to a new file of its owner's alone; what was begun is removed by the caller.
async fn take(field: &mut Field<'_>, path: &Path, most: u64, written: &AtomicU64) -> Answer<()> {
    let (mut file, mut bytes) = (Some(create(path)?), 0_u64);
    while let Some(chunk) = field.chunk().await.map_err(broken)? {
        bytes += chunk.len() as u64;
        if bytes > most {
            return Err(too_large(most));
        }
        let mut open: File = file.take().expect("the file comes back from each write");
        let done = tokio::task::spawn_blocking(move || open.write_all(&chunk).map(|()| open)).await;
        file = Some(done.map_err(std::io::Error::other)??);
        written.store(bytes, Ordering::Relaxed);
    }
    Ok(())
}

fn create(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn too_large(most: u64) -> Failure {
    Failure::bad(words::too_large(most))
}

/// What is no form says so without its bytes.
pub(crate) fn broken(_: axum::extract::multipart::MultipartError) -> Failure {
    Failure::bad(words::BROKEN_FORM)
}

/// Removes what a server that was killed had begun: tables that no draft and no run is about.
pub(crate) fn sweep(app: &App) {
    let drafts = draft::all(app).into_iter().map(|(_, draft)| draft.table);
    let used: Vec<PathBuf> = drafts.chain(run::all(app).into_iter().map(|(_, run)| run.table)).collect();
    for id in app.folder.entries(Kind::Tables) {
        let folder = app.folder.place(Kind::Tables).join(&id);
        let is_used = used.iter().any(|table| table.starts_with(&folder));
        if !is_used {
            let _ = fs::remove_dir_all(folder);
        }
    }
}
