//! Identifiers that repeat: several rows share a value, so some people may have several rows.
//!
//! Whether k rows are k people is nothing that a table says by itself, so a job with such an identifier is asked
//! back. Not every repetition is worth the question: two people may have the same name, and a column may be left
//! out though it is nobody's (`city`). It is asked of
//!
//! 1. numbers of people and records (`patient_id`, `case_no`) and what looks like them (national numbers, e-mail
//!    addresses), which never agree by chance;
//! 2. columns that determine what is known of a person and has many values, such as a birth date;
//! 3. whole names, by the column's name or their look, if most rows share theirs; of several columns that with the
//!    most.
//!
//! Names of columns and counts leave this module, never a value.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Estimate;
use super::column::{ColumnCounts, JoinedCounts};
use super::looks::ColumnLook;
use super::persons::{PersonColumn, is_own, look};
use super::role::{SHARED_ROWS, is_whole_name, numbers_people, numbers_records};
use crate::dictionary::is_textual;
use crate::encode::Observer;
use crate::error::Result;
use crate::input::source::Source;
use crate::nodes::{JoinParts, PartLook, TableLook, ToldNumbers, look_by_a_node, nodes_of};
use crate::progress::Progress;

/// Values of a column of which counts are exact.
const MAX_VALUES: usize = 1 << 18;

/// Names that are too few to be those of all people in a table.
const FEW_NAMES: u64 = 20;

/// An identifier that several rows share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// Its name.
    pub column: String,
    /// Values that several rows share.
    pub shared_values: u64,
    /// All values.
    pub values: Estimate,
}

impl From<Repeated> for PersonColumn {
    fn from(repeated: Repeated) -> PersonColumn {
        PersonColumn { column: repeated.column, persons: repeated.values, constant_columns: Vec::new() }
    }
}

/// The most telling of some identifiers by which a person may have several rows.
///
/// # Errors
/// If the file cannot be read, or the run was cancelled.
pub async fn find_repeated(
    source: &Source,
    identifiers: &[usize],
    progress: &dyn Progress,
) -> Result<Option<Repeated>> {
    let counts = IdentifierCounts::new(source, identifiers);
    let mut observer = counts.observer();
    observer.read(source, progress).await?;
    most_telling(source, identifiers, &counts, progress).await
}

/// The same of identifiers that were counted.
///
/// # Errors
/// As of [`find_repeated`].
pub(crate) async fn most_telling(
    source: &Source,
    identifiers: &[usize],
    counts: &IdentifierCounts,
    progress: &dyn Progress,
) -> Result<Option<Repeated>> {
    let counted = counts.describe();
    let repeated: Vec<&CountedIdentifier> =
        counted.iter().filter(|column| column.shared_values > 0).collect();
    let by_name = repeated.iter().copied().filter(|column| column.is_number(source));
    if let Some(column) = by_name.max_by_key(|column| (column.names_people(source), usize::MAX - column.at)) {
        return Ok(Some(column.describe(source)));
    }
    let open: Vec<&CountedIdentifier> = repeated.into_iter().filter(|column| !column.is_shared()).collect();
    let tells = determining(source, &open, identifiers, progress).await?;
    let asked = open.iter().zip(tells).filter(|(column, tells)| *tells || column.is_name_of_few(source));
    let asked = asked.max_by_key(|(column, tells)| (*tells, column.distinct, usize::MAX - column.at));
    Ok(asked.map(|(column, _)| column.describe(source)))
}

/// What is known of an identifier.
struct CountedIdentifier {
    /// Position in the file.
    at: usize,
    known_rows: u64,
    values: Estimate,
    distinct: u64,
    unique_rows: u64,
    shared_values: u64,
    look: Option<ColumnLook>,
    has_whole_names: bool,
}

impl CountedIdentifier {
    fn is_number(&self, source: &Source) -> bool {
        self.names_people(source)
            || self.look.is_some_and(ColumnLook::is_of_one)
            || numbers_records(&source.columns()[self.at]) && !self.is_shared()
    }

    fn names_people(&self, source: &Source) -> bool {
        numbers_people(&source.columns()[self.at])
    }

    fn is_shared(&self) -> bool {
        self.known_rows / self.distinct.max(1) >= SHARED_ROWS
    }

    fn is_name_of_few(&self, source: &Source) -> bool {
        let are_whole = self.has_whole_names || is_whole_name(&source.columns()[self.at]);
        are_whole && self.distinct > FEW_NAMES && 2 * self.unique_rows < self.known_rows
    }

