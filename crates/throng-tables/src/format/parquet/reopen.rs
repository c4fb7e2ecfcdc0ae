//! Parquet files that were written, read back by Parquet's own reader.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use ::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use ::arrow::error::ArrowError;
use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use ::parquet::basic::Encoding;
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::ColumnChunkMetaData;

use crate::error::Result;
use crate::format::Format;
use crate::format::reopen::{BATCH_ROWS, ReopenedFile, Rows, Stored, refuse_other, unreadable};

/// A file, and what its end says.
struct ParquetFooter {
    path: PathBuf,
    metadata: ArrowReaderMetadata,
}

/// Opens all files, which must have the same columns.
pub(super) fn open(stored: &Stored<'_>) -> Result<(SchemaRef, Vec<Box<dyn ReopenedFile>>)> {
    let failed = |_| Format::PARQUET.not_read_back();
    let mut plain = Vec::with_capacity(stored.files.len());
    for path in &stored.files {
        let file = File::open(path).map_err(|cause| unreadable(path, cause))?;
        plain.push(ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).map_err(failed)?);
    }
    for one in &plain[1..] {
        refuse_other(plain[0].schema(), one.schema())?;
    }
    let coded = code(&plain).map_err(failed)?;
    let schema = Arc::clone(coded[0].schema());
    let files = stored.files.iter().zip(coded).map(|(path, metadata)| {
        Box::new(ParquetFooter { path: (*path).to_owned(), metadata }) as Box<dyn ReopenedFile>
    });
    Ok((schema, files.collect()))
}

impl ReopenedFile for ParquetFooter {
    fn parts(&self) -> usize {
        self.metadata.metadata().num_row_groups()
    }

    fn rows(&self, _: &SchemaRef, part: usize, places: &[usize]) -> std::result::Result<Rows, ArrowError> {
        // Roots come in the order of the file, and each once.
        let mut roots = places.to_vec();
        roots.sort_unstable();
        roots.dedup();
        let order: Vec<usize> =
            places.iter().map(|place| roots.partition_point(|root| root < place)).collect();
        // A file of its own: readers that share one would move each other's place in it.
        let file = File::open(&self.path)?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        let reader =
            builder.with_row_groups(vec![part]).with_batch_size(BATCH_ROWS).with_projection(mask).build()?;
        Ok(Box::new(reader.map(move |batch| batch?.project(&order))))
    }
}

/// The columns of Parquet files. Text comes as places in lists of values, wherever all of it is stored like that,
/// so that nobody need look at each cell; else as views, which are read without copying.
fn code(files: &[ArrowReaderMetadata]) -> std::result::Result<Vec<ArrowReaderMetadata>, ParquetError> {
    let is_listed = |root: usize| {
        files.iter().all(|file| {
            let metadata = file.metadata();
            let leaves = metadata.file_metadata().schema_descr();
            let mut of_root =
                (0..leaves.num_columns()).filter(|&leaf| leaves.get_column_root_idx(leaf) == root);
            of_root.all(|leaf| metadata.row_groups().iter().all(|group| has_list(group.column(leaf))))
        })
    };
    let kind = |root: usize, field: &Field| match field.data_type() {
        DataType::Utf8 if is_listed(root) => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        other => other.clone(),
    };
    let fields = files[0].schema().fields().iter().enumerate();
    let fields = fields.map(|(root, field)| field.as_ref().clone().with_data_type(kind(root, field)));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<Field>>()));
    let coded = |file: &ArrowReaderMetadata| {
        let options = ArrowReaderOptions::new().with_schema(Arc::clone(&schema));
        ArrowReaderMetadata::try_new(Arc::clone(file.metadata()), options)
    };
    files.iter().map(coded).collect()
}

/// Whether every page of a chunk has places in the chunk's list of values.
fn has_list(chunk: &ColumnChunkMetaData) -> bool {
    let lists = [Encoding::RLE_DICTIONARY, Encoding::PLAIN_DICTIONARY];
    chunk.page_encoding_stats_mask().is_some_and(|mask| lists.iter().any(|&list| mask.is_only(list)))
}
