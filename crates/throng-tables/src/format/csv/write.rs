//! Record batches as delimited text.
//!
//! Rows are encoded in pieces by all threads. The labels of a dictionary are quoted once, not once
//! per row: generalised columns have few labels and many rows.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, LargeStringArray, StringArray, StringViewArray};
use arrow::datatypes::{DataType, Schema};
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use encoding_rs::Encoding;
use rayon::prelude::*;
use throng::wording::quoted;

use super::quoting::Quoting;
use crate::error::{EngineError, Result};
use crate::format::{EncodedFile, Encoder, NewFile};
use crate::input::dialect::Dialect;
use crate::input::formulas::{Formulas, is_formula};
use crate::output::in_order;
use crate::output::sink::FileLayout;
use crate::output::sink::add;
use crate::output::sink::encoding::{encode, mark};
use crate::output::sink::output::TextOutput;

/// Rows that one thread encodes at once.
const PIECE: usize = 4_096;

/// A batch, which follows `before` rows, in pieces that threads encode by themselves; each with the rows before it.
pub(crate) fn cut(batch: &RecordBatch, before: u64) -> impl Iterator<Item = (RecordBatch, u64)> {
    let piece =
        move |start: usize| (batch.slice(start, PIECE.min(batch.num_rows() - start)), before + start as u64);
    (0..batch.num_rows()).step_by(PIECE).map(piece)
}

/// A file of delimited text.
pub(crate) struct TextFile {
    encoder: TextEncoder,
    output: TextOutput,
}

impl TextFile {
    /// Starts a file, with the row of names if it has one.
    ///
    /// # Errors
    /// If text cannot hold such columns, or the machine fails.
    pub(crate) fn start(new: NewFile<'_>) -> Result<TextFile> {
        let FileLayout { dialect, encoding, formulas, has_mark, .. } = *new.layout;
        let mut encoder = TextEncoder::new(new.schema, &dialect, formulas)?;
        let mut start = mark(encoding);
        if has_mark && encoding == encoding_rs::UTF_8 {
            start.extend("\u{feff}".bytes());
        }
        if dialect.header {
            start.extend(encode(encoder.header()?, encoding)?);
        }
        Ok(TextFile { encoder, output: TextOutput::start(new, &start)? })
    }
}

impl Encoder for TextFile {
    fn write(&mut self, batches: &[RecordBatch]) -> Result<()> {
        let pieces = self.encoder.encode(batches, self.output.encoding())?;
        self.output.write(&pieces)
    }

    fn finish(self: Box<Self>) -> Result<EncodedFile> {
        self.output.finish()?;
        let TextEncoder { newlines, formulas, .. } = self.encoder;
        Ok(EncodedFile { newlines, formulas })
    }
}

/// Encodes the batches of one table, in order.
struct TextEncoder {
    quoting: Quoting,
    names: Vec<String>,
    /// For each column, the labels of the dictionary that it had in the last batch.
    labels: Vec<Option<Arc<Labels>>>,
    rows: u64,
    newlines: bool,
    refuses_formulas: bool,
    /// Cells of each column that a spreadsheet would run, its name among them.
    formulas: Vec<u64>,
}

impl TextEncoder {
    /// An encoder of tables with the given columns, none of them nested.
    fn new(schema: &Schema, dialect: &Dialect, formulas: Formulas) -> Result<TextEncoder> {
        if let Some(nested) = schema.fields().iter().find(|field| field.data_type().is_nested()) {
            let what =
                format!("column {} holds lists or records, which text cannot hold", quoted(nested.name()));
            let problem = (what, "write Parquet instead");
            return Err(EngineError::bad(problem).about_column(nested.name()));
        }
        Ok(TextEncoder {
            quoting: Quoting::new(dialect, formulas),
            names: schema.fields().iter().map(|field| field.name().clone()).collect(),
            labels: schema.fields().iter().map(|_| None).collect(),
            rows: 0,
            newlines: false,
            refuses_formulas: formulas == Formulas::Refuse,
            formulas: vec![0; schema.fields().len()],
        })
    }

    /// The row of column names.
    ///
    /// # Errors
    /// If one would be run, and such are refused.
    fn header(&mut self) -> Result<Vec<u8>> {
        let mut piece = Piece::default();
        for (position, name) in self.names.iter().enumerate() {
            piece.separate(position, &self.quoting);
            piece.newlines |= self.quoting.push(&mut piece.bytes, name.as_bytes());
            self.formulas[position] += u64::from(is_formula(name.as_bytes()));
        }
        piece.end_row(0, &self.quoting);
        self.newlines |= piece.newlines;
        self.refuse_formulas()?;
        Ok(piece.bytes)
    }

