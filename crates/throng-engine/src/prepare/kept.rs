//! What was seen in the columns that are released as they are.

use std::collections::BTreeMap;

/// What is known of the columns that are released as they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptFindings {
    /// What the reader of a summary should know.
    pub(crate) warnings: Vec<String>,
    /// Cells that mention people, of each column of text that the job keeps.
    pub(crate) mentions: BTreeMap<String, u64>,
    /// Whether rows keep an order that tells whose they are.
    pub(crate) is_sorted: bool,
}
