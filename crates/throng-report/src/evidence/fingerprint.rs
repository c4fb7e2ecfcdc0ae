//! The files of a job, so that a report says which ones it is about; of what is published, with its SHA-256.

use std::path::PathBuf;

use throng_engine::address::Address;
use throng_engine::error::{EngineError, Result};
use throng_engine::hash::sha256_of_table;
use throng_engine::job::{HierarchySpec, Job, Require};

/// A file and its hash. Anyone who knows all of a file except one cell can test guesses against its hash, so
/// only that of the release is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// What the file is to the job.
    pub what: String,
    /// The file.
    pub path: PathBuf,
    /// Its SHA-256 in hexadecimal digits, if it is the release.
    pub sha256: Option<String>,
}

/// All files of a job: its input, hierarchies, populations and release.
pub(super) fn of_all(job: &Job) -> Result<Vec<Fingerprint>> {
    let mut files = vec![("input".to_owned(), job.input.clone())];
    for (name, column) in job.columns.named() {
        if let Some(HierarchySpec::File(path)) = &column.hierarchy {
            let place = path.in_memory.clone().map_or_else(|| Address::from_path(&path.path), Address::from);
            files.push((format!("hierarchy of {name}"), place));
        }
    }
    files.extend(
        job.privacy
            .require
            .iter()
            .filter_map(Require::population)
            .map(|path| ("population".to_owned(), path)),
    );
    let release = job.output.path()?;
    let failed = |cause| EngineError::Io { path: release.to_path_buf(), action: "cannot read", cause };
    // What a table of a database or of an object store is at a moment has no hash.
    let is_file = |place: &Address| matches!(place, Address::Files(_) | Address::Stdio(_));
    let hash = is_file(release).then(|| sha256_of_table(release, &job.tables)).transpose().map_err(failed)?;
    files.push(("release".to_owned(), release.clone()));
    let of_file = |(what, place): (String, Address)| Fingerprint {
        sha256: hash.clone().filter(|_| place == *release),
        path: place.to_path_buf(),
        what,
    };
    Ok(files.into_iter().filter(|(_, path)| is_file(path)).map(of_file).collect())
}
