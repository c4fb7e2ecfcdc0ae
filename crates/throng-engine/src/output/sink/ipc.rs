//! Record batches as an Arrow IPC file.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions};

use super::staged;
use crate::error::{EngineError, Result};

/// Rows of a batch of the file: large enough to compress well, small enough for readers to share the file.
const GROUP_ROWS: usize = 1 << 16;

/// Encodes the batches of one table, in order.
pub(super) struct IpcEncoder {
    writer: FileWriter<BufWriter<File>>,
    schema: SchemaRef,
    /// Rows that wait until they are as many as a batch of the file has.
    waiting: Vec<RecordBatch>,
    waiting_rows: usize,
}

impl IpcEncoder {
    /// Starts a table with the given columns.
    pub(super) fn new(file: File, target: &Path, schema: &SchemaRef) -> Result<IpcEncoder> {
        let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD));
        let writer = options
            .and_then(|options| FileWriter::try_new_with_options(BufWriter::new(file), schema, options));
        let writer = writer.map_err(|error| failed(target, error))?;
        Ok(IpcEncoder { writer, schema: schema.clone(), waiting: Vec::new(), waiting_rows: 0 })
    }

    /// Appends rows.
    pub(super) fn write(&mut self, batch: &RecordBatch) -> std::result::Result<(), ArrowError> {
        let mut start = 0;
        while start < batch.num_rows() {
            let rows = (GROUP_ROWS - self.waiting_rows).min(batch.num_rows() - start);
            self.waiting.push(batch.slice(start, rows));
            self.waiting_rows += rows;
            start += rows;
            if self.waiting_rows == GROUP_ROWS {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> std::result::Result<(), ArrowError> {
        if self.waiting_rows == 0 {
            return Ok(());
        }
        let batch = concat_batches(&self.schema, &self.waiting)?;
        self.waiting.clear();
        self.waiting_rows = 0;
        self.writer.write(&batch)
    }

    /// Writes the rows held back and the footer.
    pub(super) fn finish(mut self) -> std::result::Result<(), ArrowError> {
        self.flush()?;
        self.writer.finish()?;
        self.writer.flush()
    }
}

/// The machine's failures told from the encoder's.
pub(super) fn failed(target: &Path, error: ArrowError) -> EngineError {
    match error {
        ArrowError::IoError(_, cause) => staged::failed(target, cause),
        // The wording of others may hold a cell.
        _ => EngineError::Data("the rows cannot be written as Arrow IPC".into()),
    }
}
