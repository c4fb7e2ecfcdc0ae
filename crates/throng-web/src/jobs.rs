//! Jobs as files: written with the reasons for roles, and held to what is in the folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use throng_engine::address::Address;
use throng_engine::job::{HierarchySpec, Job, Require};

use crate::app::App;
use crate::failure::{Answer, Failure};
use crate::folder::write_whole;
use crate::words;

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
    let input = match &job.input {
        Address::Files(input) => Some(input.clone()),
        Address::Postgres(table) if app.may_read(table) => None,
        _ => return Err(Failure::bad(words::JOB_OF_NO_FILE)),
    };
    let elsewhere = input.into_iter().chain(files(job)).find(|file| !app.folder.contains(file));
    if let Some(file) = elsewhere {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        return Err(Failure::bad(words::outside_folder(&name)));
    }
    if job.engine != Default::default() {
        return Err(Failure::bad(words::JOB_OF_CLUSTER));
    }
    Ok(())
}
