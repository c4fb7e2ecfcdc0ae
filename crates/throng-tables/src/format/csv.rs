//! Delimited text, with any delimiter. All its columns are text: `007` stays `007`, and an empty cell is null.

pub mod cut;
mod pieces;
mod quoting;
mod read;
mod reopen;
pub(crate) mod trim;
mod unclosed;
pub(crate) mod write;

use ::arrow::datatypes::SchemaRef;

use super::reopen::{ReopenedFile, Stored};
use super::{Encoder, FileAt, FileFormat, Format, NewFile};
use crate::error::{EngineError, Result};
use crate::input::named::NamedFile;
use crate::input::source::{BATCH_ROWS, PartRows, Parted, Source, Together, probe, when_asked};
pub(crate) use pieces::TextPieces;
pub(crate) use read::TextRows;
use write::TextFile;

/// See the module.
#[derive(Debug)]
pub struct Csv;

impl Format {
    /// Delimited text.
    pub const CSV: Format = Format::new(&Csv);
}

impl FileFormat for Csv {
    fn name(&self) -> &'static str {
        "delimited text"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["csv", "tsv", "txt", "data"]
    }

    fn written_extensions(&self) -> &'static [&'static str] {
        &["csv", "tsv", "txt"]
    }

    fn is_text(&self) -> bool {
        true
    }

    fn open(&self, file: &FileAt<'_>) -> Result<Source> {
        probe::open_delimited(file, file.text.expect("text is opened by its start"))
    }

    /// Of a large file by all threads, which begin when the first row is asked for.
    fn rows(&self, source: &Source, columns: &[usize], _: &[usize]) -> Result<PartRows> {
        let dialect = source.dialect.expect("delimited text has a dialect");
        let threads = rayon::current_num_threads();
        if threads < 2 || !source.is_large_plain_text() {
            return Ok(Box::new(TextRows::open(source, dialect, columns, BATCH_ROWS)?));
        }
        let (source, columns) = (source.clone(), columns.to_vec());
        Ok(when_asked(move || {
            let rows: PartRows = match TextPieces::cut(&source, dialect, &columns)? {
                pieces if pieces.is_cut() => Box::new(Together::start(Box::new(pieces), threads)?),
                _ => Box::new(TextRows::open(&source, dialect, &columns, BATCH_ROWS)?),
            };
            Ok(rows)
        }))
    }

    fn has_parts(&self, source: &Source) -> Result<bool> {
        Ok(source.is_large_plain_text())
    }

    fn parts(&self, source: &Source, columns: &[usize], _: &[usize]) -> Result<Parted> {
        let dialect = source.dialect.expect("delimited text has a dialect");
        Ok(Box::new(TextPieces::cut(source, dialect, columns)?))
    }

    fn damaged(&self, file: &NamedFile) -> EngineError {
        EngineError::Data("cannot read it as text".into()).in_file(&file.name)
    }

    fn start(&self, new: NewFile<'_>) -> Result<Box<dyn Encoder>> {
        Ok(Box::new(TextFile::start(new)?))
    }

    fn reopen(&self, stored: &Stored<'_>) -> Result<(SchemaRef, Vec<Box<dyn ReopenedFile>>)> {
        stored.open_each(|path| reopen::open(stored, path))
    }

    fn not_read_back(&self) -> EngineError {
        EngineError::Unverified("it cannot be read back as text".into())
    }
}
