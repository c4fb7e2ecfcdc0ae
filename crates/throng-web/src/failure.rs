//! What went wrong, as data that pages show in its place and that is kept with a run.

use axum::response::Response;
use serde::{Deserialize, Serialize};
use throng_engine::error::{EngineError, ErrorKind};
use throng_engine::wording::Message;

/// An error of the engine, without the folder in which it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    /// What would help.
    #[serde(default)]
    pub(crate) hint: Option<Box<str>>,
    #[serde(default)]
    pub(crate) file: Option<Box<str>>,
    #[serde(default)]
    pub(crate) row: Option<u64>,
    #[serde(default)]
    pub(crate) line: Option<u64>,
    #[serde(default)]
    pub(crate) columns: Vec<String>,
}

impl Failure {
    pub(crate) fn bad(message: impl Into<Message>) -> Failure {
        Failure::from(EngineError::bad(message))
    }

    /// What was asked for is not there.
    pub(crate) fn not_there(message: &str) -> Failure {
        Failure { kind: ErrorKind::NotFound, ..Failure::bad(message) }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        let file = error.file().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into());
        Failure {
            kind: error.kind(),
            message: error.message(),
            hint: error.hint().map(Box::from),
            file,
            row: error.row(),
            line: error.line(),
            columns: error.columns().to_vec(),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure {
            kind: ErrorKind::Io,
            message: error.to_string(),
            hint: None,
            file: None,
            row: None,
            line: None,
            columns: Vec::new(),
        }
    }
}

/// What a handler answers with, or why it cannot; `pages` makes a page of the latter.
pub(crate) type Answer<T = Response> = std::result::Result<T, Failure>;
