//! Reads a table again and counts its classes: the last judge before a release is published.
//!
//! The file is opened with the readers of Arrow and Parquet, and its cells are numbered and counted in a way of its own,
//! so this shares nothing with the encoder, the search or the writer: an error in any of them shows up here.

mod certain;
mod classes;
mod coded;
mod dates;
mod groups;
mod look;
mod numbers;
mod pseudonyms;
mod required;
mod table;
mod unseen;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt;
use throng::wording::quoted;

use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::job::{CodedNumbers, DateShift};

use crate::format::reopen::Reopened;
pub use crate::format::reopen::Stored;
pub use certain::Certainty;
use groups::{CellGroups, Columns};
use look::Look;
pub use required::{Required, verify_required};

/// The classes of a table: groups of rows that agree in all quasi-identifiers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadBack {
    /// All rows, masked ones among them.
    pub rows: u64,
    /// Rows whose quasi-identifiers are all `*`.
    pub masked_rows: u64,
    /// How many classes there are of each size; the masked rows are not among them.
    pub sizes: BTreeMap<u64, u64>,
    /// What can be learned of each sensitive column that was asked about.
    pub certain: Vec<Certainty>,
}

impl ReadBack {
    /// The number of classes, without the masked rows.
    pub fn classes(&self) -> u64 {
        self.sizes.values().sum()
    }

    /// The size of the smallest class, without the masked rows.
    pub fn smallest(&self) -> Option<u64> {
        self.sizes.keys().next().copied()
    }

    /// The size of the smallest class, the masked rows being one like any other.
    pub fn smallest_of_all(&self) -> Option<u64> {
        let masked = (self.masked_rows > 0).then_some(self.masked_rows);
        self.smallest().into_iter().chain(masked).min()
    }

    /// How many classes there are of each size, the masked rows being one like any other.
    fn all_sizes(&self) -> BTreeMap<u64, u64> {
        let mut sizes = self.sizes.clone();
        if self.masked_rows > 0 {
            *sizes.entry(self.masked_rows).or_default() += 1;
        }
        sizes
    }

    /// The number of classes with fewer than `k` rows, without the masked rows.
    pub fn classes_below(&self, k: u64) -> u64 {
        self.sizes.range(..k).map(|(_, classes)| classes).sum()
    }
}

/// What a written file must hold.
#[derive(Clone, Debug)]
pub struct Expected<'a> {
    /// The number of its rows.
    pub rows: u64,
    /// The size that no class is below.
    pub k: u64,
    /// The names of its columns, in order.
    pub columns: &'a [String],
    /// Those that make up the classes.
    pub quasi: &'a [String],
    /// Columns of which it is to be found how sure one can be.
    pub sensitive: &'a [String],
    /// Those of them whose values are the same only if they are spelled alike.
    pub exact: &'a [String],
    /// Columns that it must not have.
    pub identifiers: &'a [String],
    /// Columns that have nothing but pseudonyms and empty cells.
    pub pseudonyms: &'a [String],
    /// Columns that have nothing but coded numbers and empty cells.
    pub coded: &'a [(String, CodedNumbers)],
    /// Columns that have nothing but dates and empty cells, and how these are spelled.
    pub shifted: &'a [(String, DateShift)],
    /// How many classes there are of each size, where the file alone cannot tell what was verified of them:
    /// persons who are not in it, or a population.
    pub sizes: Option<BTreeMap<u64, u64>>,
}

/// The places of named columns, all of which a table must have.
///
/// # Errors
/// [`EngineError::BadInput`] if it lacks one.
fn places_of(table: &Reopened, names: &[String]) -> Result<Vec<usize>> {
    refuse_missing(&table.columns(), names)?;
    let place = |name: &String| table.schema().index_of(name).expect("it was just found");
    Ok(names.iter().map(place).collect())
}

/// Counts the classes of a stored file.
pub async fn class_sizes(stored: &Stored<'_>, quasi: &[String]) -> Result<ReadBack> {
    let table = Arc::new(stored.open()?);
    let places = places_of(&table, quasi)?;
    Ok(classes::count(groups::group(table, places).await?))
}

