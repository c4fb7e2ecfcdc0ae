//! Files by the names that messages have for them.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::source::Source;

/// A file on this machine: the table itself, what came in for it on standard input, or what was fetched of it.
#[derive(Clone, Debug)]
pub struct NamedFile {
    /// What the user calls it.
    pub(crate) name: PathBuf,
    /// Where it can be opened.
    pub(crate) local: PathBuf,
}

impl NamedFile {
    /// A file that can be opened by its name.
    pub(crate) fn here(path: &Path) -> NamedFile {
        NamedFile { name: path.to_owned(), local: path.to_owned() }
    }

    pub(crate) fn open(&self) -> io::Result<File> {
        File::open(&self.local)
    }
}

impl Source {
    /// Where the file can be opened.
    pub(crate) fn file(&self) -> io::Result<NamedFile> {
        Ok(NamedFile { name: self.path.clone(), local: self.tables.local_path(&self.path)?.into_owned() })
    }
}
