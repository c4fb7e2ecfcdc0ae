//! What a column is to a release, suggested from its name, its kind and how telling its values
//! are.
//!
//! A suggestion errs towards safety: what is unclear is a quasi-identifier, which is generalised;
//! what is unclear and cannot be generalised is left out. A column is released as it is
//! (`sensitive`, `target`) only if nothing speaks against it. In order:
//!
//! 1. Nothing known in the whole column: `other`.
//! 2. A name that points to a person (`surname`, `email`, `Hausarzt`) or a record (`patient_id`, `loan_number`,
//!    unless very many rows share each value and its name speaks of no people), also in many other languages; or
//!    values that look like those of a person, whatever the name ([`looks`](super::looks)): `identifier`.
//! 3. One value in every row: `other`, because it tells nobody from anybody.
//! 4. Free text, by its cells ([`free_text`](super::free_text)), lists, structures and bytes, which may hold anything:
//!    `identifier`.
//! 5. A name of what others know (`age`, `zip`, `treatment_city`): `quasi`, also when it speaks of
//!    something sensitive besides; but rule 7 goes first in 50 rows or more, unless what others know
//!    may well be nobody else's (`zip`, `birth`).
//! 6. Dates and times, whatever their name: `quasi`.
//! 7. Nine in ten known values that no other row has, in text or codes, or in whole numbers of 50
//!    rows or more: `identifier`; in fewer whole numbers: `quasi`.
//! 8. A name of a number (`loan_number`) that is not by itself a key: `quasi`.
//! 9. A name that ends like a class label (`outcome`, but not any `class`), with 2 to 20 values: `target`.
//! 10. A name of what nobody should learn (`diagnosis`, `salary`): `sensitive`.
//! 11. Everything else: `quasi`.
//!
//! Answers to many questions of a survey (`q1`, `q2`, …) are `sensitive`, if nothing above speaks of one of them.
//! Sampling weights are `other` where many rows share each, and left out where they are fine.
//!
//! A release with very many quasi-identifiers keeps little of any. If there are more than
//! [`MAX_QUASI`], those stay that have a name of rule 5, then those of the most values; the others
//! become `identifier`, that is, are left out until somebody decides.

mod lexicon;
mod scales;
mod special;
mod weights;

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::free_text::{FreeText, TextFacts, find_free_text};
use super::kind::ColumnKind;
use super::looks::ColumnLook;
use super::words::Words;
use crate::role::Role;
use lexicon::{
    ABBREVIATED_PEOPLE, COUNTED, FINE, FIRST_NUMBERS, HOUSEHOLDS, IDENTIFIERS, JOINED_KEYS, KEYS, NAMES,
    NUMBERS, PARTS_OF_NAMES, PEOPLE, PROFESSIONALS, PROPERTIES, QUASI, RECORDS, SENSITIVE, TARGETS, TEXTS,
    THINGS,
};
pub(super) use special::note as special_note;
pub use special::special_category;

/// Quasi-identifiers that are suggested at most.
pub const MAX_QUASI: usize = 16;

/// What a household has a number of (`number of persons in the household`).
const COUNTED_IN_HOUSEHOLDS: &str = "of, size, members, persons, people, children, kinder, personen, enfants, personnes, \
    per, person, pers, type, typ, tipo, kind, status, class, income, einkommen, revenu, head, rooms";

/// Rows that share a value on average, from which on it is hardly one person's.
pub(super) const SHARED_ROWS: u64 = 50;
/// Values of a `number` that may be no key of anything, but a small count.
const FEW_NUMBERS: u64 = 20;
/// Values of a class label at most.
const MAX_CLASSES: u64 = 20;
/// Rows before the whole numbers of a column are told apart from a counter.
const MANY_ROWS: u64 = 50;

/// Why the answers of a survey are sensitive.
pub(crate) const ANSWER: &str = "one of many survey answers, which others are unlikely to know";

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
    /// What most values look like, if they look like somebody.
    pub look: Option<ColumnLook>,
    /// What is known of the texts among the values.
    pub text: TextFacts,
}

