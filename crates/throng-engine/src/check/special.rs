//! Records that few columns are enough to tell from all others.

use serde::{Deserialize, Serialize};

use throng::sample::{MOST_COLUMNS, special_uniques};

use super::CheckedTable;
use crate::encode::Encoded;
use crate::error::{EngineError, Result};
use crate::progress::{Progress, refuse_cancelled};

/// What was found of special uniques.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpecialFound {
    /// The most columns of a set that was looked at.
    pub most_columns: usize,
    /// Rows that such a set tells from all others.
    pub rows: u64,
    /// How many smallest such sets there are of each size, from one column on.
    pub sets: Vec<u64>,
    /// The highest score of a row.
    pub highest_score: f64,
    /// The mean score of all rows.
    pub mean_score: f64,
    /// What each quasi-identifier contributes to all scores, most first.
    pub columns: Vec<Contribution>,
}

/// What one quasi-identifier contributes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    /// Its name.
    pub name: String,
    /// The share of all scores that sets with it have.
    pub share: f64,
}

/// Looks for special uniques, if that is asked for.
///
/// # Errors
/// If there are too many columns, or the run was cancelled.
pub(super) fn find(
    subject: &CheckedTable,
    encoded: &Encoded,
    progress: &dyn Progress,
) -> Result<Option<SpecialFound>> {
    let Some(most) = subject.special_columns() else { return Ok(None) };
    let names: Vec<&str> = subject.quasi_names().collect();
    if names.len() > MOST_COLUMNS {
        return Err(EngineError::bad((
            format!("the search for special uniques takes at most {MOST_COLUMNS} columns"),
            format!("there are {} quasi-identifiers", names.len()),
        )));
    }
    let go_on = || refuse_cancelled(progress).is_ok();
    let found = special_uniques(&encoded.columns, &encoded.weights, most, go_on);
    let found = found.ok_or(EngineError::Interrupted)?;
    let share = |(name, &share): (&&str, &f64)| Contribution { name: (*name).to_owned(), share };
    let mut columns: Vec<Contribution> = names.iter().zip(&found.contributions).map(share).collect();
    columns.sort_by(|a, b| b.share.total_cmp(&a.share));
    let sum: f64 = found.scores.iter().sum();
    Ok(Some(SpecialFound {
        most_columns: most.min(names.len()),
        rows: found.scores.iter().filter(|&&score| score > 0.0).count() as u64,
        sets: found.by_size,
        highest_score: found.scores.iter().copied().fold(0.0, f64::max),
        mean_score: if encoded.rows > 0 { sum / encoded.rows as f64 } else { 0.0 },
        columns,
    }))
}
