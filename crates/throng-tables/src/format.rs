//! How tables are stored in files: a folder for each format, and a line of [`REGISTRY`].
//!
//! A folder has a `read`, which trusts nothing, a `write`, and a `reopen`, by which a written file is verified: that one
//! shares no code with the two others.

pub mod arrow;
pub mod csv;
pub mod json_lines;
mod memory;
pub mod parquet;
pub mod reopen;
pub mod xlsx;

use std::fmt;
use std::fs::File;
use std::path::Path;

use ::arrow::array::RecordBatch;
use ::arrow::datatypes::{DataType, SchemaRef};

use crate::error::{EngineError, Result};
use crate::input::dialect::DialectOverrides;
use crate::input::named::NamedFile;
use crate::input::source::{PartRows, Parted, Source, TextStart};
use crate::output::sink::FileLayout;
use json_lines::line::JsonKind;
use reopen::{ReopenedFile, Stored};

/// All formats, in the order in which messages name them. Text that nothing is known of is of the first.
pub static REGISTRY: [&dyn FileFormat; 5] =
    [&csv::Csv, &json_lines::JsonLines, &parquet::Parquet, &arrow::ArrowIpc, &xlsx::Xlsx];

/// A way to store a table in a file.
pub trait FileFormat: fmt::Debug + Send + Sync {
    /// The name people know it by.
    fn name(&self) -> &'static str;

    /// What names of its files end in, in small letters, the usual one first.
    fn extensions(&self) -> &'static [&'static str];

    /// Those that a file which is written may have.
    fn written_extensions(&self) -> &'static [&'static str];

    /// Whether it is text, which may be compressed as a whole and has an encoding.
    fn is_text(&self) -> bool {
        false
    }

    /// Whether the first bytes of a file, uncompressed, are its own.
    fn begins(&self, _start: &[u8]) -> bool {
        false
    }

    /// Whether text that begins with `sample` looks like it. Its name says nothing.
    fn resembles(&self, _sample: &[u8]) -> bool {
        false
    }

    /// Whether files of one table may have other columns each.
    fn has_own_columns(&self) -> bool {
        false
    }

    /// Whether a file says at once, and surely, how many rows it has; and its columns are found by their names.
    fn is_described(&self) -> bool {
        false
    }

    /// Looks into a file: its columns, and about how many rows it has.
    ///
    /// # Errors
    /// If it cannot be read, or is no such file.
    fn open(&self, file: &FileAt<'_>) -> Result<Source>;

    /// The rows in order, decoded as they are asked for, with only `columns`; text of the columns `coded` may come as
    /// places in lists of values.
    ///
    /// # Errors
    /// If the file cannot be opened again, or is not what it was.
    fn rows(&self, source: &Source, columns: &[usize], coded: &[usize]) -> Result<PartRows>;

    /// Whether several threads can read a file, each a part of it.
    ///
    /// # Errors
    /// If it cannot be read, or is not what it was.
    fn has_parts(&self, source: &Source) -> Result<bool>;

    /// The file in parts; what is asked for is as in [`rows`](FileFormat::rows).
    ///
    /// # Errors
    /// If it cannot be read, or is not what it was.
    fn parts(&self, source: &Source, columns: &[usize], coded: &[usize]) -> Result<Parted>;

    /// What is said of a file that cannot be read, when its first bytes and its last ones were looked at.
    fn damaged(&self, file: &NamedFile) -> EngineError;

    /// Starts to write a file.
    ///
    /// # Errors
    /// If it cannot hold such columns, or cannot be written.
    fn start(&self, new: NewFile<'_>) -> Result<Box<dyn Encoder>>;

    /// Opens files that were written, as a stranger does; what they are is known from `stored` alone.
    ///
    /// # Errors
    /// [`EngineError::Unverified`] if they cannot be read back.
    fn reopen(&self, stored: &Stored<'_>) -> Result<(SchemaRef, Vec<Box<dyn ReopenedFile>>)>;

    /// That a written file cannot be read back.
    fn not_read_back(&self) -> EngineError {
        EngineError::Unverified(format!("it cannot be read back as {}", self.name()).into())
    }

    /// What a written file holds of a column that is read back as `kind`, besides its cells.
    fn hidden_content(&self, _kind: &DataType) -> HiddenContent {
        HiddenContent::None
    }
}

/// What a file may hold of a column that no cell of it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenContent {
    /// Nothing.
    None,
    /// Entries of lists of values.
    Lists,
    /// Whatever arrays hold: entries of lists, bytes under nulls or beside lists.
    Arrays,
}

/// A file that is to be opened.
#[derive(Clone, Copy)]
pub struct FileAt<'a> {
    /// What the user calls it.
    pub path: &'a Path,
    /// Its size.
    pub bytes: u64,
    /// How it is said to be spelled.
    pub overrides: &'a DialectOverrides,
    /// The start of its text, if it is text.
    pub text: Option<&'a TextStart<'a>>,
    /// Where it can be opened.
    pub file: &'a NamedFile,
}

/// A file that is to be written.
#[derive(Debug)]
pub struct NewFile<'a> {
    /// The file, empty.
    pub file: File,
    /// Where it will be, for messages.
    pub target: &'a Path,
    /// Its columns, of plain types.
    pub schema: &'a SchemaRef,
    /// How it is laid out.
    pub layout: &'a FileLayout,
    /// What columns were in JSON; no more is known if there are fewer.
    pub kinds: &'a [JsonKind],
}

/// A file that is being written.
pub trait Encoder: Send {
    /// Appends rows, in order.
    ///
    /// # Errors
    /// If they cannot be encoded, or the machine fails.
    fn write(&mut self, batches: &[RecordBatch]) -> Result<()>;

