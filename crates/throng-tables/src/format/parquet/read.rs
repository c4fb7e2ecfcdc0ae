//! The rows of a Parquet file, decoded by Parquet's own reader.

mod pages;
mod thrift;

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Encoding;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use self::pages::{Failure, Pages};
use crate::error::Result;
use crate::format::Compression;
use crate::input::limits::BATCH_BYTES;
use crate::input::named::NamedFile;
use crate::input::source::fault::read_failure;
use crate::input::source::{BATCH_ROWS, CutBatches, PartRows, PartStream, Source, each_once};

/// A Parquet file that was opened to read some of its columns, from its start or by row groups.
#[derive(Clone)]
pub(crate) struct PagedFile {
    file: NamedFile,
    metadata: ArrowReaderMetadata,
    /// The columns that are read, in the order of the file, and each once.
    roots: Vec<usize>,
    /// For each column that was asked for, its place among those that are read.
    places: Vec<usize>,
    /// Rows of a batch.
    batch_rows: usize,
}

/// What a Parquet file says of itself.
///
/// # Errors
/// If it cannot be read, or is no such file.
pub(crate) fn look(file: &NamedFile) -> Result<ArrowReaderMetadata> {
    let (pages, failure) = Pages::open(file)?;
    failure.guard(file, || {
        pages.check_footer()?;
        let metadata = ArrowReaderMetadata::load(&pages, ArrowReaderOptions::new())?;
        pages::check_rows(metadata.metadata())?;
        Ok::<_, ParquetError>(metadata)
    })
}

impl PagedFile {
    /// Opens a Parquet file. Text of the columns `coded` comes as places in lists of values, wherever the whole
    /// file has it like that: then nobody need look at each cell.
    ///
    /// # Errors
    /// If it cannot be read, or is not what it was when the source was opened.
    pub(crate) fn open(source: &Source, columns: &[usize], coded: &[usize]) -> Result<PagedFile> {
        let file = source.file().map_err(|cause| read_failure(&source.path, Compression::None, &cause))?;
        let plain = look(&file)?;
        if plain.schema().fields() != source.schema.fields() {
            return Err(source.bad("the file changed while it was being read"));
        }
        let metadata = match code(plain.schema(), plain.metadata(), coded) {
            Some(coded) => {
                let options = ArrowReaderOptions::new().with_schema(Arc::new(coded));
                let failure = Failure::default();
                failure
                    .guard(&file, || ArrowReaderMetadata::try_new(Arc::clone(plain.metadata()), options))?
            }
            None => plain,
        };
        let (roots, places) = each_once(columns);
        let batch_rows = batch_rows(metadata.metadata(), &roots);
        Ok(PagedFile { file, metadata, roots, places, batch_rows })
    }

    /// The rows before each row group.
    pub(crate) fn group_starts(&self) -> Vec<u64> {
        let rows = self.metadata.metadata().row_groups().iter().map(|group| group.num_rows() as u64);
        rows.scan(0, |before, rows| Some(std::mem::replace(before, *before + rows))).collect()
    }

    /// Rows of the file.
    pub(crate) fn row_count(&self) -> u64 {
        self.metadata.metadata().row_groups().iter().map(|group| group.num_rows() as u64).sum()
    }

    /// For each column that was asked for, its place among those that are read.
    pub(crate) fn places(&self) -> &[usize] {
        &self.places
    }

    /// The places of all columns that are read, in at most so many shares that take about as long to decode.
    pub(crate) fn share_columns(&self, shares: usize) -> Vec<Vec<usize>> {
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
    pub(crate) fn of_roots(&self, places: &[usize]) -> PagedFile {
        let roots: Vec<usize> = places.iter().map(|&place| self.roots[place]).collect();
        PagedFile { places: (0..roots.len()).collect(), roots, ..self.clone() }
    }

    /// The rows of one row group, or all.
    ///
    /// # Errors
    /// If the file cannot be opened again.
    pub(crate) fn rows(&self, group: Option<usize>) -> Result<PagedRows> {
        // A file of its own: readers that share one would move each other's place in it.
        let (pages, failure) = Pages::open(&self.file)?;
        let reader = failure.guard(&self.file, || {
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(pages, self.metadata.clone());
            let mask = ProjectionMask::roots(builder.parquet_schema(), self.roots.iter().copied());
            let builder = builder.with_batch_size(self.batch_rows).with_projection(mask);
            match group {
                Some(group) => builder.with_row_groups(vec![group]),
                None => builder,
            }
            .build()
        })?;
        Ok(PagedRows { reader, file: self.file.clone(), failure, places: self.places.clone() })
    }
}

impl PartStream for PagedFile {
    fn starts(&self) -> Vec<u64> {
        self.group_starts()
    }

    fn rows(&self, part: usize) -> Result<PartRows> {
        Ok(Box::new(CutBatches::new(PagedFile::rows(self, Some(part))?, self.file.name.clone())))
    }
}

/// Rows of some columns that have about as many bytes as a batch may have, as far as the file says how many those are.
fn batch_rows(file: &ParquetMetaData, roots: &[usize]) -> usize {
    let leaves = file.file_metadata().schema_descr();
    let is_read = |leaf: &usize| roots.binary_search(&leaves.get_column_root_idx(*leaf)).is_ok();
    let of_group = file.row_groups().iter().filter(|group| group.num_rows() > 0).map(|group| {
        let read: Vec<&ColumnChunkMetaData> =
            (0..group.num_columns()).filter(is_read).map(|leaf| group.column(leaf)).collect();
        let bytes: i128 = read.iter().map(|chunk| i128::from(spelled_bytes(chunk))).sum();
        // What is missing takes room, too.
        let cells = i128::from(group.num_rows()) * read.len() as i128;
        BATCH_BYTES as i128 * i128::from(group.num_rows()) / bytes.max(cells).max(1)
    });
    of_group.min().unwrap_or(i128::MAX).clamp(1, BATCH_ROWS as i128) as usize
}

/// The bytes of a chunk when each value is spelled in its row, as far as the file says that.
fn spelled_bytes(chunk: &ColumnChunkMetaData) -> i64 {
    chunk.uncompressed_size().max(chunk.unencoded_byte_array_data_bytes().unwrap_or(0))
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
    file: NamedFile,
    failure: Failure,
    places: Vec<usize>,
}

impl Iterator for PagedRows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        let (reader, places) = (&mut self.reader, &self.places);
        let next = || reader.next().map(|batch| batch?.project(places)).transpose();
        self.failure.guard(&self.file, next).transpose()
    }
}