impl Facts<'_> {
    pub(super) fn known(&self) -> u64 {
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
/// let (kind, dated, look, text) = (ColumnKind::Characters, false, None, Default::default());
/// let facts = Facts { name: "zip", kind, rows: 100, missing: 0, distinct: 90, unique_rows: 81, dated, look, text };
/// let suggestion = &suggest_roles(&[facts])[0];
/// assert_eq!((suggestion.role, suggestion.by_name), (Role::Quasi, true));
/// ```
pub fn suggest_roles(columns: &[Facts<'_>]) -> Vec<Suggestion> {
    let mut suggestions: Vec<Suggestion> = columns.iter().map(suggest).collect();
    for column in scales::answers(columns, &suggestions) {
        suggestions[column] = by_value(Role::Sensitive, ANSWER);
    }
    for (column, suggestion) in weights::weights(columns) {
        suggestions[column] = suggestion;
    }
    for column in rank_quasi(columns, &suggestions).into_iter().skip(MAX_QUASI) {
        suggestions[column] = by_value(
            Role::Identifier,
            format!(
                "others may know it, but {MAX_QUASI} other quasi-identifiers are more revealing: left out"
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
    let name = Words::in_name(facts.name);
    if facts.known() == 0 {
        return by_value(Role::Other, "every cell is missing");
    }
    if let Some(suggestion) = personal(&name, facts).or_else(|| looks_personal(facts)) {
        return suggestion;
    }
    if facts.distinct == 1 && facts.missing == 0 && facts.rows > 1 {
        return by_value(Role::Other, "the same value in every row: it distinguishes nobody");
    }
    let text = find_free_text(facts).or_else(|| (facts.kind == ColumnKind::Text).then_some(FreeText::Unique));
    if let Some(text) = text {
        return by_value(Role::Identifier, text.reason());
    }
    if facts.kind.is_opaque() {
        return by_value(Role::Identifier, "lists, structures and bytes cannot be generalised");
    }
    let said = known_to_others(&name, facts).or_else(|| telling(facts)).or_else(|| kept(&name, facts));
    said.unwrap_or_else(|| by_value(Role::Quasi, "others may know it: nothing suggests that they do not"))
}

/// A name that identifies one person, or to one record of a person.
fn personal(name: &Words, facts: &Facts<'_>) -> Option<Suggestion> {
    // Whether there is one, and when, is no identifier (`has_phone`, `login_time`).
    if facts.kind == ColumnKind::Boolean || facts.kind.is_moment() {
        return None;
    }
    if number_households(name) {
        let joined = || name.before_ending(JOINED_KEYS).and_then(|before| before.end_in(HOUSEHOLDS));
        let word = name.find(HOUSEHOLDS).or_else(joined)?;
        return Some(by_name(Role::Identifier, word, "identifies households, not persons"));
    }
    let has_many = facts.distinct > FEW_NUMBERS || facts.is_keyed();
    let key = name.end_in_number_of(KEYS).filter(|_| may_be_key(facts) || number_people(name));
    let number = number_word(name, facts).or_else(|| first_number(name)).filter(|_| has_many);
    let joined = joined_number(name).filter(|_| has_many);
    let somebody = || somebody(name).filter(|_| has_many && facts.kind != ColumnKind::Decimal);
    let word =
        name.find(IDENTIFIERS).or_else(|| name_word(name)).or(key).or(number).or(joined).or_else(somebody)?;
    Some(by_name(Role::Identifier, word, "identifies one person"))
}

/// Whether the values of a column are those of people or of their records, by its name or by their look: no label of
/// a group may show one.
pub(crate) fn is_personal(facts: &Facts<'_>) -> bool {
    let look = facts.look.is_some_and(|look| !look.is_place());
    look || facts.known() > 0 && personal(&Words::in_name(facts.name), facts).is_some()
}

/// The word for a name, if it is that of people.
fn name_word(name: &Words) -> Option<&'static str> {
    let word = name.find(NAMES)?;
    let is_somebodys = name.find(PEOPLE).is_some() || name.find(PROFESSIONALS).is_some();
    // A French `nombre` is a number, and mostly one of something that is known.
    let is_count = word == "nombre" && name.find(QUASI).is_some();
    let is_a_things = is_count || name.find(THINGS).is_some() && !is_somebodys;
    (!is_a_things).then_some(word)
}

/// The word for somebody, if nothing but who that is is meant (`customer`, `attending_physician`).
fn somebody(name: &Words) -> Option<&'static str> {
    let word = name.end_in(PEOPLE).or_else(|| name.find(PROFESSIONALS))?;
    name.find(PROPERTIES).is_none().then_some(word)
}

/// The word for a number at the beginning, before what it numbers (`num_client`).
fn first_number(name: &Words) -> Option<&'static str> {
    let word = name.begin_with(FIRST_NUMBERS)?;
    let rest = name.after_first();
    (rest.find(RECORDS).is_some() || rest.find(PEOPLE).is_some()).then_some(word)
}

/// The word for people that one for a number follows without a gap (`patno`).
fn joined_number(name: &Words) -> Option<&'static str> {
    let people = name.before_ending(JOINED_KEYS)?;
    people.end_in(ABBREVIATED_PEOPLE).or_else(|| people.end_in(PEOPLE))
}

/// Values that look like those of a person.
fn looks_personal(facts: &Facts<'_>) -> Option<Suggestion> {
    let look = facts.look?;
    let role = if look.is_place() { Role::Quasi } else { Role::Identifier };
    Some(by_value(role, format!("its values look like {}", look.plural())))
}

/// Whether a name is that of the numbers of people (`patient_id`).
pub(super) fn numbers_people(name: &str) -> bool {
    number_people(&Words::in_name(name))
}

fn number_people(name: &Words) -> bool {
    let is_numbered = || name.end_in_number_of(KEYS).is_some() || name.end_in_number_of(NUMBERS).is_some();
    name.find(PEOPLE).is_some() && (is_numbered() || first_number(name).is_some() || name.is_one())
        || joined_number(name).is_some()
}

/// Whether a name is that of the numbers of households (`hh_id`).
pub fn numbers_households(name: &str) -> bool {
    number_households(&Words::in_name(name))
}

fn number_households(name: &Words) -> bool {
    let is_numbered = name.end_in_number_of(KEYS).is_some() || name.end_in_number_of(NUMBERS).is_some();
    let joined = || name.before_ending(JOINED_KEYS).is_some_and(|before| before.end_in(HOUSEHOLDS).is_some());
    let named = || name.find(HOUSEHOLDS).is_some() && name.find(COUNTED_IN_HOUSEHOLDS).is_none();
    (is_numbered || first_number(name).is_some() || name.begin_with(FIRST_NUMBERS).is_some()) && named()
        || joined()
}

/// Whether a name is that of the numbers of people or of their records (`case_no`), not of things (`ward_id`).
pub(super) fn numbers_records(name: &str) -> bool {
    let name = Words::in_name(name);
    let ends = name.end_in_number_of(KEYS).or(name.end_in_number_of(NUMBERS)).or_else(|| first_number(&name));
    ends.is_some() && name.find(THINGS).is_none() && name.find(COUNTED).is_none()
}

/// Whether a name is that of whole names of people, which few have in common (`patient_name`).
pub(super) fn is_whole_name(name: &str) -> bool {
    let name = Words::in_name(name);
    name_word(&name).is_some() && name.find(PARTS_OF_NAMES).is_none()
}

/// Whether a name is that of what people type (`notes`, `Bemerkung`).
pub(super) fn is_text_by_name(name: &str) -> bool {
    Words::in_name(name).find(TEXTS).is_some()
}

/// Whether a name is that of what has values that mean something to everybody (`diagnosis`, `occupation`).
pub(super) fn is_category_by_name(name: &str) -> bool {
    let name = Words::in_name(name);
    [SENSITIVE, QUASI, TARGETS].iter().any(|words| name.find(words).is_some())
}

/// Whether a name is that of something that others know of a person.
pub(super) fn is_known_to_others(name: &str) -> bool {
    Words::in_name(name).find(QUASI).is_some()
}

/// Whether a name is that of something that others know and hardly two people need to share.
pub(super) fn is_fine(name: &str) -> bool {
    Words::in_name(name).find(FINE).is_some()
}

/// A column whose values determine what is known of a person.
pub(super) fn numbering(constant: &[String]) -> Suggestion {
    by_value(
        Role::Identifier,
        format!("seems to identify people: its values determine {}", constant.join(", ")),
    )
}

/// The word for a number in a name, if it may be that of a person or a record.
fn number_word(name: &Words, facts: &Facts<'_>) -> Option<&'static str> {
    let counted = facts.kind == ColumnKind::Boolean || name.find(COUNTED).is_some();
    name.end_in_number_of(NUMBERS).filter(|_| !counted && may_be_key(facts))
}

fn may_be_key(facts: &Facts<'_>) -> bool {
    let measured =
        matches!(facts.kind, ColumnKind::Decimal | ColumnKind::DecimalComma) || facts.kind.is_moment();
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
            return Some(by_value(Role::Quasi, "few rows, and nearly every one has a different number"));
        }
        ColumnKind::Integer => "nearly every row has a number of its own",
        _ => "nearly every row has a value of its own",
    };
    Some(by_value(Role::Identifier, reason))
}

/// What the name says of a column whose values tell nobody: whether it is of use as it is.
fn kept(name: &Words, facts: &Facts<'_>) -> Option<Suggestion> {
    if let Some(word) = number_word(name, facts) {
        return Some(by_name(Role::Quasi, word, "may be the number of a record that others know"));
    }
    let class = name.end_in("class").filter(|_| name.is_one() || name.find(SENSITIVE).is_some());
    if let (Some(word), 2..=MAX_CLASSES) = (name.end_in(TARGETS).or(class), facts.distinct) {
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
mod collection;
#[cfg(test)]
mod tests;
