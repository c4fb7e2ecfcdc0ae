//! Rows on the disk, in buckets.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;

use super::failed;
use crate::error::{EngineError, Result};

/// A temporary file without a name: the system removes it with the process, however that ends.
pub(in crate::output) struct Spill {
    file: File,
    place: PathBuf,
    end: u64,
    buckets: Vec<Vec<Piece>>,
}

/// A batch in the file.
pub(in crate::output) struct Piece {
    start: u64,
    bytes: usize,
}

impl Piece {
    /// Its size.
    pub(in crate::output) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Spill {
    /// A file in the directory `place`: where the release has room, its rows have, too. If that
    /// is not possible, in the system's directory for temporary files.
    pub(in crate::output) fn create(place: &Path, buckets: usize) -> Result<Spill> {
        let file = tempfile::tempfile_in(place).or_else(|_| tempfile::tempfile());
        let file = file.map_err(|cause| broken(place, cause))?;
        let buckets = (0..buckets).map(|_| Vec::new()).collect();
        Ok(Spill { file, place: place.to_owned(), end: 0, buckets })
    }

    /// Adds an empty bucket, and returns its number.
    pub(in crate::output) fn add_bucket(&mut self) -> usize {
        self.buckets.push(Vec::new());
        self.buckets.len() - 1
    }

    /// How many buckets there are.
    pub(in crate::output) fn bucket_total(&self) -> usize {
        self.buckets.len()
    }

    /// Adds a batch to a bucket.
    pub(in crate::output) fn append(&mut self, bucket: usize, batch: &RecordBatch) -> Result<()> {
        let bytes = to_bytes(batch).map_err(failed)?;
        self.file.write_all(&bytes).map_err(|cause| broken(&self.place, cause))?;
        self.buckets[bucket].push(Piece { start: self.end, bytes: bytes.len() });
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// The pieces of a bucket, in the order in which they came.
    pub(in crate::output) fn take_pieces(&mut self, bucket: usize) -> Vec<Piece> {
        std::mem::take(&mut self.buckets[bucket])
    }

    /// Reads a piece; nothing can be added after that, as it would be written over what is behind the piece.
    pub(in crate::output) fn read(&mut self, piece: Piece) -> Result<RecordBatch> {
        let mut bytes = vec![0; piece.bytes];
        let read =
            self.file.seek(SeekFrom::Start(piece.start)).and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(|cause| broken(&self.place, cause))?;
        from_bytes(bytes).map_err(failed)
    }
}

fn to_bytes(batch: &RecordBatch) -> std::result::Result<Vec<u8>, ArrowError> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema())?;
    writer.write(batch)?;
    writer.into_inner()
}

fn from_bytes(bytes: Vec<u8>) -> std::result::Result<RecordBatch, ArrowError> {
    let mut reader = StreamReader::try_new(Cursor::new(bytes), None)?;
    let none = || ArrowError::IpcError("a piece has a batch".to_owned());
    reader.next().ok_or_else(none)?
}

fn broken(place: &Path, cause: io::Error) -> EngineError {
    EngineError::Io { path: place.to_owned(), action: "cannot keep rows in a temporary file", cause }
}
