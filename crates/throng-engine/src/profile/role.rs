//! What a column is to a release, suggested from its name, its kind and how telling its values
//! are.
//!
//! A suggestion errs towards safety: what is unclear is a quasi-identifier, which is generalised;
//! what is unclear and cannot be generalised is left out. A column is released as it is
//! (`sensitive`, `target`) only if nothing speaks against it. In order:
//!
//! 1. Nothing known in the whole column: `other`.
//! 2. A name that points to a person (`surname`, `email`) or a record (`patient_id`, `loan_number`,
//!    unless very many rows share each value and its name speaks of no people): `identifier`.
//! 3. One value in every row: `other`, because it tells nobody from anybody.
//! 4. Free text, lists, structures and bytes, which may hold anything: `identifier`.
//! 5. A name of what others know (`age`, `zip`, `treatment_city`): `quasi`, also when it speaks of
//!    something sensitive besides; but rule 7 goes first in 50 rows or more, unless what others know
//!    may well be nobody else's (`zip`, `birth`).
//! 6. Dates and times, whatever their name: `quasi`.
//! 7. Nine in ten known values that no other row has, in text or codes, or in whole numbers of 50
//!    rows or more: `identifier`; in fewer whole numbers: `quasi`.
//! 8. A name of a number (`loan_number`) that is not by itself a key: `quasi`.
//! 9. A name that ends like a class label (`class`, `outcome`), with 2 to 20 values: `target`.
//! 10. A name of what nobody should learn (`diagnosis`, `salary`): `sensitive`.
//! 11. Everything else: `quasi`.
//!
//! A release with very many quasi-identifiers keeps little of any. If there are more than
//! [`MAX_QUASI`], those stay that have a name of rule 5, then those of the most values; the others
//! become `identifier`, that is, are left out until somebody decides.

mod lexicon;

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::kind::ColumnKind;
use super::words::Words;
use crate::job::Role;
use lexicon::{COUNTED, FINE, IDENTIFIERS, KEYS, NUMBERS, PEOPLE, QUASI, SENSITIVE, TARGETS, THINGS};

/// Quasi-identifiers that are suggested at most.
pub const MAX_QUASI: usize = 16;

/// Rows that share a value of an `id` before it is no longer a person's.
const SHARED_ROWS: u64 = 50;
/// Values of a `number` that may be no key of anything, but a small count.
const FEW_NUMBERS: u64 = 20;
/// Values of a class label at most.
const MAX_CLASSES: u64 = 20;
/// Rows before the whole numbers of a column are told apart from a counter.
const MANY_ROWS: u64 = 50;

/// What is known about a column.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// Its name.
    pub name: &'a str,
    /// What its values are.
    pub kind: ColumnKind,
    /// Rows of the table.
    pub rows: u64,
    /// Rows without a value.
    pub missing: u64,
    /// Distinct values, the missing one left out.
    pub distinct: u64,
    /// Rows with a value that no other row has.
    pub unique_rows: u64,
    /// Whether at least half of the values are dates or times of day, whatever the kind.
    pub dated: bool,
}

impl Facts<'_> {
    fn known(&self) -> u64 {
        self.rows - self.missing
    }

    /// Whether so many rows share each value that it cannot be a person's.
    fn is_shared(&self) -> bool {
        self.known() / self.distinct.max(1) >= SHARED_ROWS
    }

    /// Whether nine in ten known values are those of one row only, as in a key. Where a value is
    /// missing, there is nothing to find anybody by. Measurements are no keys.
    fn is_keyed(&self) -> bool {
        let kind = matches!(
            self.kind,
            ColumnKind::Characters | ColumnKind::Category | ColumnKind::Mixed | ColumnKind::Integer
        );
        kind && 10 * self.unique_rows >= 9 * self.known()
    }
}

/// A role for a column, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The role.
    pub role: Role,
    /// Why, for people; no value of the data is in it.
    pub reason: String,
    /// Whether the column's name says so; otherwise its values do, or nothing speaks against it.
    pub by_name: bool,
}

