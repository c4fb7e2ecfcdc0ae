//! The rows of a text file, decoded by Arrow's reader.

mod records;

use std::io::{self, Read};

use arrow::array::{Array, AsArray, RecordBatch, StringArray};
use arrow::csv;
use arrow::error::ArrowError;

use self::records::RecordReader;
use super::cut::Piece;
use super::trim;
use super::unclosed::Unclosed;
use crate::error::{EngineError, Result};
use crate::input::dialect::Dialect;
use crate::input::foreign::guard;
use crate::input::formulas::without_marks;
use crate::input::limits::Excess;
use crate::input::source::Source;
use crate::input::source::fault::{Translator, find_io, read_failure};
use crate::input::source::probe::read_text;

/// Batches of some columns of a text file. Nothing may be taken after an error.
pub(crate) struct TextRows {
    reader: RecordReader,
    fault: Translator,
    /// The quotes of a file that puts a space before its cells.
    trim: Option<u8>,
    marked: bool,
    watch: Option<Unclosed>,
    /// The columns that are read, and the rows that were given.
    columns: Vec<usize>,
    rows: u64,
}

impl TextRows {
    /// Opens a text file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn open(
        source: &Source,
        dialect: Dialect,
        columns: &[usize],
        batch_rows: usize,
    ) -> Result<TextRows> {
        let mut columns = columns.to_vec();
        let watch = Unclosed::watch(source, &mut columns);
        let text = read_text(source).map_err(|cause| unreadable(source, &cause))?;
        let rows = TextRows::decode(source, dialect, columns, text, batch_rows, Translator::new(source))?;
        Ok(TextRows { watch, ..rows })
    }

    /// Opens a piece of a text file, at whose end no quote is open.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn open_piece(
        source: &Source,
        dialect: Dialect,
        columns: &[usize],
        piece: Piece,
        batch_rows: usize,
    ) -> Result<TextRows> {
        let text = read_piece(source, piece).map_err(|cause| unreadable(source, &cause))?;
        let dialect = Dialect { header: dialect.header && is_first(source, piece), ..dialect };
        let fault = Translator::new(source).after(piece.rows_before, dialect.header);
        TextRows::decode(source, dialect, columns.to_vec(), text, batch_rows, fault)
    }

    fn decode(
        source: &Source,
        dialect: Dialect,
        columns: Vec<usize>,
        text: Box<dyn Read + Send>,
        batch_rows: usize,
        fault: Translator,
    ) -> Result<TextRows> {
        let decoder = csv::ReaderBuilder::new(source.schema())
            .with_header(dialect.header)
            .with_delimiter(dialect.delimiter)
            .with_quote(dialect.quote)
            .with_batch_size(batch_rows)
            .with_projection(columns.clone())
            .build_decoder();
        let reader = RecordReader::new(text, decoder, batch_rows);
        let (trim, marked) = (dialect.trim.then_some(dialect.quote), dialect.marked);
        Ok(TextRows { reader, fault, trim, marked, watch: None, columns, rows: 0 })
    }

    /// The decoder looks at the text of all cells together, so that a character whose bytes are in two cells passes.
    fn refuse_torn_text(&self, batch: &RecordBatch) -> Result<()> {
        for (cells, &column) in batch.columns().iter().zip(&self.columns) {
            if let Some(row) = find_torn(cells.as_string()) {
                return Err(self.fault.not_utf_8(self.rows + row as u64, column));
            }
        }
        Ok(())
    }

    fn finish(&mut self, batch: std::result::Result<RecordBatch, ArrowError>) -> Result<RecordBatch> {
        let batch = batch.map_err(|error| match find_io(&error).and_then(Excess::from_error) {
            Some(Excess::Row) => {
                self.fault.at(self.rows + self.reader.held_rows() as u64, Excess::Row.message())
            }
            _ => self.fault.translate(&error),
        })?;
        self.refuse_torn_text(&batch)?;
        self.rows += batch.num_rows() as u64;
        let batch = match self.trim {
            Some(quote) => trim::trim(&batch, quote)?,
            None => batch,
        };
        let batch = match &mut self.watch {
            Some(watch) => watch.see(batch),
            None => batch,
        };
        Ok(if self.marked { without_marks(batch) } else { batch })
    }
}

/// The first cell of a column that ends within a character.
fn find_torn(cells: &StringArray) -> Option<usize> {
    match std::str::from_utf8(cells.value_data()) {
        Ok(text) => {
            let is_torn = |end: &i32| !text.is_char_boundary(*end as usize);
            cells.value_offsets().iter().skip(1).position(is_torn)
        }
        Err(_) => (0..cells.len()).find(|&at| std::str::from_utf8(cells.value(at).as_bytes()).is_err()),
    }
}

fn unreadable(source: &Source, cause: &io::Error) -> EngineError {
    read_failure(&source.path, source.compression, cause)
}

/// Whether a piece is the start of its file.
fn is_first(source: &Source, piece: Piece) -> bool {
    piece.start == source.preamble_bytes as u64
}

fn read_piece(source: &Source, piece: Piece) -> io::Result<Box<dyn Read + Send>> {
    let text = source.open_at(piece.start)?.take(piece.end - piece.start);
    // The reader takes a byte order mark for none of the text at its start. Here it is, unless a line end, which
    // the reader passes over, comes first.
    Ok(if is_first(source, piece) { Box::new(text) } else { Box::new((&b"\n"[..]).chain(text)) })
}

impl Iterator for TextRows {
    type Item = Result<RecordBatch>;

    /// The next batch; after the last an error if a quote is still open.
    fn next(&mut self) -> Option<Result<RecordBatch>> {
        let Some(batch) = guard(|| self.reader.next_batch()) else {
            return Some(Err(self.fault.unreadable()));
        };
        match batch.transpose() {
            Some(batch) => Some(self.finish(batch)),
            None => self.watch.take()?.check().err().map(Err),
        }
    }
}
