//! Workbooks of Excel: one sheet is a table. Cells are text, spelled as people see them there.

mod read;
mod reopen;
mod write;

use ::arrow::datatypes::SchemaRef;

use super::reopen::{ReopenedFile, Stored};
use super::{Encoder, FileAt, FileFormat, Format, NewFile};
use crate::error::{EngineError, Result};
use crate::input::named::NamedFile;
use crate::input::source::{PartRows, PartStream, Parted, Source};
use read::SheetRows;
pub(crate) use read::{FoundSheet, Sheet};
use write::WorkbookFile;

/// What a zip archive begins with: a workbook is one.
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";
/// What older workbooks, and those with a password, begin with.
const COMPOUND_MAGIC: &[u8] = &[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/// Rows of a sheet, the header among them, at most: Excel's own limit.
const MOST_ROWS: u32 = 1 << 20;
/// Columns of a sheet, at most.
const MOST_COLUMNS: u32 = 1 << 14;
/// Characters of a cell, at most, as UTF-16 counts them.
const MOST_CHARACTERS: usize = 32_767;

/// See the module.
#[derive(Debug)]
pub struct Xlsx;

impl Format {
    /// Workbooks of Excel.
    pub const XLSX: Format = Format::new(&Xlsx);
}

impl FileFormat for Xlsx {
    fn name(&self) -> &'static str {
        "Excel workbook"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["xlsx", "xlsm"]
    }

    fn written_extensions(&self) -> &'static [&'static str] {
        &["xlsx"]
    }

    fn begins(&self, start: &[u8]) -> bool {
        start.starts_with(ZIP_MAGIC) || start.starts_with(COMPOUND_MAGIC)
    }

    fn open(&self, file: &FileAt<'_>) -> Result<Source> {
        read::open(file)
    }

    fn rows(&self, source: &Source, columns: &[usize], _: &[usize]) -> Result<PartRows> {
        Ok(Box::new(SheetRows::start(source, columns)?))
    }

    fn has_parts(&self, _: &Source) -> Result<bool> {
        Ok(false)
    }

    fn parts(&self, source: &Source, columns: &[usize], _: &[usize]) -> Result<Parted> {
        Ok(Box::new(WholeSheet { source: source.clone(), columns: columns.to_vec() }))
    }

    fn damaged(&self, file: &NamedFile) -> EngineError {
        read::damaged(&file.name)
    }

    fn start(&self, new: NewFile<'_>) -> Result<Box<dyn Encoder>> {
        Ok(Box::new(WorkbookFile::start(new)?))
    }

    /// It looks through all of each file, too: nothing may be in it but what its cells show.
    fn reopen(&self, stored: &Stored<'_>) -> Result<(SchemaRef, Vec<Box<dyn ReopenedFile>>)> {
        stored.open_each(reopen::open)
    }

    fn not_read_back(&self) -> EngineError {
        EngineError::Unverified("it cannot be read back as a workbook".into())
    }
}

/// A sheet as one part: where its rows are is only known when they are read.
struct WholeSheet {
    source: Source,
    columns: Vec<usize>,
}

impl PartStream for WholeSheet {
    fn starts(&self) -> Vec<u64> {
        vec![0]
    }

    fn rows(&self, _: usize) -> Result<PartRows> {
        Ok(Box::new(SheetRows::start(&self.source, &self.columns)?))
    }
}

#[cfg(test)]
mod tests;
