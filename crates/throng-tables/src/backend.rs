//! What the places can do that tables are in besides files: databases, and stores of objects.
//!
//! Which there are is said in `lib.rs`, a line each.

use std::any::Any;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures::stream::BoxStream;
use glob::Pattern;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;

use crate::error::{EngineError, Result};
use crate::tables::Tables;

/// The rows of a table, in batches, in order.
pub type Batches = BoxStream<'static, Result<RecordBatch>>;

/// A database.
pub trait Database: Sync {
    /// The names of the columns of the table, or of the result of the query, that an address names, and who reads it. As
    /// long as that is kept, all that these tables open on the server sees what it sees.
    ///
    /// # Errors
    /// If the address cannot be used, the server cannot be reached or refuses, or there is no such table.
    fn open(&self, path: &Path, tables: &Tables) -> Result<(Vec<String>, Arc<dyn Remote>)>;

    /// Refuses a table that cannot be made, or that is what `input` reads, before any work is done for it.
    ///
    /// # Errors
    /// If it is there already and not to be replaced, or the server cannot be reached or refuses.
    fn refuse_bad_target(&self, target: &Path, replace: bool, input: &Path, tables: &Tables) -> Result<()>;

    /// Whether there is a table at an address.
    ///
    /// # Errors
    /// If the server cannot be reached, or refuses.
    fn exists(&self, target: &Path) -> Result<bool>;

    /// Starts a table that nobody sees until it is published.
    ///
    /// # Errors
    /// If the server cannot be reached, or refuses.
    fn create(&self, target: &Path, table: NewTable) -> Result<Box<dyn RemoteSink>>;
}

/// A store of objects, each of which is a file.
pub trait Objects: Sync {
    /// The objects that an address means; nothing if it is one.
    ///
    /// # Errors
    /// If there is none, or the store cannot be asked.
    fn list(&self, path: &Path) -> Result<Option<Listed>>;

    /// Looks at an object.
    ///
    /// # Errors
    /// If it is not there or cannot be read, or is damaged Parquet.
    fn look(&self, path: &Path) -> Result<Look>;

    /// Looks at many objects, several at a time.
    ///
    /// # Errors
    /// As of [`look`](Objects::look).
    fn look_all(&self, paths: Vec<PathBuf>) -> Result<Vec<Look>>;

    /// Fetches an object, unless that was done; again if it is another now. What was fetched is held by the tables.
    ///
    /// # Errors
    /// If it cannot be fetched.
    fn fetch(&self, path: &Path, seen: &Look, tables: &Tables) -> Result<()>;

    /// Where an object can be opened: what was fetched when its table was opened, if it was.
    ///
    /// # Errors
    /// If it cannot be fetched.
    fn local_path(&self, path: &Path, tables: &Tables) -> std::io::Result<PathBuf>;

    /// Whether there is an object.
    ///
    /// # Errors
    /// If the store cannot be asked.
    fn exists(&self, path: &Path) -> Result<bool>;

    /// Refuses an address where no release can be.
    ///
    /// # Errors
    /// If it is none, or the store cannot be asked.
    fn refuse_bad_target(&self, path: &Path) -> Result<()>;

    /// Puts a file at an address.
    ///
    /// # Errors
    /// If it cannot be sent, or what arrived is not what was sent. Then there is nothing new at the address.
    fn send(&self, file: &File, target: &Path) -> Result<()>;
}

/// Databases, if this build has them.
///
/// # Errors
/// If it has not.
pub fn database() -> Result<&'static dyn Database> {
    // Whoever has such a build cannot be helped by a better address.
    let absent = ("this throng was built without PostgreSQL", "build it with the feature 'postgres'");
    crate::DATABASE.ok_or_else(|| EngineError::bad(absent))
}

/// Stores of objects, if this build has them.
///
/// # Errors
/// If it has not.
pub fn objects() -> Result<&'static dyn Objects> {
    let absent = ("this throng was built without object stores", "build it with the feature 's3'");
    crate::OBJECTS.ok_or_else(|| EngineError::bad(absent))
}

