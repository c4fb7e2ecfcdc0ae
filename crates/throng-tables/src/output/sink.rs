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
pub mod directory;
pub(crate) mod encoding;
mod gzip;
mod layout;
mod limit;
mod made;
pub(crate) mod output;
mod parts;
pub mod private;
mod replaced;
mod same_file;
pub(crate) mod staged;
mod together;

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use rayon::prelude::*;

pub use layout::FileLayout;
pub use layout::is_tabbed;
pub use limit::Limit;
pub use made::{Made, NO_RELEASE};
pub use made::{PAGE_MARK, PLOT_MARK};
pub use parts::{PartsLayout, ROWS_PER_FILE};
pub use private::sweep;
pub use replaced::NewRelease;
pub use same_file::{is_same_place, refuse_same_file};

use crate::address::Address;
use crate::backend::{NewTable, RemoteSink, Unpublished, database, objects};
use crate::error::{EngineError, Result};
use crate::format::json_lines::line::JsonKind;
use crate::format::{Encoder, NewFile};
use crate::input::dialect::{Dialect, DialectOverrides};
use crate::input::source::Source;
use crate::memory::{Batched, MemoryTable};
use crate::output::in_order;
use crate::output::metadata::without_unsafe;
use crate::output::plain;
pub use cut::FileCutter;
pub use directory::StagedDirectory;
use parts::OutputParts;
pub use staged::Hidden;
use staged::Staged;
use together::limit_directory;
pub use together::{TextFile, refuse_existing, write_together};

/// A table that is being written.
pub struct Sink {
    place: WriteTarget,
    layout: FileLayout,
    schema: SchemaRef,
    /// What columns were in JSON.
    kinds: Vec<JsonKind>,
    /// None between two parts.
    encoder: Option<Destination>,
    rows: u64,
    newlines: bool,
    formulas: Vec<u64>,
    /// All rows, once it has ended, if they are in memory.
    memory: Option<Batched>,
}

/// Where a table is written.
#[derive(Debug)]
enum WriteTarget {
    File(Staged),
    Parts(Box<OutputParts>),
    Memory(MemoryTable),
}

/// What takes rows.
enum Destination {
    File(Box<dyn Encoder>),
    Remote(Box<dyn RemoteSink>),
    Memory(Vec<RecordBatch>),
}

impl Sink {
    /// Starts a table with the columns of `schema` that will be at `target`. What is there is replaced: who writes a
    /// table has seen to it that it may be.
    ///
    /// The name of the target decides the format, `dialect` how text is delimited. Of metadata that
    /// the schema carries only what people wrote is kept: the rest may describe what is not released.
    pub fn create(target: &Path, schema: SchemaRef, dialect: &Dialect) -> Result<Sink> {
        Sink::create_as(target, schema, FileLayout::of_target(target, dialect)?)
    }

    /// The same in a layout.
    pub fn create_as(target: &Path, schema: SchemaRef, layout: FileLayout) -> Result<Sink> {
        Sink::create_spelled(target, schema, layout, Vec::new())
    }

    /// The same, in which columns of text are written as they were in JSON, if it is JSON lines.
    ///
    /// # Errors
    /// If a file of such a layout cannot hold such columns, or cannot be made.
    pub fn create_spelled(
        target: &Path,
        schema: SchemaRef,
        layout: FileLayout,
        kinds: Vec<JsonKind>,
    ) -> Result<Sink> {
        let place = WriteTarget::File(match Address::from_path(target) {
            Address::Object(_) => Staged::to_send(target)?,
            _ => Staged::beside(target)?,
        });
        let mut sink = Sink { kinds, ..Sink::new(place, &schema, layout)? };
        sink.start()?;
        Ok(sink)
    }

    /// Starts a directory of parts.
    pub fn create_parts(
        target: &Path,
        schema: SchemaRef,
        layout: FileLayout,
        parts: PartsLayout,
        kinds: Vec<JsonKind>,
    ) -> Result<Sink> {
        let place = WriteTarget::Parts(Box::new(OutputParts::beside(target, parts)?));
        Ok(Sink { kinds, ..Sink::new(place, &schema, layout)? })
    }

    /// The same table, with which nobody but the owner may do more than a limit allows.
    pub fn limit_to(mut self, limit: Limit) -> Sink {
        match &mut self.place {
            WriteTarget::File(staged) => staged.limit_to(limit),
            WriteTarget::Parts(parts) => parts.limit_to(limit),
            // Nobody else can look into this process.
            WriteTarget::Memory(_) => {}
        }
        self
    }

