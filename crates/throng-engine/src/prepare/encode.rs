//! Encodes a file: one scan gives each quasi-identifier's dictionary and the distinct tuples with
//! their counts.
//!
//! Memory is linear in the distinct tuples and values, not in the rows. The result depends on the
//! rows but not on their order (except for where a value was first seen).

mod by_groups;
mod counted;
mod counter;
mod keys;
mod wide;

use std::sync::Arc;

use futures::StreamExt;
use rayon::prelude::*;

use arrow::array::{ArrayRef, RecordBatch};
use throng::wording::quoted;

use crate::error::{EngineError, Result};
use crate::input::lines::JsonKind;
use crate::input::source::{Source, rows_within};
use crate::memory::{self, Budget, Held};
use crate::prepare::dictionary::{CellCodes, Dictionary, NO_ROW, NoCode, is_textual};
use crate::progress::{Progress, refuse_cancelled};
use counter::{TupleCounter, split_heavy};
use keys::Packing;

/// A file's quasi-identifiers as distinct tuples of codes.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// The values of each quasi-identifier, sorted by their text.
    pub dictionaries: Vec<Dictionary>,
    /// For each quasi-identifier, the code of each distinct tuple. Tuples are sorted.
    pub columns: Vec<Vec<u32>>,
    /// How many rows have each tuple.
    pub weights: Vec<u32>,
    /// How many rows the file has.
    pub rows: u64,
}

impl Encoded {
    /// The same rows where values have become others: the tuples in their order, equal ones together.
    pub(super) fn unite_equal(self) -> Encoded {
        let Encoded { dictionaries, columns, weights, rows } = self;
        let mut order: Vec<usize> = (0..weights.len()).collect();
        let key = |tuple: usize| columns.iter().map(move |column| column[tuple]);
        order.sort_by(|&a, &b| key(a).cmp(key(b)));
        let (mut united, mut sums): (Vec<Vec<u32>>, Vec<u32>) = (vec![Vec::new(); columns.len()], Vec::new());
        for equal in order.chunk_by(|&a, &b| key(a).eq(key(b))) {
            let rows: u64 = equal.iter().map(|&tuple| u64::from(weights[tuple])).sum();
            for (tuple, rows) in split_heavy(vec![(equal[0], rows)]) {
                sums.push(rows as u32);
                united.iter_mut().zip(key(tuple)).for_each(|(column, code)| column.push(code));
            }
        }
        Encoded { dictionaries, columns: united, weights: sums, rows }
    }
}

/// Encodes the `quasi` columns of a source.
///
/// Must be called in a Tokio runtime; row groups of a file are decoded and encoded side by side, another file is
/// decoded while the rows before are encoded.
///
/// # Errors
/// If the file cannot be read or has no rows or more than 2³² − 1, a column's type has no text,
/// or the run was cancelled.
pub async fn encode(source: &Source, quasi: &[usize], progress: &dyn Progress) -> Result<Encoded> {
    encode_within(source, quasi, Budget::default(), progress).await
}

/// The same within limits on the memory that dictionaries and tuples take, and on the rows.
///
/// # Errors
/// Also if they take more, or there are more.
pub(crate) async fn encode_within(
    source: &Source,
    quasi: &[usize],
    budget: Budget,
    progress: &dyn Progress,
) -> Result<Encoded> {
    refuse_nested(source, quasi)?;
    let budget = Arc::new(budget);
    memory::refuse_scan(source, counter::BUFFER_BYTES)?;
    let encoders = match by_groups::open(source, quasi, &budget)? {
        Some(groups) => groups.encode(progress).await?,
        None if source.remote().is_some() => vec![counted::encode(source, quasi, &budget, progress).await?],
        None => vec![encode_in_order(source, quasi, &budget, progress).await?],
    };
    if encoders.iter().all(|encoder| encoder.rows == 0) {
        return Err(source.bad("there are no data rows"));
    }
    progress.bytes_read(source.file_bytes(), source.file_bytes());
    finish(encoders)
}

