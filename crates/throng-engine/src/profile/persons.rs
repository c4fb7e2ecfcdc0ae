//! Columns that number people who have several rows: k rows of one person are not a crowd.
//!
//! A column is looked at if it should be left out as an identifier and its values repeat, or if it may be a number of
//! anything. It numbers people if its name says so (`patient_id`), or if what others know of a person and has many
//! values (`birth_date`) hardly ever differs between rows with the same value; first names determine a sex, too. A
//! column that nothing says to be an identifier must determine several columns, one of them as fine as a birth date:
//! a code of a place determines its region, but nobody's age. A second look at the file finds that out, at its first
//! [`MAX_ROWS`] rows and of at most [`MAX_PERSONS`] values that are drawn by their hashes: memory is bounded,
//! and rows of one person are met wherever they are. Names of columns and counts leave this module, never a
//! value.

use std::convert::Infallible;
use std::hash::Hasher;

use arrow::array::ArrayRef;
use futures::StreamExt;
use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};

use super::role::{SHARED_ROWS, is_fine, is_known_to_others, numbers_people};
use super::{ColumnKind, ColumnProfile, Estimate, Profile};
use crate::dictionary::{as_text, try_each};
use crate::error::Result;
use crate::input::source::Source;
use crate::progress::{Progress, refuse_cancelled};
use crate::role::Role;

/// Rows that the second look takes in at most.
const MAX_ROWS: usize = 1 << 20;
/// Persons that it follows at most, for each column.
const MAX_PERSONS: usize = 1 << 14;
/// Persons with several rows before these say anything about a column.
const MIN_REPEATED: usize = 3;
/// Values of a column before it tells people from names.
const MANY_VALUES: u64 = 10;
/// Share of people with several rows whose rows agree in a column that belongs to the person.
const CONSTANT_SHARE: f64 = 0.95;
/// Share of all persons with the most common value, from which on agreeing says little.
const COMMON_SHARE: f64 = 0.7;

/// A column that numbers people, some of whom have several rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonColumn {
    /// Its name.
    pub column: String,
    /// People that it numbers.
    pub persons: Estimate,
    /// Columns that are the same in all rows of a person, as far as was looked.
    pub constant_columns: Vec<String>,
}

/// Finds the columns that number people with several rows, the most telling first.
///
/// # Errors
/// If the file cannot be read, or the run was cancelled.
pub(super) async fn find(
    source: &Source,
    found: &Profile,
    progress: &dyn Progress,
) -> Result<Vec<PersonColumn>> {
    let candidates: Vec<usize> =
        positions(found, |column| repeats_as_identifier(column) || may_be_number(found, column));
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let others = positions(found, |column| !column.kind.is_opaque() && !repeats_as_identifier(column));
    let seen = look(source, &candidates, &others, progress).await?;
    let mut persons: Vec<PersonColumn> = Vec::new();
    for (&at, seen) in candidates.iter().zip(&seen) {
        let is_constant = |o: &usize| others[*o] != at && seen.is_constant(*o);
        let constant: Vec<&ColumnProfile> =
            (0..others.len()).filter(is_constant).map(|o| &found.columns[others[o]]).collect();
        let column = &found.columns[at];
        if numbers(column, &constant) {
            persons.push(PersonColumn {
                column: column.name.clone(),
                persons: column.distinct,
                constant_columns: constant.into_iter().map(|other| other.name.clone()).collect(),
            });
        }
    }
    // Stable: of equally telling ones the first of the table comes first.
    persons.sort_by_key(|person| {
        std::cmp::Reverse((person.constant_columns.len(), numbers_people(&person.column)))
    });
    Ok(persons)
}

/// Whether a column numbers people, given the columns that are the same in all rows of one.
fn numbers(column: &ColumnProfile, constant: &[&ColumnProfile]) -> bool {
    let is_fine = |other: &&ColumnProfile| {
        let fine = is_fine(&other.name) || other.kind.is_moment();
        other.distinct.value >= MANY_VALUES && fine
    };
    match column.suggestion.role {
        Role::Identifier => {
            let own = constant.iter().any(|other| is_own(&other.name, other.distinct.value));
            numbers_people(&column.name) || own || constant.iter().any(is_fine)
        }
        _ => constant.len() > 1 && constant.iter().any(is_fine),
    }
}

/// Whether a column that nothing says to be an identifier has values like one that repeats.
fn may_be_number(found: &Profile, column: &ColumnProfile) -> bool {
    let (distinct, unique) = (column.distinct.value, column.unique_rows.value);
    let is_open = column.suggestion.role != Role::Identifier && !is_known_to_others(&column.name);
    let is_code = matches!(column.kind, ColumnKind::Integer | ColumnKind::Characters | ColumnKind::Category);
    let is_large =
        distinct > 2 * MANY_VALUES && (found.rows - column.missing) / distinct.max(1) < SHARED_ROWS;
    is_open && is_code && is_large && distinct > unique
}