    /// The same file, with these permissions when it is published.
    pub fn with_mode(mut self, mode: u32) -> Sink {
        if let WriteTarget::File(staged) = &mut self.place {
            staged.set_mode(mode);
        }
        self
    }

    fn new(place: WriteTarget, schema: &Schema, layout: FileLayout) -> Result<Sink> {
        plain::refuse_unions(schema)?;
        let schema = Arc::new(without_unsafe(&plain::plain_schema(schema)));
        Ok(Sink {
            place,
            layout,
            schema,
            kinds: Vec::new(),
            encoder: None,
            rows: 0,
            newlines: false,
            formulas: Vec::new(),
            memory: None,
        })
    }

    /// Starts a file.
    fn start(&mut self) -> Result<()> {
        let file = match &mut self.place {
            WriteTarget::File(staged) => staged.handle()?,
            WriteTarget::Parts(parts) => parts.start()?,
            WriteTarget::Memory(_) => {
                self.encoder = Some(Destination::Memory(Vec::new()));
                return Ok(());
            }
        };
        let Sink { place, schema, layout, kinds, .. } = self;
        let encoder = layout.format.start(NewFile { file, target: place.target(), schema, layout, kinds })?;
        self.encoder = Some(Destination::File(encoder));
        Ok(())
    }

    /// Starts a table in memory.
    ///
    /// # Errors
    /// If a column has a type that is not released.
    pub fn create_in_memory(target: &MemoryTable, schema: &Schema) -> Result<Sink> {
        let mut sink = Sink::new(WriteTarget::Memory(target.clone()), schema, FileLayout::MEMORY)?;
        sink.start()?;
        Ok(sink)
    }

    /// Starts a table at an address. It is read back into a hidden file before it is published.
    pub fn create_remote(target: &Path, table: NewTable) -> Result<Sink> {
        let place = WriteTarget::File(Staged::beside(Path::new("-.csv"))?);
        let layout = FileLayout::of_target(target, &FileLayout::PLAIN)?;
        let mut sink = Sink::new(place, &table.schema, layout)?;
        let table = NewTable { schema: Arc::clone(&sink.schema), ..table };
        sink.encoder = Some(Destination::Remote(database()?.create(target, table)?));
        Ok(sink)
    }

    /// Appends rows, whose columns are those of the schema.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.write_all(vec![batch.clone()])
    }

    /// Appends the rows of several batches, which are encoded side by side.
    pub fn write_all(&mut self, batches: Vec<RecordBatch>) -> Result<()> {
        // Those of the file at hand.
        let mut own: Vec<RecordBatch> = Vec::with_capacity(batches.len());
        let (schema, is_text) = (&self.schema, self.layout.format.is_text());
        let rebuilt = batches.par_iter().map(|batch| rebuild(batch, schema, is_text));
        for batch in in_order(rebuilt)? {
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
        match self.encoder.as_mut().expect("a file was started") {
            Destination::File(encoder) => encoder.write(batches),
            Destination::Remote(table) => table.write(batches),
            Destination::Memory(all) => {
                all.extend_from_slice(batches);
                Ok(())
            }
        }
    }

    /// Ends the file at hand, and brings it onto the disk.
    fn end(&mut self) -> Result<Option<Box<dyn Unpublished>>> {
        match self.encoder.take() {
            None => return Ok(None),
            Some(Destination::Memory(batches)) => {
                self.memory = Some(Batched { schema: Arc::clone(&self.schema), batches: batches.into() });
                return Ok(None);
            }
            Some(Destination::Remote(table)) => {
                let (complete, newlines) = table.finish()?;
                self.newlines = newlines;
                return Ok(Some(complete));
            }
            Some(Destination::File(encoder)) => {
                let ended = encoder.finish()?;
                self.newlines |= ended.newlines;
                add(&mut self.formulas, &ended.formulas);
            }
        }
        match &mut self.place {
            WriteTarget::File(staged) => staged.sync()?,
            WriteTarget::Parts(parts) => parts.end()?,
            WriteTarget::Memory(_) => {}
        }
        Ok(None)
    }

    /// Ends the table and brings it onto the disk, still hidden.
    pub fn finish(mut self) -> Result<Written> {
        // A table without rows has its columns all the same.
        if matches!(&self.place, WriteTarget::Parts(parts) if parts.files().is_empty()) {
            self.start()?;
        }
        let remote = self.end()?;
        let Sink { place, layout, rows, newlines, formulas, memory, .. } = self;
        Ok(Written { place, layout, rows, newlines, formulas, remote, memory })
    }
}

