//! Words that all parts of a report share.

use throng_engine::job::Role;
use throng_engine::profile::numbers_households;

use crate::evidence::{ColumnEvidence, Evidence};
use crate::page::html::{count, many};

/// What is counted: a row, a person, or a household.
pub(super) fn unit(evidence: &Evidence) -> &'static str {
    match evidence.job.person() {
        Some(column) if numbers_households(column) => "household",
        Some(_) => "person",
        None => "row",
    }
}

/// `1 person`, `12 people`, `12 households`.
pub(super) fn many_units(evidence: &Evidence, number: u64) -> String {
    match (unit(evidence), number) {
        ("person", number) if number != 1 => format!("{} people", count(number)),
        (unit, number) => many(number, unit),
    }
}

/// `1 column`, `12 columns`.
pub(super) fn columns(number: usize) -> String {
    many(number as u64, "column")
}

/// What the release is called.
pub(super) fn file_name(evidence: &Evidence) -> String {
    evidence.job.output.name().unwrap_or_else(|| "release".to_owned())
}

/// What a column is to a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnFate {
    Removed,
    Coded,
    Known,
    Secret,
    Predicted,
    Harmless,
}

impl ColumnFate {
    /// Those whose columns come first on the page.
    pub(super) const ALL: [ColumnFate; 6] = [
        ColumnFate::Removed,
        ColumnFate::Coded,
        ColumnFate::Known,
        ColumnFate::Secret,
        ColumnFate::Predicted,
        ColumnFate::Harmless,
    ];

    pub(super) fn from_column(column: &ColumnEvidence) -> ColumnFate {
        match column.role {
            Role::Identifier if column.has_pseudonyms => ColumnFate::Coded,
            Role::Identifier => ColumnFate::Removed,
            Role::Quasi => ColumnFate::Known,
            Role::Sensitive => ColumnFate::Secret,
            Role::Target => ColumnFate::Predicted,
            Role::Other => ColumnFate::Harmless,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            ColumnFate::Removed => "removed",
            ColumnFate::Coded => "replaced by codes",
            ColumnFate::Known => "others may know",
            ColumnFate::Secret => "secret",
            ColumnFate::Predicted => "to be predicted",
            ColumnFate::Harmless => "harmless",
        }
    }

    /// What that means for its cells.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            ColumnFate::Removed => "Not in the release.",
            ColumnFate::Coded => {
                "One code for each person, so that their rows stay together. Only the key leads back."
            }
            ColumnFate::Known => {
                "Somebody could know these and look for a person. Made coarser where needed."
            }
            ColumnFate::Secret => "Nobody should learn these about a person. Kept.",
            ColumnFate::Predicted => "What the recipient wants to predict. Kept.",
            ColumnFate::Harmless => "Taken to be harmless. Kept.",
        }
    }

    /// How its mark is coloured.
    pub(super) fn class(self) -> &'static str {
        match self {
            ColumnFate::Known => "tag quasi",
            ColumnFate::Secret => "tag sensitive",
            _ => "tag",
        }
    }
}
