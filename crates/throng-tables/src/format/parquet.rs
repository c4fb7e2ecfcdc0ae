//! Apache Parquet. Columns keep their types.

mod columns;
mod read;
mod reopen;
mod write;

use std::path::Path;

use ::arrow::datatypes::{DataType, SchemaRef};
use ::parquet::arrow::arrow_reader::ArrowReaderMetadata;

use super::reopen::{ReopenedFile, Stored};
use super::{Encoder, FileAt, FileFormat, Format, HiddenContent, NewFile};
use crate::error::{EngineError, Result};
use crate::input::named::NamedFile;
use crate::input::source::fault::damaged_parquet;
use crate::input::source::{CutBatches, PartRows, Parted, Source, probe};
use columns::ColumnRows;
use read::PagedFile;
use write::PagedEncoder;

/// See the module.
#[derive(Debug)]
pub struct Parquet;

impl Format {
    /// Apache Parquet.
    pub const PARQUET: Format = Format::new(&Parquet);
}

/// The table of a file of which only its end was seen.
pub(crate) fn open_seen(path: &Path, seen: &ArrowReaderMetadata, bytes: u64) -> Result<Source> {
    let rows = u64::try_from(seen.metadata().file_metadata().num_rows()).ok();
    probe::typed(path, Format::PARQUET, seen.schema(), bytes, rows)
}

impl FileFormat for Parquet {
    fn name(&self) -> &'static str {
        "Parquet"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["parquet", "pq"]
    }

    fn written_extensions(&self) -> &'static [&'static str] {
        &["parquet"]
    }

    fn begins(&self, start: &[u8]) -> bool {
        start.starts_with(b"PAR1")
    }

    fn is_described(&self) -> bool {
        true
    }

    fn open(&self, file: &FileAt<'_>) -> Result<Source> {
        open_seen(file.path, &read::look(file.file)?, file.bytes)
    }

    fn rows(&self, source: &Source, columns: &[usize], coded: &[usize]) -> Result<PartRows> {
        let file = PagedFile::open(source, columns, coded)?;
        let rows: PartRows = match ColumnRows::start(&file, rayon::current_num_threads())? {
            Some(rows) => Box::new(rows),
            None => Box::new(file.rows(None)?),
        };
        Ok(Box::new(CutBatches::new(rows, source.path.clone())))
    }

    fn has_parts(&self, source: &Source) -> Result<bool> {
        Ok(PagedFile::open(source, &[], &[])?.group_starts().len() > 1)
    }

    fn parts(&self, source: &Source, columns: &[usize], coded: &[usize]) -> Result<Parted> {
        Ok(Box::new(PagedFile::open(source, columns, coded)?))
    }

    fn damaged(&self, file: &NamedFile) -> EngineError {
        damaged_parquet(file)
    }

    fn start(&self, new: NewFile<'_>) -> Result<Box<dyn Encoder>> {
        Ok(Box::new(PagedEncoder::new(new.file, new.target, new.schema)?))
    }

    fn reopen(&self, stored: &Stored<'_>) -> Result<(SchemaRef, Vec<Box<dyn ReopenedFile>>)> {
        reopen::open(stored)
    }

    /// It stores no nulls, but lists of values.
    fn hidden_content(&self, kind: &DataType) -> HiddenContent {
        if matches!(kind, DataType::Dictionary(..)) { HiddenContent::Lists } else { HiddenContent::None }
    }
}