/// Adds numbers to others, place by place.
pub fn add(sums: &mut Vec<u64>, more: &[u64]) {
    sums.resize(sums.len().max(more.len()), 0);
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// The rows as they may be written: by values, whatever else the arrays at hand hold.
fn rebuild(batch: &RecordBatch, schema: &SchemaRef, is_text: bool) -> Result<RecordBatch> {
    let rebuilt = match is_text {
        true => plain::rebuild_for_text(batch, schema),
        false => plain::rebuild(batch, schema),
    };
    // Arrow's wording may hold a cell.
    rebuilt.map_err(|_| EngineError::Data("a batch could not be written".into()))
}

impl WriteTarget {
    fn target(&self) -> &Path {
        match self {
            WriteTarget::File(staged) => staged.target(),
            WriteTarget::Parts(parts) => parts.target(),
            WriteTarget::Memory(table) => table.name(),
        }
    }

    /// The rows of a batch by files, and whether each is full then.
    fn cut(&mut self, batch: RecordBatch) -> Vec<(RecordBatch, bool)> {
        match self {
            WriteTarget::Parts(parts) => parts.cut(&batch),
            WriteTarget::File(_) | WriteTarget::Memory(_) if batch.num_rows() == 0 => Vec::new(),
            WriteTarget::File(_) | WriteTarget::Memory(_) => vec![(batch, false)],
        }
    }
}

/// A table that is complete on the disk, but not yet at its target. Dropping it removes it.
pub struct Written {
    place: WriteTarget,
    layout: FileLayout,
    rows: u64,
    newlines: bool,
    formulas: Vec<u64>,
    /// The table itself, if it is no file; the file is what was read back of it.
    remote: Option<Box<dyn Unpublished>>,
    /// The rows, if they are in memory and there is no file.
    memory: Option<Batched>,
}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Written")
            .field("place", &self.place)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

impl Written {
    /// A directory of parts that others wrote.
    pub fn of_parts(
        directory: StagedDirectory,
        files: &[PathBuf],
        (layout, parts): (FileLayout, PartsLayout),
        (rows, newlines, formulas): (u64, bool, Vec<u64>),
    ) -> Result<Written> {
        let place = WriteTarget::Parts(Box::new(OutputParts::adopt(directory, parts, files)?));
        Ok(Written { place, layout, rows, newlines, formulas, remote: None, memory: None })
    }
}

impl Written {
    /// Where it can be read now, to verify it: a file, or the directory of its parts.
    pub fn path(&self) -> &Path {
        match &self.place {
            WriteTarget::File(staged) => staged.path(),
            WriteTarget::Parts(parts) => parts.path(),
            WriteTarget::Memory(table) => table.name(),
        }
    }

    /// The rows, if they are in memory.
    pub fn memory(&self) -> Option<&Batched> {
        self.memory.as_ref()
    }

    /// The table as it can be read now.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(&self, overrides: &DialectOverrides) -> Result<Source> {
        match &self.memory {
            Some(rows) => rows.open(self.path()),
            None => Source::open(self.path(), overrides),
        }
    }

    /// Its files, as they can be read now, in the order of the rows.
    pub fn files(&self) -> Vec<&Path> {
        match &self.place {
            WriteTarget::File(staged) => vec![staged.path()],
            WriteTarget::Parts(parts) => parts.files().iter().map(|file| file.as_path()).collect(),
            WriteTarget::Memory(_) => Vec::new(),
        }
    }

    /// How many parts it has; nothing if it is one file.
    pub fn parts(&self) -> Option<usize> {
        match &self.place {
            WriteTarget::File(_) | WriteTarget::Memory(_) => None,
            WriteTarget::Parts(parts) => Some(parts.files().len()),
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

    /// Cells of each column that a spreadsheet would run, the column's name among them; none if it is no delimited text.
    pub fn formulas(&self) -> &[u64] {
        &self.formulas
    }

    /// Brings it to where it can be read, if it is no file: to be called before it is verified.
    ///
    /// # Errors
    /// If it cannot be read back.
    pub fn read_back(&self) -> Result<()> {
        match (&self.remote, &self.place) {
            (Some(table), WriteTarget::File(staged)) => table.read_back(staged.handle()?),
            _ => Ok(()),
        }
    }

    /// Puts it in the place of the target, in one step.
    pub fn publish(self) -> Result<()> {
        match (self.remote, self.place) {
            (Some(table), _) => table.publish(),
            (None, WriteTarget::File(staged)) => staged.publish(),
            (None, WriteTarget::Parts(parts)) => parts.publish(),
            (None, WriteTarget::Memory(table)) => {
                table.publish(self.memory.expect("rows in memory were finished"));
                Ok(())
            }
        }
    }
}

/// Refuses a target that cannot be written, before any work is done for it.
///
/// # Errors
/// If it cannot be a file, or a directory of parts, where it is to be; or its directory does not exist.
pub fn refuse_bad_target(target: &Address, is_directory: bool, replace: bool) -> Result<()> {
    match target {
        Address::Object(_) => objects()?.refuse_bad_target(target),
        _ if is_directory => directory::refuse_bad_directory(target, replace),
        Address::Stdio(_) | Address::Postgres(_) | Address::Memory(_) => Ok(()),
        Address::Files(_) => staged::find_place(target).map(drop),
    }
}

/// Whether there is a file, a table of a database, or an object of a store.
///
/// # Errors
/// If a server cannot be asked.
pub fn is_there(target: impl Into<Address>) -> Result<bool> {
    match target.into() {
        Address::Memory(table) => Ok(table.rows().is_some()),
        Address::Postgres(table) => database()?.exists(&table),
        Address::Object(object) => objects()?.exists(&object),
        Address::Stdio(file) | Address::Files(file) => Ok(file.exists()),
    }
}

/// Refuses a place where no text file of ours can be written, before any work is done for it.
///
/// # Errors
/// If it is a directory or no regular file, its directory does not exist, or there is a file that does not say itself
/// that it is such a one of ours.
pub fn refuse_bad_place(target: &Path, made: Made) -> Result<()> {
    let (target, _) = staged::find_place(target)?;
    made::refuse_other(&target, made)
}

/// Writes a small text file as safely as a table; it replaces nothing but such a file of ours.
///
/// # Errors
/// As of [`refuse_bad_place`], or if it cannot be written.
pub fn write_text(target: &Path, made: Made, text: &str) -> Result<()> {
    write_staged(Staged::of_text(target, made)?, text)
}

/// The same for what is made of the table `source`: others may do no more with it than with that.
///
/// # Errors
/// As of [`write_text`], or if the table is not there.
pub fn write_text_of(source: impl Into<Address>, target: &Path, made: Made, text: &str) -> Result<()> {
    let mut staged = Staged::of_text(target, made)?;
    staged.limit_to(Limit::of_table(source)?);
    write_staged(staged, text)
}

/// Refuses a place where no directory of files of ours can be, before any work is done for it.
///
/// # Errors
/// If there is a file.
pub fn refuse_bad_directory(directory: &Path) -> Result<()> {
    match fs::metadata(directory) {
        Ok(kind) if !kind.is_dir() => Err(EngineError::bad((
            "cannot write: several files have to go there, and it is not a directory",
            "name another place",
        ))
        .in_file(directory)),
        _ => Ok(()),
    }
}

/// Makes a directory for files that are made of the table `source`, unless it is there.
///
/// # Errors
/// As of [`refuse_bad_directory`], or if it cannot be made.
pub fn make_directory_of(source: &Path, directory: &Path) -> Result<()> {
    refuse_bad_directory(directory)?;
    let limit = Limit::of_table(source)?;
    let is_new = !directory.exists();
    let made = fs::create_dir_all(directory);
    let made = made.and_then(|()| if is_new { limit_directory(directory, limit) } else { Ok(()) });
    made.map_err(|cause| EngineError::Io {
        path: directory.to_owned(),
        action: "cannot make the directory",
        cause,
    })
}

fn write_staged(staged: Staged, text: &str) -> Result<()> {
    staged.handle()?.write_all(text.as_bytes()).map_err(|cause| staged.failed(cause))?;
    staged.sync()?;
    staged.publish()
}

#[cfg(test)]
mod tests;