    /// The rows of `batches` in an encoding, in pieces that follow each other.
    fn encode(&mut self, batches: &[RecordBatch], encoding: &'static Encoding) -> Result<Vec<Vec<u8>>> {
        let mut parts = Vec::new();
        for batch in batches {
            self.renew_labels(batch)?;
            parts.extend(cut(batch, self.rows).map(|(rows, before)| (rows, self.labels.clone(), before)));
            self.rows += batch.num_rows() as u64;
        }
        let pieces = parts.into_par_iter().map(|(rows, labels, before)| {
            let Piece { bytes, newlines, formulas } = self.encode_piece(&rows, &labels, before)?;
            Ok(Piece { bytes: encode(bytes, encoding)?, newlines, formulas })
        });
        let pieces: Vec<Piece> = in_order(pieces)?;
        self.newlines |= pieces.iter().any(|piece| piece.newlines);
        pieces.iter().for_each(|piece| add(&mut self.formulas, &piece.formulas));
        self.refuse_formulas()?;
        Ok(pieces.into_iter().map(|piece| piece.bytes).collect())
    }

    fn refuse_formulas(&self) -> Result<()> {
        let found = self.formulas.iter().position(|&cells| cells > 0).filter(|_| self.refuses_formulas);
        match found {
            None => Ok(()),
            Some(column) => Err(EngineError::bad((
                "some cells begin like formulas (=, +, -, @), which a spreadsheet would run, and the job refuses these (formulas = \"refuse\")",
                "\"quote\" puts an apostrophe before them",
            ))
            .in_column(&self.names[column])),
        }
    }

    fn renew_labels(&mut self, batch: &RecordBatch) -> Result<()> {
        for (position, array) in batch.columns().iter().enumerate() {
            let Some(dictionary) = array.as_any_dictionary_opt() else { continue };
            let values = dictionary.values();
            let slot = &mut self.labels[position];
            if slot.as_ref().is_some_and(|labels| labels.are_of(values)) {
                continue;
            }
            let labels = Labels::new(values, &self.quoting)
                .ok_or_else(|| unprintable(&self.names[position], self.rows))?;
            self.newlines |= labels.newlines;
            *slot = Some(Arc::new(labels));
        }
        Ok(())
    }

    /// Some rows, which follow `before` others.
    fn encode_piece(&self, rows: &RecordBatch, labels: &[Option<Arc<Labels>>], before: u64) -> Result<Piece> {
        let columns: Vec<SharedColumn<'_>> = rows
            .columns()
            .iter()
            .zip(labels)
            .map(|(array, labels)| SharedColumn::new(array, labels.as_deref()))
            .collect();
        let cells: Option<Vec<Cells<'_>>> = columns.iter().map(SharedColumn::cells).collect();
        let mut cells = cells.ok_or_else(|| EngineError::Data("a column has no text form".into()))?;
        let mut piece = Piece { formulas: vec![0; cells.len()], ..Piece::default() };
        for row in 0..rows.num_rows() {
            let begin = piece.bytes.len();
            for (position, column) in cells.iter_mut().enumerate() {
                piece.separate(position, &self.quoting);
                let is_formula = column
                    .push(row, &mut piece, &self.quoting)
                    .ok_or_else(|| unprintable(&self.names[position], before + row as u64))?;
                piece.formulas[position] += u64::from(is_formula);
            }
            piece.end_row(begin, &self.quoting);
        }
        Ok(piece)
    }
}

/// The cause is left out: it may quote the cell.
pub(crate) fn unprintable(column: &str, row: u64) -> EngineError {
    let row = row + 1;
    let problem = format!("row {row} of column {} cannot be written as text", quoted(column));
    EngineError::Data(problem.into()).about_row(row).about_column(column)
}

/// Encoded rows.
#[derive(Default)]
struct Piece {
    bytes: Vec<u8>,
    newlines: bool,
    /// Cells of each column that a spreadsheet would run.
    formulas: Vec<u64>,
}

impl Piece {
    fn separate(&mut self, position: usize, quoting: &Quoting) {
        if position > 0 {
            self.bytes.push(quoting.delimiter());
        }
    }

