//! Errors of the engine: bad input, or a machine that failed.

mod fault;
mod location;
mod shown;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throng::problem::ProblemError;
use throng::taxonomy::TaxonomyError;

pub use fault::Fault;
use location::{Location, Spot};

use crate::wording::Message;

/// The row of a value that was not met in rows: the table was counted elsewhere.
pub const NO_ROW: u64 = u64::MAX;

/// What went wrong, and where.
///
/// No variant carries a cell of the data: rows are numbered, columns are named. Where the fault is
/// can be asked for, so that nobody has to read it from the text.
///
/// ```
/// use std::path::Path;
/// use throng_tables::error::{EngineError, ErrorKind};
///
/// let error = EngineError::bad("this is not UTF-8 text").in_column("age").at_row(7).in_file("people.csv");
/// assert_eq!(error.to_string(), "people.csv: row 7, column 'age': this is not UTF-8 text");
/// assert_eq!((error.kind(), error.row(), error.column()), (ErrorKind::BadInput, Some(7), Some("age")));
/// assert_eq!((error.file(), error.message()), (Some(Path::new("people.csv")), "this is not UTF-8 text".into()));
///
/// let error = EngineError::bad(("k is 0", "it must be at least 2"));
/// assert_eq!((error.to_string().as_str(), error.hint()), ("k is 0; it must be at least 2", Some("it must be at least 2")));
/// ```
#[derive(Debug)]
pub enum EngineError {
    /// The user's input cannot be used: exit code 2.
    BadInput(Fault),
    /// A file that was named is not there: exit code 2.
    NotFound(Fault),
    /// A file cannot be read or written: exit code 3 (2 when it does not exist).
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done, e.g. "cannot write".
        action: &'static str,
        /// Why it failed.
        cause: io::Error,
    },
    /// The written file does not pass the independent check; it was removed.
    Unverified(Fault),
    /// The memory that is left is not enough: exit code 3.
    Memory(Fault),
    /// The user interrupted the run; nothing was written.
    Interrupted,
    /// The data engine failed.
    Data(Fault),
    /// So did a node of a cluster, or the way to it: the same may work a second time.
    Lost(Fault),
}

/// The kinds of errors, by which front ends tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// The user's input cannot be used.
    BadInput,
    /// A file that was named is not there.
    NotFound,
    /// A file cannot be read or written.
    Io,
    /// The written file does not pass the independent check.
    Unverified,
    /// The memory that is left is not enough.
    Memory,
    /// The user interrupted the run.
    Interrupted,
    /// The data engine failed.
    Data,
}

/// Result of the engine.
pub type Result<T> = std::result::Result<T, EngineError>;

impl EngineError {
    /// Bad input, with a message that says what failed, and if there is a remedy what would help, as in
    /// `bad(("k is 0", "it must be at least 2"))`. Where it failed is added by [`in_file`](Self::in_file) and its like.
    pub fn bad(message: impl Into<Message>) -> EngineError {
        EngineError::BadInput(Fault::new(message))
    }

    /// A file that is not there.
    pub fn not_found(path: &Path, message: impl Into<Message>) -> EngineError {
        EngineError::NotFound(Fault::new(message)).in_file(path)
    }

