//! Writes a release so that it appears whole and verified, or not at all.
//!
//! ```text
//! Sink::create ── write* ── finish ──► Written ── (read it back, verify) ── publish
//! ```
//!
//! A release is one file, or a directory of parts. All goes to a hidden file beside the target, which has no name where the system can do that. Whatever fails on
//! the way, the hidden file is removed and a file that was at the target before stays as it was. Writing blocks and computes
//! (it compresses): in asynchronous code run it on a blocking thread; a [`Sink`] can be sent there.

mod cut;
pub(crate) mod directory;
mod encoding;
mod gzip;
mod ipc;
mod layout;
mod lines;
mod output;
mod paged;
mod parts;
mod quoting;
mod same_file;
mod staged;
mod text;
mod together;

use std::fmt;
use std::fs::File;
use std::io::Write;
use std::path::Path;
#[cfg(feature = "lake")]
use std::path::PathBuf;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;

pub use layout::FileLayout;
pub(crate) use layout::is_tabbed;
pub use parts::{PartsLayout, ROWS_PER_FILE};
pub use same_file::{is_same_place, refuse_same_file};

use crate::database;
use crate::error::{EngineError, Result};
use crate::input::dialect::Dialect;
use crate::input::format::Format;
use crate::input::lines::JsonKind;
use crate::input::standard;
use crate::job::Output as OutputAsked;
use crate::output::metadata::without_unsafe;
use crate::output::remote::{NewTable, RemoteSink, Unpublished};
use crate::store;
#[cfg(feature = "lake")]
pub(crate) use cut::FileCutter;
#[cfg(feature = "lake")]
pub(crate) use directory::StagedDirectory;
use encoding::encode;
use ipc::IpcEncoder;
use lines::LinesEncoder;
use output::Output;
use paged::PagedEncoder;
use parts::Parts;
pub(crate) use staged::Hidden;
use staged::Staged;
use text::TextEncoder;
pub(crate) use together::{refuse_existing, write_together};

/// A table that is being written.
pub struct Sink {
    place: Place,
    layout: FileLayout,
    schema: SchemaRef,
    /// What columns were in JSON.
    kinds: Vec<JsonKind>,
    /// None between two parts.
    encoder: Option<Encoder>,
    rows: u64,
    newlines: bool,
}

/// Where a table is written.
#[derive(Debug)]
enum Place {
    File(Staged),
    Parts(Box<Parts>),
}

