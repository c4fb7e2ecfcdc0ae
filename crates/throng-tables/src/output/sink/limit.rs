//! What others may do with files that are made of a table: no more than with the table.

#[cfg(test)]
use std::path::Path;
#[cfg(unix)]
use std::{fs, os::unix::fs::PermissionsExt};

use crate::address::Address;
use crate::error::Result;
#[cfg(unix)]
use crate::input::{files::FileList, scheme};

/// Permissions that a file which is made of a table may have at most, besides those of its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    #[cfg(unix)]
    mode: u32,
}

#[cfg(unix)]
impl Limit {
    /// What the permissions of a table allow; of many files, what those of all do. Nothing to others if it is no file
    /// that somebody named: who may read it is nothing that a file could say.
    ///
    /// # Errors
    /// If the table cannot be found.
    pub fn of_table(table: impl Into<Address>) -> Result<Limit> {
        let table = table.into();
        if !matches!(table, Address::Files(_)) {
            return Ok(Limit { mode: 0 });
        }
        let table = &scheme::local(&table)?;
        let list = FileList::list(table)?;
        let files = list.as_ref().map_or_else(
            || vec![table.as_path()],
            |list| list.files().iter().map(|file| file.as_path()).collect(),
        );
        let mut mode = 0o777;
        for file in files.into_iter().chain(Some(table.as_path()).filter(|table| table.is_dir())) {
            let found = fs::metadata(file);
            mode &= found.map_err(|cause| super::staged::failed(file, cause))?.permissions().mode();
        }
        Ok(Limit { mode })
    }

    /// Permissions of a file, within the limit.
    pub(super) fn file(self, given: u32) -> u32 {
        given & (self.mode | 0o600)
    }

    /// Permissions of a directory: who may read files may look into it, too.
    pub(super) fn directory(self, given: u32) -> u32 {
        given & (self.mode & 0o666 | (self.mode & 0o444) >> 2 | 0o700)
    }
}

#[cfg(not(unix))]
impl Limit {
    /// Others can do what the system lets them do with any file.
    pub fn of_table(_: impl Into<Address>) -> Result<Limit> {
        Ok(Limit {})
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_of_many_files_and_their_directory() {
        let dir = tempfile::tempdir().unwrap();
        let table = dir.path().join("table");
        fs::create_dir(&table).unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for (name, mode) in [("a.csv", 0o644), ("b.csv", 0o640)] {
            fs::write(table.join(name), "a\n1\n").unwrap();
            set(&table.join(name), mode);
        }
        set(&table, 0o755);
        let modes = |limit: Limit| (limit.file(0o666), limit.directory(0o777));
        assert_eq!(modes(Limit::of_table(&table).unwrap()), (0o640, 0o750));
        assert_eq!(modes(Limit::of_table(table.join("a.csv")).unwrap()), (0o644, 0o755));
        set(&table, 0o700);
        assert_eq!(modes(Limit::of_table(&table).unwrap()), (0o600, 0o700));
        assert_eq!(modes(Limit::of_table(Path::new("s3://bucket/a.csv")).unwrap()), (0o600, 0o700));
        assert!(Limit::of_table(dir.path().join("none.csv")).is_err());
    }
}