    /// Which kind of error this is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            EngineError::BadInput(_) => ErrorKind::BadInput,
            EngineError::NotFound(_) => ErrorKind::NotFound,
            EngineError::Io { cause, .. } if cause.kind() == io::ErrorKind::NotFound => ErrorKind::NotFound,
            EngineError::Io { .. } => ErrorKind::Io,
            EngineError::Unverified(_) => ErrorKind::Unverified,
            EngineError::Memory(_) => ErrorKind::Memory,
            EngineError::Interrupted => ErrorKind::Interrupted,
            EngineError::Data(_) | EngineError::Lost(_) => ErrorKind::Data,
        }
    }

    /// The file at fault.
    pub fn file(&self) -> Option<&Path> {
        match self {
            EngineError::Io { path, .. } => Some(path),
            _ => self.fault()?.find(|location| location.file.as_deref()),
        }
    }

    /// The row of a table, from 1; its header is row 0.
    pub fn row(&self) -> Option<u64> {
        self.fault()?.find(Location::row)
    }

    /// The line of a job or of a hierarchy, from 1.
    pub fn line(&self) -> Option<u64> {
        self.fault()?.find(Location::line)
    }

    /// The character of the line, from 1.
    pub fn character(&self) -> Option<u64> {
        self.fault()?.find(Location::character)
    }

    /// The column of the table that is at fault, the first if there are several.
    pub fn column(&self) -> Option<&str> {
        self.columns().first().map(String::as_str)
    }

    /// The columns of the table that are at fault.
    pub fn columns(&self) -> &[String] {
        self.fault().and_then(|fault| fault.find(Location::columns)).unwrap_or_default()
    }

    fn fault(&self) -> Option<&Fault> {
        match self {
            EngineError::BadInput(fault)
            | EngineError::NotFound(fault)
            | EngineError::Unverified(fault)
            | EngineError::Memory(fault)
            | EngineError::Data(fault)
            | EngineError::Lost(fault) => Some(fault),
            EngineError::Io { .. } | EngineError::Interrupted => None,
        }
    }

    /// Changes where it failed; a failure of the machine says that by itself.
    fn with(mut self, change: impl FnOnce(&mut Fault)) -> EngineError {
        match &mut self {
            EngineError::BadInput(fault)
            | EngineError::NotFound(fault)
            | EngineError::Unverified(fault)
            | EngineError::Memory(fault)
            | EngineError::Data(fault)
            | EngineError::Lost(fault) => change(fault),
            EngineError::Io { .. } | EngineError::Interrupted => {}
        }
        self
    }
}

/// Where it failed: shown before the message.
impl EngineError {
    /// In a file.
    #[must_use]
    pub fn in_file(self, path: impl Into<PathBuf>) -> EngineError {
        self.with(|fault| fault.shown().file = Some(path.into()))
    }

    /// In a row of a table, from 1; 0 is its header. Nothing is said of a row that nobody knows.
    #[must_use]
    pub fn at_row(self, row: u64) -> EngineError {
        if row == NO_ROW {
            return self;
        }
        self.with(|fault| fault.shown().spot = Some(Spot::Row(row)))
    }

    /// In a line of a text, from 1.
    #[must_use]
    pub fn at_line(self, line: u64) -> EngineError {
        self.with(|fault| fault.shown().spot = Some(Spot::Line(line)))
    }

    /// At a character of a line, both from 1.
    #[must_use]
    pub fn at_character(self, line: u64, character: u64) -> EngineError {
        self.with(|fault| fault.shown().spot = Some(Spot::Character { line, character }))
    }

    /// In a column of a table.
    #[must_use]
    pub fn in_column(self, name: &str) -> EngineError {
        self.with(|fault| fault.shown().columns = vec![name.to_owned()])
    }

    /// In something else that has a name, shown before all else.
    #[must_use]
    pub fn within(self, name: impl Into<String>) -> EngineError {
        self.with(|fault| fault.name(name.into()))
    }
}

/// Where it failed, if the message says so by itself.
impl EngineError {
    /// The message names the file.
    #[must_use]
    pub fn about_file(self, path: &Path) -> EngineError {
        self.with(|fault| fault.told().file = Some(path.to_owned()))
    }

    /// The message names columns.
    #[must_use]
    pub fn about_columns<'a>(self, names: impl IntoIterator<Item = &'a str>) -> EngineError {
        self.with(|fault| fault.told().columns = names.into_iter().map(str::to_owned).collect())
    }

    /// The message names a column.
    #[must_use]
    pub fn about_column(self, name: &str) -> EngineError {
        self.about_columns([name])
    }

    /// The message names a row.
    #[must_use]
    pub fn about_row(self, row: u64) -> EngineError {
        self.with(|fault| fault.told().spot = Some(Spot::Row(row)))
    }

    fn about_line(self, line: u64) -> EngineError {
        self.with(|fault| fault.told().spot = Some(Spot::Line(line)))
    }
}

impl From<ProblemError> for EngineError {
    fn from(error: ProblemError) -> EngineError {
        let bad = EngineError::bad(error.message());
        match error.column() {
            Some(column) => bad.about_column(column),
            None => bad,
        }
    }
}

impl From<TaxonomyError> for EngineError {
    fn from(error: TaxonomyError) -> EngineError {
        let bad = EngineError::bad(error.message());
        match error.line() {
            Some(line) => bad.about_line(line as u64),
            None => bad,
        }
    }
}

impl std::error::Error for EngineError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            EngineError::Io { cause, .. } => Some(cause),
            _ => None,
        }
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, true)
    }
}