async fn encode_in_order(
    source: &Source,
    quasi: &[usize],
    budget: &Arc<Budget>,
    progress: &dyn Progress,
) -> Result<Encoder> {
    let mut batches = source.scan_coded(quasi, quasi).await?;
    let mut encoder = Encoder::new(source, quasi, counter::BUFFER_BYTES, budget)?;
    while let Some(batch) = batches.next().await {
        refuse_cancelled(progress)?;
        encoder.add(&batch?, encoder.rows)?;
        report(source, encoder.rows, progress);
    }
    Ok(encoder)
}

/// What several encoders of parts of one file found together.
fn finish(encoders: Vec<Encoder>) -> Result<Encoded> {
    let source = encoders[0].source.clone();
    let rows = encoders.iter().map(|encoder| encoder.rows).sum();
    let mut dictionaries: Vec<Vec<Dictionary>> = encoders[0].columns.iter().map(|_| Vec::new()).collect();
    let mut counters = Vec::with_capacity(encoders.len());
    for encoder in encoders {
        let columns = encoder.columns.into_iter().zip(&mut dictionaries);
        columns.for_each(|(column, parts)| parts.push(column.dictionary));
        counters.push((encoder.tuples, Vec::with_capacity(dictionaries.len())));
    }
    let united: Vec<(Dictionary, Vec<Vec<u32>>)> =
        dictionaries.into_par_iter().map(Dictionary::all_sorted).collect();
    let mut dictionaries = Vec::with_capacity(united.len());
    for (dictionary, ranks) in united {
        counters.iter_mut().zip(ranks).for_each(|((_, of_columns), ranks)| of_columns.push(ranks));
        dictionaries.push(dictionary);
    }
    let bits: Vec<u32> = dictionaries.iter().map(|dictionary| keys::bits(dictionary.len())).collect();
    let packing = Packing::new(&bits);
    if source.is_set() {
        dictionaries.iter_mut().for_each(|dictionary| dictionary.number_rows(|place| source.number(place)));
    }
    let (columns, weights) =
        counter::finish_all(counters, &packing).map_err(|_| memory::exhausted(&source, rows))?;
    Ok(Encoded { dictionaries, columns, weights, rows })
}

/// The rows of each of so many codes, given the code and the rows of each tuple.
pub(crate) fn rows_by_code(values: usize, codes: &[u32], weights: &[u32]) -> Vec<u64> {
    let mut rows = vec![0; values];
    codes.iter().zip(weights).for_each(|(&code, &weight)| rows[code as usize] += u64::from(weight));
    rows
}

fn refuse_nested(source: &Source, quasi: &[usize]) -> Result<()> {
    for &column in quasi {
        let schema = source.schema();
        let field = schema.field(column);
        if source.json_kind(column) == Some(JsonKind::Nested) {
            let problem = format!(
                "column {} has lists or objects, which cannot be a quasi-identifier or looked at otherwise; give it \
                 the role other (kept) or identifier (left out), or flatten it first",
                quoted(field.name())
            );
            return Err(source.bad(problem).about_column(field.name()));
        }
        if !is_textual(field.data_type()) {
            let problem = format!(
                "column {} has type {}, which cannot be a quasi-identifier; \
                 allowed are text, numbers, dates, times and booleans",
                quoted(field.name()),
                field.data_type()
            );
            return Err(source.bad(problem).about_column(field.name()));
        }
    }
    Ok(())
}

/// Says how far a scan is.
pub(crate) fn report(source: &Source, rows: u64, progress: &dyn Progress) {
    progress.rows_read(rows);
    if let Some(expected) = source.expected_rows() {
        let total = source.file_bytes();
        let share = rows as f64 / expected.max(1) as f64;
        progress.bytes_read(((total as f64 * share) as u64).min(total), total);
    }
}

/// Everything that grows during the scan, of the whole file or of parts of it.
struct Encoder {
    source: Source,
    quasi: Vec<usize>,
    columns: Vec<Column>,
    tuples: Box<dyn TupleCounter>,
    rows: u64,
    budget: Arc<Budget>,
    held: Held,
}

/// One quasi-identifier during the scan.
#[derive(Default)]
struct Column {
    dictionary: Dictionary,
    cells: CellCodes,
    /// Codes of the batch at hand.
    codes: Vec<u32>,
}

