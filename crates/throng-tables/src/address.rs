//! Where a table is. What a path means is decided here, and nowhere else.

pub(crate) mod database;
mod object;
pub(crate) mod pattern;
pub(crate) mod percent;

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};

pub use database::split_name;
pub use database::{DatabaseAddress, DatabaseObject, Server, SslMode};
pub use object::ObjectAddress;
pub use pattern::is_pattern;

use crate::memory::MemoryTable;

/// Where a table is, as it was said: whether that can be used is for its backend to say.
///
/// It derefs to the path that was said, by which messages name the table.
///
/// ```
/// use throng_tables::address::Address;
///
/// assert!(matches!(Address::from_path("-"), Address::Stdio(_)));
/// assert!(matches!(Address::from_path("2024-*/*.parquet"), Address::Files(_)));
/// assert!(matches!(Address::from_path("postgres://clinic/data?table=people"), Address::Postgres(_)));
/// assert!(matches!(Address::from_path("s3://clinic/people.parquet"), Address::Object(_)));
/// // What is written may have a format.
/// assert!(matches!(Address::of_target("-.parquet"), Address::Stdio(_)));
/// assert!(matches!(Address::from_path("-.parquet"), Address::Files(_)));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(from = "PathBuf")]
pub enum Address {
    /// Standard input (`-`), or standard output (`-`, `-.parquet`).
    Stdio(PathBuf),
    /// A file, a directory of files, or a pattern of them.
    Files(PathBuf),
    /// A table of PostgreSQL, or the result of a query.
    Postgres(PathBuf),
    /// Objects of a store.
    Object(PathBuf),
    /// Batches of this process, or the place for some. No text says it, so no job file can.
    Memory(MemoryTable),
}

/// What addresses of PostgreSQL begin with.
pub(crate) const POSTGRES: [&str; 2] = ["postgres", "postgresql"];
/// What addresses of object stores begin with.
pub(crate) const OBJECTS: &str = "s3";
/// What addresses of files may begin with.
pub(crate) const FILES: &str = "file";

impl Address {
    /// Where a table that is read is.
    pub fn from_path(path: impl Into<PathBuf>) -> Address {
        let path = path.into();
        let scheme = scheme_of(&path).map(str::to_ascii_lowercase);
        match scheme.as_deref() {
            _ if path == Path::new("-") => Address::Stdio(path),
            Some(OBJECTS) => Address::Object(path),
            Some(scheme) if POSTGRES.contains(&scheme) => Address::Postgres(path),
            _ => Address::Files(path),
        }
    }

    /// Where a table that is written will be: standard output is also `-.csv.gz` and its like. A file of such a name can
    /// be had as `./-.csv`.
    pub fn of_target(path: impl Into<PathBuf>) -> Address {
        let path = path.into();
        let is_stream =
            path.to_str().is_some_and(|path| path.starts_with("-.") && !path.contains(['/', '\\']));
        if is_stream { Address::Stdio(path) } else { Address::from_path(path) }
    }

    /// What was said.
    pub fn path(&self) -> &Path {
        match self {
            Address::Stdio(path) | Address::Files(path) | Address::Postgres(path) | Address::Object(path) => {
                path
            }
            Address::Memory(table) => table.name(),
        }
    }

    /// The same with its path in a directory, if it is one of files.
    #[must_use]
    pub fn within(self, directory: &Path) -> Address {
        match self {
            Address::Files(path) => Address::Files(directory.join(path)),
            elsewhere => elsewhere,
        }
    }
}

/// The scheme of an address; nothing if it is a path.
pub fn scheme_of(path: &Path) -> Option<&str> {
    let (scheme, _) = path.to_str()?.split_once("://")?;
    let is_scheme =
        scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    is_scheme.then_some(scheme)
}

/// An address may have a password, which is refused later.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Stdio(path) => f.debug_tuple("Stdio").field(path).finish(),
            Address::Files(path) => f.debug_tuple("Files").field(path).finish(),
            Address::Postgres(_) => f.debug_tuple("Postgres").finish_non_exhaustive(),
            Address::Object(_) => f.debug_tuple("Object").finish_non_exhaustive(),
            Address::Memory(table) => f.debug_tuple("Memory").field(&table.name()).finish(),
        }
    }
}

impl Deref for Address {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.path()
    }
}

impl AsRef<Path> for Address {
    fn as_ref(&self) -> &Path {
        self.path()
    }
}

impl From<PathBuf> for Address {
    fn from(path: PathBuf) -> Address {
        Address::from_path(path)
    }
}

impl From<&Path> for Address {
    fn from(path: &Path) -> Address {
        Address::from_path(path)
    }
}

impl From<&PathBuf> for Address {
    fn from(path: &PathBuf) -> Address {
        Address::from_path(path)
    }
}

impl From<&Address> for Address {
    fn from(address: &Address) -> Address {
        address.clone()
    }
}

impl From<MemoryTable> for Address {
    fn from(table: MemoryTable) -> Address {
        Address::Memory(table)
    }
}

impl From<&str> for Address {
    fn from(path: &str) -> Address {
        Address::from_path(path)
    }
}

impl PartialEq<Path> for Address {
    fn eq(&self, other: &Path) -> bool {
        self.path() == other
    }
}

impl PartialEq<&Path> for Address {
    fn eq(&self, other: &&Path) -> bool {
        self.path() == *other
    }
}

impl PartialEq<PathBuf> for Address {
    fn eq(&self, other: &PathBuf) -> bool {
        self.path() == other
    }
}

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Address::Memory(_) => {
                let path = self.path().display();
                Err(S::Error::custom(format!(
                    "the table '{path}' is in memory, where a job file cannot name it; write it to a file"
                )))
            }
            named => named.path().serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_the_standard_streams() {
        for path in ["-", "-.csv", "-.parquet", "-.csv.gz"] {
            assert!(matches!(Address::of_target(path), Address::Stdio(_)), "{path}");
        }
        for path in ["./-", "./-.csv", "a-", "-a.csv", "", "-.d/a.csv"] {
            assert!(matches!(Address::of_target(path), Address::Files(_)), "{path}");
        }
        assert!(matches!(Address::from_path("-"), Address::Stdio(_)));
        assert!(matches!(Address::from_path("-.csv"), Address::Files(_)));
    }

    #[test]
    fn schemes_are_in_any_case_and_others_are_paths() {
        assert!(matches!(Address::from_path("POSTGRESQL://h/d?table=t"), Address::Postgres(_)));
        assert!(matches!(Address::from_path("S3://bucket/key"), Address::Object(_)));
        for path in ["s3:/bucket", "C://x", "ftp://h/x", "a/s3://b", "file:///x.csv"] {
            assert!(matches!(Address::from_path(path), Address::Files(_)), "{path}");
        }
    }

    #[test]
    fn only_files_are_in_a_directory() {
        let within = |path: &str| Address::from_path(path).within(Path::new("jobs")).path().to_owned();
        assert_eq!(within("a.csv"), Path::new("jobs/a.csv"));
        assert_eq!(within("-"), Path::new("-"));
        assert_eq!(within("s3://b/k"), Path::new("s3://b/k"));
        assert!(!format!("{:?}", Address::from_path("postgres://me:secret@h/d")).contains("secret"));
    }
}
