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
    let name = evidence.job.output.path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "release".to_owned())
}

/// What a column is to a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Removed,
    Coded,
    Known,
    Secret,
    Predicted,
    Harmless,
}

impl Fate {
    /// Those whose columns come first on the page.
    pub(super) const ALL: [Fate; 6] =
        [Fate::Removed, Fate::Coded, Fate::Known, Fate::Secret, Fate::Predicted, Fate::Harmless];

    pub(super) fn of(column: &ColumnEvidence) -> Fate {
        match column.role {
            Role::Identifier if column.has_pseudonyms => Fate::Coded,
            Role::Identifier => Fate::Removed,
            Role::Quasi => Fate::Known,
            Role::Sensitive => Fate::Secret,
            Role::Target => Fate::Predicted,
            Role::Other => Fate::Harmless,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Fate::Removed => "removed",
            Fate::Coded => "replaced by codes",
            Fate::Known => "others may know",
            Fate::Secret => "secret",
            Fate::Predicted => "to be predicted",
            Fate::Harmless => "harmless",
        }
    }

    /// What that means for its cells.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Fate::Removed => "Not in the release.",
            Fate::Coded => {
                "One code for each person, so that their rows stay together. Only the key leads back."
            }
            Fate::Known => "Somebody could know these and look for a person. Made coarser.",
            Fate::Secret => "Nobody should learn these about a person. Kept exact.",
            Fate::Predicted => "What the recipient wants to predict. Kept exact.",
            Fate::Harmless => "Taken to be harmless. Kept exact.",
        }
    }

    /// How its mark is coloured.
    pub(super) fn class(self) -> &'static str {
        match self {
            Fate::Known => "tag quasi",
            Fate::Secret => "tag sensitive",
            _ => "tag",
        }
    }
}
