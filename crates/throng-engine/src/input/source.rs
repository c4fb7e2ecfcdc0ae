//! An input file: what it is, which columns it has, and its rows in order.

mod ahead;
mod columns;
mod cut;
mod fault;
mod gather;
mod ipc;
mod lines;
mod names;
mod paged;
mod parted;
mod probe;
mod set;
mod text;
mod together;
mod trim;
mod unclosed;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use encoding_rs::Encoding;
use futures::stream::BoxStream;

use crate::database;
use crate::error::{EngineError, Result};
use crate::input::dialect::{Dialect, DialectOverrides};
use crate::input::files::FileList;
use crate::input::format::{Compression, Format};
use crate::input::lines::JsonKind;
use crate::input::remote::Remote;
use crate::input::scheme;
#[cfg(feature = "s3")]
use crate::lake;
use crate::output::sink::is_tabbed;
#[cfg(feature = "s3")]
use crate::store;
#[cfg(feature = "postgres")]
pub(crate) use ahead::pass_on;
pub(crate) use ahead::read_ahead;
use columns::ColumnRows;
pub(crate) use cut::{Cutter, Piece};
#[cfg(feature = "lake")]
pub(crate) use fault::Translator;
use ipc::IpcFile;
pub(crate) use paged::PagedFile;
use parted::TextPieces;
pub(crate) use parted::{PartRows, Parted};
#[cfg(feature = "lake")]
pub(crate) use set::TableFile;
pub(crate) use set::rows_within;
use set::{FileSet, SetRows};
use text::TextRows;
use together::Together;

/// Rows per batch: a batch of a dozen short columns stays in the cache.
pub(crate) const BATCH_ROWS: usize = 8192;

/// The rows of a source, in batches, in the order of the file.
pub type Batches = BoxStream<'static, Result<RecordBatch>>;

/// An input table that was looked into but not read: a file, or many that are one table.
///
/// The columns of a text file are all text: `007` stays `007`. An empty cell is null. Columns of
/// Parquet and Arrow files have their own types. A file is read by name each time, so it must stay in place;
/// what changes between two scans is found by [`crate::prepare::dictionary::Dictionary::encode_array`].
#[derive(Clone, Debug)]
pub struct Source {
    path: PathBuf,
    format: Format,
    compression: Compression,
    dialect: Option<Dialect>,
    columns: Arc<[String]>,
    names_are_guessed: bool,
    /// Whether nothing tells if the first row names the columns.
    header_in_doubt: bool,
    /// Bytes of a text file before its first row, once it is decoded.
    preamble_bytes: usize,
    encoding: &'static Encoding,
    /// Whether nobody but the bytes say so.
    encoding_is_guessed: bool,
    schema: SchemaRef,
    file_bytes: u64,
    expected_rows: Option<u64>,
    /// Who reads the table, if it is no file.
    remote: Option<Arc<dyn Remote>>,
    /// What the columns of JSON lines are; none of other formats.
    kinds: Arc<[Option<JsonKind>]>,
    /// The files, if they are many.
    set: Option<Arc<FileSet>>,
}

impl Source {
    /// Opens a table and finds out its format and columns: a file, a directory of files, or all that match a pattern
    /// such as `2024-*/*.parquet`; a table of a database, or objects of a store.
    ///
    /// # Errors
    /// If there is no such file, it is no table, its header cannot be used, or files are not of one table.
    pub fn open(path: &Path, overrides: &DialectOverrides) -> Result<Source> {
        if database::is_address(path) {
            return database::open(path);
        }
        let path = &scheme::local(path)?;
        let source = match FileList::of(path)? {
            Some(list) => gather::open(path, &list, overrides)?,
            None => probe::open(path, overrides)?,
        };
        #[cfg(feature = "s3")]
        if store::is_address(path) && source.format == Format::Parquet {
            return lake::of_objects(source);
        }
        Ok(source)
    }

    /// A table that is no file, of text columns of these names.
    ///
    /// # Errors
    /// If two columns have the same name, or one has none.
    #[cfg(feature = "postgres")]
    pub(crate) fn of_remote(path: &Path, columns: Vec<String>, remote: Arc<dyn Remote>) -> Result<Source> {
        probe::of_remote(path, columns, remote)
    }

    /// The same table, read and counted by somebody else.
    #[cfg(feature = "lake")]
    pub(crate) fn read_by(self, remote: Arc<dyn Remote>) -> Source {
        Source { remote: Some(remote), ..self }
    }

    /// Who reads the table, if it is no file.
    pub(crate) fn remote(&self) -> Option<&Arc<dyn Remote>> {
        self.remote.as_ref()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How the table is stored.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How the file is compressed as a whole.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// How delimited text is read; nothing for other formats.
    pub fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    /// Whether a text has something before its first row, such as the mark of its encoding.
    #[cfg(feature = "lake")]
    pub(crate) fn has_preamble(&self) -> bool {
        self.preamble_bytes > 0
    }

    /// The name of the encoding of a text file.
    pub fn encoding(&self) -> &'static str {
        self.encoding.name()
    }

