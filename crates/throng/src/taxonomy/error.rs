//! What can be wrong with a hierarchy.

use thiserror::Error;

/// Why a hierarchy cannot be used.
///
/// Rows are lines of the hierarchy, counted from 1; values are never quoted, because the
/// leaves of a hierarchy are values of the data.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TaxonomyError {
    /// No leaf at all.
    #[error("the hierarchy is empty; it needs one line per value, 'leaf;level1;…;top'")]
    Empty,
    /// A row of another length than the first.
    #[error("line {row}: {found} columns where the first has {expected}; every line must have as many")]
    Ragged {
        /// The offending row.
        row: usize,
        /// Columns found in it.
        found: usize,
        /// Columns of the first row.
        expected: usize,
    },
    /// Two rows for one leaf.
    #[error("line {row}: its first column repeats that of line {earlier}; each value may have only one line")]
    DuplicateLeaf {
        /// The offending row.
        row: usize,
        /// The row that had the leaf first.
        earlier: usize,
    },
    /// A level splits a value of the level below.
    #[error(
        "line {row}: column {} differs from that of line {earlier}, though both lines have the same \
         value in column {level}; each level must be a coarsening of the one below",
        level + 1
    )]
    NotCoarser {
        /// The offending row.
        row: usize,
        /// The row it contradicts.
        earlier: usize,
        /// The level (0 for leaves) that splits a value of the one below.
        level: usize,
    },
    /// The text of a hierarchy file cannot be read.
    #[error("line {row}: {problem}")]
    Syntax {
        /// The offending line.
        row: usize,
        /// What is wrong.
        problem: String,
    },
    /// A builder's parameters make no sense.
    #[error("{0}")]
    Builder(String),
    /// A builder cannot place a value.
    #[error("value number {} of the column is not {expected}", index + 1)]
    Unfit {
        /// Position (from 0) in the list of values that the builder was given.
        index: usize,
        /// What the builder needs.
        expected: String,
    },
}

impl TaxonomyError {
    /// The line of the hierarchy at fault, if it is one.
    pub fn line(&self) -> Option<usize> {
        match self {
            TaxonomyError::Ragged { row, .. }
            | TaxonomyError::DuplicateLeaf { row, .. }
            | TaxonomyError::NotCoarser { row, .. }
            | TaxonomyError::Syntax { row, .. } => Some(*row),
            TaxonomyError::Empty | TaxonomyError::Builder(_) | TaxonomyError::Unfit { .. } => None,
        }
    }

    /// The same error with rows numbered otherwise, such as by lines of a file.
    pub(crate) fn map_rows(mut self, number: impl Fn(usize) -> usize) -> TaxonomyError {
        match &mut self {
            TaxonomyError::Ragged { row, .. } => *row = number(*row),
            TaxonomyError::DuplicateLeaf { row, earlier }
            | TaxonomyError::NotCoarser { row, earlier, .. } => {
                *row = number(*row);
                *earlier = number(*earlier);
            }
            TaxonomyError::Empty
            | TaxonomyError::Syntax { .. }
            | TaxonomyError::Builder(_)
            | TaxonomyError::Unfit { .. } => {}
        }
        self
    }
}
