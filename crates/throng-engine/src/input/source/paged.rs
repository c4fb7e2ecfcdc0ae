//! The rows of a Parquet file, decoded by Parquet's own reader.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use super::fault::{damaged_parquet, read_failure};
use super::{BATCH_ROWS, Source};
use crate::error::{EngineError, Result};
use crate::input::format::Compression;
use crate::input::standard;

/// Batches of some columns of a Parquet file. Nothing may be taken after an error.
pub(super) struct PagedRows {
    reader: ParquetRecordBatchReader,
    path: PathBuf,
    failure: Failure,
    /// For each column that was asked for, its place among those that are read.
    places: Vec<usize>,
}

impl PagedRows {
    /// Opens a Parquet file.
    ///
    /// # Errors
    /// If it cannot be read, or is not what it was when the source was opened.
    pub(super) fn open(source: &Source, columns: &[usize]) -> Result<PagedRows> {
        let path = &source.path;
        let failed = |cause: io::Error| read_failure(path, Compression::None, &cause);
        let failure = Failure::default();
        let pages = Pages { file: standard::open(path).map_err(failed)?, failure: failure.clone() };
        let damaged = |_: ParquetError| failure.explain(path.clone());
        let builder = ParquetRecordBatchReaderBuilder::try_new(pages).map_err(damaged)?;
        if builder.schema().fields() != source.schema.fields() {
            return Err(source.bad("the file changed while it was being read"));
        }
        // Roots come in the order of the file, and each once.
        let mut roots = columns.to_vec();
        roots.sort_unstable();
        roots.dedup();
        let places = columns.iter().map(|column| roots.partition_point(|root| root < column)).collect();
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        let reader = builder.with_batch_size(BATCH_ROWS).with_projection(mask).build().map_err(damaged)?;
        Ok(PagedRows { reader, path: path.clone(), failure, places })
    }
}

impl Iterator for PagedRows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        let damaged = |_: ArrowError| self.failure.explain(self.path.clone());
        Some(self.reader.next()?.and_then(|batch| batch.project(&self.places)).map_err(damaged))
    }
}

/// A file that remembers why it could not be read: of that the decoder passes on only words.
struct Pages {
    file: File,
    failure: Failure,
}

/// What the system said about a failed read, if one failed.
#[derive(Clone, Default)]
struct Failure(Arc<OnceLock<i32>>);

impl Failure {
    fn note(&self, error: &io::Error) {
        if let Some(code) = error.raw_os_error() {
            self.0.get_or_init(|| code);
        }
    }

    /// Why the file could not be decoded.
    fn explain(&self, path: PathBuf) -> EngineError {
        match self.0.get() {
            Some(&code) => read_failure(&path, Compression::None, &io::Error::from_raw_os_error(code)),
            None => damaged_parquet(&path),
        }
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for Pages {
    type T = Chunk;

    fn get_read(&self, start: u64) -> ParquetResult<Chunk> {
        Ok(Chunk { reader: self.file.get_read(start)?, failure: self.failure.clone() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<bytes::Bytes> {
        let mut bytes = Vec::with_capacity(length);
        self.get_read(start)?.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF("the file ends within a page".to_owned()));
        }
        Ok(bytes.into())
    }
}

/// Bytes of the file, from some place on.
struct Chunk {
    reader: BufReader<File>,
    failure: Failure,
}

impl Read for Chunk {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer).inspect_err(|error| self.failure.note(error))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_failed_read_is_no_damage() {
        let dir = tempfile::tempdir().unwrap();
        let failure = Failure::default();
        assert!(matches!(failure.explain("t.parquet".into()), EngineError::BadInput(_)));
        // A directory can be opened, but not read.
        let pages = Pages { file: File::open(dir.path()).unwrap(), failure: failure.clone() };
        pages.get_bytes(0, 4).unwrap_err();
        assert!(matches!(failure.explain("t.parquet".into()), EngineError::Io { .. }));
    }
}
