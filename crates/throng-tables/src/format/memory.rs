//! Batches in memory as if they were a file in a format of its own.

mod reopen;

use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, SchemaRef};

use crate::error::{EngineError, Result};
use crate::format::reopen::{ReopenedFile, Stored};
use crate::format::{Encoder, FileAt, FileFormat, Format, HiddenContent, NewFile};
use crate::input::named::NamedFile;
use crate::input::source::{BATCH_ROWS, CutBatches, PartRows, PartStream, Parted, Source, probe};
use crate::memory::{Batched, MemoryTable};

/// Rows of a part, so that threads share a table of one batch, too.
const PART_ROWS: usize = 8 * BATCH_ROWS;

/// See the module. It is no format of files, so it is in no registry.
#[derive(Debug)]
struct InMemory;

impl Format {
    /// Arrow in memory.
    pub const MEMORY: Format = Format::new(&InMemory);
}

impl MemoryTable {
    /// See [`Source::open`].
    pub(crate) fn open(&self) -> Result<Source> {
        let Some(rows) = self.rows() else {
            return Err(EngineError::bad("nothing has been written there yet").in_file(self.name()));
        };
        rows.open(self.name())
    }
}

impl Batched {
    /// The table, under a name.
    pub(crate) fn open(&self, name: &Path) -> Result<Source> {
        let bytes: usize = self.batches.iter().map(RecordBatch::get_array_memory_size).sum();
        let source = probe::typed(name, Format::MEMORY, &self.schema, bytes as u64, Some(self.count()))?;
        Ok(source.of_memory(self.clone()))
    }
}

impl FileFormat for InMemory {
    fn name(&self) -> &'static str {
        "Arrow in memory"
    }

    /// What a file beside it is stored as, if nothing else is said.
    fn extensions(&self) -> &'static [&'static str] {
        &["arrow"]
    }

    fn written_extensions(&self) -> &'static [&'static str] {
        &[]
    }

    fn is_described(&self) -> bool {
        true
    }

    fn open(&self, file: &FileAt<'_>) -> Result<Source> {
        Err(no_table(file.path))
    }

    fn rows(&self, source: &Source, columns: &[usize], _: &[usize]) -> Result<PartRows> {
        let parts = Cut::new(source, columns)?;
        let rows = parts.parts.clone().into_iter().flat_map(move |part| parts.slices(part));
        Ok(Box::new(CutBatches::new(rows.map(Ok), source.path().to_owned())))
    }

    fn has_parts(&self, source: &Source) -> Result<bool> {
        Ok(Cut::new(source, &[])?.parts.len() > 1)
    }

    fn parts(&self, source: &Source, columns: &[usize], _: &[usize]) -> Result<Parted> {
        Ok(Box::new(Cut::new(source, columns)?))
    }

    fn damaged(&self, file: &NamedFile) -> EngineError {
        no_table(&file.name)
    }

    fn start(&self, new: NewFile<'_>) -> Result<Box<dyn Encoder>> {
        Err(no_table(new.target))
    }

    fn reopen(&self, stored: &Stored<'_>) -> Result<(SchemaRef, Vec<Box<dyn ReopenedFile>>)> {
        reopen::open(stored.memory.as_ref().ok_or_else(|| self.not_read_back())?)
    }

    /// Whoever takes a batch has its arrays as they are.
    fn hidden_content(&self, _: &DataType) -> HiddenContent {
        HiddenContent::Arrays
    }
}

fn no_table(name: &Path) -> EngineError {
    EngineError::bad("this is not a table in memory").in_file(name)
}

/// Some columns of a table, in parts of no more than so many rows.
struct Cut {
    name: PathBuf,
    rows: Batched,
    columns: Vec<usize>,
    /// The batch of each part, its first row there, and how many there are.
    parts: Vec<(usize, usize, usize)>,
}

impl Cut {
    fn new(source: &Source, columns: &[usize]) -> Result<Cut> {
        let rows = source.memory().ok_or_else(|| no_table(source.path()))?.clone();
        let mut parts = Vec::new();
        for (at, batch) in rows.batches.iter().enumerate() {
            let starts = (0..batch.num_rows()).step_by(PART_ROWS);
            parts.extend(starts.map(|start| (at, start, PART_ROWS.min(batch.num_rows() - start))));
        }
        Ok(Cut { name: source.path().to_owned(), rows, columns: columns.to_vec(), parts })
    }

    /// The rows of a part, none of more than others' batches. Nothing is copied.
    fn slices(&self, (at, start, rows): (usize, usize, usize)) -> Vec<RecordBatch> {
        let batch =
            self.rows.batches[at].project(&self.columns).expect("the columns were looked up in the table");
        let starts = (start..start + rows).step_by(BATCH_ROWS);
        starts.map(|from| batch.slice(from, BATCH_ROWS.min(start + rows - from))).collect()
    }
}

impl PartStream for Cut {
    fn starts(&self) -> Vec<u64> {
        let rows = self.parts.iter().map(|&(.., rows)| rows as u64);
        rows.scan(0, |sum, rows| Some(std::mem::replace(sum, *sum + rows))).collect()
    }

    fn rows(&self, part: usize) -> Result<PartRows> {
        let slices = self.slices(self.parts[part]).into_iter().map(Ok);
        Ok(Box::new(CutBatches::new(slices, self.name.clone())))
    }
}
