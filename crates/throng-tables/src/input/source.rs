//! An input file: what it is, which columns it has, and its rows in order.

pub(crate) mod fault;
mod gather;
mod names;
mod parted;
pub(crate) mod probe;
mod sample;
mod set;
mod spelled;
mod spread;
mod tail;
mod together;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use encoding_rs::Encoding;

use crate::address::Address;
use crate::backend::{Remote, database};
use crate::error::{EngineError, Result};
pub use crate::format::csv::cut::{Cutter, Piece};
pub use crate::format::json_lines::has_no_lines;
use crate::format::json_lines::line::JsonKind;
use crate::format::xlsx::Sheet;
use crate::format::{Compression, Format};
use crate::input::dialect::{Dialect, DialectOverrides};
use crate::input::files::FileList;
use crate::input::pieces::KnownPieces;
use crate::input::scheme;
use crate::input::shared_bytes::{SharedBytes, SharedFile};
use crate::memory::Batched;
use crate::output::sink::is_tabbed;
use crate::tables::Tables;
pub use crate::threads::{pass_on, read_ahead};
use crate::wording::Message;
pub use fault::{CELL_NOT_UTF_8, Translator};
pub use parted::{PartRows, PartStream, Parted};
pub use sample::TextStart;
pub use set::TableFile;
pub use set::rows_within;
use set::{FileSet, SetRows};
pub(crate) use spelled::{CutBatches, spelled_bytes};
pub(crate) use together::Together;

/// Rows per batch: a batch of a dozen short columns stays in the cache.
pub const BATCH_ROWS: usize = 8192;

/// Who reads Parquet where it is in an object store, if it was [added](Tables::with); else it is fetched.
#[derive(Clone, Copy, Debug)]
pub struct ObjectReader(pub fn(Source) -> Result<Source>);

pub use crate::backend::Batches;

/// An input table that was looked into but not read: a file, or many that are one table.
///
/// The columns of a text file are all text: `007` stays `007`. An empty cell is null. Columns of
/// Parquet and Arrow files have their own types. A file is read by name each time, so it must stay in place;
/// what changes between two scans is found by [`crate::dictionary::Dictionary::encode_array`].
#[derive(Clone, Debug)]
pub struct Source {
    /// What it was opened with, and what is held of it.
    pub(crate) tables: Tables,
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    pub(crate) compression: Compression,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) columns: Arc<[String]>,
    pub(crate) names_are_guessed: bool,
    /// Whether nothing tells if the first row names the columns.
    pub(crate) header_in_doubt: bool,
    /// Bytes of a text file before its first row, once it is decoded.
    pub(crate) preamble_bytes: usize,
    /// Where a plain text file ends for us, if rows at its end are left out: blank ones, and totals.
    pub(crate) text_end: Option<u64>,
    /// Whether totals at the end of text were to be left out, and nothing was.
    pub(crate) has_no_totals: bool,
    /// Whether the text begins with a byte order mark, though it is UTF-8.
    pub(crate) has_mark: bool,
    pub(crate) encoding: &'static Encoding,
    /// Whether nobody but the bytes say so.
    pub(crate) encoding_is_guessed: bool,
    pub(crate) schema: SchemaRef,
    pub(crate) file_bytes: u64,
    pub(crate) expected_rows: Option<u64>,
    /// Who reads the table, if it is no file.
    pub(crate) remote: Option<Arc<dyn Remote>>,
    /// The rows, if they are in memory.
    pub(crate) memory: Option<Batched>,
    /// What the columns of JSON lines are; none of other formats.
    pub(crate) kinds: Arc<[Option<JsonKind>]>,
    /// Where the table of a workbook is.
    pub(crate) sheet: Option<Arc<Sheet>>,
    /// The files, if they are many.
    pub(crate) set: Option<Arc<FileSet>>,
    /// Where large text was cut into pieces, once that is known.
    pub(crate) pieces: KnownPieces,
    /// Who gets the bytes of text that is decoded, and which of the files this is.
    pub(crate) shared: Option<(Arc<SharedBytes>, usize)>,
}

impl Source {
    /// Opens a table and finds out its format and columns: a file, a directory of files, or all that match a pattern
    /// such as `2024-*/*.parquet`; a table of a database or in memory, or objects of a store.
    ///
    /// Whoever opens several tables, or one twice, has [`Tables`] open them.
    ///
    /// # Errors
    /// If there is no such file, it is not a table, its header cannot be used, or files are not of one table.
    pub fn open(address: impl Into<Address>, overrides: &DialectOverrides) -> Result<Source> {
        Tables::default().open(address, overrides)
    }

    /// What it was opened with: tables that are opened with it, too, see the same.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Opens the file, to decode it from a place on.
    pub(crate) fn open_at(&self, start: u64) -> io::Result<SharedFile> {
        SharedFile::from(self.tables.open_file(&self.path)?, start, self.shared.clone())
    }

