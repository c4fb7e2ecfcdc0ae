//! A file on the disk as a stranger sees it: by Arrow's reader of text, or Parquet's own.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::csv::reader::Format as TextFormat;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
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

/// A table in a file, and how to read it.
#[derive(Clone, Debug)]
pub struct Stored<'a> {
    /// The file.
    pub path: &'a Path,
    /// How it is laid out.
    pub layout: FileLayout,
    /// The names of its columns if it has no header; of no meaning otherwise.
    pub columns: &'a [String],
    /// Whether cells may have line breaks; if none does, every line is a record.
    pub newlines: bool,
}

/// A table that was looked into: its columns, and the parts in which threads read it.
pub(super) struct Opened {
    pub(super) path: PathBuf,
    pub(super) schema: SchemaRef,
    pub(super) store: Store,
    pub(super) parts: Vec<Part>,
}

/// How the bytes of a table are read.
pub(super) enum Store {
    Text { format: TextFormat, compression: Compression, encoding: &'static encoding_rs::Encoding },
    Paged(ArrowReaderMetadata),
}

impl<'a> Stored<'a> {
    /// A table that was just written, with the given columns.
    pub fn of(written: &'a Written, columns: &'a [String]) -> Stored<'a> {
        Stored { path: written.path(), layout: *written.layout(), columns, newlines: written.has_newlines() }
    }

    /// Opens it anew, so that nothing is remembered from an earlier file.
    pub(super) fn open(&self) -> Result<Opened> {
        let path = self.path.to_owned();
        match self.layout.format {
            Format::Csv => {
                let compression = self.layout.compression;
                let (format, schema) = (self.text_format(), self.text_schema()?);
                // Where records end can be told from the line ends alone, or by all quotes.
                let encoding = self.layout.encoding;
                let parts = match compression == Compression::None && encoding == UTF_8 {
                    true if self.newlines => cut_records(self.path, self.layout.dialect),
                    true => cut_text(self.path),
                    false => Ok(vec![Part::Whole]),
                };
                let parts = parts.map_err(|cause| unreadable(self.path, cause))?;
                Ok(Opened { path, schema, store: Store::Text { format, compression, encoding }, parts })
            }
            Format::Parquet => {
                let file = File::open(self.path).map_err(|cause| unreadable(self.path, cause))?;
                let metadata = load(&file).map_err(|_| failed(Format::Parquet))?;
                let (schema, parts) = (Arc::clone(metadata.schema()), cut_groups(metadata.metadata()));
                Ok(Opened { path, schema, store: Store::Paged(metadata), parts })
            }
        }
    }

    fn text_format(&self) -> TextFormat {
        let dialect = &self.layout.dialect;
        TextFormat::default()
            .with_header(dialect.header)
            .with_delimiter(dialect.delimiter)
            .with_quote(dialect.quote)
    }

    /// All columns of a text file are text: `007` and `7` are two values.
    fn text_schema(&self) -> Result<SchemaRef> {
        let start = File::open(self.path)
            .and_then(|file| read_text(file, self.layout.compression, self.layout.encoding));
        let start = start.map_err(|cause| unreadable(self.path, cause))?;
        let (found, _) = self
            .text_format()
            .infer_schema(start, Some(0))
            .map_err(|_| EngineError::Unverified("its first row cannot be read back".into()))?;
        let names: Vec<&String> = if self.layout.dialect.header {
            found.fields().iter().map(|field| field.name()).collect()
        } else {
            self.columns.iter().collect()
        };
        let fields = names.into_iter().map(|name| Field::new(name, DataType::Utf8, true));
        Ok(Arc::new(Schema::new(fields.collect::<Vec<_>>())))
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
        failed(match self.store {
            Store::Text { .. } => Format::Csv,
            Store::Paged(_) => Format::Parquet,
        })
    }
}

fn failed(format: Format) -> EngineError {
    EngineError::Unverified(match format {
        Format::Csv => "it cannot be read back as text".into(),
        Format::Parquet => "it cannot be read back as Parquet".into(),
    })
}

/// The columns of a Parquet file. Text comes as places in lists of values, wherever the whole file has it like that,
/// so that nobody need look at each cell; else as views, which are read without copying.
fn load(file: &File) -> std::result::Result<ArrowReaderMetadata, ParquetError> {
    let plain = ArrowReaderMetadata::load(file, ArrowReaderOptions::new())?;
    let metadata = plain.metadata();
    let leaves = metadata.file_metadata().schema_descr();
    let is_listed = |root: usize| {
        let mut leaves = (0..leaves.num_columns()).filter(|&leaf| leaves.get_column_root_idx(leaf) == root);
        leaves.all(|leaf| metadata.row_groups().iter().all(|group| has_list(group.column(leaf))))
    };
    let kind = |root: usize, field: &Field| match field.data_type() {
        DataType::Utf8 if is_listed(root) => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        other => other.clone(),
    };
    let fields = plain.schema().fields().iter().enumerate();
    let fields = fields.map(|(root, field)| field.as_ref().clone().with_data_type(kind(root, field)));
    let options =
        ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields.collect::<Vec<Field>>())));
    ArrowReaderMetadata::try_new(Arc::clone(metadata), options)
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