/// Whether a column of so many values that is the same in all rows of somebody tells who that is.
pub(super) fn is_own(name: &str, values: u64) -> bool {
    values >= MANY_VALUES && is_known_to_others(name)
}

fn positions(found: &Profile, is_wanted: impl Fn(&ColumnProfile) -> bool) -> Vec<usize> {
    (0..found.columns.len()).filter(|&at| is_wanted(&found.columns[at])).collect()
}

/// Whether a column should be left out, and several rows share values of it.
fn repeats_as_identifier(column: &ColumnProfile) -> bool {
    let (distinct, unique) = (column.distinct.value, column.unique_rows.value);
    let is_sure = !column.distinct.estimated || 10 * unique < 9 * distinct;
    let repeats = distinct > unique && distinct > 1;
    column.suggestion.role == Role::Identifier && !column.kind.is_opaque() && repeats && is_sure
}

/// Reads the first rows of the candidates and the others, and follows the persons of each candidate.
pub(super) async fn look(
    source: &Source,
    candidates: &[usize],
    others: &[usize],
    progress: &dyn Progress,
) -> Result<Vec<FollowedPersons>> {
    let columns: Vec<usize> = candidates.iter().chain(others).copied().collect();
    let mut batches = source.scan(&columns).await?;
    let mut seen: Vec<FollowedPersons> =
        candidates.iter().map(|_| FollowedPersons::new(others.len())).collect();
    let mut rows = 0;
    while rows < MAX_ROWS
        && let Some(batch) = batches.next().await
    {
        refuse_cancelled(progress)?;
        let batch = batch?;
        rows += batch.num_rows();
        let hashes: Vec<Vec<u64>> = batch.columns().iter().map(hash_cells).collect();
        let (persons, others) = hashes.split_at(candidates.len());
        seen.iter_mut().zip(persons).for_each(|(seen, persons)| seen.add(persons, others));
    }
    Ok(seen)
}

/// A number for each cell, the same for equal ones; 0 where nothing is known.
fn hash_cells(column: &ArrayRef) -> Vec<u64> {
    let Some(text) = as_text(column) else {
        return vec![0; column.len()];
    };
    let mut hashes = Vec::with_capacity(text.len());
    let each = try_each(&text, |cell| {
        hashes.push(if cell.is_empty() { 0 } else { hash(cell) });
        Ok::<(), Infallible>(())
    });
    let Ok(()) = each;
    hashes
}

/// A number whose last bits are as good as its first: by those persons are drawn.
fn hash(cell: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(cell);
    hasher.finish()
}

/// The persons of a column that are followed.
pub(super) struct FollowedPersons {
    others: usize,
    /// Only persons whose hash has so many zeros at its end are followed.
    zeros: u32,
    persons: FxHashMap<u64, MetPerson>,
}

/// What was met of a person: the first row, and in which columns later ones differ from it.
struct MetPerson {
    first: Box<[u64]>,
    differs: Box<[bool]>,
    has_several: bool,
}

impl FollowedPersons {
    fn new(others: usize) -> FollowedPersons {
        FollowedPersons { others, zeros: 0, persons: FxHashMap::default() }
    }

    fn add(&mut self, persons: &[u64], others: &[Vec<u64>]) {
        for (row, &person) in persons.iter().enumerate() {
            if person == 0 || person.trailing_zeros() < self.zeros {
                continue;
            }
            let cells = others.iter().map(|column| column[row]);
            if let Some(known) = self.persons.get_mut(&person) {
                known.has_several = true;
                let differs = known.differs.iter_mut().zip(&known.first).zip(cells);
                differs.for_each(|((differs, first), cell)| *differs |= *first != cell);
                continue;
            }
            let differs = vec![false; self.others].into();
            self.persons.insert(person, MetPerson { first: cells.collect(), differs, has_several: false });
            if self.persons.len() > MAX_PERSONS {
                self.zeros += 1;
                let zeros = self.zeros;
                self.persons.retain(|person, _| person.trailing_zeros() >= zeros);
            }
        }
    }

    /// Whether a column hardly ever differs between the rows of a person, though it does between persons.
    pub(super) fn is_constant(&self, other: usize) -> bool {
        let repeated = self.persons.values().filter(|person| person.has_several);
        let (count, constant) = repeated.fold((0, 0), |(count, constant), person| {
            (count + 1, constant + usize::from(!person.differs[other]))
        });
        count >= MIN_REPEATED
            && constant as f64 >= CONSTANT_SHARE * count as f64
            && self.common_share(other) <= COMMON_SHARE
    }

