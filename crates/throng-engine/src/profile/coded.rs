//! Reads a Parquet file whose text comes as the file has it: as places in a list of values.
//!
//! Other scans spell out every cell. A profile looks at each value once, so it need not.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Encoding;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use crate::input::format::Format;
use crate::input::source::{BATCH_ROWS, Batches, Source, read_ahead};
use crate::input::standard;

/// The rows of some columns, in the order of the file, like [`Source::scan`]; nothing if no column
/// has lists of values, or the file cannot be opened like that.
pub(super) fn scan(source: &Source, columns: &[usize]) -> Option<Batches> {
    if source.format() != Format::Parquet {
        return None;
    }
    let file = standard::open(source.path()).ok()?;
    let plain = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).ok()?;
    let coded = code(plain.schema(), plain.metadata(), columns)?;
    let options = ArrowReaderOptions::new().with_schema(Arc::new(coded));
    let metadata = ArrowReaderMetadata::try_new(Arc::clone(plain.metadata()), options).ok()?;
    let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied());
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata)
        .with_batch_size(BATCH_ROWS)
        .with_projection(mask)
        .build()
        .ok()?;
    let source = source.clone();
    Some(read_ahead(reader.map(move |batch| batch.map_err(|error| source.fault(error)))))
}

/// The schema with text as places in lists of values, wherever the whole file has it like that.
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
