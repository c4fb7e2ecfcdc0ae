//! Encodes a file: one scan gives each quasi-identifier's dictionary and the distinct tuples with
//! their counts.
//!
//! Memory is linear in the distinct tuples and values, not in the rows. The result depends on the
//! rows but not on their order (except for where a value was first seen).

mod by_groups;
mod counted;
mod counter;
mod counting;
mod keys;
mod observe;
mod wide;

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use futures::StreamExt;
use throng::wording::quoted;

use crate::dictionary::{CellCodes, Dictionary, NO_ROW, NoCode, is_textual};
use crate::error::{EngineError, Result};
use crate::format::json_lines::line::JsonKind;
use crate::input::source::{CELL_NOT_UTF_8, Source, rows_within};
use crate::memory::{self, Budget, HeldBytes};
use crate::progress::{Progress, refuse_cancelled, report_read};
use counter::split_heavy;
pub use counting::{Counting, Uncountable};
pub(crate) use observe::{Observer, observe, observe_by_nodes};
use observe::{Observers, Shown, spelled_out};

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
    pub(crate) fn unite_equal(self) -> Encoded {
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
    encode_observed(source, quasi, Budget::default(), Vec::new(), progress).await
}

/// The same within limits on the memory that dictionaries and tuples take, and on the rows; others look at the rows
/// meanwhile.
///
/// # Errors
/// Also if they take more, or there are more.
pub(crate) async fn encode_observed(
    source: &Source,
    quasi: &[usize],
    budget: Budget,
    observers: Vec<Observer>,
    progress: &dyn Progress,
) -> Result<Encoded> {
    let encoded = encode_any_observed(source, quasi, budget, observers, progress).await?;
    if encoded.rows == 0 { Err(source.bad("there are no data rows")) } else { Ok(encoded) }
}

/// The same of a table that may have no rows, as a release may have none.
///
/// # Errors
/// Bad input, or more than the budget allows.
pub async fn encode_any(
    source: &Source,
    quasi: &[usize],
    budget: Budget,
    progress: &dyn Progress,
) -> Result<Encoded> {
    encode_any_observed(source, quasi, budget, Vec::new(), progress).await
}

async fn encode_any_observed(
    source: &Source,
    quasi: &[usize],
    budget: Budget,
    observers: Vec<Observer>,
    progress: &dyn Progress,
) -> Result<Encoded> {
    refuse_nested(source, quasi)?;
    let observers = Observers::new(observers);
    let budget = Arc::new(budget);
    memory::refuse_scan(source, counter::BUFFER_BYTES)?;
    let encoders = match source.remote() {
        Some(_) => {
            observers.read(source, progress).await?;
            vec![counted::encode(source, quasi, &budget, progress).await?]
        }
        None => match by_groups::open(source, quasi, &budget, !observers.is_empty())? {
            Some(groups) => groups.encode(observers, progress).await?,
            None => vec![encode_in_order(source, quasi, &budget, observers, progress).await?],
        },
    };
    progress.bytes_read(source.file_bytes(), source.file_bytes());
    finish(encoders)
}

async fn encode_in_order(
    source: &Source,
    quasi: &[usize],
    budget: &Arc<Budget>,
    observers: Observers,
    progress: &dyn Progress,
) -> Result<TupleEncoder> {
    // Columns that are stored by themselves are better left where only some of their rows are looked at.
    let rows = if source.format().is_text() { 0 } else { source.expected_rows().unwrap_or(0) };
    let (samples, mut observers) = observers.split_off_samples(rows);
    samples.read(source, progress).await?;
    let read = observers.beside(quasi, Shown::All);
    let mut batches = source.scan_coded(&read, quasi).await?;
    let mut encoder = TupleEncoder::new(source, quasi, counter::BUFFER_BYTES, budget);
    while let Some(batch) = batches.next().await {
        refuse_cancelled(progress)?;
        let batch = batch?;
        encoder.add(&batch, encoder.rows())?;
        if !observers.is_empty() {
            let cells = spelled_out(&source.schema(), &read[quasi.len()..], &batch.columns()[quasi.len()..]);
            observers.show(Shown::All, &cells);
        }
        report_read(source, encoder.rows(), progress);
    }
    Ok(encoder)
}

/// What several encoders of parts of one file found together.
fn finish(encoders: Vec<TupleEncoder>) -> Result<Encoded> {
    let source = encoders[0].source.clone();
    let rows = encoders.iter().map(TupleEncoder::rows).sum();
    let parts = encoders.into_iter().map(|encoder| encoder.counting).collect();
    let mut encoded = Counting::unite(parts).map_err(|_| memory::exhausted(&source, rows))?;
    if source.is_set() && source.remote().is_none() {
        let dictionaries = encoded.dictionaries.iter_mut();
        dictionaries.for_each(|dictionary| dictionary.number_rows(|place| source.number(place)));
    }
    Ok(encoded)
}

