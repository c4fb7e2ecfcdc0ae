//! By what, when and of which files a release was made.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use jiff::{Timestamp, Unit};
use serde::{Deserialize, Serialize};
use tokio::task;

use crate::address::Address;
use crate::error::{EngineError, Result};
use crate::hash::{sha256_of_hashed, sha256_of_shared, sha256_of_table};
use crate::input::source::Source;
use crate::nodes::{LookingNodes, nodes_of, or_cancelled};
use crate::progress::Progress;
use throng_tables::input::shared_bytes::SharedBytes;
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
    /// The bytes, if somebody passes them on who decodes them.
    shared: Option<Arc<SharedBytes>>,
    /// None if the system had no thread to give: then the hash is computed when it is asked for.
    thread: Option<JoinHandle<io::Result<String>>>,
}

/// A hash that nodes compute, file by file, until somebody asks for it.
pub(crate) struct HashingByNodes(Mutex<Option<Ending>>);

/// What ends when nobody waits for it any more.
struct Ending(task::JoinHandle<Result<String>>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl HashingByNodes {
    /// Starts with a table that nodes counted; there is none of other tables.
    pub(crate) fn start(table: &Address, counted: &Source) -> HashingByNodes {
        let start = |path: PathBuf, nodes: Arc<dyn LookingNodes>| {
            Ending(tokio::spawn(async move {
                let hashes = match nodes.hash_files().await {
                    // Other nodes can do it.
                    Err(EngineError::Lost(_)) => nodes.hash_files().await?,
                    ended => ended?,
                };
                let hash = sha256_of_hashed(&path, &hashes);
                hash.map_err(|cause| EngineError::Io { path, action: "cannot read", cause })
            }))
        };
        let hashing = match table {
            Address::Files(path) => nodes_of(counted).map(|nodes| start(path.clone(), nodes)),
            _ => None,
        };
        HashingByNodes(Mutex::new(hashing))
    }

    /// The hash in hexadecimal digits, for who asks first.
    ///
    /// # Errors
    /// If a node fails, or the run is cancelled.
    pub(crate) async fn finish(&self, progress: &dyn Progress) -> Result<Option<String>> {
        let hashing = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut hashing) = hashing else { return Ok(None) };
        let ended = async { (&mut hashing.0).await.expect("hashing does not panic") };
        or_cancelled(ended, progress).await.map(Some)
    }
}

impl Hashing {
    /// Starts with a table, as it was opened.
    pub(crate) fn start(path: &Path, tables: &Tables) -> Hashing {
        let (path, tables) = (path.to_owned(), tables.clone());
        let (hashed, opened) = (path.clone(), tables.clone());
        let thread = Builder::new().name("hash".to_owned()).spawn(move || sha256_of_table(&hashed, &opened));
        Hashing { path, tables, shared: None, thread: thread.ok() }
    }

    /// Starts with the bytes of a table that its next scan passes on.
    pub(crate) fn start_shared(source: &Source, shared: Arc<SharedBytes>) -> Hashing {
        let (path, tables) = (source.path().to_owned(), source.tables().clone());
        let (hashed, opened, bytes) = (path.clone(), tables.clone(), Arc::clone(&shared));
        let thread = Builder::new().name("hash".to_owned()).spawn(move || {
            let _wanted = ForgetOnDrop(&bytes);
            sha256_of_shared(&hashed, &opened, &bytes)
        });
        if thread.is_err() {
            shared.forget();
        }
        Hashing { path, tables, shared: Some(shared), thread: thread.ok() }
    }

    /// The table was scanned.
    pub(crate) fn end_scan(&self) {
        self.shared.iter().for_each(|shared| shared.end());
    }

    /// The hash in hexadecimal digits.
    pub(crate) fn finish(mut self) -> Result<String> {
        self.end_scan();
        let hash = tokio::task::block_in_place(|| match self.thread.take() {
            Some(thread) => thread.join().expect("hashing does not panic"),
            None => sha256_of_table(&self.path, &self.tables),
        });
        hash.map_err(|cause| EngineError::Io { path: self.path.clone(), action: "cannot read", cause })
    }
}

/// Whoever decodes the table does not wait for a hash that could not be computed.
struct ForgetOnDrop<'s>(&'s SharedBytes);

impl Drop for ForgetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.forget();
    }
}

/// Whoever decodes the table does not wait for a hash that nobody wants.
impl Drop for Hashing {
    fn drop(&mut self) {
        self.shared.iter().for_each(|shared| shared.forget());
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
        let without =
            Hashing { path: file.path().to_owned(), tables: Tables::default(), shared: None, thread: None };
        let hash = without.finish().unwrap();
        assert!(hash.starts_with("ba7816bf"), "{hash}");
        assert_eq!(hashing.finish().unwrap(), hash);
    }
}
