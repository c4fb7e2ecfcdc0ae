//! How sure one can be of a sensitive value, once somebody's class is found.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::groups::{CellGroups, Columns, Count, group_by, kinds_at};
use crate::error::Result;
use crate::format::reopen::Reopened;

/// A value that so many of a class have is as good as known.
const LIKELY_SHARE: f64 = 0.9;

/// Rows whose sensitive value is known, or nearly so, to who finds their class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Certainty {
    /// Rows in classes that show one value or none: what is missing may be that one.
    pub certain_rows: u64,
    /// Rows in other classes of which more than nine tenths have the same value, or may have it.
    pub likely_rows: u64,
}

impl Certainty {
    /// Adds a class of so many rows, of which `most` may have its most frequent value.
    fn add(mut self, rows: u64, most: u64) -> Certainty {
        if most == rows {
            self.certain_rows += rows;
        } else if most as f64 > LIKELY_SHARE * rows as f64 {
            self.likely_rows += rows;
        }
        self
    }
}

/// Groups the rows of a file by the columns at `quasi`, and says what can be learned from these classes of the column
/// at `sensitive`: in one look at the file. Spellings of a value are one, unless `exact`.
pub(super) async fn group(
    table: Arc<Reopened>,
    quasi: &[usize],
    sensitive: usize,
    exact: bool,
) -> Result<(CellGroups<Values>, Certainty)> {
    let places: Vec<usize> = quasi.iter().copied().chain([sensitive]).collect();
    let columns = Columns::new(&kinds_at(&table, &places)?)?.with_last_beside();
    let classes: CellGroups<Values> = group_by(table, places, columns).await?;
    let value_of = classes.beside().map(|numbers| numbers.values(exact)).transpose()?.unwrap_or_default();
    let add = |found: Certainty, class: &Values| found.add(class.rows, class.most(&value_of));
    let found = classes.counts().fold(Certainty::default(), add);
    Ok((classes, found))
}

/// Rows of a class, and of each value in it.
#[derive(Default)]
pub(super) struct Values {
    rows: u64,
    counts: ValueCounts,
}

/// Rows of each value.
enum ValueCounts {
    /// So few that they are looked through.
    Few(Vec<(u32, u64)>),
    Many(FxHashMap<u32, u64>),
}

/// Values of a class that are looked through.
const FEW: usize = 64;

impl Default for ValueCounts {
    fn default() -> ValueCounts {
        ValueCounts::Few(Vec::new())
    }
}

impl Values {
    /// Rows that have, or may have, the most frequent value; `value_of` has that of each number.
    fn most(&self, value_of: &[Option<u32>]) -> u64 {
        let mut missing = 0;
        let mut shown = Values::default();
        let add = |(number, rows): (u32, u64)| match value_of[number as usize] {
            Some(value) => shown.add_rows(value, rows),
            None => missing += rows,
        };
        match &self.counts {
            ValueCounts::Few(counts) => counts.iter().copied().for_each(add),
            // Sums do not depend on the order.
            ValueCounts::Many(counts) => counts.iter().map(|(&number, &rows)| (number, rows)).for_each(add),
        }
        let most = match &shown.counts {
            ValueCounts::Few(counts) => counts.iter().map(|&(_, rows)| rows).max(),
            ValueCounts::Many(counts) => counts.values().copied().max(),
        };
        most.unwrap_or(0) + missing
    }

    fn add_rows(&mut self, value: u32, rows: u64) {
        self.rows += rows;
        match &mut self.counts {
            ValueCounts::Many(counts) => *counts.entry(value).or_default() += rows,
            ValueCounts::Few(counts) => match counts.iter().position(|(known, _)| *known == value) {
                Some(at) => counts[at].1 += rows,
                None if counts.len() < FEW => counts.push((value, rows)),
                None => self.counts = ValueCounts::Many(counts.drain(..).chain([(value, rows)]).collect()),
            },
        }
    }
}

impl Count for Values {
    fn add(&mut self, beside: Option<u32>) {
        self.add_rows(beside.expect("the sensitive column is beside those of the key"), 1);
    }

    fn unite(&mut self, other: Values) {
        if self.rows == 0 {
            *self = other;
            return;
        }
        match other.counts {
            ValueCounts::Few(counts) => {
                counts.into_iter().for_each(|(value, rows)| self.add_rows(value, rows))
            }
            // Sums do not depend on the order.
            ValueCounts::Many(counts) => {
                counts.into_iter().for_each(|(value, rows)| self.add_rows(value, rows))
            }
        }
    }

    fn rows(&self) -> u64 {
        self.rows
    }
}