    /// Ends the row that began at `begin`. Readers skip an empty line, so a row with one empty
    /// cell is written as a pair of quotes.
    fn end_row(&mut self, begin: usize, quoting: &Quoting) {
        if self.bytes.len() == begin {
            self.bytes.extend([quoting.quote(); 2]);
        }
        self.bytes.push(b'\n');
    }
}

/// The values of a dictionary, quoted where needed.
struct Labels {
    /// Kept so that no other dictionary can come to lie at its address.
    values: ArrayRef,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    newlines: bool,
    /// Whether a spreadsheet would run each.
    formulas: Vec<bool>,
}

impl Labels {
    fn new(values: &ArrayRef, quoting: &Quoting) -> Option<Labels> {
        let column = SharedColumn::Plain(values);
        let mut cells = column.cells()?;
        let mut piece = Piece::default();
        let (mut ends, mut formulas) = (Vec::with_capacity(values.len()), Vec::with_capacity(values.len()));
        for position in 0..values.len() {
            formulas.push(cells.push(position, &mut piece, quoting)?);
            ends.push(piece.bytes.len());
        }
        let Piece { bytes, newlines, .. } = piece;
        Some(Labels { values: values.clone(), bytes, ends, newlines, formulas })
    }

    fn are_of(&self, values: &ArrayRef) -> bool {
        Arc::ptr_eq(&self.values, values)
    }

    fn get(&self, position: usize) -> &[u8] {
        let start = position.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[position]]
    }
}

/// A column of a batch, ready to be shared among threads.
enum SharedColumn<'a> {
    Plain(&'a ArrayRef),
    /// The keys of a dictionary and the labels they stand for; `None` is a missing value.
    Labelled(Vec<Option<usize>>, &'a Labels),
}

impl<'a> SharedColumn<'a> {
    fn new(array: &'a ArrayRef, labels: Option<&'a Labels>) -> SharedColumn<'a> {
        match (array.as_any_dictionary_opt(), labels) {
            (Some(dictionary), Some(labels)) if !labels.ends.is_empty() => {
                let keys = dictionary.normalized_keys();
                let present = |row: usize| dictionary.keys().is_valid(row);
                let keys = keys.into_iter().enumerate().map(|(row, key)| present(row).then_some(key));
                SharedColumn::Labelled(keys.collect(), labels)
            }
            (Some(_), Some(labels)) => SharedColumn::Labelled(vec![None; array.len()], labels),
            _ => SharedColumn::Plain(array),
        }
    }

    /// Access to the cells, or nothing when their type has no text form.
    fn cells(&self) -> Option<Cells<'_>> {
        Some(match self {
            SharedColumn::Labelled(keys, labels) => Cells::Labelled(keys, labels),
            SharedColumn::Plain(array) => match array.data_type() {
                DataType::Utf8 => Cells::Text(array.as_string()),
                DataType::LargeUtf8 => Cells::LargeText(array.as_string()),
                DataType::Utf8View => Cells::TextView(array.as_string_view()),
                _ => Cells::Formatted(
                    ArrayFormatter::try_new(array.as_ref(), &FormatOptions::new()).ok()?,
                    String::new(),
                ),
            },
        })
    }
}

/// The cells of a column as one thread sees them.
enum Cells<'a> {
    Text(&'a StringArray),
    LargeText(&'a LargeStringArray),
    TextView(&'a StringViewArray),
    Labelled(&'a [Option<usize>], &'a Labels),
    Formatted(ArrayFormatter<'a>, String),
}

impl Cells<'_> {
    /// Appends one cell, empty when it is missing, and says whether a spreadsheet would run it; nothing comes back when
    /// it cannot be formatted.
    fn push(&mut self, row: usize, piece: &mut Piece, quoting: &Quoting) -> Option<bool> {
        let cell = match self {
            Cells::Text(array) => array.is_valid(row).then(|| array.value(row)),
            Cells::LargeText(array) => array.is_valid(row).then(|| array.value(row)),
            Cells::TextView(array) => array.is_valid(row).then(|| array.value(row)),
            Cells::Labelled(keys, labels) => {
                let Some(key) = keys[row] else { return Some(false) };
                piece.bytes.extend_from_slice(labels.get(key));
                return Some(labels.formulas[key]);
            }
            Cells::Formatted(formatter, text) => {
                text.clear();
                formatter.value(row).write(text).ok()?;
                Some(text.as_str())
            }
        };
        let cell = cell.unwrap_or_default().as_bytes();
        piece.newlines |= quoting.push(&mut piece.bytes, cell);
        Some(is_formula(cell))
    }
}