/// A role for each column of a table.
///
/// ```
/// use throng_engine::job::Role;
/// use throng_engine::profile::{ColumnKind, Facts, suggest_roles};
///
/// let (kind, dated) = (ColumnKind::Characters, false);
/// let facts = Facts { name: "zip", kind, rows: 100, missing: 0, distinct: 90, unique_rows: 81, dated };
/// let suggestion = &suggest_roles(&[facts])[0];
/// assert_eq!((suggestion.role, suggestion.by_name), (Role::Quasi, true));
/// ```
pub fn suggest_roles(columns: &[Facts<'_>]) -> Vec<Suggestion> {
    let mut suggestions: Vec<Suggestion> = columns.iter().map(suggest).collect();
    for column in rank_quasi(columns, &suggestions).into_iter().skip(MAX_QUASI) {
        suggestions[column] = by_value(
            Role::Identifier,
            format!(
                "could be known to others, but there are {MAX_QUASI} more telling quasi-identifiers: left out"
            ),
        );
    }
    suggestions
}

/// The columns suggested as quasi-identifiers: those with telling names first, then those of the
/// most values, then in the order of the table.
pub(super) fn rank_quasi(columns: &[Facts<'_>], suggestions: &[Suggestion]) -> Vec<usize> {
    let is_quasi = |&column: &usize| suggestions[column].role == Role::Quasi;
    let mut quasi: Vec<usize> = (0..columns.len()).filter(is_quasi).collect();
    quasi.sort_by_key(|&column| (!suggestions[column].by_name, Reverse(columns[column].distinct)));
    quasi
}

fn suggest(facts: &Facts<'_>) -> Suggestion {
    let name = Words::of(facts.name);
    if facts.known() == 0 {
        return by_value(Role::Other, "every cell is missing");
    }
    if let Some(suggestion) = personal(&name, facts) {
        return suggestion;
    }
    if facts.distinct == 1 && facts.missing == 0 && facts.rows > 1 {
        return by_value(Role::Other, "the same value in every row: it tells nobody apart");
    }
    if facts.kind == ColumnKind::Text {
        return by_value(Role::Identifier, "free text may hold names or anything else");
    }
    if facts.kind.is_opaque() {
        return by_value(Role::Identifier, "lists, structures and bytes cannot be generalised");
    }
    let said = known_to_others(&name, facts).or_else(|| telling(facts)).or_else(|| kept(&name, facts));
    said.unwrap_or_else(|| by_value(Role::Quasi, "may be known to others: nothing speaks against it"))
}

/// A name that points to one person, or to one record of a person.
fn personal(name: &Words, facts: &Facts<'_>) -> Option<Suggestion> {
    let key = name.end_in_number_of(KEYS).filter(|_| may_be_key(facts) || number_people(name));
    let number = number_word(name, facts).filter(|_| facts.distinct > FEW_NUMBERS || facts.is_keyed());
    let person = (name.have("name") && name.find(THINGS).is_none()).then_some("name");
    let word = name.find(IDENTIFIERS).or(person).or(key).or(number)?;
    Some(by_name(Role::Identifier, word, "points to one person"))
}

/// Whether a name is that of the numbers of people (`patient_id`).
pub(super) fn numbers_people(name: &str) -> bool {
    number_people(&Words::of(name))
}

fn number_people(name: &Words) -> bool {
    name.find(PEOPLE).is_some()
        && (name.end_in_number_of(KEYS).is_some() || name.end_in_number_of(NUMBERS).is_some())
}

/// Whether a name is that of something that others know of a person.
pub(super) fn is_known_to_others(name: &str) -> bool {
    Words::of(name).find(QUASI).is_some()
}

/// The word for a number in a name, if it may be that of a person or a record.
fn number_word(name: &Words, facts: &Facts<'_>) -> Option<&'static str> {
    let counted = facts.kind == ColumnKind::Boolean || name.find(COUNTED).is_some();
    name.end_in_number_of(NUMBERS).filter(|_| !counted && may_be_key(facts))
}

fn may_be_key(facts: &Facts<'_>) -> bool {
    let measured = facts.kind == ColumnKind::Decimal || facts.kind.is_moment();
    !measured && !facts.is_shared()
}

/// A name of what others know, unless the values are those of a key.
fn known_to_others(name: &Words, facts: &Facts<'_>) -> Option<Suggestion> {
    let word = name.find(QUASI)?;
    let key = facts.is_keyed() && facts.known() >= MANY_ROWS && name.find(FINE).is_none();
    (!key).then(|| by_name(Role::Quasi, word, "others may know it"))
}

/// Values that may tell who somebody is, if the name speaks of nothing that others know.
fn telling(facts: &Facts<'_>) -> Option<Suggestion> {
    if facts.kind.is_moment() || facts.dated {
        return Some(by_value(Role::Quasi, "dates and times are often known to others"));
    }
    let reason = match facts.kind {
        _ if !facts.is_keyed() => return None,
        ColumnKind::Integer if facts.known() < MANY_ROWS => {
            return Some(by_value(Role::Quasi, "few rows, and nearly each has a number of its own"));
        }
        ColumnKind::Integer => "nearly every row has a number of its own",
        _ => "nearly every row has a value of its own",
    };
    Some(by_value(Role::Identifier, reason))
}

/// What the name says of a column whose values tell nobody: whether it is of use as it is.
fn kept(name: &Words, facts: &Facts<'_>) -> Option<Suggestion> {
    if let Some(word) = number_word(name, facts) {
        return Some(by_name(Role::Quasi, word, "may be that of a record that others know"));
    }
    if let (Some(word), 2..=MAX_CLASSES) = (name.end_in(TARGETS), facts.distinct) {
        return Some(by_name(Role::Target, word, "a label to predict"));
    }
    let word = name.find(SENSITIVE)?;
    Some(by_name(Role::Sensitive, word, "nobody should learn it about a person"))
}

fn by_name(role: Role, word: &str, meaning: &str) -> Suggestion {
    Suggestion { role, reason: format!("'{word}' in its name: {meaning}"), by_name: true }
}

fn by_value(role: Role, reason: impl Into<String>) -> Suggestion {
    Suggestion { role, reason: reason.into(), by_name: false }
}

#[cfg(test)]
mod tests;