    /// Different values that the persons have in a column.
    pub(super) fn values(&self, other: usize) -> u64 {
        let mut values: Vec<u64> = self.persons.values().map(|person| person.first[other]).collect();
        values.sort_unstable();
        values.dedup();
        values.len() as u64
    }

    /// The share of persons with the value that most have.
    fn common_share(&self, other: usize) -> f64 {
        let mut values: Vec<u64> = self.persons.values().map(|person| person.first[other]).collect();
        values.sort_unstable();
        let most = values.chunk_by(|a, b| a == b).map(<[u64]>::len).max().unwrap_or(0);
        most as f64 / values.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::tests::profile_text;
    use super::*;

    /// Stays of patients, in an order that mixes these: `rows` are (patient, others).
    async fn stays(header: &str, row: impl Fn(u64, u64) -> String) -> Vec<PersonColumn> {
        let mut text = format!("{header}\n");
        for stay in 0..3 {
            (0..60).for_each(|patient| writeln!(text, "{}", row(patient, stay)).unwrap());
        }
        profile_text(&text).await.persons
    }

    #[tokio::test]
    async fn a_number_of_patients_is_known_by_its_name_and_by_what_stays_the_same() {
        let row = |p: u64, s: u64| format!("{p},{},19{}-01-01,{}", p % 2, 30 + p, (p * 7 + s * 13) % 9);
        let found = stays("patient_id,sex,birth_date,illness", row).await;
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].column.as_str(), found[0].persons.value), ("patient_id", 60));
        assert_eq!(found[0].constant_columns, ["sex", "birth_date"]);
        let found = stays("record_id,sex,birth_date,illness", row).await;
        assert_eq!(found[0].column, "record_id", "by what stays the same");
        let found = stays("x,sex,birth_date,illness", row).await;
        assert_eq!(found[0].column, "x", "whatever it is called");
    }

    #[tokio::test]
    async fn what_numbers_people_is_an_identifier_and_places_are_not() {
        let mut text = "x,sex,birth_date,illness\n".to_owned();
        for stay in 0..3 {
            for p in 0..60 {
                writeln!(text, "{p},{},19{}-01-01,{}", p % 2, 30 + p, (p * 7 + stay * 13) % 9).unwrap();
            }
        }
        let found = profile_text(&text).await;
        assert_eq!(found.columns[0].suggestion.role, Role::Identifier);
        assert!(found.columns[0].suggestion.reason.contains("birth_date"));
        assert!(found.combinations.iter().all(|set| set.columns.iter().all(|name| name != "x")));
        let row = |p: u64, s: u64| format!("{p},{},{},{}", p / 2, p / 6, 20 + (p * 7 + s * 11) % 60);
        assert_eq!(stays("x,city,region,age", row).await, [], "a code of places");
    }

    #[tokio::test]
    async fn numbers_of_others_are_not() {
        let row = |p: u64, s: u64| format!("{},{},{}", p % 20, (p + s) % 2, 30 + (p * 7 + s) % 50);
        assert_eq!(
            stays("loan_id,sex,age", row).await,
            [],
            "rows of a loan differ in what is known of people"
        );
        let row = |p: u64, s: u64| format!("{},{},{}", 60 * s + p, p % 2, 30 + p);
        assert_eq!(stays("patient_id,sex,age", row).await, [], "each patient has one row");
        let row = |p: u64, s: u64| format!("Name {},{},{}", p % 9, p % 9 % 2, 30 + (p * 7 + s) % 50);
        assert_eq!(stays("surname,sex,age", row).await, [], "several people may have one name");
    }

    #[tokio::test]
    async fn rare_differences_and_missing_numbers_do_not_hide_it() {
        let row = |p: u64, s: u64| match (p, s) {
            (0, _) => format!(",{},{}", s % 2, 30 + s),
            (7, 1) => "7,0,99".to_owned(),
            _ => format!("{p},{},{}", p % 2, 30 + p),
        };
        let found = stays("record_id,sex,age", row).await;
        assert_eq!(found[0].constant_columns, ["sex", "age"]);
    }

    #[test]
    fn memory_stays_bounded() {
        let mut seen = FollowedPersons::new(1);
        for start in 0..8_u64 {
            let persons: Vec<u64> = (0..40_000).map(|n| (start * 40_000 + n + 1) << 3).collect();
            seen.add(&persons, std::slice::from_ref(&persons));
        }
        assert!(seen.persons.len() <= MAX_PERSONS && seen.persons.len() > MAX_PERSONS / 4);
    }
}
