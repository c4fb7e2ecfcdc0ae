//! What can be wrong with a hierarchy.

use std::fmt;

use crate::wording::Message;

/// Why a hierarchy cannot be used.
///
/// Rows are lines of the hierarchy, counted from 1; values are never quoted, because the
/// leaves of a hierarchy are values of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaxonomyError {
    /// No leaf at all.
    Empty,
    /// A row of another length than the first.
    Ragged {
        /// The offending row.
        row: usize,
        /// Columns found in it.
        found: usize,
        /// Columns of the first row.
        expected: usize,
    },
    /// Two rows for one leaf.
    DuplicateLeaf {
        /// The offending row.
        row: usize,
        /// The row that had the leaf first.
        earlier: usize,
    },
    /// A level splits a value of the level below.
    NotCoarser {
        /// The offending row.
        row: usize,
        /// The row it contradicts.
        earlier: usize,
        /// The level (0 for leaves) that splits a value of the one below.
        level: usize,
    },
    /// The text of a hierarchy file cannot be read.
    Syntax {
        /// The offending line.
        row: usize,
        /// What is wrong.
        problem: Message,
    },
    /// A builder's parameters make no sense.
    Builder(Message),
    /// A builder cannot place a value.
    Unfit {
        /// Position (from 0) in the list of values that the builder was given.
        index: usize,
        /// What the builder needs.
        expected: Message,
    },
}

impl TaxonomyError {
    /// What is wrong, and what would help.
    pub fn message(&self) -> Message {
        match self {
            TaxonomyError::Empty => {
                ("the hierarchy is empty", "it needs one line per value, 'leaf;level1;…;top'").into()
            }
            TaxonomyError::Ragged { row, found, expected } => {
                let what = format!("line {row}: {found} columns where the first has {expected}");
                (what, "every line must have as many").into()
            }
            TaxonomyError::DuplicateLeaf { row, earlier } => {
                let what = format!("line {row}: its first column repeats that of line {earlier}");
                (what, "each value may have only one line").into()
            }
            TaxonomyError::NotCoarser { row, earlier, level } => {
                let what = format!(
                    "line {row}: column {} differs from that of line {earlier}, though both lines have \
                     the same value in column {level}",
                    level + 1
                );
                (what, "each level must be a coarsening of the one below").into()
            }
            TaxonomyError::Syntax { row, problem } => problem.clone().after(format_args!("line {row}: ")),
            TaxonomyError::Builder(problem) => problem.clone(),
            TaxonomyError::Unfit { index, expected } => {
                expected.clone().after(format_args!("value number {} of the column is not ", index + 1))
            }
        }
    }

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

impl fmt::Display for TaxonomyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for TaxonomyError {}
