//! An input table, as its source reads it, in the hands of DataFusion.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use datafusion::prelude::{DataFrame, SessionContext};
use futures::{StreamExt, TryStreamExt, stream};

use crate::error::{EngineError, Result};
use crate::input::source::Source;

/// Some columns of a source.
#[derive(Debug)]
struct Scan {
    source: Source,
    columns: Vec<usize>,
    schema: SchemaRef,
}

impl PartitionStream for Scan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (source, columns) = (self.source.clone(), self.columns.clone());
        let batches = stream::once(async move { source.scan(&columns).await })
            .try_flatten()
            .map(|batch| batch.map_err(|error| DataFusionError::External(Box::new(error))));
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), batches))
    }
}

/// The named columns of `source`, all of which it has.
pub(super) fn open(source: &Source, names: &[String]) -> Result<DataFrame> {
    let all = source.columns();
    let columns: Vec<usize> =
        names.iter().filter_map(|name| all.iter().position(|column| column == name)).collect();
    let schema = source.schema().project(&columns).map(Arc::new);
    let schema = schema.map_err(|error| EngineError::Data(error.to_string().into()))?;
    let scan = Scan { source: source.clone(), columns, schema: schema.clone() };
    StreamingTable::try_new(schema, vec![Arc::new(scan)])
        .and_then(|table| SessionContext::new().read_table(Arc::new(table)))
        .map_err(translate)
}

/// The source's own error, where it is behind the engine's. The engine's wording stays out: it may
/// hold a cell.
pub(super) fn translate(error: DataFusionError) -> EngineError {
    match error {
        DataFusionError::External(inner) => match inner.downcast::<EngineError>() {
            Ok(error) => *error,
            Err(_) => EngineError::Data("the classes cannot be counted".into()),
        },
        DataFusionError::Context(_, inner) => translate(*inner),
        DataFusionError::Shared(inner) => match Arc::try_unwrap(inner) {
            Ok(inner) => translate(inner),
            Err(_) => EngineError::Data("the table cannot be read".into()),
        },
        DataFusionError::ResourcesExhausted(_) => {
            EngineError::Data("out of memory while counting classes".into())
        }
        _ => EngineError::Data("the classes cannot be counted".into()),
    }
}