/// The rows of each of so many codes, given the code and the rows of each tuple.
pub fn rows_by_code(values: usize, codes: &[u32], weights: &[u32]) -> Vec<u64> {
    let mut rows = vec![0; values];
    codes.iter().zip(weights).for_each(|(&code, &weight)| rows[code as usize] += u64::from(weight));
    rows
}

fn refuse_nested(source: &Source, quasi: &[usize]) -> Result<()> {
    for &column in quasi {
        let schema = source.schema();
        let field = schema.field(column);
        if source.json_kind(column) == Some(JsonKind::Nested) {
            let problem = (
                format!(
                    "column {} holds lists or objects, which cannot be a quasi-identifier or be analysed in any other role",
                    quoted(field.name())
                ),
                "give it the role other (kept) or identifier (left out), or flatten it first",
            );
            return Err(source.bad(problem).about_column(field.name()));
        }
        if !is_textual(field.data_type()) {
            let problem = (
                format!(
                    "column {} has type {}, which cannot be a quasi-identifier",
                    quoted(field.name()),
                    field.data_type()
                ),
                "text, numbers, dates, times and booleans can",
            );
            return Err(source.bad(problem).about_column(field.name()));
        }
    }
    Ok(())
}

/// Everything that grows during the scan, of the whole file or of parts of it.
struct TupleEncoder {
    source: Source,
    quasi: Vec<usize>,
    counting: Counting,
    budget: Arc<Budget>,
    held: HeldBytes,
}

/// One quasi-identifier during the scan.
#[derive(Default)]
struct ScannedColumn {
    dictionary: Dictionary,
    cells: CellCodes,
    /// Codes of the batch at hand.
    codes: Vec<u32>,
}

impl TupleEncoder {
    fn new(source: &Source, quasi: &[usize], buffer_bytes: usize, budget: &Arc<Budget>) -> TupleEncoder {
        TupleEncoder {
            source: source.clone(),
            quasi: quasi.to_vec(),
            counting: Counting::start(quasi.len(), buffer_bytes),
            budget: Arc::clone(budget),
            held: HeldBytes::default(),
        }
    }

    fn rows(&self) -> u64 {
        self.counting.rows()
    }

    /// Takes up a batch that follows `before` rows of the file, or that place of many.
    fn add(&mut self, batch: &RecordBatch, before: u64) -> Result<()> {
        refuse_many(&self.source, rows_within(before) + batch.num_rows() as u64, &self.budget)?;
        let added = self.counting.add(batch.columns(), batch.num_rows(), before);
        self.note(added)
    }

    /// Says what is held now, or why a batch could not be counted.
    fn note(&mut self, added: std::result::Result<(), Uncountable>) -> Result<()> {
        added.map_err(|fault| match fault {
            Uncountable::NotText(at, cell) => cell.in_column(&self.source, self.quasi[at]),
            Uncountable::Memory => memory::exhausted(&self.source, self.rows()),
        })?;
        let held = self.counting.held();
        self.budget.note(std::mem::replace(&mut self.held, held), held, self.rows(), &self.source)
    }
}

fn refuse_many(source: &Source, rows: u64, budget: &Budget) -> Result<()> {
    if rows <= budget.most_rows {
        return Ok(());
    }
    Err(source.bad((
        format!("there are more than {} rows", budget.most_rows),
        "split the file, or require only a k, without values of columns, persons or a population",
    )))
}

impl ScannedColumn {
    /// Encodes this column of a batch that follows `before` rows.
    fn encode(&mut self, array: &ArrayRef, before: u64) -> std::result::Result<(), NotText> {
        let ScannedColumn { dictionary, cells, codes } = self;
        let row = |place: usize| before + place as u64 + 1;
        let found = cells.find_all(array, codes, |value, place| dictionary.intern_at(value, row(place)));
        found.map_err(|NoCode(place)| NotText { row: place.map(row) })
    }
}

impl ScannedColumn {
    /// Encodes this column of tuples that are no rows.
    fn encode_unplaced(&mut self, array: &ArrayRef) -> std::result::Result<(), NotText> {
        let ScannedColumn { dictionary, cells, codes } = self;
        let found = cells.find_all(array, codes, |value, _| dictionary.intern_at(value, NO_ROW));
        found.map_err(|_| NotText { row: None })
    }
}

/// A cell cannot be text; its row, if known.
pub struct NotText {
    row: Option<u64>,
}

impl NotText {
    /// The row, if it is known.
    pub fn row(&self) -> Option<u64> {
        self.row
    }

    fn in_column(self, source: &Source, column: usize) -> EngineError {
        let name = &source.columns()[column];
        match self.row {
            Some(row) => source.bad_at_place(row, CELL_NOT_UTF_8).in_column(name),
            None => source.bad("a value cannot be written as text").in_column(name),
        }
    }
}

#[cfg(test)]
mod tests;
