//! What became of a recoding that was applied to another delivery.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A recoding that was applied in the place of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Applied {
    /// The version of throng that made it.
    pub made_by: String,
    /// The requirements that rows fail as it generalises them, before any is suppressed.
    pub failing: Vec<FailingSummary>,
    /// Rows of which it says nothing: no class of it covers them, or no label that it knows.
    pub uncovered_rows: u64,
    /// The first value of which it says nothing, if that is of one column.
    pub unknown: Option<UnknownValue>,
    /// Rows that had to be suppressed for all requirements to hold; a local recoding can place some elsewhere.
    pub rows_to_suppress: u64,
}

/// A requirement that rows fail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailingSummary {
    /// Name of the model, or of the notion.
    pub model: String,
    /// What it asks for.
    pub asked: Value,
    /// Classes that fail.
    pub classes: u64,
    /// Their rows, or persons where these count.
    pub rows: u64,
}

/// Where a value is that a recoding does not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownValue {
    /// Its column.
    pub column: String,
    /// The first row that has one; none where tuples were counted without their rows.
    pub row: Option<u64>,
}
