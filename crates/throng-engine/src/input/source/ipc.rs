//! The rows of an Arrow IPC file, decoded by Arrow's own reader.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileReader, StreamReader, read_footer_length};
use arrow::ipc::{Block, root_as_footer, root_as_message};

use super::fault::{damaged_arrow, find_io, read_failure};
use super::{BATCH_ROWS, Source, each_once};
use crate::error::{EngineError, Result};
use crate::input::format::{Compression, Format};
use crate::input::standard;

/// An Arrow IPC file and some of its columns, in the batches that it is made of.
#[derive(Clone)]
pub(crate) struct IpcFile {
    path: PathBuf,
    is_stream: bool,
    /// The columns that are read, in the order of the file, and each once.
    roots: Vec<usize>,
    /// For each column that was asked for, its place among those that are read.
    places: Vec<usize>,
    starts: Vec<u64>,
}

/// What an Arrow IPC file says of itself: its columns, and the rows before each of its batches; a stream does not say
/// these.
pub(super) fn look(path: &Path) -> Result<(SchemaRef, Option<Vec<u64>>)> {
    let mut file = open(path)?;
    let mut start = [0; 8];
    let failed = |cause: &std::io::Error| read_failure(path, Compression::None, cause);
    let read = file.read(&mut start).map_err(|cause| failed(&cause))?;
    file.rewind().map_err(|cause| failed(&cause))?;
    if Format::is_stream(&start[..read]) {
        let reader = StreamReader::try_new(file, None).map_err(|error| explain(path, &error))?;
        return Ok((reader.schema(), None));
    }
    if !start.starts_with(crate::input::format::ARROW_MAGIC) {
        return Err(damaged_arrow(path));
    }
    let rows = batch_rows(&mut file).map_err(|error| explain(path, &error))?;
    file.rewind().map_err(|cause| failed(&cause))?;
    let reader = FileReader::try_new(file, None).map_err(|error| explain(path, &error))?;
    Ok((reader.schema(), Some(rows)))
}

/// The rows of each batch, by what stands before it.
fn batch_rows(file: &mut BufReader<File>) -> std::result::Result<Vec<u64>, ArrowError> {
    let broken = || ArrowError::IpcError("the file is damaged".to_owned());
    let mut end = [0; 10];
    file.seek(SeekFrom::End(-10))?;
    file.read_exact(&mut end)?;
    let length = read_footer_length(end)?;
    let mut footer = vec![0; length];
    file.seek(SeekFrom::End(-10 - i64::try_from(length).map_err(|_| broken())?))?;
    file.read_exact(&mut footer)?;
    let footer = root_as_footer(&footer).map_err(|_| broken())?;
    let blocks: Vec<Block> = footer.recordBatches().iter().flatten().copied().collect();
    let mut rows = Vec::with_capacity(blocks.len());
    for block in blocks {
        let start = u64::try_from(block.offset()).map_err(|_| broken())?;
        let mut message = vec![0; usize::try_from(block.metaDataLength()).map_err(|_| broken())?];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut message)?;
        // Before the message is its length, and before that, but for old files, a mark.
        let skipped = if message.starts_with(&[0xff; 4]) { 8 } else { 4 };
        let message = root_as_message(message.get(skipped..).ok_or_else(broken)?).map_err(|_| broken())?;
        let batch = message.header_as_record_batch().ok_or_else(broken)?;
        rows.push(u64::try_from(batch.length()).map_err(|_| broken())?);
    }
    Ok(rows)
}

impl IpcFile {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be read, or is not what it was when the source was opened.
    pub(super) fn open(source: &Source, columns: &[usize]) -> Result<IpcFile> {
        let (schema, rows) = look(&source.path)?;
        if schema.fields() != source.schema.fields() {
            return Err(source.bad("the file changed while it was being read"));
        }
        let (roots, places) = each_once(columns);
        let is_stream = rows.is_none();
        let rows = rows.unwrap_or_else(|| vec![0]);
        let starts = rows.iter().scan(0, |sum, rows| Some(std::mem::replace(sum, *sum + rows))).collect();
        Ok(IpcFile { path: source.path.clone(), is_stream, roots, places, starts })
    }

    /// The rows before each batch; a stream is one part.
    pub(super) fn starts(&self) -> Vec<u64> {
        self.starts.clone()
    }

    /// The rows of one batch of the file, or all.
    ///
    /// # Errors
    /// If the file cannot be opened again.
    pub(super) fn rows(&self, part: Option<usize>) -> Result<IpcRows> {
        let file = open(&self.path)?;
        let columns = Some(self.roots.clone());
        let failed = |error: ArrowError| explain(&self.path, &error);
        let (reader, left): (Box<dyn Iterator<Item = _> + Send>, _) = match part {
            _ if self.is_stream => {
                (Box::new(StreamReader::try_new(file, columns).map_err(failed)?), usize::MAX)
            }
            Some(part) => {
                let mut reader = FileReader::try_new(file, columns).map_err(failed)?;
                reader.set_index(part).map_err(failed)?;
                (Box::new(reader), 1)
            }
            None => (Box::new(FileReader::try_new(file, columns).map_err(failed)?), usize::MAX),
        };
        Ok(IpcRows { path: self.path.clone(), reader, places: self.places.clone(), left, batch: None })
    }
}

/// Batches of some columns, none larger than those of other files. Nothing may be taken after an error.
pub(super) struct IpcRows {
    path: PathBuf,
    reader: Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send>,
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
            let batch = self.reader.next()?.and_then(|batch| batch.project(&self.places));
            match batch {
                Ok(batch) => self.batch = Some((batch, 0)),
                Err(error) => return Some(Err(explain(&self.path, &error))),
            }
        }
    }
}

fn open(path: &Path) -> Result<BufReader<File>> {
    let file = standard::open(path).map_err(|cause| read_failure(path, Compression::None, &cause))?;
    Ok(BufReader::new(file))
}

/// The machine's failures told from a file that is damaged.
fn explain(path: &Path, error: &ArrowError) -> EngineError {
    match find_io(error).filter(|cause| cause.raw_os_error().is_some_and(|code| code != EINVAL)) {
        Some(cause) => read_failure(path, Compression::None, cause),
        None => damaged_arrow(path),
    }
}

/// What the system says of a place before the start of a file, to which a damaged one may lead.
const EINVAL: i32 = 22;
