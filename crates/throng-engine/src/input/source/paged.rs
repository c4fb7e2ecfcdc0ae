//! The rows of a Parquet file, decoded by Parquet's own reader.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Encoding;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::{ChunkReader, Length};

use super::fault::{damaged_parquet, read_failure};
use super::{BATCH_ROWS, Source, each_once};
use crate::error::{EngineError, Result};
use crate::input::format::Compression;
use crate::input::standard;

/// A Parquet file that was opened to read some of its columns, from its start or by row groups.
#[derive(Clone)]
pub(crate) struct PagedFile {
    path: PathBuf,
    metadata: ArrowReaderMetadata,
    /// The columns that are read, in the order of the file, and each once.
    roots: Vec<usize>,
    /// For each column that was asked for, its place among those that are read.
    places: Vec<usize>,
}

impl PagedFile {
    /// Opens a Parquet file. Text of the columns `coded` comes as places in lists of values, wherever the whole
    /// file has it like that: then nobody need look at each cell.
    ///
    /// # Errors
    /// If it cannot be read, or is not what it was when the source was opened.
    pub(crate) fn open(source: &Source, columns: &[usize], coded: &[usize]) -> Result<PagedFile> {
        let path = source.path.clone();
        let (pages, failure) = open_pages(&path)?;
        let damaged = |_: ParquetError| failure.explain(path.clone());
        let plain = ArrowReaderMetadata::load(&pages, ArrowReaderOptions::new()).map_err(damaged)?;
        if plain.schema().fields() != source.schema.fields() {
            return Err(source.bad("the file changed while it was being read"));
        }
        let metadata = match code(plain.schema(), plain.metadata(), coded) {
            Some(coded) => {
                let options = ArrowReaderOptions::new().with_schema(Arc::new(coded));
                ArrowReaderMetadata::try_new(Arc::clone(plain.metadata()), options).map_err(damaged)?
            }
            None => plain,
        };
        let (roots, places) = each_once(columns);
        Ok(PagedFile { path, metadata, roots, places })
    }

    /// The rows before each row group.
    pub(crate) fn group_starts(&self) -> Vec<u64> {
        let rows = self.metadata.metadata().row_groups().iter().map(|group| group.num_rows() as u64);
        rows.scan(0, |before, rows| Some(std::mem::replace(before, *before + rows))).collect()
    }

    /// Rows of the file.
    pub(super) fn row_count(&self) -> u64 {
        self.metadata.metadata().row_groups().iter().map(|group| group.num_rows() as u64).sum()
    }

    /// For each column that was asked for, its place among those that are read.
    pub(super) fn places(&self) -> &[usize] {
        &self.places
    }

    /// The places of all columns that are read, in at most so many shares that take about as long to decode.
    pub(super) fn share_columns(&self, shares: usize) -> Vec<Vec<usize>> {
        let file = self.metadata.metadata();
        let leaves = file.file_metadata().schema_descr();
        let bytes = |root: usize| -> i64 {
            let of_root = (0..leaves.num_columns()).filter(|&leaf| leaves.get_column_root_idx(leaf) == root);
            let of_leaf = |leaf: usize| {
                file.row_groups().iter().map(|group| group.column(leaf).uncompressed_size()).sum::<i64>()
            };
            of_root.map(of_leaf).sum()
        };
        let mut sizes: Vec<(i64, usize)> =
            self.roots.iter().enumerate().map(|(place, &root)| (bytes(root), place)).collect();
        sizes.sort_unstable_by(|one, other| other.cmp(one));
        let mut shared: Vec<(i64, Vec<usize>)> = vec![(0, Vec::new()); shares.min(self.roots.len())];
        for (bytes, place) in sizes {
            // The largest that is left to who has least.
            if let Some((sum, share)) = shared.iter_mut().min_by_key(|(sum, share)| (*sum, share.len())) {
                *sum += bytes;
                share.push(place);
            }
        }
        shared.iter_mut().for_each(|(_, share)| share.sort_unstable());
        shared.into_iter().map(|(_, share)| share).filter(|share| !share.is_empty()).collect()
    }

    /// The same file with some of the columns that are read, by their places.
    pub(super) fn of_roots(&self, places: &[usize]) -> PagedFile {
        let roots: Vec<usize> = places.iter().map(|&place| self.roots[place]).collect();
        PagedFile { places: (0..roots.len()).collect(), roots, ..self.clone() }
    }

    /// The rows of one row group, or all.
    ///
    /// # Errors
    /// If the file cannot be opened again.
    pub(crate) fn rows(&self, group: Option<usize>) -> Result<PagedRows> {
        // A file of its own: readers that share one would move each other's place in it.
        let (pages, failure) = open_pages(&self.path)?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(pages, self.metadata.clone());
        let mask = ProjectionMask::roots(builder.parquet_schema(), self.roots.iter().copied());
        let builder = builder.with_batch_size(BATCH_ROWS).with_projection(mask);
        let builder = match group {
            Some(group) => builder.with_row_groups(vec![group]),
            None => builder,
        };
        let reader = builder.build().map_err(|_| failure.explain(self.path.clone()))?;
        Ok(PagedRows { reader, path: self.path.clone(), failure, places: self.places.clone() })
    }
}

fn open_pages(path: &Path) -> Result<(Pages, Failure)> {
    let failure = Failure::default();
    let file = standard::open(path).map_err(|cause| read_failure(path, Compression::None, &cause))?;
    Ok((Pages { file, failure: failure.clone() }, failure))
}

/// The schema with text as places in lists of values, wherever the whole file has it like that; nothing if no
/// column has.
fn code(schema: &Schema, file: &ParquetMetaData, columns: &[usize]) -> Option<Schema> {
    let leaves = file.file_metadata().schema_descr();
    let mut fields: Vec<Field> = schema.fields().iter().map(|field| field.as_ref().clone()).collect();
    let mut any = false;
    for leaf in 0..leaves.num_columns() {
        let root = leaves.get_column_root_idx(leaf);
        let is_coded = fields[root].data_type() == &DataType::Utf8
            && columns.contains(&root)
            && file.row_groups().iter().all(|group| has_list(group.column(leaf)));
        if is_coded {
            let lists = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
            fields[root].set_data_type(lists);
            any = true;
        }
    }
    any.then(|| Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Whether every page of a chunk refers to the chunk's list of values. Where the list became too
/// long, further pages spell values out.
fn has_list(chunk: &ColumnChunkMetaData) -> bool {
    let lists = [Encoding::RLE_DICTIONARY, Encoding::PLAIN_DICTIONARY];
    chunk.page_encoding_stats_mask().is_some_and(|mask| lists.iter().any(|&list| mask.is_only(list)))
}

/// Batches of some columns of a Parquet file. Nothing may be taken after an error.
pub(crate) struct PagedRows {
    reader: ParquetRecordBatchReader,
    path: PathBuf,
    failure: Failure,
    places: Vec<usize>,
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
