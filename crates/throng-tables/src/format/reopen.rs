//! Files that were written, as a stranger sees them: opened by Arrow's readers of text, JSON and IPC, or Parquet's own.
//!
//! What is here and in the `reopen` of each format shares no code with what reads tables or writes them, but for the
//! cutter of text: a release is published only if this finds it to be what was meant.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::arrow::array::RecordBatch;
use ::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use ::arrow::error::ArrowError;
use encoding_rs::{Encoding, UTF_8};

use super::{Compression, Format};
use crate::error::{EngineError, Result};
use crate::input::encoding::Decoding;
use crate::input::formulas::Formulas;
use crate::memory::Batched;
use crate::output::sink::{FileLayout, Written};

/// Rows per batch.
pub(super) const BATCH_ROWS: usize = 8192;
/// About how much text is a part.
const PART_BYTES: u64 = 4 << 20;
/// Bytes of text that are read at once.
pub(super) const BUFFER_BYTES: usize = 256 << 10;

/// A table in a file, or in several one after the other, and how to read it.
#[derive(Clone, Debug)]
pub struct Stored<'a> {
    /// The files, at least one.
    pub files: Vec<&'a Path>,
    /// How they are laid out.
    pub layout: FileLayout,
    /// The names of the columns, where the files do not say them; of no meaning otherwise.
    pub columns: &'a [String],
    /// Whether cells may have line breaks; if none does, every line is a record.
    pub newlines: bool,
    /// The rows, if they are in memory and there is no file.
    pub memory: Option<Batched>,
}

/// The rows of a part. Nothing may be taken after an error.
pub type Rows = Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send>;

/// A written file that was opened anew.
pub trait ReopenedFile: Send + Sync {
    /// In how many parts threads can read it.
    fn parts(&self) -> usize;

    /// The rows of a part, with only the columns of `schema` at `places`, in that order.
    ///
    /// # Errors
    /// If the file cannot be opened again, or not be read.
    fn rows(
        &self,
        schema: &SchemaRef,
        part: usize,
        places: &[usize],
    ) -> std::result::Result<Rows, ArrowError>;
}

/// A table that was looked into: its columns, and the parts in which threads read it.
pub struct Reopened {
    files: Vec<Box<dyn ReopenedFile>>,
    schema: SchemaRef,
    /// The file of each part, and the part.
    parts: Vec<(usize, usize)>,
    format: Format,
}

impl<'a> Stored<'a> {
    /// A table that was just written, with the given columns.
    pub fn new(written: &'a Written, columns: &'a [String]) -> Stored<'a> {
        Stored {
            files: written.files(),
            layout: *written.layout(),
            columns,
            newlines: written.has_newlines(),
            memory: written.memory().cloned(),
        }
    }

    /// Opens it anew, so that nothing is remembered from an earlier file.
    ///
    /// # Errors
    /// [`EngineError::Unverified`] if it cannot be read back.
    pub fn open(&self) -> Result<Reopened> {
        let format = self.layout.format;
        let (schema, files) = format.reopen(self)?;
        let counts = files.iter().map(|file| file.parts()).enumerate();
        let parts = counts.flat_map(|(at, parts)| (0..parts).map(move |part| (at, part))).collect();
        Ok(Reopened { files, schema, parts, format })
    }

    /// Opens all files, which must have the same columns.
    ///
    /// # Errors
    /// As of `open`, or if they have not.
    pub(super) fn open_each<F: ReopenedFile + 'static>(
        &self,
        open: impl Fn(&Path) -> Result<(SchemaRef, F)>,
    ) -> Result<(SchemaRef, Vec<Box<dyn ReopenedFile>>)> {
        let mut columns: Option<SchemaRef> = None;
        let mut files: Vec<Box<dyn ReopenedFile>> = Vec::with_capacity(self.files.len());
        for path in &self.files {
            let (schema, file) = open(path)?;
            let known = columns.get_or_insert_with(|| Arc::clone(&schema));
            refuse_other(known, &schema)?;
            files.push(Box::new(file));
        }
        Ok((columns.ok_or_else(|| self.layout.format.not_read_back())?, files))
    }

    /// Whether apostrophes stand before formulas.
    pub(super) fn is_marked(&self) -> bool {
        self.layout.formulas == Formulas::Quote
    }
}

