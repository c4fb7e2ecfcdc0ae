//! What is decided about each column.

use std::path::PathBuf;

use serde::Serialize;

use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::job::{Column, Columns, REST, Role, refuse_unknown};
use crate::profile::{ANSWER, ColumnKind, ColumnProfile};

/// What a job will say about a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decision {
    /// The column.
    pub name: String,
    /// What its values are.
    pub kind: ColumnKind,
    /// What it is to the release.
    pub role: Role,
    /// Why.
    pub reason: String,
    /// Whether it becomes `*` in every row: a job needs a quasi-identifier, and there is no other.
    pub hidden: bool,
    /// Share of the rows with a value that no other row has.
    pub unique_share: f64,
    /// What is unusual about it.
    pub notes: Vec<String>,
    /// How it is generalised, if it is a quasi-identifier.
    pub hierarchy: Option<Hierarchy>,
}

/// A hierarchy that was built.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hierarchy {
    /// Its file.
    pub path: PathBuf,
    /// Number of values at each level, the column's own first.
    pub sizes: Vec<usize>,
}

impl Decision {
    /// Whether it is released as it is.
    pub fn is_kept(&self) -> bool {
        matches!(self.role, Role::Sensitive | Role::Target | Role::Other)
    }

    /// Whether it is one of many answers in a survey, which are decided as one.
    pub fn is_answer(&self) -> bool {
        self.reason == ANSWER
    }

    fn can_be_quasi(&self) -> bool {
        self.name != REST && !self.kind.is_opaque()
    }
}

/// The suggestions of a profile.
pub(super) fn suggested(profiles: Vec<ColumnProfile>) -> Vec<Decision> {
    let mut columns: Vec<Decision> = profiles.into_iter().map(Decision::from).collect();
    if let Some(rest) = columns.iter_mut().find(|column| column.name == REST) {
        rest.role = Role::Identifier;
        rest.reason = "a job uses this name for all other columns; rename it to release it".to_owned();
    }
    columns
}

/// Makes quasi-identifiers of the named columns and of no others.
fn choose(source: &Source, columns: &mut [Decision], named: &[String]) -> Result<()> {
    let mut chosen = Columns::default();
    named.iter().for_each(|name| drop(chosen.set(name, Column::new(Role::Quasi))));
    refuse_unknown(&chosen, source.columns())?;
    for column in columns.iter_mut() {
        if chosen.get(&column.name).is_some() {
            column.role = Role::Quasi;
            column.reason = "you named it as a quasi-identifier".to_owned();
        } else if column.role == Role::Quasi {
            column.role = Role::Identifier;
            column.reason = "not among the quasi-identifiers that you named: left out".to_owned();
        }
    }
    Ok(())
}

/// The suggestions of a profile, changed where quasi-identifiers are named or no job could follow the suggestions.
pub(super) fn decide(
    source: &Source,
    profiles: Vec<ColumnProfile>,
    named: &[String],
) -> Result<Vec<Decision>> {
    let count = |column: &ColumnProfile| column.distinct.value + u64::from(column.missing > 0);
    let values: Vec<u64> = profiles.iter().map(count).collect();
    let mut columns = suggested(profiles);
    if !named.is_empty() {
        choose(source, &mut columns, named)?;
    }
    if columns.iter().any(|column| column.role == Role::Quasi) {
        return Ok(columns);
    }
    if let Some(chosen) = most_telling(&columns, &values) {
        columns[chosen].role = Role::Quasi;
        columns[chosen].reason =
            "a job needs a quasi-identifier, and no other column is a better one".to_owned();
    } else {
        let hidden = least_telling(&columns, &values).ok_or_else(|| nothing_to_release(source))?;
        columns[hidden].role = Role::Quasi;
        columns[hidden].hidden = true;
        columns[hidden].reason =
            "should be left out like all others, but a job needs a quasi-identifier: only * is released"
                .to_owned();
    }
    Ok(columns)
}

/// The column to be generalised when none is suggested: of those that would be released as they
/// are, the one of the most values.
fn most_telling(columns: &[Decision], values: &[u64]) -> Option<usize> {
    let kept = (0..columns.len()).filter(|&at| columns[at].is_kept() && columns[at].can_be_quasi());
    kept.max_by_key(|&at| (values[at], std::cmp::Reverse(at)))
}

/// The column to become `*` when all should be left out: of those with values to be told apart, the
/// one of the fewest. One value in every row could not be hidden, as it is k-anonymous by itself.
fn least_telling(columns: &[Decision], values: &[u64]) -> Option<usize> {
    let fit = (0..columns.len()).filter(|&at| columns[at].can_be_quasi() && values[at] > 1);
    fit.min_by_key(|&at| (values[at], at))
}

fn nothing_to_release(source: &Source) -> EngineError {
    source.bad((
        "every column should be left out, and none can be released as * instead",
        "if a column does not identify anyone, rename it, or give its role yourself: throng anonymize DATA --qi …",
    ))
}

impl From<ColumnProfile> for Decision {
    fn from(column: ColumnProfile) -> Decision {
        Decision {
            name: column.name,
            kind: column.kind,
            role: column.suggestion.role,
            reason: column.suggestion.reason,
            hidden: false,
            unique_share: column.unique_share,
            notes: column.notes,
            hierarchy: None,
        }
    }
}
