//! Arrow IPC files that were written, read back by Arrow's reader.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use ::arrow::datatypes::SchemaRef;
use ::arrow::error::ArrowError;
use ::arrow::ipc::reader::FileReader;

use crate::error::Result;
use crate::format::Format;
use crate::format::reopen::{ReopenedFile, Rows, unreadable};

/// A file, and of how many batches it is made.
pub(super) struct ReopenedBatches {
    path: PathBuf,
    batches: usize,
}

/// Opens a file.
pub(super) fn open(path: &Path) -> Result<(SchemaRef, ReopenedBatches)> {
    let file = File::open(path).map_err(|cause| unreadable(path, cause))?;
    let reader =
        FileReader::try_new(BufReader::new(file), None).map_err(|_| Format::ARROW.not_read_back())?;
    Ok((reader.schema(), ReopenedBatches { path: path.to_owned(), batches: reader.num_batches() }))
}

impl ReopenedFile for ReopenedBatches {
    fn parts(&self) -> usize {
        self.batches
    }

    fn rows(&self, _: &SchemaRef, part: usize, places: &[usize]) -> std::result::Result<Rows, ArrowError> {
        let mut reader = FileReader::try_new(BufReader::new(File::open(&self.path)?), None)?;
        reader.set_index(part)?;
        let places = places.to_vec();
        Ok(Box::new(reader.take(1).map(move |batch| batch?.project(&places))))
    }
}
