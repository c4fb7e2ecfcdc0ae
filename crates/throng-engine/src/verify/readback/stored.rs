//! Files on the disk as a stranger sees them: by Arrow's readers of text, JSON and IPC, or Parquet's own.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::csv::reader::Format as TextFormat;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::ipc::reader::FileReader;
use encoding_rs::UTF_8;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::Encoding;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;

use super::parts::{Part, cut_groups, cut_records, cut_text};
use crate::error::{EngineError, Result};
use crate::input::encoding::Decoding;
use crate::input::format::{Compression, Format};
use crate::output::sink::{FileLayout, Written};

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
}

/// A table that was looked into: its columns, and the parts in which threads read it.
pub(super) struct Opened {
    pub(super) files: Vec<(PathBuf, Store)>,
    pub(super) schema: SchemaRef,
    /// The file of each part, and the part.
    pub(super) parts: Vec<(usize, Part)>,
    format: Format,
}

/// How the bytes of a file are read.
pub(super) enum Store {
    Text { format: TextFormat, compression: Compression, encoding: &'static encoding_rs::Encoding },
    Lines { compression: Compression, encoding: &'static encoding_rs::Encoding },
    Paged(ArrowReaderMetadata),
    Ipc,
}

impl<'a> Stored<'a> {
    /// A table that was just written, with the given columns.
    pub fn of(written: &'a Written, columns: &'a [String]) -> Stored<'a> {
        Stored {
            files: written.files(),
            layout: *written.layout(),
            columns,
            newlines: written.has_newlines(),
        }
    }

    /// Opens it anew, so that nothing is remembered from an earlier file.
    pub(super) fn open(&self) -> Result<Opened> {
        let format = self.layout.format;
        let (schema, files) = match format {
            Format::Csv => self.open_each(|path| self.open_text(path)),
            Format::Lines => self.open_each(|path| self.open_lines(path)),
            Format::Arrow => self.open_each(open_ipc),
            Format::Parquet => self.open_paged(),
        }?;
        let (mut stores, mut parts) = (Vec::with_capacity(files.len()), Vec::new());
        for (at, (path, (store, of_file))) in self.files.iter().zip(files).enumerate() {
            parts.extend(of_file.into_iter().map(|part| (at, part)));
            stores.push(((*path).to_owned(), store));
        }
        Ok(Opened { files: stores, schema, parts, format })
    }

    /// Opens all files, which must have the same columns.
    fn open_each(
        &self,
        open: impl Fn(&Path) -> Result<(SchemaRef, StoreParts)>,
    ) -> Result<(SchemaRef, Vec<StoreParts>)> {
        let mut columns: Option<SchemaRef> = None;
        let mut files = Vec::with_capacity(self.files.len());
        for path in &self.files {
            let (schema, file) = open(path)?;
            let known = columns.get_or_insert_with(|| Arc::clone(&schema));
            refuse_other(known, &schema)?;
            files.push(file);
        }
        Ok((columns.ok_or_else(|| failed(self.layout.format))?, files))
    }

    fn open_text(&self, path: &Path) -> Result<(SchemaRef, StoreParts)> {
        let FileLayout { compression, encoding, dialect, .. } = self.layout;
        // Where records end can be told from the line ends alone, or by all quotes.
        let parts = match compression == Compression::None && encoding == UTF_8 {
            true if self.newlines => cut_records(path, dialect),
            true => cut_text(path),
            false => Ok(vec![Part::Whole]),
        };
        let parts = parts.map_err(|cause| unreadable(path, cause))?;
        Ok((
            self.text_schema(path)?,
            (Store::Text { format: self.text_format(), compression, encoding }, parts),
        ))
    }

    fn open_lines(&self, path: &Path) -> Result<(SchemaRef, StoreParts)> {
        let FileLayout { compression, encoding, .. } = self.layout;
        let parts = match compression == Compression::None && encoding == UTF_8 {
            true => cut_text(path),
            false => Ok(vec![Part::Whole]),
        };
        let parts = parts.map_err(|cause| unreadable(path, cause))?;
        let text = File::open(path).and_then(|file| read_text(file, compression, encoding));
        let mut text = BufReader::new(text.map_err(|cause| unreadable(path, cause))?);
        let mut line = String::new();
        text.read_line(&mut line).map_err(|cause| unreadable(path, cause))?;
        // A table without rows has no line that could name the columns.
        let names: Vec<String> = match line.trim_start_matches('\u{feff}') {
            "" => self.columns.to_vec(),
            line => {
                let first: serde_json::Map<String, serde_json::Value> =
                    serde_json::from_str(line).map_err(|_| failed(Format::Lines))?;
                first.into_iter().map(|(key, _)| key).collect()
            }
        };
        Ok((text_columns(&names), (Store::Lines { compression, encoding }, parts)))
    }

    fn open_paged(&self) -> Result<(SchemaRef, Vec<StoreParts>)> {
        let mut plain = Vec::with_capacity(self.files.len());
        for path in &self.files {
            let file = File::open(path).map_err(|cause| unreadable(path, cause))?;
            let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new());
            plain.push(metadata.map_err(|_| failed(Format::Parquet))?);
        }
        for one in &plain[1..] {
            refuse_other(plain[0].schema(), one.schema())?;
        }
        let metadata = code(&plain).map_err(|_| failed(Format::Parquet))?;
        let schema = Arc::clone(metadata[0].schema());
        let file = |metadata: ArrowReaderMetadata| {
            let parts = cut_groups(metadata.metadata());
            (Store::Paged(metadata), parts)
        };
        Ok((schema, metadata.into_iter().map(file).collect()))
    }