    fn describe(&self, source: &Source) -> Repeated {
        Repeated {
            column: source.columns()[self.at].clone(),
            shared_values: self.shared_values,
            values: self.values,
        }
    }
}

/// Counts the values of identifiers; those that cannot be compared are passed over.
pub(crate) struct IdentifierCounts {
    places: Vec<usize>,
    /// Nothing of what is no text: that is left out of the release in any case.
    counts: Arc<Mutex<Vec<Option<ColumnCounts>>>>,
}

impl IdentifierCounts {
    pub(crate) fn new(source: &Source, identifiers: &[usize]) -> IdentifierCounts {
        let schema = source.schema();
        let is_comparable = |&at: &usize| is_textual(schema.field(at).data_type());
        let places: Vec<usize> = identifiers.iter().copied().filter(is_comparable).collect();
        let counts = places.iter().map(|&at| Some(counter(at))).collect();
        IdentifierCounts { places, counts: Arc::new(Mutex::new(counts)) }
    }

    /// Those of a part of a table, which will be [told](Self::tell).
    pub(crate) fn of_part(places: &[usize]) -> IdentifierCounts {
        let counts = IdentifierCounts { places: places.to_vec(), counts: Arc::default() };
        *counts.lock() = places.iter().map(|&at| Some(listing(at))).collect();
        counts
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<ColumnCounts>>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who counts them.
    pub(crate) fn observer(&self) -> Observer {
        let counts = Arc::clone(&self.counts);
        let looked = Observer::of_all_rows(self.places.clone(), move |columns| {
            let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
            for (column, cells) in counts.iter_mut().zip(columns) {
                if column.as_mut().is_some_and(|column| column.add(cells).is_err()) {
                    *column = None;
                }
                column.iter_mut().for_each(ColumnCounts::clear_rows);
            }
        });
        looked.or_by_parts(PartLook::Identifiers, JoinedIdentifiers::new(self))
    }

    /// Tells what was counted of a part.
    pub(crate) fn tell(&self, numbers: &mut Vec<u64>) {
        for column in self.lock().iter() {
            numbers.push(column.is_some().into());
            column.iter().for_each(|column| column.tell(numbers));
        }
    }

    fn describe(&self) -> Vec<CountedIdentifier> {
        let counts = self.lock();
        let counted = self.places.iter().zip(counts.iter());
        counted.filter_map(|(&at, column)| column.as_ref().map(|column| describe(at, column))).collect()
    }
}

/// Identifiers whose parts were counted by others.
struct JoinedIdentifiers {
    columns: Vec<Option<JoinedCounts>>,
    counts: Arc<Mutex<Vec<Option<ColumnCounts>>>>,
}

impl JoinedIdentifiers {
    fn new(counts: &IdentifierCounts) -> JoinedIdentifiers {
        let columns = counts.places.iter().map(|&at| Some(JoinedCounts::new(at, MAX_VALUES))).collect();
        JoinedIdentifiers { columns, counts: Arc::clone(&counts.counts) }
    }
}

impl JoinParts for JoinedIdentifiers {
    fn join(&mut self, part: u32, told: &mut ToldNumbers<'_>) -> Option<()> {
        for column in &mut self.columns {
            match (told.next()?, column.as_mut()) {
                (1, Some(column)) => column.join(part, told)?,
                (1, None) => JoinedCounts::new(0, 1).join(part, told)?,
                _ => *column = None,
            }
        }
        Some(())
    }

    fn finish(self: Box<Self>) {
        let columns = self.columns.into_iter().map(|column| column.map(JoinedCounts::finish));
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner) = columns.collect();
    }
}

fn counter(at: usize) -> ColumnCounts {
    let mut column = ColumnCounts::new(at, MAX_VALUES);
    column.drop_rows();
    column
}

/// One that lists what values look like, for who joins it with others.
fn listing(at: usize) -> ColumnCounts {
    let mut column = counter(at);
    column.list_values();
    column
}

fn describe(at: usize, column: &ColumnCounts) -> CountedIdentifier {
    let (distinct, unique) = column.counts();
    let alone = u64::from(column.spellings().missing() == 1);
    // One row without a value counts as unique, but has no value.
    let unique_values = unique.value.saturating_sub(alone);
    CountedIdentifier {
        at,
        known_rows: column.spellings().known(),
        values: distinct,
        distinct: distinct.value,
        unique_rows: unique_values,
        shared_values: distinct.value.saturating_sub(unique_values),
        look: column.spellings().look(),
        has_whole_names: column.spellings().has_whole_names(),
    }
}