    /// Ends the file.
    ///
    /// # Errors
    /// If the machine fails.
    fn finish(self: Box<Self>) -> Result<EncodedFile>;
}

/// What is known of a file when it has ended.
#[derive(Debug, Default)]
pub struct EncodedFile {
    /// Whether a cell has a line break.
    pub newlines: bool,
    /// Cells of each column that a spreadsheet would run; none of formats that none runs.
    pub formulas: Vec<u64>,
}

/// A format of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Format(&'static dyn FileFormat);

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl std::ops::Deref for Format {
    type Target = dyn FileFormat;

    fn deref(&self) -> &(dyn FileFormat + 'static) {
        self.0
    }
}

impl Format {
    /// The handle of a format, which is in the registry.
    pub(crate) const fn new(format: &'static dyn FileFormat) -> Format {
        Format(format)
    }

    /// All formats.
    pub fn all() -> impl Iterator<Item = Format> {
        REGISTRY.into_iter().map(Format)
    }

    /// What a file's name says, in any case of letters; nothing for names that say nothing.
    pub fn from_name(path: &Path) -> Option<(Format, Compression)> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        let (stem, last) = name.rsplit_once('.')?;
        let compression = match last {
            "gz" => Compression::Gzip,
            "zst" => Compression::Zstd,
            _ => return Format::from_extension(last).map(|format| (format, Compression::None)),
        };
        let (_, inner) = stem.rsplit_once('.')?;
        // Parquet compresses its own pages; a compressed Parquet file cannot be read by ranges.
        let format = Format::from_extension(inner)?;
        format.is_text().then_some((format, compression))
    }

    /// What the first bytes of a (decompressed) file say: formats that are no text have magic numbers.
    pub fn from_magic(start: &[u8]) -> Option<Format> {
        Format::all().find(|format| format.begins(start))
    }

    fn from_extension(extension: &str) -> Option<Format> {
        Format::all().find(|format| format.extensions().contains(&extension))
    }

    /// The names of all formats: `a, b` and, before the last, a word.
    pub(crate) fn list(word: &str) -> String {
        let names: Vec<&str> = Format::all().map(|format| format.name()).collect();
        crate::wording::enumerate(&names, word)
    }

    /// What the name of a file must end in: `.csv or .jsonl (also with .gz or .zst after it), in .parquet`.
    pub(crate) fn endings() -> String {
        let of = |is_text: bool| -> String {
            let formats = Format::all().filter(|format| format.is_text() == is_text);
            let ends: Vec<String> =
                formats.flat_map(|format| format.written_extensions()).map(|end| format!(".{end}")).collect();
            let ends: Vec<&str> = ends.iter().map(String::as_str).collect();
            crate::wording::enumerate(&ends, "or")
        };
        format!("{} (also followed by .gz or .zst), in {}", of(true), of(false))
    }
}

/// How the bytes of a text file are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip (`.gz`).
    Gzip,
    /// Zstandard (`.zst`).
    Zstd,
}

impl Compression {
    /// What the first bytes of a file say.
    pub fn from_magic(start: &[u8]) -> Compression {
        if start.starts_with(&[0x1f, 0x8b]) {
            Compression::Gzip
        } else if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            Compression::Zstd
        } else {
            Compression::None
        }
    }

    /// The name people know it by.
    pub fn name(self) -> &'static str {
        match self {
            Compression::None => "no compression",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Option<(Format, Compression)> {
        Format::from_name(Path::new(name))
    }

    #[test]
    fn names_decide_format_and_compression() {
        assert_eq!(named("a.csv"), Some((Format::CSV, Compression::None)));
        assert_eq!(named("dir.x/A.TSV"), Some((Format::CSV, Compression::None)));
        assert_eq!(named("adult.data"), Some((Format::CSV, Compression::None)));
        assert_eq!(named("a.b.txt.gz"), Some((Format::CSV, Compression::Gzip)));
        assert_eq!(named("a.csv.zst"), Some((Format::CSV, Compression::Zstd)));
        assert_eq!(named("a.parquet"), Some((Format::PARQUET, Compression::None)));
        assert_eq!(named("a.pq"), Some((Format::PARQUET, Compression::None)));
        assert_eq!(named("a.arrow"), Some((Format::ARROW, Compression::None)));
        assert_eq!(named("a.feather"), Some((Format::ARROW, Compression::None)));
        assert_eq!(named("a.jsonl"), Some((Format::JSON_LINES, Compression::None)));
        assert_eq!(named("a.XLSX"), Some((Format::XLSX, Compression::None)));
        assert_eq!(named("a.ndjson.zst"), Some((Format::JSON_LINES, Compression::Zstd)));
    }

    #[test]
    fn names_that_say_nothing() {
        for name in ["a", "a.xls", "a.gz", "a.parquet.gz", "a.arrow.gz", "a.json", "csv", ""] {
            assert_eq!(named(name), None, "{name}");
        }
    }

    #[test]
    fn magic_numbers() {
        assert_eq!(Compression::from_magic(&[0x1f, 0x8b, 8]), Compression::Gzip);
        assert_eq!(Compression::from_magic(&[0x28, 0xb5, 0x2f, 0xfd]), Compression::Zstd);
        assert_eq!(Compression::from_magic(b"\x1f"), Compression::None);
        assert_eq!(Format::from_magic(b"PAR1...."), Some(Format::PARQUET));
        assert_eq!(Format::from_magic(b"PAR"), None);
        assert_eq!(Format::from_magic(b"ARROW1\0\0"), Some(Format::ARROW));
        assert_eq!(Format::from_magic(&[0xff, 0xff, 0xff, 0xff, 8]), Some(Format::ARROW));
    }
}