    fn text_format(&self) -> TextFormat {
        let dialect = &self.layout.dialect;
        TextFormat::default()
            .with_header(dialect.header)
            .with_delimiter(dialect.delimiter)
            .with_quote(dialect.quote)
    }

    /// All columns of a text file are text: `007` and `7` are two values.
    fn text_schema(&self, path: &Path) -> Result<SchemaRef> {
        let start =
            File::open(path).and_then(|file| read_text(file, self.layout.compression, self.layout.encoding));
        let start = start.map_err(|cause| unreadable(path, cause))?;
        let (found, _) = self
            .text_format()
            .infer_schema(start, Some(0))
            .map_err(|_| EngineError::Unverified("its first row cannot be read back".into()))?;
        let names: Vec<String> = if self.layout.dialect.header {
            found.fields().iter().map(|field| field.name().clone()).collect()
        } else {
            self.columns.to_vec()
        };
        Ok(text_columns(&names))
    }
}

/// How a file is read, and in which parts.
type StoreParts = (Store, Vec<Part>);

fn text_columns(names: &[String]) -> SchemaRef {
    let fields = names.iter().map(|name| Field::new(name, DataType::Utf8, true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn open_ipc(path: &Path) -> Result<(SchemaRef, StoreParts)> {
    let file = File::open(path).map_err(|cause| unreadable(path, cause))?;
    let reader = FileReader::try_new(BufReader::new(file), None).map_err(|_| failed(Format::Arrow))?;
    let parts = (0..reader.num_batches()).map(Part::Group).collect();
    Ok((reader.schema(), (Store::Ipc, parts)))
}

/// Refuses a part whose columns are not those of the first.
fn refuse_other(one: &SchemaRef, other: &SchemaRef) -> Result<()> {
    match one.fields() == other.fields() {
        true => Ok(()),
        false => Err(EngineError::Unverified("its parts have different columns".into())),
    }
}

impl Opened {
    /// The names of its columns.
    pub(super) fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The places of named columns, all of which it must have.
    ///
    /// # Errors
    /// [`EngineError::BadInput`] if it lacks one.
    pub(super) fn places(&self, names: &[String]) -> Result<Vec<usize>> {
        super::refuse_missing(&self.columns(), names)?;
        let place = |name: &String| self.schema.index_of(name).expect("it was just found");
        Ok(names.iter().map(place).collect())
    }

    /// What a failed read says about the file. The reader's wording stays out: it may hold a cell.
    pub(super) fn failed(&self) -> EngineError {
        failed(self.format)
    }
}

fn failed(format: Format) -> EngineError {
    EngineError::Unverified(match format {
        Format::Csv => "it cannot be read back as text".into(),
        Format::Parquet => "it cannot be read back as Parquet".into(),
        Format::Arrow => "it cannot be read back as Arrow IPC".into(),
        Format::Lines => "it cannot be read back as JSON lines".into(),
    })
}

/// The columns of Parquet files. Text comes as places in lists of values, wherever all of it is stored like that,
/// so that nobody need look at each cell; else as views, which are read without copying.
fn code(files: &[ArrowReaderMetadata]) -> std::result::Result<Vec<ArrowReaderMetadata>, ParquetError> {
    let is_listed = |root: usize| {
        files.iter().all(|file| {
            let metadata = file.metadata();
            let leaves = metadata.file_metadata().schema_descr();
            let mut of_root =
                (0..leaves.num_columns()).filter(|&leaf| leaves.get_column_root_idx(leaf) == root);
            of_root.all(|leaf| metadata.row_groups().iter().all(|group| has_list(group.column(leaf))))
        })
    };
    let kind = |root: usize, field: &Field| match field.data_type() {
        DataType::Utf8 if is_listed(root) => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        other => other.clone(),
    };
    let fields = files[0].schema().fields().iter().enumerate();
    let fields = fields.map(|(root, field)| field.as_ref().clone().with_data_type(kind(root, field)));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<Field>>()));
    let coded = |file: &ArrowReaderMetadata| {
        let options = ArrowReaderOptions::new().with_schema(Arc::clone(&schema));
        ArrowReaderMetadata::try_new(Arc::clone(file.metadata()), options)
    };
    files.iter().map(coded).collect()
}

/// Whether every page of a chunk has places in the chunk's list of values.
fn has_list(chunk: &ColumnChunkMetaData) -> bool {
    let lists = [Encoding::RLE_DICTIONARY, Encoding::PLAIN_DICTIONARY];
    chunk.page_encoding_stats_mask().is_some_and(|mask| lists.iter().any(|&list| mask.is_only(list)))
}

/// The text of a file, as UTF-8.
pub(super) fn read_text(
    file: File,
    compression: Compression,
    encoding: &'static encoding_rs::Encoding,
) -> io::Result<Box<dyn Read + Send>> {
    let text = decompress(file, compression)?;
    Ok(if encoding == UTF_8 { text } else { Box::new(Decoding::new(text, encoding)) })
}

fn decompress(file: File, compression: Compression) -> io::Result<Box<dyn Read + Send>> {
    Ok(match compression {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(file)),
        Compression::Zstd => Box::new(zstd::Decoder::new(file)?),
    })
}

fn unreadable(path: &Path, cause: io::Error) -> EngineError {
    EngineError::Io { path: path.to_owned(), action: "cannot read", cause }
}
