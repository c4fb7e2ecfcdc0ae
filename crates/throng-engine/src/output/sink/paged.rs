//! Record batches as Parquet.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::staged::Staged;
use crate::error::{EngineError, Result};

/// Rows of a row group: large enough to compress well, small enough to be held in memory and for
/// readers to share a file among threads.
const ROW_GROUP: usize = 1 << 19;

/// Encodes the batches of one table, in order.
pub(super) struct PagedEncoder {
    writer: ArrowWriter<File>,
}

impl PagedEncoder {
    /// Starts a table with the given columns.
    pub(super) fn new(staged: &Staged, schema: &SchemaRef) -> Result<PagedEncoder> {
        // Sorted: a map has no order, and the same input gives the same bytes.
        let described: BTreeMap<&String, &String> = schema.metadata().iter().collect();
        let described = described.into_iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
        let properties = WriterProperties::builder()
            .set_key_value_metadata(Some(described.collect()))
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .set_created_by(format!("throng {}", env!("CARGO_PKG_VERSION")))
            .build();
        let writer = ArrowWriter::try_new(staged.handle()?, schema.clone(), Some(properties))
            .map_err(|error| failed(staged, error))?;
        Ok(PagedEncoder { writer })
    }

    /// Appends rows.
    pub(super) fn write(&mut self, batch: &RecordBatch) -> std::result::Result<(), ParquetError> {
        self.writer.write(batch)
    }

    /// Writes the rows held back and the footer.
    pub(super) fn finish(self) -> std::result::Result<(), ParquetError> {
        self.writer.close().map(drop)
    }
}

/// The machine's failures told from the encoder's.
pub(super) fn failed(staged: &Staged, error: ParquetError) -> EngineError {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => staged.failed(*cause),
            Err(cause) => EngineError::Data(cause.to_string().into()),
        },
        error => EngineError::Data(error.to_string().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_a_failure_of_the_machine() {
        let dir = tempfile::tempdir().unwrap();
        let staged = Staged::beside(&dir.path().join("out.parquet")).unwrap();
        let full = ParquetError::from(io::Error::from(io::ErrorKind::StorageFull));
        let error = failed(&staged, full);
        assert!(
            matches!(&error, EngineError::Io { cause, .. } if cause.kind() == io::ErrorKind::StorageFull),
            "{error}"
        );
    }
}
