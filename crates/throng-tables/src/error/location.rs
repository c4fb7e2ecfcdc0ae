//! Where a fault is.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng::wording::quoted;

/// As much of a place as is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Location {
    pub(super) file: Option<PathBuf>,
    pub(super) spot: Option<Spot>,
    /// Columns of the table.
    pub(super) columns: Vec<String>,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Spot {
    /// A row of a table; 0 is its header.
    Row(u64),
    Line(u64),
    Character {
        line: u64,
        character: u64,
    },
}

impl Location {
    pub(super) fn row(&self) -> Option<u64> {
        match self.spot? {
            Spot::Row(row) => Some(row),
            Spot::Line(_) | Spot::Character { .. } => None,
        }
    }

    pub(super) fn line(&self) -> Option<u64> {
        match self.spot? {
            Spot::Line(line) | Spot::Character { line, .. } => Some(line),
            Spot::Row(_) => None,
        }
    }

    pub(super) fn character(&self) -> Option<u64> {
        match self.spot? {
            Spot::Character { character, .. } => Some(character),
            Spot::Row(_) | Spot::Line(_) => None,
        }
    }

    pub(super) fn columns(&self) -> Option<&[String]> {
        (!self.columns.is_empty()).then_some(&self.columns)
    }
}

/// `people.csv: row 7, column 'age': `, or as much of it as is known.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        let spot = self.spot.map(|spot| spot.to_string());
        let column = self.columns.first().map(|name| format!("column {}", quoted(name)));
        let within: Vec<String> = spot.into_iter().chain(column).collect();
        if within.is_empty() { Ok(()) } else { write!(f, "{}: ", within.join(", ")) }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spot::Row(0) => write!(f, "the header"),
            Spot::Row(row) => write!(f, "row {row}"),
            Spot::Line(line) => write!(f, "line {line}"),
            Spot::Character { line, character } => write!(f, "line {line}, column {character}"),
        }
    }
}
