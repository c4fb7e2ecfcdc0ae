//! Writes a release so that it appears whole and verified, or not at all.
//!
//! ```text
//! Sink::create ── write* ── finish ──► Written ── (read it back, verify) ── publish
//! ```
//!
//! All goes to a hidden file beside the target, which has no name where the system can do that. Whatever fails on
//! the way, the hidden file is removed and a file that was at the target before stays as it was. Writing blocks and computes
//! (it compresses): in asynchronous code run it on a blocking thread; a [`Sink`] can be sent there.

mod encoding;
mod gzip;
mod layout;
mod output;
mod paged;
mod quoting;
mod same_file;
mod staged;
mod text;
mod together;

use std::fmt;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use arrow::record_batch::RecordBatch;

pub use layout::FileLayout;
pub(crate) use layout::is_tabbed;
pub use same_file::refuse_same_file;

use crate::database;
use crate::error::{EngineError, Result};
use crate::input::dialect::Dialect;
use crate::input::format::Format;
use crate::input::standard;
use crate::output::metadata::without_unsafe;
use crate::output::remote::{NewTable, RemoteSink, Unpublished};
use encoding::encode;
use output::Output;
use paged::PagedEncoder;
pub(crate) use staged::Hidden;
use staged::Staged;
use text::TextEncoder;
pub(crate) use together::{refuse_existing, write_together};

/// A table that is being written.
pub struct Sink {
    staged: Staged,
    layout: FileLayout,
    schema: SchemaRef,
    encoder: Encoder,
    rows: u64,
}

enum Encoder {
    Text(Box<TextEncoder>, Box<Output>),
    Paged(Box<PagedEncoder>),
    Remote(Box<dyn RemoteSink>),
}

impl Sink {
    /// Starts a table with the columns of `schema` that will be at `target`.
    ///
    /// The name of the target decides the format, `dialect` how text is delimited. Of metadata that
    /// the schema carries only what people wrote is kept: the rest may describe what is not released.
    pub fn create(target: &Path, schema: SchemaRef, dialect: &Dialect) -> Result<Sink> {
        Sink::create_as(target, schema, FileLayout::of_target(target, dialect)?)
    }

    /// The same in a layout.
    pub fn create_as(target: &Path, schema: SchemaRef, layout: FileLayout) -> Result<Sink> {
        let schema = Arc::new(without_unsafe(&schema));
        let staged = Staged::beside(target)?;
        let encoder = match layout.format {
            Format::Csv => start_text(&staged, &schema, &layout)?,
            Format::Parquet => Encoder::Paged(Box::new(PagedEncoder::new(&staged, &schema)?)),
        };
        Ok(Sink { staged, layout, schema, encoder, rows: 0 })
    }

    /// Starts a table at an address. It is read back into a hidden file before it is published.
    pub(crate) fn create_remote(target: &Path, table: NewTable) -> Result<Sink> {
        let schema = Arc::new(without_unsafe(&table.schema));
        let staged = Staged::beside(Path::new("-.csv"))?;
        let layout = FileLayout::of_target(target, &FileLayout::PLAIN)?;
        let encoder = Encoder::Remote(database::create(target, table)?);
        Ok(Sink { staged, layout, schema, encoder, rows: 0 })
    }

    /// Appends rows, whose columns are those of the schema.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.write_all(vec![batch.clone()])
    }

    /// Appends the rows of several batches, which are encoded side by side.
    pub(crate) fn write_all(&mut self, mut batches: Vec<RecordBatch>) -> Result<()> {
        for batch in &mut batches {
            *batch = RecordBatch::try_new(self.schema.clone(), batch.columns().to_vec())
                .map_err(|error| EngineError::Data(error.to_string().into()))?;
        }
        self.rows += batches.iter().map(|batch| batch.num_rows() as u64).sum::<u64>();
        match &mut self.encoder {
            Encoder::Text(encoder, output) => {
                let pieces = encoder.encode(&batches, self.layout.encoding)?;
                pieces
                    .iter()
                    .try_for_each(|piece| output.write_all(piece))
                    .map_err(|cause| self.staged.failed(cause))
            }
            Encoder::Paged(encoder) => {
                let mut written = batches.iter().map(|batch| encoder.write(batch));
                written.try_for_each(|done| done).map_err(|error| paged::failed(&self.staged, error))
            }
            Encoder::Remote(table) => table.write(&batches),
        }
    }

    /// Ends the table and brings it onto the disk, still hidden.
    pub fn finish(self) -> Result<Written> {
        let Sink { staged, layout, encoder, rows, .. } = self;
        let mut remote = None;
        let newlines = match encoder {
            Encoder::Remote(table) => {
                let (complete, newlines) = table.finish()?;
                remote = Some(complete);
                newlines
            }
            Encoder::Text(encoder, output) => {
                output.finish().map_err(|cause| staged.failed(cause))?;
                encoder.newlines()
            }
            Encoder::Paged(encoder) => {
                encoder.finish().map_err(|error| paged::failed(&staged, error))?;
                false
            }
        };
        if remote.is_none() {
            staged.sync()?;
        }
        Ok(Written { staged, layout, rows, newlines, remote })
    }
}

