//! What is counted of kept columns, row by row.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::{FieldRef, Schema};
use rayon::prelude::*;

use super::extremes::NumberExtremes;
use super::first::FirstRows;
use super::open::{self, Cells};
use super::order::RowSteps;
use super::{KeptColumn, KeptLook};
use crate::coding::NumberCoding;
use crate::profile::column::ColumnCounts;
use crate::profile::free_text::find_free_text;
use crate::profile::role::is_personal;
use crate::profile::sample::DistinctSample;

/// Values of a column of which counts are exact.
const MAX_VALUES: usize = 1 << 16;

/// All that is watched during the look.
pub(super) struct WatchedColumns {
    /// The fields of the columns that are read.
    fields: Vec<FieldRef>,
    /// All that these hold, in their order.
    watched: Vec<Watched>,
    /// The watched columns that are counted together; nothing before the first rows.
    together: Option<Vec<usize>>,
    sample: DistinctSample,
    rows: u64,
    /// The first rows, until they are as many as a batch may have.
    first: FirstRows,
}

/// What is watched of a column, or of a field in one.
struct Watched {
    at: usize,
    name: String,
    /// Whether each row has one.
    is_by_row: bool,
    /// Nothing of columns that are not kept, and of those that turned out to be no text.
    column: Option<(ColumnCounts, NumberExtremes)>,
    order: Option<RowSteps>,
}

impl WatchedColumns {
    pub(super) fn new(schema: &Schema, all: &[usize], kept: &[usize], ordered: &[usize]) -> WatchedColumns {
        let mut watched: Vec<Watched> = Vec::new();
        for &at in all {
            for (name, is_by_row) in open::names(schema.field(at)) {
                let number = watched.len();
                let column = kept.contains(&at);
                watched.push(Watched {
                    at,
                    name,
                    is_by_row,
                    column: column
                        .then(|| (ColumnCounts::new(number, MAX_VALUES), NumberExtremes::default())),
                    order: ordered.contains(&at).then(RowSteps::default),
                });
            }
        }
        let fields = all.iter().map(|&at| Arc::clone(&schema.fields()[at])).collect();
        WatchedColumns {
            fields,
            watched,
            together: None,
            sample: DistinctSample::new(MAX_VALUES),
            rows: 0,
            first: FirstRows::default(),
        }
    }

    /// Counts extremes of the numbers that are released where those of a column are coded.
    pub(super) fn set_codings(&mut self, codings: &[(usize, NumberCoding)]) {
        for watched in &mut self.watched {
            let coding = codings.iter().find(|(at, _)| *at == watched.at).map(|(_, coding)| *coding);
            if let (Some((_, extremes)), Some(coding)) = (&mut watched.column, coding) {
                *extremes = NumberExtremes::of_coded(coding);
            }
        }
    }

    /// Takes up the next rows.
    pub(super) fn take(&mut self, columns: &[ArrayRef]) {
        if self.first.is_over {
            self.add(columns);
        } else if self.first.join(columns) {
            self.add_first();
        }
    }

    fn add_first(&mut self) {
        for batch in self.first.end() {
            self.add(&batch);
        }
    }

    fn add(&mut self, columns: &[ArrayRef]) {
        let rows = columns[0].len();
        let columns = self.fields.par_iter().zip(columns);
        let opened: Vec<Vec<Cells>> = columns.map(|(field, cells)| open::open(field, cells)).collect();
        let opened: Vec<Cells> = opened.into_iter().flatten().collect();
        self.watched.par_iter_mut().zip(&opened).for_each(|(watched, cells)| watched.add(&cells.cells));
        let watched = &self.watched;
        // What tells nearly every row by itself would hide what the others do together.
        let is_open = |&at: &usize| {
            let column = watched[at].column.as_ref().filter(|_| watched[at].is_by_row);
            column.is_some_and(|(column, _)| !is_telling(column))
        };
        let together = self.together.get_or_insert_with(|| (0..watched.len()).filter(is_open).collect());
        together.retain(|&at| watched[at].column.is_some());
        if together.len() > 1 {
            for row in 0..rows {
                let keys = together.iter().filter_map(|&at| watched[at].column.as_ref());
                let key = keys.fold(0_u64, |sum, (column, _)| sum.wrapping_add(column.key(row)));
                self.sample.meet(key, || 0);
            }
        }
        self.rows += rows as u64;
        self.watched
            .iter_mut()
            .filter_map(|watched| watched.column.as_mut())
            .for_each(|(column, _)| column.clear_rows());
    }

    pub(super) fn finish(&mut self) -> KeptLook {
        self.add_first();
        let columns = self.watched.iter().filter_map(Watched::describe).collect();
        let sorted =
            self.watched.iter().filter(|watched| watched.order.as_ref().is_some_and(RowSteps::is_sorted));
        let together = self.together.as_ref().map_or(0, Vec::len);
        let unique = if together > 1 { self.sample.count(self.rows).1.value } else { 0 };
        KeptLook {
            rows: self.rows,
            columns,
            unique_together: (unique, together),
            sorted: sorted.map(|watched| watched.at).collect(),
        }
    }
}

/// Whether nearly every row so far has a value of its own.
fn is_telling(column: &ColumnCounts) -> bool {
    10 * column.counts().1.value >= 9 * column.spellings().known().max(1)
}

impl Watched {
    fn add(&mut self, cells: &ArrayRef) {
        if let Some((column, extremes)) = &mut self.column {
            extremes.add(cells);
            if column.add(cells).is_err() {
                self.column = None;
            }
        }
        if let Some(order) = &mut self.order {
            order.add(cells);
        }
    }

    fn describe(&self) -> Option<KeptColumn> {
        let (column, extremes) = self.column.as_ref()?;
        let name = &self.name;
        let (distinct, unique) = column.counts();
        let inferred = column.spellings().infer(name, distinct.value);
        let facts = column.facts(name, &inferred);
        Some(KeptColumn {
            at: self.at,
            name: name.clone(),
            look: facts.look.filter(|look| !look.is_place()),
            is_personal: is_personal(&facts),
            text: find_free_text(&facts),
            known_rows: column.spellings().known(),
            distinct: distinct.value,
            unique_rows: unique.value,
            extreme_rows: extremes.rows(facts.kind.is_number()),
        })
    }
}