    /// Says which encoding was found, where that is not UTF-8 and nobody said so.
    pub fn encoding_note(&self) -> Option<String> {
        if let Some(set) = &self.set {
            return set.members.iter().find_map(|member| member.source.encoding_note());
        }
        self.encoding_is_guessed.then(|| {
            let (file, name) = (self.path.display(), self.encoding.name());
            format!("{file} is read as {name} text; if it is not, say its encoding with --encoding NAME")
        })
    }

    /// What a column of JSON lines was written as; nothing of other formats.
    pub fn json_kind(&self, column: usize) -> Option<JsonKind> {
        self.kinds.get(column).map(|kind| kind.unwrap_or_default())
    }

    /// The names of the columns: distinct, and none empty.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The names and types of the columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// What the name of a file ends in that is stored as the table is.
    pub fn extension(&self) -> String {
        let end = match self.compression {
            Compression::None => "",
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
        };
        let file = self.set.as_ref().map_or(self.path.as_path(), |set| &set.members[0].source.path);
        match self.format {
            Format::Parquet => "parquet".to_owned(),
            Format::Arrow => "arrow".to_owned(),
            Format::Lines => format!("jsonl{end}"),
            Format::Csv => format!("{}{end}", if is_tabbed(file) { "tsv" } else { "csv" }),
        }
    }

    /// Size of the file, or of all files.
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// About how many rows there are: exact for Parquet, unknown for compressed text.
    pub fn expected_rows(&self) -> Option<u64> {
        self.expected_rows
    }

    /// The rows, in the order of the file, with only `columns`, in that order.
    ///
    /// Must be called in a Tokio runtime: the file is decoded on a thread of its own, a little ahead.
    ///
    /// # Errors
    /// If the file cannot be opened. Errors in its rows come with the batches.
    pub async fn scan(&self, columns: &[usize]) -> Result<Batches> {
        self.scan_coded(columns, &[]).await
    }

    /// The same, where text of the columns `coded` may come as places in lists of values, if the file has it like
    /// that.
    pub(crate) async fn scan_coded(&self, columns: &[usize], coded: &[usize]) -> Result<Batches> {
        if let Some(remote) = &self.remote {
            return remote.scan(columns);
        }
        Ok(read_ahead(self.rows(columns, coded)?))
    }

    /// The rows in order, decoded as they are asked for.
    fn rows(&self, columns: &[usize], coded: &[usize]) -> Result<PartRows> {
        if let Some(set) = &self.set {
            return SetRows::start(self, set, columns, coded);
        }
        match self.dialect {
            Some(dialect) => self.text_rows(dialect, columns),
            None if self.format == Format::Parquet => {
                let file = PagedFile::open(self, columns, coded)?;
                Ok(match ColumnRows::start(&file, rayon::current_num_threads())? {
                    Some(rows) => Box::new(rows),
                    None => Box::new(file.rows(None)?),
                })
            }
            // Where batches of lines end does not depend on who decodes them: so always by their pieces.
            None if self.format == Format::Lines => {
                let (source, columns) = (self.clone(), columns.to_vec());
                Ok(when_asked(move || {
                    let parts = source.parts(&columns, &[])?;
                    Ok(Box::new(Together::start(parts, rayon::current_num_threads())?) as PartRows)
                }))
            }
            None => Ok(Box::new(IpcFile::open(self, columns)?.rows(None)?)),
        }
    }

    /// The rows of a text file: of a large one decoded by all threads, which begins when the first is asked for.
    fn text_rows(&self, dialect: Dialect, columns: &[usize]) -> Result<PartRows> {
        let threads = rayon::current_num_threads();
        if threads < 2 || !self.is_large_plain_text() {
            return Ok(Box::new(TextRows::open(self, dialect, columns, BATCH_ROWS)?));
        }
        let (source, columns) = (self.clone(), columns.to_vec());
        Ok(when_asked(move || {
            let rows: PartRows = match TextPieces::cut(&source, dialect, &columns)? {
                pieces if pieces.is_cut() => Box::new(Together::start(Parted::Pieces(pieces), threads)?),
                _ => Box::new(TextRows::open(&source, dialect, &columns, BATCH_ROWS)?),
            };
            Ok(rows)
        }))
    }

    /// Bad input in this file.
    pub(crate) fn bad(&self, what: impl Into<String>) -> EngineError {
        EngineError::bad(what).in_file(&self.path)
    }
}

/// The columns that were asked for in the order of the file, each once; and for each that was asked for, its place among
/// them.
fn each_once(columns: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut roots = columns.to_vec();
    roots.sort_unstable();
    roots.dedup();
    let places = columns.iter().map(|column| roots.partition_point(|root| root < column)).collect();
    (roots, places)
}

/// Rows that are opened when the first is asked for.
fn when_asked(open: impl FnOnce() -> Result<PartRows> + Send + 'static) -> PartRows {
    Box::new(std::iter::once_with(open).flat_map(|rows| {
        let (rows, error) = rows.map_or_else(|error| (None, Some(Err(error))), |rows| (Some(rows), None));
        rows.into_iter().flatten().chain(error)
    }))
}

/// Bad input in a file.
fn bad(path: &Path, what: impl Into<String>) -> EngineError {
    EngineError::bad(what).in_file(path)
}

#[cfg(test)]
mod tests;
