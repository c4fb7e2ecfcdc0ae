//! A finished search as a file, for later deliveries of the same table.
//!
//! A recoding file says what the columns are, by which hierarchies (by SHA-256 of what they say, not of how they are
//! spelled), what was required, and what was decided: a level or a cut for each quasi-identifier, or the regions of
//! a local recoding's classes. It shows no value of the table that the release does not show: what hierarchies that
//! were built from the data would give others is kept as far as released labels tell it, and values that no such
//! label covers count as failing.

mod digest;
mod labels;
mod read;
mod recode;
mod save;

pub use read::Delivery;
pub(crate) use recode::RecodedTable;
pub(crate) use save::{refuse_unsaveable, save, unsettled};

use serde::{Deserialize, Serialize};
use throng::regions::Region;

use crate::input::dialect::DialectOverrides;
use crate::job::{Column, KeptHierarchy, Privacy, RowOrder, Search, SuppressedRows};

/// What the first key of a recoding file says.
const FORMAT: &str = "throng-recoding";

/// The version of the format that is written, and the latest that is read.
const VERSION: u64 = 1;

/// A recoding in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedRecoding {
    format: String,
    version: u64,
    /// The version of throng that made it.
    pub throng: String,
    /// Every column of the table, in its order.
    pub columns: Vec<SavedColumn>,
    #[serde(default)]
    csv: DialectOverrides,
    /// What every release must satisfy.
    pub privacy: Privacy,
    /// What was searched with.
    pub search: Search,
    suppressed: SuppressedRows,
    order: RowOrder,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    /// What was decided.
    pub recoding: Decided,
}

/// A column of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedColumn {
    /// Its name.
    pub name: String,
    /// What the job says of it.
    pub column: Column,
    /// SHA-256 of what its hierarchy says, or of what its job lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Whether its job lists values, which are not in this file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub listed: bool,
    /// What is kept of a hierarchy that was built from the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built: Option<KeptHierarchy>,
}

/// What a search decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decided {
    /// A level of each quasi-identifier.
    Levels(Vec<ColumnLevel>),
    /// A cut through the hierarchy of each quasi-identifier.
    Cuts(Vec<ColumnCut>),
    /// The classes of a local recoding, in the order in which rows try them.
    Classes(LocalClasses),
}

/// The level of a quasi-identifier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnLevel {
    /// Its name.
    pub column: String,
    /// The level.
    pub level: usize,
}

/// The cut of a quasi-identifier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnCut {
    /// Its name.
    pub column: String,
    /// The labels of the cut, but for values that stay as they are.
    pub labels: Vec<String>,
    /// Whether values below none of the labels stay as they are; else nothing is known of them.
    pub others: bool,
}

/// The classes of a local recoding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalClasses {
    /// The quasi-identifiers.
    pub columns: Vec<String>,
    /// For each class what it shows in each of them.
    pub labels: Vec<Vec<String>>,
}

/// A release's recoding, as a search decided it; of a local one the regions of its classes.
pub(crate) type Regions<'a> = Option<&'a [Region]>;
