//! What the columns of a table are, and how identifying they are alone and together.
//!
//! One scan in bounded memory, whatever the number of rows; rarely two. Each cell becomes a key of 64 bits;
//! [`sample`] counts the distinct keys of each column and the rows whose key is theirs alone,
//! exactly up to a limit and estimated beyond it. The kind of a column ([`kind`]) is never
//! estimated: every cell takes part, and only repetitions of a value are not looked at again.
//!
//! [`combinations`] counts the same for pairs and triples. Which columns are worth it must be
//! known before the scan ends, so they are chosen after the first rows, by the roles ([`role`])
//! that these rows suggest; their keys are kept until then, so no row is left out. Should all rows
//! suggest other columns (a table may be sorted), these are combined in a second scan. With ten
//! columns there are 45 pairs, 20 triples of the best six, and all ten together: 66 sums and
//! look-ups for each row, about as much work as reading it.
//!
//! [`persons`] takes a short second look if an identifier repeats: whether it numbers people.
//!
//! No value of the data leaves this module: names of columns, kinds, counts and lengths do.

mod by_parts;
mod column;
mod combinations;
mod dates;
mod free_text;
mod kept;
mod kind;
mod looks;
mod no_answer;
mod notes;
mod persons;
mod repeats;
mod role;
mod sample;
mod scan;
mod spelling;
mod typed;
mod words;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::input::source::Source;
use crate::progress::Progress;
use crate::role::Role;
pub use by_parts::{PartObserver, look_at_table};
pub use dates::DateFormat;
pub(crate) use free_text::find_free_text;
pub use free_text::{FreeText, TextFacts, mentions_somebody};
pub use kept::{KeptColumn, KeptLook, look_at_kept};
pub(crate) use kept::{KeptWatch, Mentions};
pub use kind::{ColumnKind, Inferred, Spellings};
pub use looks::ColumnLook;
pub use persons::PersonColumn;
pub(crate) use repeats::{IdentifierCounts, most_telling};
pub use repeats::{Repeated, find_repeated};
pub(crate) use role::ANSWER;
pub(crate) use role::is_personal;
pub use role::{Facts, MAX_QUASI, Suggestion, numbers_households, special_category, suggest_roles};
pub use sample::Estimate;
use scan::Scan;

/// What to find out beyond the columns themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileOptions {
    /// How many columns are combined at most.
    pub max_columns: usize,
    /// Names of the columns to combine; if there are none, the likely quasi-identifiers.
    pub combine: Vec<String>,
}

impl Default for ProfileOptions {
    fn default() -> ProfileOptions {
        ProfileOptions { max_columns: 10, combine: Vec::new() }
    }
}

/// The columns that can be combined at most: 190 pairs.
pub const MAX_COMBINED: usize = 20;

/// What a table is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Rows of the table.
    pub rows: u64,
    /// The columns, in the order of the table.
    pub columns: Vec<ColumnProfile>,
    /// The columns that were combined, the most telling first: all suggested quasi-identifiers, as
    /// far as so many may be combined.
    pub combined: Vec<String>,
    /// Combinations of columns, those first that leave the most rows unique; of those that leave
    /// equally many, the smaller first.
    pub combinations: Vec<CombinationProfile>,
    /// Columns that number people with several rows, the most telling first.
    #[serde(default)]
    pub persons: Vec<PersonColumn>,
}

/// What one column is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnProfile {
    /// Its name.
    pub name: String,
    /// What its values are: `type`, and the `date_format` of dates.
    #[serde(flatten, with = "typed")]
    pub kind: ColumnKind,
    /// Distinct values, the missing one left out.
    pub distinct: Estimate,
    /// Rows without a value.
    pub missing: u64,
    /// Their share.
    pub missing_share: f64,
    /// Rows with a value that no other row has.
    pub unique_rows: Estimate,
    /// Their share.
    pub unique_share: f64,
    /// Characters of the shortest value, if values are text.
    pub min_length: Option<usize>,
    /// Characters of the longest value.
    pub max_length: Option<usize>,
    /// What it may be to a release.
    #[serde(flatten)]
    pub suggestion: Suggestion,
    /// What is unusual about it.
    pub notes: Vec<String>,
}

/// How identifying several columns are together. A missing value is a value like others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CombinationProfile {
    /// Names of the columns, in the order of the table.
    pub columns: Vec<String>,
    /// Distinct combinations of values.
    pub classes: Estimate,
    /// Rows with a combination that no other row has.
    pub unique_rows: Estimate,
    /// Their share.
    pub unique_share: f64,
}

impl Profile {
    /// Makes identifiers of the columns that turned out to number people.
    fn leave_out_persons(&mut self) {
        for person in &self.persons {
            let is_it = |column: &&mut ColumnProfile| column.name == person.column;
            let Some(column) = self.columns.iter_mut().find(is_it) else { continue };
            if column.suggestion.role != Role::Identifier {
                column.suggestion = role::numbering(&person.constant_columns);
                self.combined.retain(|name| *name != person.column);
                self.combinations.retain(|set| !set.columns.contains(&person.column));
            }
        }
    }

    /// Whether some figure is an estimate.
    pub fn has_estimates(&self) -> bool {
        let columns = self.columns.iter().flat_map(|column| [column.distinct, column.unique_rows]);
        let combinations = self.combinations.iter().flat_map(|set| [set.classes, set.unique_rows]);
        columns.chain(combinations).any(|count| count.estimated)
    }
}

/// Profiles a table in one scan, or two if the first rows suggest other columns to combine than all
/// rows do.
///
/// Must be called in a Tokio runtime; with more than one worker, the file is decoded while the
/// rows before are counted. The result depends on the rows, but on the number of threads it
/// does not.
///
/// # Errors
/// If the file cannot be read or has no rows, a column to combine is not there, or the run was
/// cancelled.
pub async fn profile(source: &Source, options: &ProfileOptions, progress: &dyn Progress) -> Result<Profile> {
    progress.phase("read");
    let mut scan = Scan::new(source, options)?;
    scan.read(progress).await?;
    let mut found = scan.finish();
    if let Some(best) = scan.missed() {
        let mut again = Scan::combining(source, &best);
        again.read(progress).await?;
        (found.combined, found.combinations) = again.combined();
    }
    found.persons = persons::find(source, &found, progress).await?;
    found.leave_out_persons();
    Ok(found)
}

#[cfg(test)]
mod tests;