enum Encoder {
    Text(Box<TextEncoder>, Box<Output>),
    Lines(Box<LinesEncoder>, Box<Output>),
    Paged(Box<PagedEncoder>),
    Ipc(Box<IpcEncoder>),
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
        let place = Place::File(match store::is_address(target) {
            true => Staged::to_send(target)?,
            false => Staged::beside(target)?,
        });
        let mut sink = Sink::new(place, schema, layout);
        sink.start()?;
        Ok(sink)
    }

    /// Starts a directory of parts.
    pub fn create_parts(
        target: &Path,
        schema: SchemaRef,
        layout: FileLayout,
        parts: PartsLayout,
    ) -> Result<Sink> {
        let place = Place::Parts(Box::new(Parts::beside(target, parts)?));
        Ok(Sink::new(place, schema, layout))
    }

    /// The same table, in which columns of text are written as they were in JSON, if it is JSON lines.
    pub fn with_kinds(mut self, kinds: Vec<JsonKind>) -> Result<Sink> {
        self.kinds = kinds;
        if let Some(Encoder::Lines(encoder, _)) = &mut self.encoder {
            **encoder = LinesEncoder::new(&self.schema, &self.kinds)?;
        }
        Ok(self)
    }

    fn new(place: Place, schema: SchemaRef, layout: FileLayout) -> Sink {
        let schema = Arc::new(without_unsafe(&schema));
        Sink { place, layout, schema, kinds: Vec::new(), encoder: None, rows: 0, newlines: false }
    }

    /// Starts a file.
    fn start(&mut self) -> Result<()> {
        let file = match &mut self.place {
            Place::File(staged) => staged.handle()?,
            Place::Parts(parts) => parts.start()?,
        };
        self.encoder = Some(self.start_encoder(file)?);
        Ok(())
    }

    fn start_encoder(&self, file: File) -> Result<Encoder> {
        let Sink { schema, layout, .. } = self;
        let target = self.place.target();
        Ok(match layout.format {
            Format::Csv => {
                let mut encoder = TextEncoder::new(schema, &layout.dialect)?;
                let mut start = encoding::mark(layout.encoding);
                if layout.dialect.header {
                    start.extend(encode(encoder.header(), layout.encoding)?);
                }
                Encoder::Text(Box::new(encoder), self.start_output(file, &start)?)
            }
            Format::Lines => {
                let output = self.start_output(file, &encoding::mark(layout.encoding))?;
                Encoder::Lines(Box::new(LinesEncoder::new(schema, &self.kinds)?), output)
            }
            Format::Parquet => Encoder::Paged(Box::new(PagedEncoder::new(file, target, schema)?)),
            Format::Arrow => Encoder::Ipc(Box::new(IpcEncoder::new(file, target, schema)?)),
        })
    }

    fn start_output(&self, file: File, start: &[u8]) -> Result<Box<Output>> {
        let output = Output::new(file, self.layout.compression);
        let output = output.and_then(|mut output| output.write_all(start).map(|()| output));
        output.map(Box::new).map_err(|cause| self.place.failed(cause))
    }

    /// Starts a table at an address. It is read back into a hidden file before it is published.
    pub(crate) fn create_remote(target: &Path, table: NewTable) -> Result<Sink> {
        let place = Place::File(Staged::beside(Path::new("-.csv"))?);
        let layout = FileLayout::of_target(target, &FileLayout::PLAIN)?;
        let mut sink = Sink::new(place, Arc::clone(&table.schema), layout);
        sink.encoder = Some(Encoder::Remote(database::create(target, table)?));
        Ok(sink)
    }

    /// Appends rows, whose columns are those of the schema.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.write_all(vec![batch.clone()])
    }

    /// Appends the rows of several batches, which are encoded side by side.
    pub(crate) fn write_all(&mut self, batches: Vec<RecordBatch>) -> Result<()> {
        // Those of the file at hand.
        let mut own: Vec<RecordBatch> = Vec::with_capacity(batches.len());
        for batch in batches {
            let batch = RecordBatch::try_new(self.schema.clone(), batch.columns().to_vec())
                .map_err(|error| EngineError::Data(error.to_string().into()))?;
            self.rows += batch.num_rows() as u64;
            for (rows, is_full) in self.place.cut(batch) {
                if self.encoder.is_none() {
                    self.start()?;
                }
                own.push(rows);
                if is_full {
                    self.encode(&std::mem::take(&mut own))?;
                    self.end()?;
                }
            }
        }
        if own.is_empty() { Ok(()) } else { self.encode(&own) }
    }

    fn encode(&mut self, batches: &[RecordBatch]) -> Result<()> {
        let Sink { place, layout, encoder, .. } = self;
        let (pieces, output) = match encoder.as_mut().expect("a file was started") {
            Encoder::Text(encoder, output) => (encoder.encode(batches, layout.encoding)?, output),
            Encoder::Lines(encoder, output) => (encoder.encode(batches, layout.encoding)?, output),
            Encoder::Paged(encoder) => {
                let mut written = batches.iter().map(|batch| encoder.write(batch));
                return written
                    .try_for_each(|done| done)
                    .map_err(|error| paged::failed(place.target(), error));
            }
            Encoder::Ipc(encoder) => {
                let mut written = batches.iter().map(|batch| encoder.write(batch));
                return written.try_for_each(|done| done).map_err(|error| ipc::failed(place.target(), error));
            }
            Encoder::Remote(table) => return table.write(batches),
        };
        pieces.iter().try_for_each(|piece| output.write_all(piece)).map_err(|cause| place.failed(cause))
    }

    /// Ends the file at hand, and brings it onto the disk.
    fn end(&mut self) -> Result<Option<Box<dyn Unpublished>>> {
        let place = &mut self.place;
        match self.encoder.take() {
            None => return Ok(None),
            Some(Encoder::Remote(table)) => {
                let (complete, newlines) = table.finish()?;
                self.newlines = newlines;
                return Ok(Some(complete));
            }
            Some(Encoder::Text(encoder, output)) => {
                output.finish().map_err(|cause| place.failed(cause))?;
                self.newlines |= encoder.newlines();
            }
            Some(Encoder::Lines(_, output)) => output.finish().map_err(|cause| place.failed(cause))?,
            Some(Encoder::Paged(encoder)) => {
                encoder.finish().map_err(|error| paged::failed(place.target(), error))?;
            }
            Some(Encoder::Ipc(encoder)) => {
                encoder.finish().map_err(|error| ipc::failed(place.target(), error))?;
            }
        }
        match place {
            Place::File(staged) => staged.sync()?,
            Place::Parts(parts) => parts.end()?,
        }
        Ok(None)
    }

    /// Ends the table and brings it onto the disk, still hidden.
    pub fn finish(mut self) -> Result<Written> {
        // A table without rows has its columns all the same.
        if matches!(&self.place, Place::Parts(parts) if parts.files().is_empty()) {
            self.start()?;
        }
        let remote = self.end()?;
        let Sink { place, layout, rows, newlines, .. } = self;
        Ok(Written { place, layout, rows, newlines, remote })
    }
}

