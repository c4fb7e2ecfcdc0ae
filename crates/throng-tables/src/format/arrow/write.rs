//! Record batches as an Arrow IPC file.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions};

use crate::error::{EngineError, Result};
use crate::format::{EncodedFile, Encoder};
use crate::input::source::spelled_bytes;
use crate::output::plain::rebuild;
use crate::output::sink::staged;

/// Rows of a batch of the file: large enough to compress well, small enough for readers to share the file.
const GROUP_ROWS: usize = 1 << 16;
/// Bytes of values after which such a batch ends all the same: more than 2 GiB of a column cannot be in one.
const GROUP_BYTES: u64 = 512 << 20;

impl Encoder for IpcEncoder {
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

/// Encodes the batches of one table, in order.
pub(crate) struct IpcEncoder {
    target: PathBuf,
    writer: FileWriter<BufWriter<File>>,
    schema: SchemaRef,
    /// Rows that wait until they are as many as a batch of the file has.
    waiting: Vec<RecordBatch>,
    waiting_rows: usize,
    waiting_bytes: u64,
    group_bytes: u64,
}

impl IpcEncoder {
    /// Starts a table with the given columns.
    pub(crate) fn new(file: File, target: &Path, schema: &SchemaRef) -> Result<IpcEncoder> {
        let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD));
        let writer = options
            .and_then(|options| FileWriter::try_new_with_options(BufWriter::new(file), schema, options));
        let writer = writer.map_err(|error| failed(target, error))?;
        Ok(IpcEncoder {
            target: target.to_owned(),
            writer,
            schema: schema.clone(),
            waiting: Vec::new(),
            waiting_rows: 0,
            waiting_bytes: 0,
            group_bytes: GROUP_BYTES,
        })
    }

    /// Appends rows.
    fn add(&mut self, batch: &RecordBatch) -> std::result::Result<(), ArrowError> {
        let mut start = 0;
        while start < batch.num_rows() {
            let rows = (GROUP_ROWS - self.waiting_rows).min(batch.num_rows() - start);
            let slice = batch.slice(start, rows);
            let bytes: u64 = slice.columns().iter().flat_map(|cells| spelled_bytes(cells)).sum();
            if self.waiting_bytes + bytes > self.group_bytes {
                self.flush()?;
            }
            self.waiting.push(slice);
            self.waiting_rows += rows;
            self.waiting_bytes += bytes;
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
        (self.waiting_rows, self.waiting_bytes) = (0, 0);
        // Arrow joins slices without a copy if there is one alone, and writes some types whole.
        self.writer.write(&rebuild(&batch, &self.schema)?)
    }

    /// Writes the rows held back and the footer.
    fn close(mut self) -> std::result::Result<(), ArrowError> {
        self.flush()?;
        self.writer.finish()?;
        self.writer.flush()
    }
}

/// The machine's failures told from the encoder's.
fn failed(target: &Path, error: ArrowError) -> EngineError {
    match error {
        ArrowError::IoError(_, cause) => staged::failed(target, cause),
        // The wording of others may hold a cell.
        _ => EngineError::Data("the rows cannot be written as Arrow IPC".into()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, StringArray};
    use arrow::ipc::reader::FileReader;

    use super::*;

    /// 65,536 long notes in one batch would be more than its offsets can tell.
    #[test]
    fn a_batch_ends_by_its_bytes() {
        let notes: ArrayRef = Arc::new(StringArray::from(vec!["a note of thirty bytes or so.."; 10]));
        let batch = RecordBatch::try_from_iter([("note", notes)]).unwrap();
        let file = tempfile::tempfile().unwrap();
        let encoder = IpcEncoder::new(file.try_clone().unwrap(), Path::new("t.arrow"), &batch.schema());
        let mut encoder = IpcEncoder { group_bytes: 700, ..encoder.unwrap() };
        for _ in 0..5 {
            encoder.add(&batch).unwrap();
        }
        encoder.close().unwrap();
        let batches = FileReader::try_new(file, None).unwrap().map(|batch| batch.unwrap().num_rows());
        assert_eq!(batches.collect::<Vec<_>>(), [20, 20, 10]);
    }
}
