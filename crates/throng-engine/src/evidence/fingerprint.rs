//! SHA-256 of the files of a job, so that a report says which ones it is about.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::{EngineError, Result};
use crate::input::files::FileList;
use crate::input::{scheme, standard};
use crate::job::{HierarchySpec, Job, Require};

/// A file and its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// What the file is to the job.
    pub what: String,
    /// The file.
    pub path: PathBuf,
    /// Its SHA-256 in hexadecimal digits.
    pub sha256: String,
}

/// All files of a job: its input, hierarchies, populations and release.
pub(super) fn of_all(job: &Job) -> Result<Vec<Fingerprint>> {
    let mut files = vec![("input".to_owned(), job.input.as_path())];
    for (name, column) in job.columns.named() {
        if let Some(HierarchySpec::File(path)) = &column.hierarchy {
            files.push((format!("hierarchy of {name}"), path));
        }
    }
    files.extend(
        job.privacy
            .require
            .iter()
            .filter_map(Require::population)
            .map(|path| ("population".to_owned(), path)),
    );
    files.push(("release".to_owned(), &job.output.path));
    let of_file = |(what, path): (String, &Path)| {
        let sha256 = sha256_of_table(path).map_err(|cause| EngineError::Io {
            path: path.to_owned(),
            action: "cannot read",
            cause,
        })?;
        Ok(Fingerprint { what, path: path.to_owned(), sha256 })
    };
    // What a table of a database or of an object store is at a moment has no hash.
    files.into_iter().filter(|(_, path)| !scheme::is_elsewhere(path)).map(of_file).collect()
}

/// SHA-256 of a table in hexadecimal digits: of its file; or, if it is many, of a text with a line for each as
/// `sha256sum` writes it, its hash, two spaces and its path below the directory that all are in, in the order of the table.
///
/// # Errors
/// If a file cannot be read.
pub fn sha256_of_table(path: &Path) -> io::Result<String> {
    let Some(list) = FileList::of(path).map_err(io::Error::other)? else { return sha256(path) };
    let mut hasher = Sha256::new();
    for file in list.files() {
        hasher.update(format!("{}  {}\n", sha256(file)?, list.name(file)));
    }
    Ok(hex(hasher))
}

fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of a file in hexadecimal digits.
///
/// # Errors
/// If it cannot be read.
pub fn sha256(path: &Path) -> io::Result<String> {
    let mut file = standard::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            bytes => hasher.update(&buffer[..bytes]),
        }
    }
    Ok(hex(hasher))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_the_standard() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(
            sha256(&path).unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
