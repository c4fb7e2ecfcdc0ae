//! What all requests share.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use throng_engine::memory::ByteSize;
use throng_engine::pseudonym::PseudonymKey;

use crate::database;
use crate::draft::Counts;
use crate::engine::Engine;
use crate::folder::Folder;
use crate::queue::Queue;
use crate::session::Sessions;

/// What a run may take.
#[derive(Clone, Copy, Debug)]
pub struct RunBudget {
    /// Bytes of the largest table that may be sent.
    pub upload: ByteSize,
    /// The most memory that a run's tuples may take; no limit when not given.
    pub memory: Option<ByteSize>,
    /// How many seconds a search may take; after that, the best release so far is used.
    pub seconds: f64,
    /// Threads of searches; all cores when not given.
    pub threads: Option<usize>,
}

impl Default for RunBudget {
    fn default() -> RunBudget {
        RunBudget { upload: ByteSize(4 << 30), memory: None, seconds: 3600.0, threads: None }
    }
}

/// What all requests share.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) folder: Folder,
    pub(crate) sessions: Sessions,
    /// Names by which this server may be asked.
    pub(crate) hosts: Vec<String>,
    pub(crate) port: u16,
    pub(crate) is_secure: bool,
    pub(crate) budget: RunBudget,
    pub(crate) engine: Arc<Engine>,
    pub(crate) queue: Queue,
    /// Values of columns with their rows, for pages about detail.
    pub(crate) counts: Counts,
    /// What makes pseudonyms, if the environment has a key.
    pub(crate) key: Option<PseudonymKey>,
    /// Whether tables of the environment's database may be used.
    pub(crate) has_database: bool,
    /// One change of a draft after the other: each reads the job and writes it again.
    pub(crate) changes: Arc<tokio::sync::Mutex<()>>,
    /// Entries that are being worked on right now.
    pub(crate) busy: Mutex<BTreeSet<PathBuf>>,
}

impl App {
    /// Whether a table is below the folder, wherever links lead, or one of the environment's database.
    pub(crate) fn may_read(&self, table: &std::path::Path) -> bool {
        match database::table_of(table) {
            Some(_) => self.has_database,
            None => self.folder.contains(table),
        }
    }

    pub(crate) fn scheme(&self) -> &'static str {
        if self.is_secure { "https://" } else { "http://" }
    }

    /// Cookies are shared by all ports of a host, so each server has a name of its own.
    pub(crate) fn cookie_name(&self) -> String {
        format!("throng-{}", self.port)
    }

    /// Marks an entry as busy; false if it is already.
    pub(crate) fn begin(&self, entry: PathBuf) -> bool {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner).insert(entry)
    }

    pub(crate) fn end(&self, entry: &std::path::Path) {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner).remove(entry);
    }

    pub(crate) fn is_busy(&self, entry: &std::path::Path) -> bool {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner).contains(entry)
    }
}
