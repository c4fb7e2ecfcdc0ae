//! Looks at a table where its rows are: at each part of it, at the table by one node for all, and at the bytes of its files.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, ListArray, RecordBatch, StringArray, UInt32Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt32Type, UInt64Type};
use datafusion::common::Result;
use datafusion::physical_plan::SendableRecordBatchStream;
use futures::StreamExt;
use serde::{Deserialize, Serialize};

use super::fault::as_fault;
use super::files::take_number;
use super::place::PartAddress;
use crate::plans_for;
use throng_engine::hash::sha256;
use throng_engine::nodes::{PartFindings, PartLooks, TableLook};
use throng_engine::profile::{PartObserver, look_at_table};
use throng_tables::address::Address;
use throng_tables::error::{self, EngineError};
use throng_tables::input::dialect::DialectOverrides;
use throng_tables::input::source::Source;
use throng_tables::input::totals::Totals;
use throng_tables::tables::Tables;

/// A table that a node opens as whoever asks did, and a look at it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableOrder {
    table: SeenTable,
    look: TableLook,
}

/// A table as it was opened where somebody asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenTable {
    /// Where all nodes find it.
    path: PathBuf,
    dialect: DialectOverrides,
    columns: Vec<String>,
}

impl SeenTable {
    /// The same table for nodes.
    ///
    /// # Errors
    /// If nobody knows where it is.
    pub(super) fn new(source: &Source) -> error::Result<SeenTable> {
        let path = source.path().to_owned();
        let path = match Address::from_path(path.as_path()) {
            Address::Object(_) => path,
            _ => std::path::absolute(&path).map_err(|cause| EngineError::Io {
                path,
                action: "cannot find",
                cause,
            })?,
        };
        let dialect = source.dialect().map(|dialect| DialectOverrides {
            delimiter: Some(char::from(dialect.delimiter)),
            quote: Some(char::from(dialect.quote)),
            header: Some(dialect.header),
            trim: Some(dialect.trim),
            encoding: Some(source.encoding().to_owned()),
            // Whoever asks left out none.
            totals: Some(Totals::Keep),
            ..DialectOverrides::default()
        });
        Ok(SeenTable { path, dialect: dialect.unwrap_or_default(), columns: source.columns().to_vec() })
    }

    pub(super) fn to_order(&self, look: &TableLook) -> TableOrder {
        TableOrder { table: self.clone(), look: look.clone() }
    }

    fn open(&self) -> error::Result<Source> {
        let source = plans_for(&Tables::default()).open(self.path.as_path(), &self.dialect)?;
        match source.columns() == self.columns {
            true => Ok(source),
            false => Err(source.bad("a node of the cluster sees other columns of it than the others")),
        }
    }
}

pub(super) fn findings_schema() -> SchemaRef {
    let numbers = DataType::List(Arc::new(Field::new_list_field(DataType::UInt64, true)));
    let part = Field::new("part", DataType::UInt32, false);
    Arc::new(Schema::new(vec![part, Field::new("numbers", numbers, false)]))
}

/// Looks at the rows of a part; tells nothing of one that has none.
pub(super) async fn look_at_part(
    mut input: SendableRecordBatchStream,
    place: &PartAddress,
    looks: &PartLooks,
    schema: SchemaRef,
) -> Result<Vec<Result<RecordBatch>>> {
    let mut part = None;
    let mut observer = PartObserver::start(looks, &input.schema());
    while let Some(batch) = input.next().await {
        let mut batch = batch.map_err(|error| place.unreadable(&error))?;
        take_number(&mut batch, &mut part)?;
        observer.add(&batch);
    }
    let Some(part) = part else { return Ok(Vec::new()) };
    let numbers = observer.tell().into_iter().map(Some);
    let numbers = ListArray::from_iter_primitive::<UInt64Type, _, _>([Some(numbers)]);
    let part: ArrayRef = Arc::new(UInt32Array::from(vec![part]));
    Ok(vec![RecordBatch::try_new(schema, vec![part, Arc::new(numbers)]).map_err(Into::into)])
}

/// What was found in the parts that a batch tells of.
pub(super) fn findings(batch: &RecordBatch) -> Vec<error::Result<PartFindings>> {
    let (parts, numbers) = (batch.column(0).as_primitive::<UInt32Type>(), batch.column(1).as_list::<i32>());
    let of_part = |(&part, numbers): (&u32, Option<ArrayRef>)| {
        let numbers = numbers.map(|numbers| numbers.as_primitive::<UInt64Type>().values().to_vec());
        Ok(PartFindings { part, numbers: numbers.unwrap_or_default() })
    };
    parts.values().iter().zip(numbers.iter()).map(of_part).collect()
}

pub(super) fn told_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("told", DataType::Utf8, false)]))
}

/// Looks at the table, for all nodes.
pub(super) async fn look_once(order: &TableOrder, schema: SchemaRef) -> Result<RecordBatch> {
    let table = order.table.clone();
    let source = on_waiting_thread(move || table.open()).await?;
    let told = look_at_table(&order.look, &source).await.map_err(as_fault)?;
    texts(schema, vec![told])
}

pub(super) fn hash_schema() -> SchemaRef {
    let field = |name: &str| Field::new(name, DataType::Utf8, false);
    Arc::new(Schema::new(vec![field("file"), field("sha256")]))
}

/// Hashes a file of the table.
pub(super) async fn hash_file(place: &PartAddress, schema: SchemaRef) -> Result<RecordBatch> {
    let path = place.file.clone();
    let name = path.to_string_lossy().into_owned();
    let hash = on_waiting_thread(move || {
        sha256(&path).map_err(|cause| EngineError::Io { path, action: "cannot read", cause })
    });
    texts(schema, vec![name, hash.await?])
}

async fn on_waiting_thread<T: Send + 'static>(
    work: impl FnOnce() -> error::Result<T> + Send + 'static,
) -> Result<T> {
    let ended = tokio::task::spawn_blocking(work).await;
    let ended = ended.unwrap_or_else(|_| Err(EngineError::Data("reading stopped unexpectedly".into())));
    ended.map_err(as_fault)
}

fn texts(schema: SchemaRef, texts: Vec<String>) -> Result<RecordBatch> {
    let columns = texts.into_iter().map(|text| Arc::new(StringArray::from(vec![text])) as ArrayRef);
    Ok(RecordBatch::try_new(schema, columns.collect())?)
}

/// The text in a column of batches, row by row.
pub(super) fn texts_of(batch: &RecordBatch, column: usize) -> Vec<String> {
    batch.column(column).as_string::<i32>().iter().flatten().map(str::to_owned).collect()
}
