//! Encodes a file: one scan gives each quasi-identifier's dictionary and the distinct tuples with
//! their counts.
//!
//! Memory is linear in the distinct tuples and values, not in the rows. The result depends on the
//! rows but not on their order (except for where a value was first seen).

mod counter;
mod keys;

use futures::StreamExt;
use rayon::prelude::*;

use arrow::array::{ArrayRef, RecordBatch};
use throng::wording::quoted;

use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::memory;
use crate::prepare::dictionary::{Dictionary, as_text, is_textual, try_each};
use crate::progress::{Progress, refuse_cancelled};
use counter::TupleCounter;
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
            sums.push(equal.iter().map(|&tuple| weights[tuple]).sum());
            united.iter_mut().zip(key(equal[0])).for_each(|(column, code)| column.push(code));
        }
        Encoded { dictionaries, columns: united, weights: sums, rows }
    }
}

/// Encodes the `quasi` columns of a source.
///
/// Must be called in a Tokio runtime; the file is decoded while the rows before are encoded.
///
/// # Errors
/// If the file cannot be read or has no rows or more than 2³² − 1, a column's type has no text,
/// or the run was cancelled.
pub async fn encode(source: &Source, quasi: &[usize], progress: &dyn Progress) -> Result<Encoded> {
    refuse_nested(source, quasi)?;
    memory::refuse_scan(source, counter::BUFFER_BYTES)?;
    let mut batches = source.scan(quasi).await?;
    let mut encoder = Encoder::new(source, quasi)?;
    while let Some(batch) = batches.next().await {
        refuse_cancelled(progress)?;
        encoder.add(&batch?)?;
        report(source, encoder.rows, progress);
    }
    if encoder.rows == 0 {
        return Err(source.bad("there are no data rows"));
    }
    progress.bytes_read(source.file_bytes(), source.file_bytes());
    encoder.finish()
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

/// Everything that grows during the scan.
struct Encoder<'a> {
    source: &'a Source,
    quasi: &'a [usize],
    columns: Vec<Column>,
    tuples: Box<dyn TupleCounter>,
    rows: u64,
}

/// One quasi-identifier during the scan.
#[derive(Default)]
struct Column {
    dictionary: Dictionary,
    /// Codes of the batch at hand.
    codes: Vec<u32>,
}

impl<'a> Encoder<'a> {
    fn new(source: &'a Source, quasi: &'a [usize]) -> Result<Encoder<'a>> {
        let columns = quasi.iter().map(|_| Column::default()).collect();
        let packing = choose_packing(source, &vec![1; quasi.len()])?;
        let tuples = counter::start(packing, counter::BUFFER_BYTES);
        Ok(Encoder { source, quasi, columns, tuples, rows: 0 })
    }

    fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let before = self.rows;
        self.rows += batch.num_rows() as u64;
        if u32::try_from(self.rows).is_err() {
            return Err(self.source.bad("more than 4294967295 rows; split the file"));
        }
        let (source, quasi) = (self.source, self.quasi);
        let columns = self.columns.par_iter_mut().enumerate();
        let failed = columns.filter_map(|(at, column)| {
            column.encode(batch.column(at), before as u32).err().map(|cell| (cell.row, at, cell))
        });
        // Of several columns with such a cell, the one in the first row.
        if let Some((_, at, cell)) = failed.min_by_key(|(row, at, _)| (*row, *at)) {
            return Err(cell.in_column(source, quasi[at]));
        }
        self.make_room()?;
        let codes: Vec<&[u32]> = self.columns.iter().map(|c| c.codes.as_slice()).collect();
        self.tuples.add(&codes, batch.num_rows()).map_err(|_| memory::exhausted(source, self.rows))
    }

    /// Gives the keys as many bits as the dictionaries now need.
    fn make_room(&mut self) -> Result<()> {
        let bits: Vec<u32> = self.columns.iter().map(|c| keys::bits(c.dictionary.len())).collect();
        if self.tuples.packing().holds(&bits) {
            return Ok(());
        }
        if let Some(wider) = self.tuples.pack_anew(choose_packing(self.source, &bits)?) {
            self.tuples = wider;
        }
        Ok(())
    }

    fn finish(self) -> Result<Encoded> {
        let sorted: Vec<_> = self.columns.into_par_iter().map(|c| c.dictionary.sorted()).collect();
        let (dictionaries, ranks): (Vec<_>, Vec<_>) = sorted.into_iter().unzip();
        let (columns, weights) =
            self.tuples.finish(&ranks).map_err(|_| memory::exhausted(self.source, self.rows))?;
        Ok(Encoded { dictionaries, columns, weights, rows: self.rows })
    }
}

fn choose_packing(source: &Source, bits: &[u32]) -> Result<Packing> {
    let packing = Packing::new(bits);
    if packing.words() > keys::MAX_WORDS {
        let columns = bits.len();
        return Err(source.bad(format!(
            "{columns} quasi-identifiers with so many values cannot be counted; leave some out"
        )));
    }
    Ok(packing)
}

impl Column {
    /// Encodes this column of a batch that follows `before` rows.
    fn encode(&mut self, array: &ArrayRef, before: u32) -> std::result::Result<(), NotText> {
        let Column { dictionary, codes } = self;
        codes.clear();
        let mut row = before;
        let text = as_text(array).ok_or(NotText { row: None })?;
        try_each(&text, |value| {
            row += 1;
            codes.push(dictionary.intern(value, row).ok_or(NotText { row: Some(row) })?);
            Ok(())
        })
    }
}

/// A cell cannot be text; its row, if known.
struct NotText {
    row: Option<u32>,
}

impl NotText {
    fn in_column(self, source: &Source, column: usize) -> EngineError {
        let name = &source.columns()[column];
        match self.row {
            Some(row) => source.bad("this is not UTF-8 text").at_row(row.into()).in_column(name),
            None => source.bad("a value cannot be written as text").in_column(name),
        }
    }
}

#[cfg(test)]
mod tests;
