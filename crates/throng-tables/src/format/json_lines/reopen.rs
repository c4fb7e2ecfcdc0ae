//! JSON lines that were written, read back by Arrow's reader.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use ::arrow::datatypes::SchemaRef;
use ::arrow::error::ArrowError;
use ::arrow::json::ReaderBuilder;

use crate::error::Result;
use crate::format::Format;
use crate::format::reopen::{
    BATCH_ROWS, BUFFER_BYTES, ReopenedFile, Rows, Stored, TextFile, cut_lines, text_columns, unreadable,
};

/// A file of JSON lines.
pub(super) struct Lines(TextFile);

/// Opens a file.
pub(super) fn open(stored: &Stored<'_>, path: &Path) -> Result<(SchemaRef, Lines)> {
    let file = TextFile::open(path, &stored.layout, cut_lines)?;
    let mut text = BufReader::new(file.read_all().map_err(|cause| unreadable(path, cause))?);
    let mut line = String::new();
    text.read_line(&mut line).map_err(|cause| unreadable(path, cause))?;
    // A table without rows has no line that could name the columns.
    let names: Vec<String> = match line.trim_start_matches('\u{feff}') {
        "" => stored.columns.to_vec(),
        line => {
            let first: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(line).map_err(|_| Format::JSON_LINES.not_read_back())?;
            first.into_iter().map(|(key, _)| key).collect()
        }
    };
    Ok((text_columns(&names), Lines(file)))
}

impl ReopenedFile for Lines {
    fn parts(&self) -> usize {
        self.0.part_count()
    }

    fn rows(
        &self,
        schema: &SchemaRef,
        part: usize,
        places: &[usize],
    ) -> std::result::Result<Rows, ArrowError> {
        let (text, _) = self.0.read_part(part)?;
        // Numbers come as they are spelled.
        let reader = ReaderBuilder::new(Arc::new(schema.project(places)?))
            .with_coerce_primitive(true)
            .with_batch_size(BATCH_ROWS)
            .build(BufReader::with_capacity(BUFFER_BYTES, text))?;
        Ok(Box::new(reader))
    }
}
