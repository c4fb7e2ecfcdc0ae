//! What a column is to a release, suggested from its name, its kind and how telling its values
//! are.
//!
//! A suggestion errs towards safety: what is unclear is a quasi-identifier, which is generalised;
//! what is unclear and cannot be generalised is left out. In order:
//!
//! 1. Nothing known in the whole column: `other`.
//! 2. A name that points to a person (`surname`, `email`; `patient_id` unless many rows share each
//!    value): `identifier`.
//! 3. One value in every row: `other`, because it tells nobody from anybody.
//! 4. Free text, lists and structures, which may hold anything: `identifier`.
//! 5. A name that ends like a class label (`class`, `outcome`), with 2 to 20 values: `target`.
//! 6. A name of what nobody should learn (`diagnosis`, `salary`): `sensitive`.
//! 7. A name of what others know (`age`, `zip`): `quasi`.
//! 8. Nine in ten rows with a value of their own, in text or codes, or in whole numbers of 50 rows
//!    or more: `identifier`.
//! 9. Everything else: `quasi`.
//!
//! A release with very many quasi-identifiers keeps little of any. If there are more than
//! [`MAX_QUASI`], those stay that have a name of rule 7, then those of the most values; the others
//! become `identifier`, that is, are left out until somebody decides.

mod lexicon;

use std::cmp::Reverse;

use serde::Serialize;

use super::kind::ColumnKind;
use super::words::Words;
use crate::job::Role;
use lexicon::{IDENTIFIERS, NUMBERS, QUASI, SENSITIVE, TARGETS, THINGS};

/// Quasi-identifiers that are suggested at most.
pub const MAX_QUASI: usize = 16;

/// Rows that share a value of an `id` before it is no longer a person's.
const SHARED_ROWS: u64 = 50;
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
}

/// A role for a column, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
/// let facts = Facts { name: "zip", kind: ColumnKind::Code, rows: 100, missing: 0, distinct: 90, unique_rows: 81 };
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
    let known = facts.rows - facts.missing;
    if known == 0 {
        return by_value(Role::Other, "every cell is missing");
    }
    if let Some(suggestion) = personal(&name, facts, known) {
        return suggestion;
    }
    if facts.distinct == 1 && facts.missing == 0 && facts.rows > 1 {
        return by_value(Role::Other, "the same value in every row: it tells nobody apart");
    }
    match facts.kind {
        ColumnKind::Text => return by_value(Role::Identifier, "free text may hold names or anything else"),
        ColumnKind::Nested => {
            return by_value(Role::Identifier, "lists and structures cannot be generalised");
        }
        _ => {}
    }
    named(&name, facts).unwrap_or_else(|| measured(facts))
}

/// A name that points to one person.
fn personal(name: &Words, facts: &Facts<'_>, known: u64) -> Option<Suggestion> {
    let shared = known / facts.distinct.max(1) >= SHARED_ROWS;
    let number = name
        .end_in(NUMBERS)
        .filter(|_| !shared && facts.kind != ColumnKind::Decimal && facts.kind.date_format().is_none());
    let person = (name.have("name") && name.find(THINGS).is_none()).then_some("name");
    let word = name.find(IDENTIFIERS).or(person).or(number)?;
    Some(by_name(Role::Identifier, word, "points to one person"))
}

/// What the name says, when it does not point to a person.
fn named(name: &Words, facts: &Facts<'_>) -> Option<Suggestion> {
    if let (Some(word), 2..=MAX_CLASSES) = (name.end_in(TARGETS), facts.distinct) {
        return Some(by_name(Role::Target, word, "a label to predict"));
    }
    if let Some(word) = name.find(SENSITIVE) {
        return Some(by_name(Role::Sensitive, word, "nobody should learn it about a person"));
    }
    name.find(QUASI).map(|word| by_name(Role::Quasi, word, "others may know it"))
}

/// What the values say, when the name says nothing.
fn measured(facts: &Facts<'_>) -> Suggestion {
    let own = 10 * facts.unique_rows >= 9 * facts.rows;
    match facts.kind {
        ColumnKind::Code | ColumnKind::Category | ColumnKind::Mixed if own => {
            by_value(Role::Identifier, "nearly every row has a value of its own")
        }
        ColumnKind::Integer if own && facts.rows >= MANY_ROWS => {
            by_value(Role::Identifier, "nearly every row has a number of its own")
        }
        ColumnKind::Date(_) => by_value(Role::Quasi, "dates are often known to others"),
        _ => by_value(Role::Quasi, "may be known to others: nothing speaks against it"),
    }
}

fn by_name(role: Role, word: &str, meaning: &str) -> Suggestion {
    Suggestion { role, reason: format!("'{word}' in its name: {meaning}"), by_name: true }
}