/// The objects of a table.
#[derive(Debug)]
pub struct Listed {
    /// What all of them are below.
    pub root: PathBuf,
    /// Their addresses.
    pub files: Vec<PathBuf>,
    /// The whole pattern, and what of it is below the root, if it is one.
    pub pattern: Option<(Pattern, String)>,
}

/// What was seen of an object.
#[derive(Debug)]
pub struct Look {
    /// Its size.
    pub bytes: u64,
    /// What the store calls this version of it.
    pub version: Option<String>,
    /// What Parquet says of itself; nothing of other formats.
    pub parquet: Option<ArrowReaderMetadata>,
}

/// A table that something else reads, such as a database. All its columns come as text, a missing value as null.
///
/// Every look at it sees the same rows in the same order, as long as it is kept.
pub trait Remote: fmt::Debug + Send + Sync {
    /// The rows with only `columns`, in that order.
    ///
    /// # Errors
    /// If a column has no text. What else fails comes with the batches.
    fn scan(&self, columns: &[usize]) -> Result<Batches>;

    /// The distinct tuples of `columns`, in no order; the last column of the batches, of 64-bit numbers, has the rows
    /// of each. Columns may have other types than text, if they have the same texts.
    ///
    /// # Errors
    /// As of [`scan`](Remote::scan).
    fn count(&self, columns: &[usize]) -> Result<Batches>;

    /// What the type of a column is called where it is from, so that it can be had again there.
    fn type_of(&self, column: usize) -> Option<&str>;

    /// The text of a column, of which `cell` is the name in a statement; none if there are no statements, or any engine
    /// would give the same by a cast.
    fn text_of(&self, _column: usize, _cell: &str) -> Option<String> {
        None
    }

    /// About how many rows there are, if that is known.
    fn expected_rows(&self) -> Option<u64>;

    /// Bytes that the table takes where it is; 0 if that is not known.
    fn stored_bytes(&self) -> u64;

    /// The table itself, for who knows what it is.
    fn as_any(&self) -> &dyn Any;
}

/// What an attempt gives, or another if a node was lost meanwhile: others can do its work.
///
/// # Errors
/// As of the last attempt.
pub async fn again_if_lost<T>(mut attempt: impl AsyncFnMut() -> Result<T>) -> Result<T> {
    match attempt().await {
        Err(EngineError::Lost(_)) => attempt().await,
        ended => ended,
    }
}

/// What a new table is to be.
#[derive(Clone, Debug)]
pub struct NewTable {
    /// Its columns.
    pub schema: SchemaRef,
    /// For each column the type that it has where its table is from, if its values are as they were there.
    pub types: Vec<Option<String>>,
    /// What the table says of itself.
    pub comment: String,
    /// Whether it takes the place of a table that is there.
    pub replace: bool,
    /// The tables of the run, none of which it may replace.
    pub tables: Tables,
}

/// A table that is written elsewhere, and that nobody sees before it is published. Dropping it undoes everything.
pub trait RemoteSink: Send {
    /// Appends the rows of batches, which may be encoded side by side.
    ///
    /// # Errors
    /// If they cannot be written.
    fn write(&mut self, batches: &[RecordBatch]) -> Result<()>;

    /// Ends the table; says whether a cell may have a line break.
    ///
    /// # Errors
    /// If it cannot be written.
    fn finish(self: Box<Self>) -> Result<(Box<dyn Unpublished>, bool)>;
}

/// A table that is complete where it is, but seen by nobody. Dropping it removes it.
pub trait Unpublished: Send {
    /// Puts the table as it can be read there now into a file: comma-separated text under a header.
    ///
    /// # Errors
    /// If it cannot be read back.
    fn read_back(&self, into: File) -> Result<()>;

    /// Lets everybody see it, in one step.
    ///
    /// # Errors
    /// If that fails; then it is gone.
    fn publish(self: Box<Self>) -> Result<()>;
}
