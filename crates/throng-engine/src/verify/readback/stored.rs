//! A file on the disk as DataFusion's own readers see it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::csv::reader::Format as TextFormat;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::error::DataFusionError;
use datafusion::prelude::{DataFrame, SessionContext};

use crate::error::{EngineError, Result};
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
    /// Whether cells may have line breaks; if none does, the file is read by all threads.
    pub newlines: bool,
}

impl<'a> Stored<'a> {
    /// A table that was just written, with the given columns.
    pub fn of(written: &'a Written, columns: &'a [String]) -> Stored<'a> {
        Stored { path: written.path(), layout: *written.layout(), columns, newlines: written.has_newlines() }
    }

    /// Opens it in a session of its own, so that nothing is remembered from an earlier file.
    pub(super) async fn open(&self) -> Result<DataFrame> {
        let url = file_url(self.path)?;
        let url = ListingTableUrl::parse(url).map_err(|error| self.failed(&error))?;
        let context = SessionContext::new();
        let options = ListingOptions::new(self.format()).with_file_extension("");
        let schema = match self.layout.format {
            Format::Csv => self.text_schema()?,
            Format::Parquet => {
                options.infer_schema(&context.state(), &url).await.map_err(|error| self.failed(&error))?
            }
        };
        let config = ListingTableConfig::new(url).with_listing_options(options).with_schema(schema);
        ListingTable::try_new(config)
            .and_then(|table| context.read_table(Arc::new(table)))
            .map_err(|error| self.failed(&error))
    }

    /// What the error of a read says about the file. The engine's wording stays out: it may hold a
    /// cell.
    pub(super) fn failed(&self, error: &DataFusionError) -> EngineError {
        match error.find_root() {
            DataFusionError::ResourcesExhausted(_) => {
                EngineError::Data("out of memory while reading the file back".into())
            }
            DataFusionError::Internal(_) | DataFusionError::Plan(_) | DataFusionError::NotImplemented(_) => {
                EngineError::Data("its classes cannot be counted".into())
            }
            _ => EngineError::Unverified(match self.layout.format {
                Format::Csv => "it cannot be read back as text".into(),
                Format::Parquet => "it cannot be read back as Parquet".into(),
            }),
        }
    }

    fn format(&self) -> Arc<dyn FileFormat> {
        let dialect = &self.layout.dialect;
        match self.layout.format {
            Format::Parquet => Arc::new(ParquetFormat::default()),
            Format::Csv => Arc::new(
                CsvFormat::default()
                    .with_has_header(dialect.header)
                    .with_delimiter(dialect.delimiter)
                    .with_quote(dialect.quote)
                    .with_newlines_in_values(self.newlines)
                    .with_file_compression_type(match self.layout.compression {
                        Compression::None => FileCompressionType::UNCOMPRESSED,
                        Compression::Gzip => FileCompressionType::GZIP,
                        Compression::Zstd => FileCompressionType::ZSTD,
                    }),
            ),
        }
    }

    /// All columns of a text file are text: `007` and `7` are two values.
    fn text_schema(&self) -> Result<SchemaRef> {
        let dialect = &self.layout.dialect;
        let format = TextFormat::default()
            .with_header(dialect.header)
            .with_delimiter(dialect.delimiter)
            .with_quote(dialect.quote);
        let start = self.decompressed().map_err(|cause| unreadable(self.path, cause))?;
        let (found, _) = format
            .infer_schema(start, Some(0))
            .map_err(|_| EngineError::Unverified("its first row cannot be read back".into()))?;
        let names: Vec<&String> = if dialect.header {
            found.fields().iter().map(|field| field.name()).collect()
        } else {
            self.columns.iter().collect()
        };
        let fields = names.into_iter().map(|name| Field::new(name, DataType::Utf8, true));
        Ok(Arc::new(Schema::new(fields.collect::<Vec<_>>())))
    }

    fn decompressed(&self) -> io::Result<Box<dyn Read>> {
        let file = File::open(self.path)?;
        Ok(match self.layout.compression {
            Compression::None => Box::new(file),
            Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(file)),
            Compression::Zstd => Box::new(zstd::Decoder::new(file)?),
        })
    }
}

/// The names of a table's columns.
pub(super) fn columns(frame: &DataFrame) -> Vec<String> {
    frame.schema().fields().iter().map(|field| field.name().clone()).collect()
}

fn unreadable(path: &Path, cause: io::Error) -> EngineError {
    EngineError::Io { path: path.to_owned(), action: "cannot read", cause }
}

/// A path as a URL, every unusual byte escaped: a bare path would be taken for a pattern where it
/// has brackets or stars.
fn file_url(path: &Path) -> Result<String> {
    let path = fs::canonicalize(path).map_err(|cause| unreadable(path, cause))?;
    let Some(text) = path.to_str() else {
        return Err(EngineError::bad("the path is not UTF-8").in_file(path));
    };
    let mut url = String::from("file://");
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => url.push(char::from(byte)),
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusual_paths_are_escaped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("50% [a] *.csv");
        fs::write(&path, "").unwrap();
        assert!(file_url(&path).unwrap().ends_with("/50%25%20%5Ba%5D%20%2A.csv"));
        assert!(matches!(file_url(&dir.path().join("none")), Err(EngineError::Io { .. })));
    }
}
