//! An input file: what it is, which columns it has, and its rows in order.

mod fault;
mod names;
mod probe;
mod trim;
mod unclosed;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::common::config::CsvOptions;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{CsvSource, FileScanConfigBuilder, FileSource, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::object_store;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionConfig;
use futures::StreamExt;
use futures::stream::{self, BoxStream};

use crate::error::{EngineError, Result};
use crate::input::dialect::{Dialect, DialectOverrides};
use crate::input::format::{Compression, Format};
use fault::Translator;
use unclosed::Unclosed;

/// Rows per batch: a batch of a dozen short columns stays in the cache.
const BATCH_ROWS: usize = 8192;

/// The rows of a source, in batches, in the order of the file.
pub type Batches = BoxStream<'static, Result<RecordBatch>>;

/// An input file that was looked into but not read.
///
/// The columns of a text file are all text: `007` stays `007`. An empty cell is null. A Parquet
/// file's columns have its own types. A file is read by name each time, so it must stay in place;
/// what changes between two scans is found by [`crate::prepare::dictionary::Dictionary::encode_array`].
#[derive(Clone, Debug)]
pub struct Source {
    path: PathBuf,
    format: Format,
    compression: Compression,
    dialect: Option<Dialect>,
    columns: Arc<[String]>,
    names_are_guessed: bool,
    schema: SchemaRef,
    file_bytes: u64,
    expected_rows: Option<u64>,
}

impl Source {
    /// Opens a file and finds out its format and columns.
    ///
    /// # Errors
    /// If there is no such file, it is no table, or its header cannot be used.
    pub fn open(path: &Path, overrides: &DialectOverrides) -> Result<Source> {
        probe::open(path, overrides)
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

    /// How text is read; nothing for Parquet.
    pub fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    /// The names of the columns: distinct, and none empty.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The names and types of the columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Size of the file.
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// About how many rows there are: exact for Parquet, unknown for compressed text.
    pub fn expected_rows(&self) -> Option<u64> {
        self.expected_rows
    }

    /// The rows, in the order of the file, with only `columns`, in that order.
    ///
    /// # Errors
    /// If the file cannot be opened. Errors in its rows come with the batches.
    pub async fn scan(&self, columns: &[usize]) -> Result<Batches> {
        let fault = Translator::of(self);
        let mut columns = columns.to_vec();
        let watch = Unclosed::watch(self, &mut columns);
        let batches = self.start_scan(&columns).map_err(|error| fault.translate(&error))?;
        let trim = self.dialect.filter(|dialect| dialect.trim);
        let batches = batches.map(move |batch| match (batch, trim) {
            (Ok(batch), Some(dialect)) => trim::trim(&batch, dialect.quote),
            (Ok(batch), None) => Ok(batch),
            (Err(error), _) => Err(fault.translate(&error)),
        });
        Ok(match watch {
            Some(watch) => watched(batches.boxed(), watch),
            None => batches.boxed(),
        })
    }

    /// What is wrong with this file, given the error of another reader.
    pub(crate) fn fault(&self, error: ArrowError) -> EngineError {
        Translator::of(self).translate(&error.into())
    }

    /// Bad input in this file.
    pub(crate) fn bad(&self, what: impl Into<String>) -> EngineError {
        EngineError::bad(what).in_file(&self.path)
    }

    /// One file, one partition: rows cannot change places.
    fn start_scan(&self, columns: &[usize]) -> datafusion::error::Result<SendableRecordBatchStream> {
        let mut file = PartitionedFile::new("", self.file_bytes);
        file.object_meta.location =
            object_store::path::Path::from_filesystem_path(&self.path).map_err(object_store::Error::from)?;
        let scan = FileScanConfigBuilder::new(ObjectStoreUrl::local_filesystem(), self.reader())
            .with_file(file)
            .with_file_compression_type(match self.compression {
                Compression::None => FileCompressionType::UNCOMPRESSED,
                Compression::Gzip => FileCompressionType::GZIP,
                Compression::Zstd => FileCompressionType::ZSTD,
            })
            .with_projection_indices(Some(columns.to_vec()))?
            .build();
        let config = SessionConfig::new().with_target_partitions(1).with_batch_size(BATCH_ROWS);
        let context = TaskContext::default().with_session_config(config);
        DataSourceExec::from_data_source(scan).execute(0, Arc::new(context))
    }

    fn reader(&self) -> Arc<dyn FileSource> {
        let Some(dialect) = self.dialect else {
            return Arc::new(ParquetSource::new(self.schema()));
        };
        let options = CsvOptions {
            has_header: Some(dialect.header),
            delimiter: dialect.delimiter,
            quote: dialect.quote,
            newlines_in_values: Some(true),
            ..CsvOptions::default()
        };
        Arc::new(CsvSource::new(self.schema()).with_csv_options(options))
    }
}

/// The batches, and after the last an error if a quote is still open.
fn watched(batches: Batches, watch: Unclosed) -> Batches {
    let next = async |(mut batches, mut watch): (Batches, Unclosed)| match batches.next().await {
        Some(Ok(batch)) => {
            let batch = watch.see(batch);
            Ok(Some((batch, (batches, watch))))
        }
        Some(Err(error)) => Err(error),
        None => watch.check().map(|()| None),
    };
    stream::try_unfold((batches, watch), next).boxed()
}

/// Bad input in a file.
fn bad(path: &Path, what: impl Into<String>) -> EngineError {
    EngineError::bad(what).in_file(path)
}

#[cfg(test)]
mod tests;