/// Columns of text.
pub(super) fn text_columns(names: &[String]) -> SchemaRef {
    let fields = names.iter().map(|name| Field::new(name, DataType::Utf8, true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Refuses a part whose columns are not those of the first.
pub(super) fn refuse_other(one: &SchemaRef, other: &SchemaRef) -> Result<()> {
    match one.fields() == other.fields() {
        true => Ok(()),
        false => Err(EngineError::Unverified("its parts have different columns".into())),
    }
}

impl Reopened {
    /// Its columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The names of its columns.
    pub fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The format of its files.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How many parts it has.
    pub fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// The rows of a part, with only the columns at `places`, in that order.
    ///
    /// # Errors
    /// If the file cannot be opened again, or not be read.
    pub fn rows(&self, part: usize, places: &[usize]) -> std::result::Result<Rows, ArrowError> {
        let (file, part) = self.parts[part];
        self.files[file].rows(&self.schema, part, places)
    }

    /// What a failed read says about the file. The reader's wording stays out: it may hold a cell.
    pub fn failed(&self) -> EngineError {
        self.format.not_read_back()
    }
}

/// A text file, and how its bytes are read.
pub(super) struct TextFile {
    pub(super) path: PathBuf,
    pub(super) compression: Compression,
    pub(super) encoding: &'static Encoding,
    /// The bytes of each part; none if all of it is one.
    pub(super) parts: Option<Vec<(u64, u64)>>,
}

impl TextFile {
    /// A file in parts of whole lines, which are whole records if no cell has a line break; `cut` says where else.
    pub(super) fn open(
        path: &Path,
        layout: &FileLayout,
        cut: impl FnOnce(&Path) -> io::Result<Option<Vec<(u64, u64)>>>,
    ) -> Result<TextFile> {
        let FileLayout { compression, encoding, .. } = *layout;
        let is_plain = compression == Compression::None && encoding == UTF_8;
        let parts = if is_plain { cut(path) } else { Ok(None) };
        let parts = parts.map_err(|cause| unreadable(path, cause))?;
        Ok(TextFile { path: path.to_owned(), compression, encoding, parts })
    }

    pub(super) fn part_count(&self) -> usize {
        self.parts.as_ref().map_or(1, Vec::len)
    }

    /// All of its text, as UTF-8.
    pub(super) fn read_all(&self) -> io::Result<Box<dyn Read + Send>> {
        let text = decompress(File::open(&self.path)?, self.compression)?;
        Ok(if self.encoding == UTF_8 { text } else { Box::new(Decoding::new(text, self.encoding)) })
    }

    /// The text of a part, and whether it is the start of the file.
    pub(super) fn read_part(&self, part: usize) -> io::Result<(Box<dyn Read + Send>, bool)> {
        let Some(parts) = &self.parts else { return Ok((self.read_all()?, true)) };
        let (start, end) = parts[part];
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(start))?;
        let lines = file.take(end - start);
        Ok(match start {
            0 => (Box::new(lines), true),
            // A line end first: a byte order mark at the very start would be taken for none of the text.
            _ => (Box::new((&b"\n"[..]).chain(lines)), false),
        })
    }
}

/// Cuts text after line ends; no cell may have one.
pub(super) fn cut_lines(path: &Path) -> io::Result<Option<Vec<(u64, u64)>>> {
    cut_every(path, PART_BYTES).map(Some)
}

fn cut_every(path: &Path, part_bytes: u64) -> io::Result<Vec<(u64, u64)>> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut parts = Vec::new();
    let mut start = 0;
    while start < bytes {
        let about = start + part_bytes;
        let end = if about < bytes { about + line_rest(&mut file, about)? } else { bytes };
        parts.push((start, end));
        start = end;
    }
    Ok(parts)
}

/// How many bytes of a line there are from a place on, with its end.
fn line_rest(file: &mut File, start: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(start))?;
    Ok(BufReader::new(file).skip_until(b'\n')? as u64)
}

fn decompress(file: File, compression: Compression) -> io::Result<Box<dyn Read + Send>> {
    Ok(match compression {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(file)),
        Compression::Zstd => Box::new(zstd::Decoder::new(file)?),
    })
}

/// A file cannot be read.
pub(super) fn unreadable(path: &Path, cause: io::Error) -> EngineError {
    EngineError::Io { path: path.to_owned(), action: "cannot read", cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts of a text, wherever it is cut, are whole lines and together the text.
    #[test]
    fn text_is_cut_after_line_ends() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        for text in ["a,b\n1,2\n333,4\n\n5,6\n", "a\nlong line without end", "\n\n\n", "a", ""] {
            std::fs::write(&path, text).unwrap();
            for part_bytes in 1..=text.len() as u64 + 1 {
                let mut joined = String::new();
                for (start, end) in cut_every(&path, part_bytes).unwrap() {
                    assert_eq!(start as usize, joined.len());
                    let lines = &text[start as usize..end as usize];
                    assert!(lines.ends_with('\n') || end as usize == text.len(), "{lines:?}");
                    joined.push_str(lines);
                }
                assert_eq!(joined, text);
            }
        }
    }
}