/// Which of some identifiers determine what belongs to a person.
async fn determining(
    source: &Source,
    open: &[&CountedIdentifier],
    identifiers: &[usize],
    progress: &dyn Progress,
) -> Result<Vec<bool>> {
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let schema = source.schema();
    let is_other = |&at: &usize| !identifiers.contains(&at) && is_textual(schema.field(at).data_type());
    let others: Vec<usize> = (0..source.columns().len()).filter(is_other).collect();
    let candidates: Vec<usize> = open.iter().map(|column| column.at).collect();
    match nodes_of(source) {
        Some(nodes) => {
            look_by_a_node(&*nodes, &TableLook::Determining { candidates, others }, progress).await
        }
        None => determine(source, &candidates, &others, progress).await,
    }
}

/// Which of the columns `candidates` determine one of the `others` that belongs to a person.
///
/// # Errors
/// If the file cannot be read, or the run was cancelled.
pub(crate) async fn determine(
    source: &Source,
    candidates: &[usize],
    others: &[usize],
    progress: &dyn Progress,
) -> Result<Vec<bool>> {
    let seen = look(source, candidates, others, progress).await?;
    let tells = seen.iter().map(|seen| {
        (0..others.len())
            .any(|at| seen.is_constant(at) && is_own(&source.columns()[others[at]], seen.values(at)))
    });
    Ok(tells.collect())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::progress::Quiet;

    /// What is asked of a table of 60 values in three rows each, whose first column is its identifier.
    async fn asked(header: &str, row: impl Fn(u64, u64) -> String) -> Option<Repeated> {
        let mut text = format!("{header}\n");
        for stay in 0..3 {
            (0..60).for_each(|patient| writeln!(text, "{}", row(patient, stay)).unwrap());
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("stays.csv");
        std::fs::write(&path, text).unwrap();
        let source = Source::open(&path, &Default::default()).unwrap();
        find_repeated(&source, &[0], &Quiet).await.unwrap()
    }

    #[tokio::test]
    async fn numbers_of_people_are_asked_for_by_name() {
        let found = asked("patient_id,ward", |p, s| format!("{p},{}", (p * 7 + s) % 9)).await.unwrap();
        assert_eq!((found.column.as_str(), found.shared_values), ("patient_id", 60));
        let one = |p: u64, s: u64| format!("{},{}", if (p, s) == (5, 2) { 4 } else { 60 * s + p }, p % 9);
        assert_eq!(asked("patient_id,ward", one).await.unwrap().shared_values, 1, "one patient came twice");
        assert_eq!(asked("patient_id,ward", |p, s| format!("{},{}", 60 * s + p, p % 9)).await, None);
        assert_eq!(asked("hospital_id,ward", |p, s| format!("{},{}", p % 9, s)).await, None);
    }

    #[tokio::test]
    async fn what_determines_a_birth_date_is_asked_for() {
        let row = |p: u64, s: u64| format!("x{p},19{}-01-01,{}", 30 + p, (p + s) % 9);
        assert!(asked("mark,birth_date,ward", row).await.is_some());
        let row = |p: u64, s: u64| format!("x{p},19{}-01-01,{}", 30 + (p * 7 + s) % 60, (p + s) % 9);
        assert_eq!(asked("mark,birth_date,ward", row).await, None);
    }

    #[tokio::test]
    async fn a_few_namesakes_are_no_reason() {
        let row = |p: u64, s: u64| format!("N{},{}", if p < 5 { p } else { 60 * s + p }, (p * 7 + s) % 9);
        assert_eq!(asked("name,ward", row).await, None);
        assert!(asked("name,ward", |p, s| format!("N{p},{}", (p * 7 + s) % 9)).await.is_some());
        let named = |p: u64, s: u64| {
            format!(
                "\"Koch, Anna {}\",{}",
                ["A", "B", "C"][(p % 3) as usize].repeat(2 + p as usize / 3),
                s % 9
            )
        };
        assert!(asked("x,ward", named).await.is_some(), "by its look");
        assert!(asked("x,ward", |p, s| format!("u{p}@example.org,{}", s % 9)).await.is_some());
        assert_eq!(asked("surname,ward", |p, s| format!("N{p},{}", (p * 7 + s) % 9)).await, None);
    }
}