fn by_value(role: Role, reason: impl Into<String>) -> Suggestion {
    Suggestion { role, reason: reason.into(), by_name: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::DateFormat;

    fn facts(name: &str, kind: ColumnKind, distinct: u64, unique_rows: u64) -> Facts<'_> {
        Facts { name, kind, rows: 1_000, missing: 0, distinct, unique_rows }
    }

    fn role(name: &str, kind: ColumnKind, distinct: u64, unique_rows: u64) -> Role {
        suggest(&facts(name, kind, distinct, unique_rows)).role
    }

    #[test]
    fn names_of_persons_are_left_out() {
        for name in
            ["name", "First Name", "surname", "EMAIL", "phone_number", "SSN", "home_address", "patientName"]
        {
            assert_eq!(role(name, ColumnKind::Category, 300, 10), Role::Identifier, "{name}");
        }
        for name in ["country_name", "hospital name", "renamed"] {
            assert_eq!(role(name, ColumnKind::Category, 300, 10), Role::Quasi, "{name}");
        }
    }

    #[test]
    fn a_number_of_many_rows_is_nobodys() {
        assert_eq!(role("patient_id", ColumnKind::Integer, 400, 100), Role::Identifier);
        assert_eq!(role("ID", ColumnKind::Integer, 1_000, 1_000), Role::Identifier);
        assert_eq!(role("ward_id", ColumnKind::Integer, 12, 0), Role::Quasi);
    }

    #[test]
    fn names_of_what_is_sensitive_known_or_predicted() {
        use ColumnKind::{Category, Code, Decimal, Integer};
        assert_eq!(role("diagnosis", Code, 60, 3), Role::Sensitive);
        assert_eq!(role("monthly-income", Decimal, 900, 850), Role::Sensitive);
        assert_eq!(role("salary-class", Category, 2, 0), Role::Target);
        assert_eq!(role("class", Category, 200, 0), Role::Quasi, "too many for a class label");
        assert_eq!(role("workclass", Category, 7, 0), Role::Quasi);
        assert_eq!(role("age", Integer, 72, 2), Role::Quasi);
        assert_eq!(role("zip", Code, 990, 985), Role::Quasi, "known to others even if unique");
        let reason = suggest(&facts("birthDate", ColumnKind::Date(DateFormat::IsoDay), 900, 800)).reason;
        assert_eq!(reason, "'birth' in its name: others may know it");
    }

    #[test]
    fn values_decide_where_names_do_not() {
        use ColumnKind::{Boolean, Code, Decimal, Integer, Text};
        assert_eq!(role("x", Code, 950, 920), Role::Identifier);
        assert_eq!(role("x", Integer, 950, 920), Role::Identifier);
        assert_eq!(role("x", Integer, 800, 700), Role::Quasi);
        assert_eq!(role("x", Decimal, 1_000, 1_000), Role::Quasi);
        assert_eq!(role("x", Boolean, 2, 0), Role::Quasi);
        assert_eq!(role("diagnosis", Text, 900, 850), Role::Identifier);
        assert_eq!(role("x", ColumnKind::Nested, 0, 0), Role::Identifier);
    }

    #[test]
    fn columns_that_tell_nothing() {
        assert_eq!(role("age", ColumnKind::Integer, 1, 0), Role::Other);
        let empty = Facts { missing: 1_000, ..facts("name", ColumnKind::Empty, 0, 0) };
        assert_eq!(suggest(&empty).role, Role::Other);
        let rare = Facts { missing: 900, ..facts("flag", ColumnKind::Boolean, 1, 0) };
        assert_eq!(suggest(&rare).role, Role::Quasi, "missing or not is two values");
    }

    /// The one row of a table has the same value as every row, and yet is somebody's.
    #[test]
    fn one_row_is_unique() {
        let one = |name, kind| {
            suggest(&Facts { name, kind, rows: 1, missing: 0, distinct: 1, unique_rows: 1 }).role
        };
        assert_eq!(one("x", ColumnKind::Category), Role::Identifier);
        assert_eq!(one("age", ColumnKind::Integer), Role::Quasi);
        assert_eq!(one("name", ColumnKind::Category), Role::Identifier);
    }

    #[test]
    fn too_many_quasi_identifiers_are_cut_by_name_and_values() {
        let names: Vec<String> = (0..40).map(|at| format!("x{at}")).collect();
        let mut columns: Vec<Facts<'_>> = names
            .iter()
            .zip(10..)
            .map(|(name, distinct)| facts(name, ColumnKind::Integer, distinct, 0))
            .collect();
        columns[3].name = "age";
        let suggestions = suggest_roles(&columns);
        let quasi: Vec<usize> = (0..40).filter(|&at| suggestions[at].role == Role::Quasi).collect();
        assert_eq!(quasi, [vec![3], (25..40).collect()].concat());
        assert_eq!(suggestions[0].role, Role::Identifier);
        assert!(suggestions[0].reason.ends_with("left out"));
    }
}
