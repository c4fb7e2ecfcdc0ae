//! Errors of the engine: bad input, or a machine that failed.

use std::path::PathBuf;

use thiserror::Error;

/// What went wrong.
///
/// No variant carries a cell of the data: rows are numbered, columns are named.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The user's input cannot be used: exit code 2.
    #[error("{0}")]
    BadInput(String),
    /// A file cannot be read or written: exit code 3 (2 when it does not exist).
    #[error("{}: {action}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done, e.g. "cannot write".
        action: &'static str,
        /// Why it failed.
        cause: std::io::Error,
    },
    /// The written file does not pass the independent check; it was removed.
    #[error("the written file failed verification and was removed: {0}")]
    Unverified(String),
    /// The user interrupted the run; nothing was written.
    #[error("interrupted; nothing was written")]
    Interrupted,
    /// The data engine failed.
    #[error("the data engine failed: {0}")]
    Data(String),
}

/// Result of the engine.
pub type Result<T> = std::result::Result<T, EngineError>;

impl EngineError {
    /// Bad input, with a message that says what failed, where, and what is allowed.
    pub fn bad(message: impl Into<String>) -> EngineError {
        EngineError::BadInput(message.into())
    }
}

/// The name among `allowed` that `name` was most likely meant to be.
///
/// ```
/// use throng_engine::error::nearest;
///
/// assert_eq!(nearest("flsh", ["flash", "ola"]), Some("flash"));
/// assert_eq!(nearest("kkk", ["k", "kk"]), Some("kk"));
/// assert_eq!(nearest("5", ["1", "2"]), None); // as near to the one as to the other
/// ```
pub fn nearest<'a>(name: &str, allowed: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    allowed
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, candidate)| {
            let length = candidate.chars().count();
            // A misspelt name still has half of its letters.
            distance <= 2.max(length / 3) && 2 * distance <= length.max(lower.chars().count())
        })
        .min()
        .map(|(_, candidate)| candidate)
}
