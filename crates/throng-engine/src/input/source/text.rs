//! The rows of a text file, decoded by Arrow's reader.

use std::io::{self, BufReader, Read};

use arrow::array::RecordBatch;
use arrow::csv;
use arrow::error::ArrowError;

use super::fault::{Translator, read_failure};
use super::probe::decompress;
use super::unclosed::Unclosed;
use super::{BATCH_ROWS, Source, trim};
use crate::error::Result;
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
    pub(super) fn open(source: &Source, dialect: Dialect, columns: &[usize]) -> Result<TextRows> {
        let mut columns = columns.to_vec();
        let watch = Unclosed::watch(source, &mut columns);
        let fault = Translator::of(source);
        let unreadable = |cause: io::Error| read_failure(&source.path, source.compression, &cause);
        let file = standard::open(&source.path).map_err(unreadable)?;
        let text = decompress(file, source.compression).map_err(unreadable)?;
        let reader = csv::ReaderBuilder::new(source.schema())
            .with_header(dialect.header)
            .with_delimiter(dialect.delimiter)
            .with_quote(dialect.quote)
            .with_batch_size(BATCH_ROWS)
            .with_projection(columns)
            .build_buffered(BufReader::with_capacity(BUFFER_BYTES, text))
            .map_err(|error| fault.translate(&error))?;
        Ok(TextRows { reader, fault, trim: dialect.trim.then_some(dialect.quote), watch })
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
