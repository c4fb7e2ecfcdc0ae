//! Tables that are sent: written to disk as they come, up to a limit, and never held in memory.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::multipart::Field;
use axum::extract::{Multipart, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use axum::response::{IntoResponse, Redirect, Response};
use throng_engine::input::dialect::DialectOverrides;

use crate::app::App;
use crate::failure::{Answer, Failure};
use crate::folder::{Kind, extensions, safe_name};
use crate::words;
use crate::{draft, run};

/// Takes a table, and begins a draft about it.
pub(crate) async fn table(State(app): State<Arc<App>>, headers: HeaderMap, mut parts: Multipart) -> Answer {
    refuse_announced(&app, &headers)?;
    let (id, folder) = app.folder.create(Kind::Tables)?;
    let taken = take_one(&app, &folder, &mut parts).await;
    let begun = taken.and_then(|(path, name)| draft::begin(&app, &path, &name, DialectOverrides::default()));
    if begun.is_err() {
        app.folder.remove(Kind::Tables, &id)?;
    }
    Ok(sent(&headers, &format!("/drafts/{}/table", begun?)))
}

/// Takes the one table of a form; its path and its name.
async fn take_one(app: &App, folder: &Path, parts: &mut Multipart) -> Answer<(PathBuf, String)> {
    let mut taken = None;
    while let Some(mut field) = parts.next_field().await.map_err(broken)? {
        if field.name() != Some("table") || taken.is_some() {
            return Err(Failure::bad(words::NOT_A_TABLE_FORM));
        }
        let name = field.file_name().and_then(safe_name);
        let name = name.ok_or_else(|| Failure::bad(words::not_a_table(&extensions())))?;
        take(&mut field, &folder.join(&name), app.budget.upload.0).await?;
        taken = Some((folder.join(&name), name));
    }
    taken.ok_or_else(|| Failure::bad(words::NO_TABLE_SENT))
}

/// Where to go: for a form, or for the script that sent it.
fn sent(headers: &HeaderMap, to: &str) -> Response {
    let is_script = headers.get("x-sent-by").is_some();
    if is_script { to.to_owned().into_response() } else { Redirect::to(to).into_response() }
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
async fn take(field: &mut Field<'_>, path: &Path, most: u64) -> Answer<()> {
    let (mut file, mut bytes) = (Some(create(path)?), 0_u64);
    while let Some(chunk) = field.chunk().await.map_err(broken)? {
        bytes += chunk.len() as u64;
        if bytes > most {
            return Err(too_large(most));
        }
        let mut open: File = file.take().expect("the file comes back from each write");
        let written = tokio::task::spawn_blocking(move || open.write_all(&chunk).map(|()| open)).await;
        file = Some(written.map_err(std::io::Error::other)??);
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
