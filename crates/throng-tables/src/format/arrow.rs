//! Arrow IPC: its file format, also called Feather; or its stream format, which is read but not written.

mod read;
mod reopen;
mod write;

use ::arrow::datatypes::{DataType, SchemaRef};

use super::reopen::{ReopenedFile, Stored};
use super::{Encoder, FileAt, FileFormat, Format, HiddenContent, NewFile};
use crate::error::{EngineError, Result};
use crate::input::named::NamedFile;
use crate::input::source::PartStream;
use crate::input::source::fault::damaged_arrow;
use crate::input::source::{CutBatches, PartRows, Parted, Source, probe};
use read::IpcFile;
use write::IpcEncoder;

/// What the file format begins and ends with.
pub(crate) const MAGIC: &[u8] = b"ARROW1";
/// What messages of the stream format begin with.
const STREAM_MAGIC: &[u8] = &[0xff; 4];

/// See the module.
#[derive(Debug)]
pub struct ArrowIpc;

impl Format {
    /// Arrow IPC.
    pub const ARROW: Format = Format::new(&ArrowIpc);
}

/// Whether the first bytes of a file are those of the stream format.
fn is_stream(start: &[u8]) -> bool {
    start.starts_with(STREAM_MAGIC)
}

impl FileFormat for ArrowIpc {
    fn name(&self) -> &'static str {
        "Arrow IPC"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["arrow", "feather", "ipc", "arrows"]
    }

    fn written_extensions(&self) -> &'static [&'static str] {
        &["arrow"]
    }

    fn begins(&self, start: &[u8]) -> bool {
        start.starts_with(MAGIC) || is_stream(start)
    }

    fn open(&self, file: &FileAt<'_>) -> Result<Source> {
        let (schema, rows) = read::look(file.file)?;
        probe::typed(file.path, Format::ARROW, &schema, file.bytes, rows.map(|rows| rows.iter().sum()))
    }

    fn rows(&self, source: &Source, columns: &[usize], _: &[usize]) -> Result<PartRows> {
        let rows = IpcFile::open(source, columns)?.rows(None)?;
        Ok(Box::new(CutBatches::new(rows, source.path.clone())))
    }

    fn has_parts(&self, source: &Source) -> Result<bool> {
        Ok(IpcFile::open(source, &[])?.starts().len() > 1)
    }

    fn parts(&self, source: &Source, columns: &[usize], _: &[usize]) -> Result<Parted> {
        Ok(Box::new(IpcFile::open(source, columns)?))
    }

    fn damaged(&self, file: &NamedFile) -> EngineError {
        damaged_arrow(file)
    }

    fn start(&self, new: NewFile<'_>) -> Result<Box<dyn Encoder>> {
        Ok(Box::new(IpcEncoder::new(new.file, new.target, new.schema)?))
    }

    fn reopen(&self, stored: &Stored<'_>) -> Result<(SchemaRef, Vec<Box<dyn ReopenedFile>>)> {
        stored.open_each(reopen::open)
    }

    /// It stores arrays as they are.
    fn hidden_content(&self, _: &DataType) -> HiddenContent {
        HiddenContent::Arrays
    }
}
