//! JSON lines: an object in each line. Cells are text, spelled as they are there.

pub mod line;
mod no_lines;
mod read;
mod reopen;
mod write;

use ::arrow::datatypes::SchemaRef;

use super::csv::cut::PIECE_BYTES;
use super::reopen::{ReopenedFile, Stored};
use super::{Encoder, FileAt, FileFormat, Format, NewFile};
use crate::error::{EngineError, Result};
use crate::input::named::NamedFile;
use crate::input::source::{PartRows, Parted, Source, Together, probe, when_asked};
pub use no_lines::has_no_lines;
use read::LinePieces;
use write::LinesFile;
pub(crate) use write::is_number;

/// See the module.
#[derive(Debug)]
pub struct JsonLines;

impl Format {
    /// JSON lines: an object in each line.
    pub const JSON_LINES: Format = Format::new(&JsonLines);
}

impl FileFormat for JsonLines {
    fn name(&self) -> &'static str {
        "JSON lines"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["jsonl", "ndjson"]
    }

    fn written_extensions(&self) -> &'static [&'static str] {
        &["jsonl"]
    }

    fn is_text(&self) -> bool {
        true
    }

    /// Whether the first line is an object.
    fn resembles(&self, sample: &[u8]) -> bool {
        let sample = sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample);
        let line = sample.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty());
        let text = line.and_then(|line| std::str::from_utf8(line).ok());
        text.is_some_and(|text| {
            text.trim_start().starts_with('{') && line::visit(text, |_, _| Ok(())).is_ok()
        })
    }

    fn has_own_columns(&self) -> bool {
        true
    }

    fn open(&self, file: &FileAt<'_>) -> Result<Source> {
        probe::open_lines(file, file.text.expect("text is opened by its start"))
    }

    /// Where batches end does not depend on who decodes them: so always by their pieces.
    fn rows(&self, source: &Source, columns: &[usize], _: &[usize]) -> Result<PartRows> {
        let (source, columns) = (source.clone(), columns.to_vec());
        Ok(when_asked(move || {
            let parts = source.parts(&columns, &[])?;
            // The batches of a piece are held together, and what is compressed is one piece.
            match parts.starts().len() {
                1 => parts.rows(0),
                _ => Ok(Box::new(Together::start(parts, rayon::current_num_threads())?) as PartRows),
            }
        }))
    }

    fn has_parts(&self, source: &Source) -> Result<bool> {
        Ok(source.is_plain_text() && source.file_bytes >= 2 * PIECE_BYTES)
    }

    fn parts(&self, source: &Source, columns: &[usize], _: &[usize]) -> Result<Parted> {
        Ok(Box::new(LinePieces::cut(source, columns)?))
    }

    fn damaged(&self, file: &NamedFile) -> EngineError {
        EngineError::Data("cannot read it as text".into()).in_file(&file.name)
    }

    fn start(&self, new: NewFile<'_>) -> Result<Box<dyn Encoder>> {
        Ok(Box::new(LinesFile::start(new)?))
    }

    fn reopen(&self, stored: &Stored<'_>) -> Result<(SchemaRef, Vec<Box<dyn ReopenedFile>>)> {
        stored.open_each(|path| reopen::open(stored, path))
    }
}
