//! The rows of an Arrow IPC file, decoded by Arrow's own reader.

mod claims;

use std::fs::File;
use std::io::{BufReader, Read, Seek};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileReader, StreamReader};

use self::claims::Claims;
use super::MAGIC;
use crate::error::{EngineError, Result};
use crate::format::Compression;
use crate::input::foreign::guard;
use crate::input::named::NamedFile;
use crate::input::source::fault::{damaged_arrow, find_io, read_failure};
use crate::input::source::{BATCH_ROWS, CutBatches, PartRows, PartStream, Source, each_once};

/// An Arrow IPC file and some of its columns, in the batches that it is made of.
#[derive(Clone)]
pub(crate) struct IpcFile {
    file: NamedFile,
    is_stream: bool,
    /// The columns that are read, in the order of the file, and each once.
    roots: Vec<usize>,
    /// For each column that was asked for, its place among those that are read.
    places: Vec<usize>,
    starts: Vec<u64>,
}

/// What an Arrow IPC file says of itself: its columns, and the rows before each of its batches; a stream does not say
/// these.
pub(crate) fn look(at: &NamedFile) -> Result<(SchemaRef, Option<Vec<u64>>)> {
    let mut file = open(at)?;
    let mut start = [0; 8];
    let failed = |cause: &std::io::Error| read_failure(&at.name, Compression::None, cause);
    let read = file.read(&mut start).map_err(|cause| failed(&cause))?;
    let is_stream = super::is_stream(&start[..read]);
    if !is_stream && !start.starts_with(MAGIC) {
        return Err(damaged_arrow(at));
    }
    let claims = Claims::open(&mut file);
    let rows = match is_stream {
        true => claims.and_then(Claims::check_stream).map(|()| None),
        false => claims.and_then(Claims::check_file).map(Some),
    };
    let rows = rows.map_err(|error| explain(at, &error))?;
    file.rewind().map_err(|cause| failed(&cause))?;
    let schema = by_arrow(at, || match is_stream {
        true => StreamReader::try_new(file, None).map(|reader| reader.schema()),
        false => FileReader::try_new(file, None).map(|reader| reader.schema()),
    })?;
    Ok((schema, rows))
}

/// What Arrow's reader gives.
fn by_arrow<T>(file: &NamedFile, read: impl FnOnce() -> std::result::Result<T, ArrowError>) -> Result<T> {
    match guard(read) {
        Some(read) => read.map_err(|error| explain(file, &error)),
        None => Err(damaged_arrow(file)),
    }
}

impl IpcFile {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be read, or is not what it was when the source was opened.
    pub(crate) fn open(source: &Source, columns: &[usize]) -> Result<IpcFile> {
        let file = source.file().map_err(|cause| read_failure(&source.path, Compression::None, &cause))?;
        let (schema, rows) = look(&file)?;
        if schema.fields() != source.schema.fields() {
            return Err(source.bad("the file changed while it was being read"));
        }
        let (roots, places) = each_once(columns);
        let is_stream = rows.is_none();
        let rows = rows.unwrap_or_else(|| vec![0]);
        let starts = rows.iter().scan(0, |sum, rows| Some(std::mem::replace(sum, *sum + rows))).collect();
        Ok(IpcFile { file, is_stream, roots, places, starts })
    }

    /// The rows of one batch of the file, or all.
    ///
    /// # Errors
    /// If the file cannot be opened again.
    pub(crate) fn rows(&self, part: Option<usize>) -> Result<IpcRows> {
        let file = open(&self.file)?;
        let columns = Some(self.roots.clone());
        let is_stream = self.is_stream;
        let reader = by_arrow(&self.file, move || -> std::result::Result<Box<ArrowBatches>, ArrowError> {
            if is_stream {
                return Ok(Box::new(StreamReader::try_new(file, columns)?));
            }
            let mut reader = FileReader::try_new(file, columns)?;
            if let Some(part) = part {
                reader.set_index(part)?;
            }
            Ok(Box::new(reader))
        })?;
        let left = if part.is_some() && !is_stream { 1 } else { usize::MAX };
        Ok(IpcRows { file: self.file.clone(), reader, places: self.places.clone(), left, batch: None })
    }
}

impl PartStream for IpcFile {
    /// A stream is one part.
    fn starts(&self) -> Vec<u64> {
        self.starts.clone()
    }

    fn rows(&self, part: usize) -> Result<PartRows> {
        Ok(Box::new(CutBatches::new(IpcFile::rows(self, Some(part))?, self.file.name.clone())))
    }
}

/// The batches of a file, as Arrow's reader gives them.
type ArrowBatches = dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send;

/// Batches of some columns, none larger than those of other files. Nothing may be taken after an error.
pub(crate) struct IpcRows {
    file: NamedFile,
    reader: Box<ArrowBatches>,
    places: Vec<usize>,
    /// Batches of the file that may still be read.
    left: usize,
    /// The batch at hand, and the rows of it that were taken.
    batch: Option<(RecordBatch, usize)>,
}

impl Iterator for IpcRows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        loop {
            if let Some((batch, taken)) = &mut self.batch {
                let rows = BATCH_ROWS.min(batch.num_rows() - *taken);
                if rows > 0 {
                    let slice = batch.slice(*taken, rows);
                    *taken += rows;
                    return Some(Ok(slice));
                }
            }
            self.left = self.left.checked_sub(1)?;
            let (reader, places) = (&mut self.reader, &self.places);
            let batch =
                by_arrow(&self.file, || reader.next().map(|batch| batch?.project(places)).transpose());
            match batch {
                Ok(batch) => self.batch = Some((batch?, 0)),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

fn open(file: &NamedFile) -> Result<BufReader<File>> {
    let opened = file.open().map_err(|cause| read_failure(&file.name, Compression::None, &cause))?;
    Ok(BufReader::new(opened))
}

/// The machine's failures told from a file that is damaged.
fn explain(file: &NamedFile, error: &ArrowError) -> EngineError {
    match find_io(error).filter(|cause| cause.raw_os_error().is_some_and(|code| code != EINVAL)) {
        Some(cause) => read_failure(&file.name, Compression::None, cause),
        None => damaged_arrow(file),
    }
}

/// What the system says of a place before the start of a file, to which a damaged one may lead.
const EINVAL: i32 = 22;
