//! The rows of a text file, decoded by Arrow's reader.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use arrow::array::RecordBatch;
use arrow::csv;
use arrow::error::ArrowError;

use super::cut::Piece;
use super::fault::{Translator, read_failure};
use super::probe::read_text;
use super::unclosed::Unclosed;
use super::{Source, trim};
use crate::error::{EngineError, Result};
use crate::input::dialect::Dialect;
use crate::input::standard;

/// Bytes that are read at once.
const BUFFER_BYTES: usize = 256 << 10;

/// Batches of some columns of a text file. Nothing may be taken after an error.
pub(super) struct TextRows {
    reader: csv::reader::BufReader<BufReader<Box<dyn Read + Send>>>,
    fault: Translator,
    /// The quotes of a file that puts a space before its cells.
    trim: Option<u8>,
    watch: Option<Unclosed>,
}

impl TextRows {
    /// Opens a text file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn open(
        source: &Source,
        dialect: Dialect,
        columns: &[usize],
        batch_rows: usize,
    ) -> Result<TextRows> {
        let mut columns = columns.to_vec();
        let watch = Unclosed::watch(source, &mut columns);
        let text = read_text(source).map_err(|cause| unreadable(source, &cause))?;
        let rows = TextRows::decode(source, dialect, columns, text, batch_rows, Translator::of(source))?;
        Ok(TextRows { watch, ..rows })
    }

    /// Opens a piece of a text file, at whose end no quote is open.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn open_piece(
        source: &Source,
        dialect: Dialect,
        columns: &[usize],
        piece: Piece,
        batch_rows: usize,
    ) -> Result<TextRows> {
        let text = read_piece(source, piece).map_err(|cause| unreadable(source, &cause))?;
        let dialect = Dialect { header: dialect.header && is_first(source, piece), ..dialect };
        let fault = Translator::of(source).after(piece.rows_before, dialect.header);
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
        let reader = csv::ReaderBuilder::new(source.schema())
            .with_header(dialect.header)
            .with_delimiter(dialect.delimiter)
            .with_quote(dialect.quote)
            .with_batch_size(batch_rows)
            .with_projection(columns)
            .build_buffered(BufReader::with_capacity(BUFFER_BYTES, text))
            .map_err(|error| fault.translate(&error))?;
        Ok(TextRows { reader, fault, trim: dialect.trim.then_some(dialect.quote), watch: None })
    }

    fn finish(&mut self, batch: std::result::Result<RecordBatch, ArrowError>) -> Result<RecordBatch> {
        let batch = batch.map_err(|error| self.fault.translate(&error))?;
        let batch = match self.trim {
            Some(quote) => trim::trim(&batch, quote)?,
            None => batch,
        };
        Ok(match &mut self.watch {
            Some(watch) => watch.see(batch),
            None => batch,
        })
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
    let mut file = standard::open(&source.path)?;
    file.seek(SeekFrom::Start(piece.start))?;
    let text = file.take(piece.end - piece.start);
    // The reader takes a byte order mark for none of the text at its start. Here it is, unless a line end, which
    // the reader passes over, comes first.
    Ok(if is_first(source, piece) { Box::new(text) } else { Box::new((&b"\n"[..]).chain(text)) })
}

impl Iterator for TextRows {
    type Item = Result<RecordBatch>;

    /// The next batch; after the last an error if a quote is still open.
    fn next(&mut self) -> Option<Result<RecordBatch>> {
        match self.reader.next() {
            Some(batch) => Some(self.finish(batch)),
            None => self.watch.take()?.check().err().map(Err),
        }
    }
}
