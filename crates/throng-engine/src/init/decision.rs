//! What is decided about each column.

use std::path::PathBuf;

use serde::Serialize;

use crate::dictionary::is_textual;
use crate::error::Result;
use crate::job::{REST, Role};
use crate::profile::{ColumnKind, ColumnProfile};
use crate::source::Source;

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

/// The suggestions of a profile, changed where no job could follow them.
pub(super) fn decide(source: &Source, profiles: Vec<ColumnProfile>) -> Result<Vec<Decision>> {
    let distinct: Vec<u64> = profiles.iter().map(|column| column.distinct.value).collect();
    let mut columns: Vec<Decision> = profiles.into_iter().map(Decision::from).collect();
    if let Some(rest) = columns.iter_mut().find(|column| column.name == REST) {
        rest.role = Role::Identifier;
        rest.reason = "a job uses this name for all other columns; rename it to release it".to_owned();
    }
    if !columns.iter().any(|column| column.role == Role::Quasi) {
        let chosen = choose(source, &columns, &distinct)?;
        columns[chosen].role = Role::Quasi;
        columns[chosen].reason =
            "a job needs a quasi-identifier, and no other column is a better one".to_owned();
    }
    Ok(columns)
}

/// The column to be generalised when none is suggested: of those that would be released as they
/// are, the most telling; if there are none, the least telling of all.
fn choose(source: &Source, columns: &[Decision], distinct: &[u64]) -> Result<usize> {
    let schema = source.schema();
    let fit = |&at: &usize| columns[at].name != REST && is_textual(schema.field(at).data_type());
    let fit: Vec<usize> = (0..columns.len()).filter(fit).collect();
    let kept = fit.iter().copied().filter(|&at| columns[at].role != Role::Identifier);
    let chosen = kept.max_by_key(|&at| (distinct[at], std::cmp::Reverse(at)));
    chosen.or_else(|| fit.into_iter().min_by_key(|&at| (distinct[at], at))).ok_or_else(|| {
        source
            .bad("no column can be generalised; at least one must hold text, numbers, dates or truth values")
    })
}

impl From<ColumnProfile> for Decision {
    fn from(column: ColumnProfile) -> Decision {
        Decision {
            name: column.name,
            kind: column.kind,
            role: column.suggestion.role,
            reason: column.suggestion.reason,
            notes: column.notes,
            hierarchy: None,
        }
    }
}
