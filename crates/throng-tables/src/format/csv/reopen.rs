//! Delimited text that was written, read back by Arrow's reader.

use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use ::arrow::csv::ReaderBuilder;
use ::arrow::csv::reader::Format as TextFormat;
use ::arrow::datatypes::SchemaRef;
use ::arrow::error::ArrowError;

use super::cut::Cutter;
use crate::error::{EngineError, Result};
use crate::format::reopen::{
    BATCH_ROWS, BUFFER_BYTES, ReopenedFile, Rows, Stored, TextFile, cut_lines, text_columns, unreadable,
};
use crate::input::formulas::{without_mark, without_marks};

/// A file of delimited text.
pub(super) struct Delimited {
    text: TextFile,
    format: TextFormat,
    /// Whether apostrophes stand before formulas.
    marked: bool,
}

/// Opens a file. All its columns are text: `007` and `7` are two values.
pub(super) fn open(stored: &Stored<'_>, path: &Path) -> Result<(SchemaRef, Delimited)> {
    let dialect = stored.layout.dialect;
    // Where records end can be told from the line ends alone, or by all quotes.
    let text = TextFile::open(path, &stored.layout, |path| match stored.newlines {
        false => cut_lines(path),
        true => {
            let pieces = Cutter::new(path, dialect, 0).cut()?.filter(|pieces| !pieces.is_empty());
            Ok(pieces.map(|pieces| pieces.iter().map(|piece| (piece.start, piece.end)).collect()))
        }
    })?;
    let format = TextFormat::default()
        .with_header(dialect.header)
        .with_delimiter(dialect.delimiter)
        .with_quote(dialect.quote);
    let marked = stored.is_marked();
    let start = text.read_all().map_err(|cause| unreadable(path, cause))?;
    let (found, _) = format
        .infer_schema(start, Some(0))
        .map_err(|_| EngineError::Unverified("its first row cannot be read back".into()))?;
    let names: Vec<String> = if dialect.header {
        let name = |name: &String| if marked { without_mark(name).to_owned() } else { name.clone() };
        found.fields().iter().map(|field| name(field.name())).collect()
    } else {
        stored.columns.to_vec()
    };
    Ok((text_columns(&names), Delimited { text, format, marked }))
}

impl ReopenedFile for Delimited {
    fn parts(&self) -> usize {
        self.text.part_count()
    }

    fn rows(
        &self,
        schema: &SchemaRef,
        part: usize,
        places: &[usize],
    ) -> std::result::Result<Rows, ArrowError> {
        let (text, is_start) = self.text.read_part(part)?;
        let format = if is_start { self.format.clone() } else { self.format.clone().with_header(false) };
        let reader = ReaderBuilder::new(Arc::clone(schema))
            .with_format(format)
            .with_batch_size(BATCH_ROWS)
            .with_projection(places.to_vec())
            .build_buffered(BufReader::with_capacity(BUFFER_BYTES, text))?;
        Ok(match self.marked {
            true => Box::new(reader.map(|batch| batch.map(without_marks))),
            false => Box::new(reader),
        })
    }
}
