//! Tables that are no files: who has them reads and counts them.

use std::fmt;

use crate::error::{EngineError, Result};
use crate::input::source::Batches;

/// A table that something else reads, such as a database. All its columns come as text, a missing value as null.
///
/// Every look at it sees the same rows in the same order, as long as it is kept.
pub(crate) trait Remote: fmt::Debug + Send + Sync {
    /// The rows with only `columns`, in that order.
    ///
    /// # Errors
    /// If a column has no text. What else fails comes with the batches.
    fn scan(&self, columns: &[usize]) -> Result<Batches>;

    /// The distinct tuples of `columns`, in no order; the last column of the batches, of 64-bit numbers, has the rows
    /// of each. Columns may have other types than text, if they have the same texts.
    ///
    /// # Errors
    /// As of [`scan`](Remote::scan).
    fn count(&self, columns: &[usize]) -> Result<Batches>;

    /// What the type of a column is called where it is from, so that it can be had again there.
    fn type_of(&self, column: usize) -> Option<&str>;

    /// The text of a column, of which `cell` is the name in a statement; none if there are no statements, or any engine
    /// would give the same by a cast.
    fn text_of(&self, _column: usize, _cell: &str) -> Option<String> {
        None
    }

    /// About how many rows there are, if that is known.
    fn expected_rows(&self) -> Option<u64>;

    /// Bytes that the table takes where it is; 0 if that is not known.
    fn stored_bytes(&self) -> u64;

    /// The table as one that plans write parts of, if it is one.
    #[cfg(feature = "lake")]
    fn lake(&self) -> Option<&crate::lake::LakeTable> {
        None
    }
}

/// What an attempt gives, or another if a node was lost meanwhile: others can do its work.
///
/// # Errors
/// As of the last attempt.
pub(crate) async fn again_if_lost<T>(mut attempt: impl AsyncFnMut() -> Result<T>) -> Result<T> {
    match attempt().await {
        Err(EngineError::Lost(_)) => attempt().await,
        ended => ended,
    }
}
