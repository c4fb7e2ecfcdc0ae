//! Jobs as files: written with the reasons for roles, opened, and held to what is in the folder.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Multipart, State};
use axum::response::{IntoResponse, Redirect};
use throng_engine::address::Address;
use throng_engine::job::{HierarchySpec, Job, Require};

use crate::app::App;
use crate::draft;
use crate::failure::{Answer, Failure};
use crate::folder::{Kind, write_whole};
use crate::store::{self, Draft};
use crate::upload::broken;
use crate::words;

/// Bytes of a job that is sent.
pub(crate) const MOST_BYTES: usize = 1 << 20;

/// The text of a job file, with a comment above each column that says why it has its role.
pub(crate) fn text(job: &Job) -> Answer<String> {
    let mut all: toml::Table = toml::from_str(&job.to_toml()?).map_err(std::io::Error::other)?;
    let columns = all.remove("columns");
    let mut text = String::new();
    for key in ["input", "output"] {
        if let Some(value) = all.remove(key) {
            let _ = writeln!(text, "{key} = {value}");
        }
    }
    text.push_str("\n[columns]\n");
    for (name, column) in columns.as_ref().and_then(toml::Value::as_table).into_iter().flatten() {
        if let Some(reason) = job.comments.get(name) {
            let _ = writeln!(text, "# {}", reason.replace(char::is_control, " "));
        }
        let _ = writeln!(text, "{} = {column}", toml::Value::from(name.as_str()));
    }
    let rest = toml::to_string(&all).map_err(std::io::Error::other)?;
    Ok(format!("{text}\n{rest}"))
}

/// Writes a job.
pub(crate) fn write(path: &Path, job: &Job) -> Answer<()> {
    let text = text(job)?;
    Ok(write_whole(path, text.as_bytes())?)
}

/// All files that a job reads.
fn files(job: &Job) -> Vec<PathBuf> {
    let hierarchies = job.columns.named().filter_map(|(_, column)| match &column.hierarchy {
        Some(HierarchySpec::File(file)) => Some(file.to_path_buf()),
        _ => None,
    });
    let populations = job.privacy.require.iter().filter_map(Require::population);
    let populations = populations.map(|population| population.to_path_buf());
    hierarchies.chain(populations).chain(job.search.start.clone()).collect()
}

/// Refuses a job that reads anything outside of the folder, or that works anywhere else.
pub(crate) fn refuse_outside(app: &App, job: &Job) -> Answer<()> {
    let Address::Files(input) = &job.input else { return Err(Failure::bad(words::JOB_OF_NO_FILE)) };
    let elsewhere = std::iter::once(input.clone()).chain(files(job)).find(|file| !app.folder.contains(file));
    if let Some(file) = elsewhere {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        return Err(Failure::bad(words::outside_folder(&name)));
    }
    if job.engine != Default::default() {
        return Err(Failure::bad(words::JOB_OF_CLUSTER));
    }
    Ok(())
}

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
