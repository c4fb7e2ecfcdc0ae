//! Record batches as Parquet.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowLeafColumn, ArrowRowGroupWriterFactory, compute_leaves,
};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use rayon::prelude::*;

use crate::error::{EngineError, Result};
use crate::format::{EncodedFile, Encoder};
use crate::output::sink::staged;

/// Rows of a row group: large enough to compress well, small enough to be held in memory and for
/// readers to share a file among threads.
const ROW_GROUP: usize = 1 << 19;

/// Rows that wait until all columns are encoded, each by one core: what is handed over should last a while.
const WAITING_ROWS: usize = 1 << 16;

impl Encoder for PagedEncoder {
    fn write(&mut self, batches: &[RecordBatch]) -> Result<()> {
        let written = batches.iter().try_for_each(|batch| self.add(batch));
        written.map_err(|error| failed(&self.target, error))
    }

    fn finish(self: Box<Self>) -> Result<EncodedFile> {
        let target = self.target.clone();
        self.close().map_err(|error| failed(&target, error))?;
        Ok(EncodedFile::default())
    }
}

/// Encodes the batches of one table, in order; columns side by side.
pub(crate) struct PagedEncoder {
    target: PathBuf,
    writer: SerializedFileWriter<File>,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    /// The columns of the row group at hand, if it was begun, and its rows.
    group: Option<Vec<ArrowColumnWriter>>,
    group_rows: usize,
    /// Batches that belong to it and are not encoded yet, and their rows.
    waiting: Vec<RecordBatch>,
    waiting_rows: usize,
}

impl PagedEncoder {
    /// Starts a table with the given columns.
    pub(crate) fn new(file: File, target: &Path, schema: &SchemaRef) -> Result<PagedEncoder> {
        // Sorted: a map has no order, and the same input gives the same bytes.
        let described: BTreeMap<&String, &String> = schema.metadata().iter().collect();
        let described = described.into_iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
        let properties = WriterProperties::builder()
            .set_key_value_metadata(Some(described.collect()))
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .set_created_by(format!("throng {}", env!("CARGO_PKG_VERSION")))
            .build();
        let (writer, factory) = ArrowWriter::try_new(file, schema.clone(), Some(properties))
            .and_then(ArrowWriter::into_serialized_writer)
            .map_err(|error| failed(target, error))?;
        Ok(PagedEncoder {
            target: target.to_owned(),
            writer,
            factory,
            schema: schema.clone(),
            group: None,
            group_rows: 0,
            waiting: Vec::new(),
            waiting_rows: 0,
        })
    }

    /// Appends rows.
    fn add(&mut self, batch: &RecordBatch) -> std::result::Result<(), ParquetError> {
        let mut start = 0;
        while start < batch.num_rows() {
            let room = ROW_GROUP - self.group_rows - self.waiting_rows;
            let rows = room.min(batch.num_rows() - start);
            self.waiting.push(batch.slice(start, rows));
            self.waiting_rows += rows;
            start += rows;
            if rows == room {
                self.close_group()?;
            } else if self.waiting_rows >= WAITING_ROWS {
                self.encode()?;
            }
        }
        Ok(())
    }

    /// Writes the rows held back and the footer.
    fn close(mut self) -> std::result::Result<(), ParquetError> {
        self.close_group()?;
        self.writer.close().map(drop)
    }

    /// Encodes the rows that wait.
    fn encode(&mut self) -> std::result::Result<(), ParquetError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let group = match &mut self.group {
            Some(group) => group,
            None => {
                let number = self.writer.flushed_row_groups().len();
                self.group.insert(self.factory.create_column_writers(number)?)
            }
        };
        let mut leaves = Vec::with_capacity(self.waiting.len());
        for batch in &self.waiting {
            let columns = self.schema.fields().iter().zip(batch.columns());
            let of_columns = columns.map(|(field, column)| compute_leaves(field, column));
            leaves.push(
                of_columns.collect::<std::result::Result<Vec<_>, _>>()?.into_iter().flatten().collect(),
            );
        }
        let leaves: Vec<Vec<ArrowLeafColumn>> = leaves;
        group.par_iter_mut().enumerate().try_for_each(|(at, column)| {
            leaves.iter().try_for_each(|of_batch| column.write(&of_batch[at]))
        })?;
        self.group_rows += self.waiting_rows;
        self.waiting.clear();
        self.waiting_rows = 0;
        Ok(())
    }

    /// Ends the row group at hand, if there is one.
    fn close_group(&mut self) -> std::result::Result<(), ParquetError> {
        self.encode()?;
        let Some(group) = self.group.take() else { return Ok(()) };
        let chunks: Vec<ArrowColumnChunk> =
            group.into_par_iter().map(ArrowColumnWriter::close).collect::<std::result::Result<_, _>>()?;
        let mut writer = self.writer.next_row_group()?;
        chunks.into_iter().try_for_each(|chunk| chunk.append_to_row_group(&mut writer))?;
        self.group_rows = 0;
        writer.close().map(drop)
    }
}

/// The machine's failures told from the encoder's.
fn failed(target: &Path, error: ParquetError) -> EngineError {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => staged::failed(target, *cause),
            Err(cause) => EngineError::Data(cause.to_string().into()),
        },
        error => EngineError::Data(error.to_string().into()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, ListArray, StringArray};
    use arrow::compute::concat_batches;
    use arrow::datatypes::Int32Type;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;

    /// Batches of any size, with a column that is stored as several, over the ends of row groups.
    #[test]
    fn all_rows_are_there_in_order() {
        let batch = |start: usize, rows: usize| {
            let texts = (start..start + rows).map(|row| (row % 7 > 0).then(|| row.to_string()));
            let lists =
                (start..start + rows).map(|row| Some((0..row as i32 % 3).map(Some).collect::<Vec<_>>()));
            let texts: ArrayRef = Arc::new(texts.collect::<StringArray>());
            let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists));
            RecordBatch::try_from_iter_with_nullable([("t", texts, true), ("l", lists, true)]).unwrap()
        };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.parquet");
        let schema = batch(0, 1).schema();
        let mut encoder = PagedEncoder::new(File::create(&path).unwrap(), &path, &schema).unwrap();
        let mut batches = Vec::new();
        let mut written = 0;
        for rows in [1, 0, WAITING_ROWS + 1, ROW_GROUP - WAITING_ROWS - 3, 5, ROW_GROUP + 9] {
            batches.push(batch(written, rows));
            encoder.add(batches.last().unwrap()).unwrap();
            written += rows;
        }
        encoder.close().unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
        let groups: Vec<i64> = reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
        assert_eq!(groups, [ROW_GROUP, ROW_GROUP, written - 2 * ROW_GROUP].map(|rows| rows as i64));
        let read: Vec<RecordBatch> = reader.build().unwrap().map(|batch| batch.unwrap()).collect();
        assert_eq!(
            concat_batches(&schema, &read).unwrap().columns(),
            concat_batches(&schema, &batches).unwrap().columns()
        );
    }

    #[test]
    fn a_full_disk_is_a_failure_of_the_machine() {
        let full = ParquetError::from(io::Error::from(io::ErrorKind::StorageFull));
        let error = failed(Path::new("out.parquet"), full);
        assert!(
            matches!(&error, EngineError::Io { cause, .. } if cause.kind() == io::ErrorKind::StorageFull),
            "{error}"
        );
    }
}