impl Place {
    fn target(&self) -> &Path {
        match self {
            Place::File(staged) => staged.target(),
            Place::Parts(parts) => parts.target(),
        }
    }

    /// The rows of a batch by files, and whether each is full then.
    fn cut(&mut self, batch: RecordBatch) -> Vec<(RecordBatch, bool)> {
        match self {
            Place::Parts(parts) => parts.cut(&batch),
            Place::File(_) if batch.num_rows() == 0 => Vec::new(),
            Place::File(_) => vec![(batch, false)],
        }
    }

    fn failed(&self, cause: std::io::Error) -> EngineError {
        staged::failed(self.target(), cause)
    }
}

/// A table that is complete on the disk, but not yet at its target. Dropping it removes it.
pub struct Written {
    place: Place,
    layout: FileLayout,
    rows: u64,
    newlines: bool,
    /// The table itself, if it is no file; the file is what was read back of it.
    remote: Option<Box<dyn Unpublished>>,
}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Written")
            .field("place", &self.place)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "lake")]
impl Written {
    /// A directory of parts that others wrote.
    pub(crate) fn of_parts(
        directory: StagedDirectory,
        files: &[PathBuf],
        (layout, parts): (FileLayout, PartsLayout),
        (rows, newlines): (u64, bool),
    ) -> Result<Written> {
        let place = Place::Parts(Box::new(Parts::adopt(directory, parts, files)?));
        Ok(Written { place, layout, rows, newlines, remote: None })
    }
}

impl Written {
    /// Where it can be read now, to verify it: a file, or the directory of its parts.
    pub fn path(&self) -> &Path {
        match &self.place {
            Place::File(staged) => staged.path(),
            Place::Parts(parts) => parts.path(),
        }
    }

    /// Its files, as they can be read now, in the order of the rows.
    pub fn files(&self) -> Vec<&Path> {
        match &self.place {
            Place::File(staged) => vec![staged.path()],
            Place::Parts(parts) => parts.files().iter().map(|file| file.as_path()).collect(),
        }
    }

    /// How many parts it has; nothing if it is one file.
    pub fn parts(&self) -> Option<usize> {
        match &self.place {
            Place::File(_) => None,
            Place::Parts(parts) => Some(parts.files().len()),
        }
    }

    /// Where it will be, with symbolic links followed.
    pub fn target(&self) -> &Path {
        self.place.target()
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
        match (&self.remote, &self.place) {
            (Some(table), Place::File(staged)) => table.read_back(staged.handle()?),
            _ => Ok(()),
        }
    }

    /// Puts it in the place of the target, in one step.
    pub fn publish(self) -> Result<()> {
        match (self.remote, self.place) {
            (Some(table), _) => table.publish(),
            (None, Place::File(staged)) => staged.publish(),
            (None, Place::Parts(parts)) => parts.publish(),
        }
    }
}

/// Refuses a target that cannot be written, before any work is done for it.
///
/// # Errors
/// If it cannot be a file, or a directory of parts, where it is to be; its directory does not exist; or its name does
/// not tell a format.
pub fn refuse_bad_target(output: &OutputAsked) -> Result<()> {
    let target = &output.path;
    if store::is_address(target) {
        store::refuse_bad_target(target)?;
    } else if output.is_directory() {
        directory::refuse_bad_directory(target, output.replace)?;
    } else if !standard::is_output(target) && !database::is_address(target) {
        staged::find_place(target)?;
    }
    output.layout(&FileLayout::PLAIN, || "csv".to_owned()).map(drop)
}

/// Whether there is a file, a table of a database, or an object of a store.
///
/// # Errors
/// If a server cannot be asked.
pub fn is_there(target: &Path) -> Result<bool> {
    match target {
        table if database::is_address(table) => database::exists(table),
        object if store::is_address(object) => store::exists(object),
        file => Ok(file.exists()),
    }
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

#[cfg(test)]
mod tests;