/// Counts the classes of any table that can be read.
pub async fn class_sizes_of(source: &Source, quasi: &[String]) -> Result<ReadBack> {
    refuse_missing(source.columns(), quasi)?;
    let all = source.columns();
    let places: Vec<usize> = quasi.iter().filter_map(|name| all.iter().position(|one| one == name)).collect();
    let mut batches = source.scan(&places).await?;
    let kinds: Vec<_> =
        places.iter().map(|&place| source.schema().field(place).data_type().clone()).collect();
    let mut groups: CellGroups = CellGroups::new(&Columns::new(&kinds)?);
    while let Some(batch) = batches.next().await {
        groups.see(&batch?)?;
    }
    groups.settle();
    Ok(classes::count(groups))
}

/// Verifies a written file.
///
/// # Errors
/// [`EngineError::Unverified`] with the reason if the file is not what was expected.
pub async fn verify_file(stored: &Stored<'_>, expected: &Expected<'_>) -> Result<ReadBack> {
    let table = Arc::new(stored.open()?);
    check_columns(&table.columns(), expected)?;
    let quasi = places_of(&table, expected.quasi)?;
    let mut found = None;
    let mut certain = Vec::with_capacity(expected.sensitive.len());
    for (sensitive, name) in places_of(&table, expected.sensitive)?.into_iter().zip(expected.sensitive) {
        let exact = expected.exact.contains(name);
        let (groups, certainty) = certain::group(Arc::clone(&table), &quasi, sensitive, exact).await?;
        certain.push(certainty);
        found = Some(classes::count(groups));
    }
    let found = match found {
        Some(found) => found,
        None => classes::count(groups::group(Arc::clone(&table), quasi).await?),
    };
    let found = ReadBack { certain, ..found };
    check_classes(&found, expected)?;
    pseudonyms::check(&table, expected.pseudonyms).await?;
    coded::check(&table, expected.coded).await?;
    dates::check(&table, expected.shifted).await?;
    unseen::refuse(&table).await?;
    Ok(found)
}

fn check_columns(found: &[String], expected: &Expected<'_>) -> Result<()> {
    let fail = |what: &str, column: &String| Err(unverified(format!("{what} {}", quoted(column))));
    if let Some(column) = expected.identifiers.iter().find(|column| found.contains(column)) {
        return fail("it has the identifier", column);
    }
    if let Some(column) = expected.columns.iter().chain(expected.quasi).find(|c| !found.contains(c)) {
        return fail("it lacks the column", column);
    }
    if let Some(column) = found.iter().find(|column| !expected.columns.contains(column)) {
        return fail("it has the unexpected column", column);
    }
    if found != expected.columns {
        return Err(unverified("its columns are in a different order".to_owned()));
    }
    Ok(())
}

fn check_classes(found: &ReadBack, expected: &Expected<'_>) -> Result<()> {
    let (rows, k) = (expected.rows, expected.k);
    if found.rows != rows {
        return Err(unverified(format!("it has {} rows instead of {rows}", found.rows)));
    }
    if let Some(smallest) = found.smallest_of_all().filter(|&smallest| smallest < k) {
        let classes = found.classes_below(k) + u64::from((1..k).contains(&found.masked_rows));
        return Err(unverified(format!(
            "{classes} of its classes have fewer than {k} rows; the smallest has {smallest}"
        )));
    }
    if expected.sizes.as_ref().is_some_and(|sizes| found.all_sizes() != *sizes) {
        return Err(unverified("its classes are not those that were verified".to_owned()));
    }
    Ok(())
}

fn refuse_missing(found: &[String], quasi: &[String]) -> Result<()> {
    match quasi.iter().find(|column| !found.contains(column)) {
        None => Ok(()),
        Some(column) => Err(EngineError::bad((
            format!("there is no column {}", quoted(column)),
            format!("the columns are {}", found.join(", ")),
        ))
        .about_column(column)),
    }
}

fn unverified(reason: String) -> EngineError {
    EngineError::Unverified(reason.into())
}

#[cfg(test)]
mod tests;