/// A table that is complete on the disk, but not yet at its target. Dropping it removes it.
pub struct Written {
    staged: Staged,
    layout: FileLayout,
    rows: u64,
    newlines: bool,
    /// The table itself, if it is no file; the file is what was read back of it.
    remote: Option<Box<dyn Unpublished>>,
}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Written")
            .field("staged", &self.staged)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

impl Written {
    /// Where it can be read now, to verify it.
    pub fn path(&self) -> &Path {
        self.staged.path()
    }

    /// Where it will be, with symbolic links followed.
    pub fn target(&self) -> &Path {
        self.staged.target()
    }

    /// How to read it.
    pub fn layout(&self) -> &FileLayout {
        &self.layout
    }

    /// How many rows were written.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Whether a cell has a line break; text without any can be read in parts, by all threads.
    pub fn has_newlines(&self) -> bool {
        self.newlines
    }

    /// Brings it to where it can be read, if it is no file: to be called before it is verified.
    ///
    /// # Errors
    /// If it cannot be read back.
    pub(crate) fn read_back(&self) -> Result<()> {
        self.remote.as_ref().map_or(Ok(()), |table| table.read_back(self.staged.handle()?))
    }

    /// Puts it in the place of the target, in one step.
    pub fn publish(self) -> Result<()> {
        match self.remote {
            Some(table) => table.publish(),
            None => self.staged.publish(),
        }
    }
}

/// Refuses a target that cannot be written, before any work is done for it.
///
/// # Errors
/// If it is a directory or no regular file, its directory does not exist, or its name does not
/// tell a format.
pub fn refuse_bad_target(target: &Path) -> Result<()> {
    if !standard::is_output(target) && !database::is_address(target) {
        staged::find_place(target)?;
    }
    FileLayout::of_target(target, &FileLayout::PLAIN).map(|_| ())
}

/// Whether there is a file, or a table of a database.
///
/// # Errors
/// If a server cannot be asked.
pub fn is_there(target: &Path) -> Result<bool> {
    if database::is_address(target) { database::exists(target) } else { Ok(target.exists()) }
}

/// Refuses a place where no text file can be written, before any work is done for it.
///
/// # Errors
/// If it is a directory or no regular file, or its directory does not exist.
pub fn refuse_bad_place(target: &Path) -> Result<()> {
    staged::find_place(target).map(|_| ())
}

/// Writes a small text file as safely as a table.
pub fn write_text(target: &Path, text: &str) -> Result<()> {
    write_staged(Staged::beside(target)?, text)
}

/// The same for what is made of the table `source`: others may do no more with it than with that.
pub fn write_text_of(source: &Path, target: &Path, text: &str) -> Result<()> {
    write_staged(Staged::beside(target)?.limit_to(source)?, text)
}

fn write_staged(staged: Staged, text: &str) -> Result<()> {
    staged.handle()?.write_all(text.as_bytes()).map_err(|cause| staged.failed(cause))?;
    staged.sync()?;
    staged.publish()
}

fn start_text(staged: &Staged, schema: &Schema, layout: &FileLayout) -> Result<Encoder> {
    let mut encoder = TextEncoder::new(schema, &layout.dialect)?;
    let mut output =
        Output::new(staged.handle()?, layout.compression).map_err(|cause| staged.failed(cause))?;
    let mut start = encoding::mark(layout.encoding);
    if layout.dialect.header {
        start.extend_from_slice(&encode(&encoder.header(), layout.encoding)?);
    }
    output.write_all(&start).map_err(|cause| staged.failed(cause))?;
    Ok(Encoder::Text(Box::new(encoder), Box::new(output)))
}

#[cfg(test)]
mod tests;
