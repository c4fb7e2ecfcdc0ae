//! A hierarchy that stands in a file.

use std::ops::Deref;
use std::path::{Path, PathBuf};

/// A file with one line per value: `leaf;level1;…;top`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HierarchyFile {
    /// Where it is.
    pub path: PathBuf,
    /// What stands between its labels; recognised if nothing is said.
    pub separator: Option<char>,
}

impl Deref for HierarchyFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl<P: Into<PathBuf>> From<P> for HierarchyFile {
    fn from(path: P) -> HierarchyFile {
        HierarchyFile { path: path.into(), separator: None }
    }
}