impl Encoder {
    fn new(source: &Source, quasi: &[usize], buffer_bytes: usize, budget: &Arc<Budget>) -> Result<Encoder> {
        let columns = quasi.iter().map(|_| Column::default()).collect();
        let packing = Packing::new(&vec![1; quasi.len()]);
        let tuples = counter::start(packing, buffer_bytes);
        Ok(Encoder {
            source: source.clone(),
            quasi: quasi.to_vec(),
            columns,
            tuples,
            rows: 0,
            budget: Arc::clone(budget),
            held: Held::default(),
        })
    }

    /// Takes up a batch that follows `before` rows of the file, or that place of many.
    fn add(&mut self, batch: &RecordBatch, before: u64) -> Result<()> {
        self.rows += batch.num_rows() as u64;
        refuse_many(&self.source, rows_within(before) + batch.num_rows() as u64, &self.budget)?;
        let Encoder { source, quasi, columns, .. } = self;
        let columns = columns.par_iter_mut().enumerate();
        let failed = columns.filter_map(|(at, column)| {
            column.encode(batch.column(at), before).err().map(|cell| (cell.row, at, cell))
        });
        // Of several columns with such a cell, the one in the first row.
        if let Some((_, at, cell)) = failed.min_by_key(|(row, at, _)| (*row, *at)) {
            return Err(cell.in_column(source, quasi[at]));
        }
        self.make_room()?;
        let codes: Vec<&[u32]> = self.columns.iter().map(|c| c.codes.as_slice()).collect();
        let added = self.tuples.add(&codes, batch.num_rows());
        added.map_err(|_| memory::exhausted(&self.source, self.rows))?;
        self.note_memory()
    }

    /// Says what is held now.
    fn note_memory(&mut self) -> Result<()> {
        let values = self.columns.iter().map(|column| column.dictionary.held_bytes()).sum();
        let held = Held { values, tuples: self.tuples.held_bytes() };
        self.budget.note(std::mem::replace(&mut self.held, held), held, self.rows, &self.source)
    }

    /// Gives the keys as many bits as the dictionaries now need.
    fn make_room(&mut self) -> Result<()> {
        let bits: Vec<u32> = self.columns.iter().map(|c| keys::bits(c.dictionary.len())).collect();
        if self.tuples.packing().holds(&bits) {
            return Ok(());
        }
        let failed = |_| memory::exhausted(&self.source, self.rows);
        let packing = Packing::new(&bits);
        if let Some(wider) = self.tuples.pack_anew(packing).map_err(failed)? {
            self.tuples = wider;
        }
        Ok(())
    }
}

fn refuse_many(source: &Source, rows: u64, budget: &Budget) -> Result<()> {
    if rows <= budget.most_rows {
        return Ok(());
    }
    Err(source.bad(format!(
        "more than {} rows; split the file, or ask for k without values of columns, persons or a population",
        budget.most_rows
    )))
}

impl Column {
    /// Encodes this column of a batch that follows `before` rows.
    fn encode(&mut self, array: &ArrayRef, before: u64) -> std::result::Result<(), NotText> {
        let Column { dictionary, cells, codes } = self;
        let row = |place: usize| before + place as u64 + 1;
        let found = cells.find_all(array, codes, |value, place| dictionary.intern_at(value, row(place)));
        found.map_err(|NoCode(place)| NotText { row: place.map(row) })
    }
}

impl Column {
    /// Encodes this column of tuples that are no rows.
    fn encode_unplaced(&mut self, array: &ArrayRef) -> std::result::Result<(), NotText> {
        let Column { dictionary, cells, codes } = self;
        let found = cells.find_all(array, codes, |value, _| dictionary.intern_at(value, NO_ROW));
        found.map_err(|_| NotText { row: None })
    }
}

/// A cell cannot be text; its row, if known.
struct NotText {
    row: Option<u64>,
}

impl NotText {
    fn in_column(self, source: &Source, column: usize) -> EngineError {
        let name = &source.columns()[column];
        match self.row {
            Some(row) => source.bad_at_place(row, "this is not UTF-8 text").in_column(name),
            None => source.bad("a value cannot be written as text").in_column(name),
        }
    }
}

#[cfg(test)]
mod tests;