    /// The same table, of which the first scan of all rows passes on the bytes of its files; nothing if it is no text,
    /// of which all bytes are decoded.
    ///
    /// # Errors
    /// If a file is not there any more.
    pub fn sharing_bytes(&self) -> io::Result<Option<(Source, Arc<SharedBytes>)>> {
        if self.remote.is_some() || !self.format.is_text() {
            return Ok(None);
        }
        let mut files = Vec::new();
        for source in self.members() {
            let (file, bytes) = (source.file()?, source.file_bytes);
            let start = if source.is_plain_text() { source.preamble_bytes as u64 } else { 0 };
            files.push((file, bytes, start..source.text_end.unwrap_or(bytes)));
        }
        let shared = Arc::new(SharedBytes::new(files));
        let set = self.set.as_ref().map(|set| Arc::new(set.sharing(&shared)));
        Ok(Some((Source { set, shared: Some((Arc::clone(&shared), 0)), ..self.clone() }, shared)))
    }

    /// A table that is no file, of text columns of these names.
    ///
    /// # Errors
    /// If two columns have the same name, or one has none.
    pub fn of_remote(path: &Path, columns: Vec<String>, remote: Arc<dyn Remote>) -> Result<Source> {
        probe::of_remote(path, columns, remote)
    }

    /// The same table, read and counted by somebody else.
    pub fn read_by(self, remote: Arc<dyn Remote>) -> Source {
        Source { remote: Some(remote), ..self }
    }

    /// The same table, whose rows are in memory.
    pub(crate) fn of_memory(self, rows: Batched) -> Source {
        Source { memory: Some(rows), ..self }
    }

    /// The rows, if they are in memory.
    pub(crate) fn memory(&self) -> Option<&Batched> {
        self.memory.as_ref()
    }

    /// Who reads the table, if it is no file.
    pub fn remote(&self) -> Option<&Arc<dyn Remote>> {
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
    pub fn has_preamble(&self) -> bool {
        self.preamble_bytes > 0
    }

    /// Whether rows at the end of a text file are left out, blank ones or totals.
    pub fn leaves_out_rows(&self) -> bool {
        self.text_end.is_some()
    }

    /// Whether a text file of UTF-8 begins with a byte order mark, by which Excel knows it.
    pub fn has_mark(&self) -> bool {
        self.has_mark
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
            format!("{file} is read as {name} text; if that is wrong, give the encoding with --encoding NAME")
        })
    }

    /// Says that `totals = "drop"` left nothing out of a text file.
    pub fn totals_note(&self) -> Option<String> {
        let has_none = match &self.set {
            Some(set) => set.members.iter().all(|member| member.source.has_no_totals),
            None => self.has_no_totals,
        };
        has_none.then(|| {
            "totals = \"drop\" has no effect: nothing at the end looks like totals, which are looked for in UTF-8 text that \
             is not compressed"
                .to_owned()
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
        let is_tabbed = self.format == Format::CSV && is_tabbed(file);
        format!("{}{end}", if is_tabbed { "tsv" } else { self.format.extensions()[0] })
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
    pub async fn scan_coded(&self, columns: &[usize], coded: &[usize]) -> Result<Batches> {
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
        self.format.rows(self, columns, coded)
    }

    /// Bad input in this file.
    pub fn bad(&self, what: impl Into<Message>) -> EngineError {
        EngineError::bad(what).in_file(&self.path)
    }
}

impl Tables {
    /// Opens a table, as [`Source::open`] does.
    ///
    /// # Errors
    /// As of [`Source::open`].
    pub fn open(&self, address: impl Into<Address>, overrides: &DialectOverrides) -> Result<Source> {
        let source = self.find(&address.into(), overrides)?;
        Ok(Source { tables: self.clone(), ..source })
    }

    fn find(&self, address: &Address, overrides: &DialectOverrides) -> Result<Source> {
        match address {
            Address::Memory(table) => return table.open(),
            Address::Postgres(path) => {
                let (columns, remote) = database()?.open(path, self)?;
                return Source::of_remote(path, columns, remote);
            }
            Address::Stdio(_) | Address::Files(_) | Address::Object(_) => {}
        }
        let path = &scheme::local(address)?;
        let source = match FileList::list(path)? {
            Some(list) => gather::open(path, &list, overrides, self)?,
            None => probe::open(path, overrides, self)?,
        };
        match self.added::<ObjectReader>() {
            Some(reader) if matches!(address, Address::Object(_)) && source.format == Format::PARQUET => {
                (reader.0)(source)
            }
            _ => Ok(source),
        }
    }
}

/// The columns that were asked for in the order of the file, each once; and for each that was asked for, its place among
/// them.
pub(crate) fn each_once(columns: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut roots = columns.to_vec();
    roots.sort_unstable();
    roots.dedup();
    let places = columns.iter().map(|column| roots.partition_point(|root| root < column)).collect();
    (roots, places)
}

/// Rows that are opened when the first is asked for.
pub(crate) fn when_asked(open: impl FnOnce() -> Result<PartRows> + Send + 'static) -> PartRows {
    Box::new(std::iter::once_with(open).flat_map(|rows| {
        let (rows, error) = rows.map_or_else(|error| (None, Some(Err(error))), |rows| (Some(rows), None));
        rows.into_iter().flatten().chain(error)
    }))
}

/// Bad input in a file.
pub(crate) fn bad(path: &Path, what: impl Into<Message>) -> EngineError {
    EngineError::bad(what).in_file(path)
}

#[cfg(test)]
mod tests;
