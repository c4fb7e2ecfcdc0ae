//! Where a table goes: it appears whole, or not at all.

pub mod metadata;
pub mod plain;
pub mod sink;

use rayon::prelude::*;

use crate::error::Result;

/// Results of what is done side by side; of several failures the first.
///
/// # Errors
/// The first failure.
pub fn in_order<T: Send>(all: impl IndexedParallelIterator<Item = Result<T>>) -> Result<Vec<T>> {
    let all: Vec<Result<T>> = all.collect();
    all.into_iter().collect()
}
