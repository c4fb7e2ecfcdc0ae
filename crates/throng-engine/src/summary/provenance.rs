//! By what, when and of which files a release was made.

use std::path::{Path, PathBuf};
use std::thread::{Builder, JoinHandle};

use jiff::{Timestamp, Unit};
use serde::{Deserialize, Serialize};

use crate::error::{EngineError, Result};
use crate::hash::sha256_of_table;
use throng_tables::tables::Tables;

/// What a summary says of its own origin; nothing of it is in the release.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The version of throng.
    pub version: String,
    /// The commit that it was built from; only the program knows it, if it was built in a clone.
    pub commit: Option<String>,
    /// When the run began, in UTC to the second.
    pub date: String,
    /// SHA-256 of the input, if it is a file; of many files see [`sha256_of_table`].
    pub input_sha256: Option<String>,
    /// SHA-256 of the job file, if there is one; whoever read it knows it.
    pub job_sha256: Option<String>,
    /// SHA-256 of the release, if there is one, of parts as of many files; of a table in a database, that of its text
    /// as it was read back.
    pub output_sha256: Option<String>,
}

impl Provenance {
    /// That of a run which begins now.
    pub(crate) fn now() -> Provenance {
        let now = Timestamp::now();
        Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            date: now.round(Unit::Second).unwrap_or(now).to_string(),
            ..Provenance::default()
        }
    }
}

/// A hash that a thread of its own computes, while others have better things to do.
pub(crate) struct Hashing {
    path: PathBuf,
    tables: Tables,
    /// None if the system had no thread to give: then the hash is computed when it is asked for.
    thread: Option<JoinHandle<std::io::Result<String>>>,
}

impl Hashing {
    /// Starts with a table, as it was opened.
    pub(crate) fn start(path: &Path, tables: &Tables) -> Hashing {
        let (path, tables) = (path.to_owned(), tables.clone());
        let (hashed, opened) = (path.clone(), tables.clone());
        let thread = Builder::new().name("hash".to_owned()).spawn(move || sha256_of_table(&hashed, &opened));
        Hashing { path, tables, thread: thread.ok() }
    }

    /// The hash in hexadecimal digits.
    pub(crate) fn finish(self) -> Result<String> {
        let Hashing { path, tables, thread } = self;
        let hash = tokio::task::block_in_place(|| match thread {
            Some(thread) => thread.join().expect("hashing does not panic"),
            None => sha256_of_table(&path, &tables),
        });
        hash.map_err(|cause| EngineError::Io { path, action: "cannot read", cause })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_hash_needs_no_thread() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        let hashing = Hashing::start(file.path(), &Tables::default());
        assert!(hashing.thread.is_some());
        let without = Hashing { path: file.path().to_owned(), tables: Tables::default(), thread: None };
        let hash = without.finish().unwrap();
        assert!(hash.starts_with("ba7816bf"), "{hash}");
        assert_eq!(hashing.finish().unwrap(), hash);
    }
}
