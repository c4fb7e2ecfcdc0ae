//! Errors as text for people, and as an object for front ends that show them in place.

use std::fmt::{self, Write};
use std::path::Path;

use serde::{Serialize, Serializer};

use super::{EngineError, ErrorKind};

/// What a front end gets.
#[derive(Serialize)]
struct ShownError<'a> {
    kind: ErrorKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a Path>,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    character: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    columns: &'a [String],
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
}

impl EngineError {
    /// What failed and what would help, without the place, which has been asked for.
    pub fn message(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, false).expect("text can always grow");
        text
    }

    /// What failed, without what would help.
    pub(crate) fn what(&self) -> String {
        match self.fault() {
            Some(fault) if self.hint().is_some() => fault.message().what().to_owned(),
            _ => self.message(),
        }
    }

    /// What would help, if anybody knows.
    pub fn hint(&self) -> Option<&str> {
        #[cfg(debug_assertions)]
        self.compare_hint();
        match self.kind() {
            ErrorKind::BadInput | ErrorKind::NotFound | ErrorKind::Memory => self.fault()?.hint(),
            _ => None,
        }
    }

    #[cfg(debug_assertions)]
    fn compare_hint(&self) {
        if !matches!(self.kind(), ErrorKind::BadInput | ErrorKind::NotFound | ErrorKind::Memory) {
            return;
        }
        let message = self.message();
        let mut ends = message.match_indices("; ").map(|(end, _)| end);
        let end = ends.find(|&end| message[..end].matches('\'').count().is_multiple_of(2));
        let old = end.map(|end| message[end + 2..].to_owned());
        let new = self.fault().and_then(|fault| fault.hint()).map(str::to_owned);
        if old != new {
            use std::io::Write as _;
            let mut file =
                std::fs::OpenOptions::new().create(true).append(true).open("/tmp/eng/hints.txt").unwrap();
            writeln!(file, "{message:?} OLD {old:?} NEW {new:?}").unwrap();
        }
    }

    /// The text, with or without the place.
    pub(super) fn write(&self, f: &mut impl Write, with_place: bool) -> fmt::Result {
        #[cfg(debug_assertions)]
        if with_place {
            self.compare_hint();
        }
        let before = match self {
            EngineError::Io { path, action, cause } if with_place => {
                return write!(f, "{}: {action}: {cause}", path.display());
            }
            EngineError::Io { action, cause, .. } => return write!(f, "{action}: {cause}"),
            EngineError::Interrupted => return f.write_str("interrupted; nothing was written"),
            EngineError::Unverified(_) => "the written file failed verification and was removed: ",
            EngineError::Memory(_) => "not enough memory: ",
            EngineError::Data(_) | EngineError::Lost(_) => "the data engine failed: ",
            EngineError::BadInput(_) | EngineError::NotFound(_) => "",
        };
        let Some(fault) = self.fault() else { return Ok(()) };
        let place = if with_place { fault.place() } else { String::new() };
        write!(f, "{before}{place}{}", fault.message())
    }
}

impl Serialize for EngineError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parts = ShownError {
            kind: self.kind(),
            file: self.file(),
            row: self.row(),
            line: self.line(),
            character: self.character(),
            column: self.column(),
            columns: self.columns(),
            message: self.message(),
            hint: self.hint(),
        };
        parts.serialize(serializer)
    }
}
