//! The files of a table, in parts that can be read side by side.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{DataType, Field, FieldRef, SchemaRef, UInt32Type};
use datafusion::common::config::CsvOptions;
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::object_store::ObjectStoreUrl;
use datafusion::datasource::physical_plan::{
    ArrowSource, CsvSource, FileGroup, FileScanConfigBuilder, FileSource, ParquetSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::physical_plan::ExecutionPlan;
use object_store::ObjectMeta;
use object_store::local::LocalFileSystem;
use object_store::path::Path as StorePath;

use throng_tables::error::EngineError;
use throng_tables::format::{Compression, Format};
use throng_tables::input::dialect::Dialect;
use throng_tables::input::source::BATCH_ROWS;

/// Bytes of a file in one part, about: few enough that two nodes have something to do, enough that a part is worth the
/// way to a node.
const PART_BYTES: u64 = 32 << 20;

/// The files of a table and how they are read.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    /// Where all of them are.
    pub(crate) store: ObjectStoreUrl,
    pub(crate) format: Format,
    pub(crate) compression: Compression,
    /// How text is delimited.
    pub(crate) dialect: Option<Dialect>,
    /// The columns in the files.
    pub(crate) schema: SchemaRef,
    /// Columns after these that the names of folders tell.
    pub(crate) keys: Vec<FieldRef>,
    /// In the order of the rows.
    pub(crate) files: Vec<OneFile>,
}

/// One of them.
#[derive(Clone, Debug)]
pub(crate) struct OneFile {
    /// Its place in the store.
    pub(crate) place: StorePath,
    /// What whoever asked calls it.
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    /// The values of the keys.
    pub(crate) keys: Vec<Option<String>>,
}

impl Files {
    /// A plan that reads `columns`, in that order, and after them the number of the part; its partitions are the parts, in
    /// the order of the rows. A node gets plans of some of the parts, so only the rows can tell which it has.
    pub(crate) fn scan_numbered(&self, columns: &[usize]) -> Result<Arc<dyn ExecutionPlan>> {
        let number = self.schema.fields().len() + self.keys.len();
        self.scan(&columns.iter().copied().chain([number]).collect::<Vec<_>>())
    }

    /// A plan that reads `columns`, in that order.
    pub(crate) fn scan(&self, columns: &[usize]) -> Result<Arc<dyn ExecutionPlan>> {
        let number = Arc::new(Field::new(self.free_name(), DataType::UInt32, false));
        let keys: Vec<FieldRef> = self.keys.iter().cloned().chain([number]).collect();
        let numbered = self.parts().into_iter().zip(0..).map(|(mut part, number)| {
            part.partition_values.push(ScalarValue::UInt32(Some(number)));
            FileGroup::new(vec![part])
        });
        self.scan_groups(columns, keys, numbered.collect())
    }

    /// A plan of which each partition is a file; whoever does something to it does not ask for its rows.
    pub(crate) fn list(&self) -> Result<Arc<dyn ExecutionPlan>> {
        let group = |file: &OneFile| FileGroup::new(vec![whole(file)]);
        self.scan_groups(&[0], self.keys.clone(), self.files.iter().map(group).collect())
    }

    fn scan_groups(
        &self,
        columns: &[usize],
        keys: Vec<FieldRef>,
        groups: Vec<FileGroup>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let table = TableSchema::builder(Arc::clone(&self.schema)).with_table_partition_cols(keys).build();
        let source: Arc<dyn FileSource> = match self.format {
            format if format == Format::PARQUET => Arc::new(ParquetSource::new(table)),
            format if format == Format::CSV => {
                Arc::new(CsvSource::new(table).with_csv_options(self.csv_options()))
            }
            format if format == Format::ARROW => Arc::new(ArrowSource::new_file_source(table)),
            other => return plan_err!("{} is not read by plans", other.name()),
        };
        let compression = match self.compression {
            Compression::None => FileCompressionType::UNCOMPRESSED,
            Compression::Gzip => FileCompressionType::GZIP,
            Compression::Zstd => FileCompressionType::ZSTD,
        };
        let config = FileScanConfigBuilder::new(self.store.clone(), source)
            .with_file_groups(groups)
            .with_file_compression_type(compression)
            .with_batch_size(Some(BATCH_ROWS))
            .with_projection_indices(Some(columns.to_vec()))?
            .build();
        Ok(DataSourceExec::from_data_source(config))
    }

    /// A name that no column has: plans find columns by their names.
    fn free_name(&self) -> String {
        let mut name = "throng-part".to_owned();
        while self.schema.fields().iter().chain(&self.keys).any(|field| *field.name() == name) {
            name.push('_');
        }
        name
    }

    /// An error of a node, which names a file as the user does.
    pub(crate) fn name_as_given(&self, error: EngineError) -> EngineError {
        let is_named = |file: &&OneFile| error.file() == Some(&*name_of(&self.store, &file.place));
        match self.files.iter().find(is_named) {
            Some(file) => error.in_file(&file.path),
            None => error,
        }
    }

    /// Bytes of all files.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    fn csv_options(&self) -> CsvOptions {
        let dialect = self.dialect.expect("text has a dialect");
        CsvOptions {
            has_header: Some(dialect.header),
            delimiter: dialect.delimiter,
            quote: dialect.quote,
            newlines_in_values: Some(true),
            ..CsvOptions::default()
        }
    }

    /// Whole files, or what of one belongs together: Parquet can be cut at bytes, because a row group belongs where
    /// its first one is. Nobody knows where a row of text begins who has not read all before it.
    fn parts(&self) -> Vec<PartitionedFile> {
        let cut = |file: &OneFile| -> Vec<PartitionedFile> {
            let parts =
                if self.format == Format::PARQUET { file.bytes.div_ceil(PART_BYTES).max(1) } else { 1 };
            let edge = |part: u64| (file.bytes as u128 * u128::from(part) / u128::from(parts)) as i64;
            let range = |part: u64| whole(file).with_range(edge(part), edge(part + 1));
            if parts == 1 { vec![whole(file)] } else { (0..parts).map(range).collect() }
        };
        self.files.iter().flat_map(cut).collect()
    }
}

fn whole(file: &OneFile) -> PartitionedFile {
    let keys = file.keys.iter().map(|key| ScalarValue::Utf8(key.clone())).collect();
    let object = ObjectMeta {
        location: file.place.clone(),
        last_modified: Default::default(),
        size: file.bytes,
        e_tag: None,
        version: None,
    };
    PartitionedFile::new_from_meta(object).with_partition_values(keys)
}

/// What everybody calls a file.
pub(super) fn name_of(store: &ObjectStoreUrl, place: &StorePath) -> PathBuf {
    let named = || format!("{}{place}", store.as_str()).into();
    match *store == ObjectStoreUrl::local_filesystem() {
        true => LocalFileSystem::new().path_to_filesystem(place).unwrap_or_else(|_| named()),
        false => named(),
    }
}

/// Takes the number of its part off a batch of [`Files::scan_numbered`], and puts it into `part`.
///
/// # Errors
/// If other batches of the partition are of another part.
pub(super) fn take_number(batch: &mut RecordBatch, part: &mut Option<u32>) -> Result<()> {
    let number = batch.remove_column(batch.num_columns() - 1);
    let number = number.as_primitive::<UInt32Type>().values().first().copied();
    match (*part, number) {
        (Some(one), Some(other)) if one != other => {
            exec_err!("rows of parts {one} and {other} came together")
        }
        _ => {
            *part = part.or(number);
            Ok(())
        }
    }
}
