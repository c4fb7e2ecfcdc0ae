//! Tables as Arrow batches, from and for Python.

use std::ffi::CStr;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader, StringArray};
use arrow::datatypes::SchemaRef;
use arrow::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use throng_engine::batches::MemoryTable;
use throng_engine::error::EngineError;

use crate::error::raise;

/// What capsules of streams are called.
const STREAM: &CStr = c"arrow_array_stream";

/// A table of Arrow batches. Whatever speaks the PyCapsule interface takes it: `polars.DataFrame(table)`,
/// `pyarrow.table(table)`.
#[pyclass(frozen, module = "throng._throng")]
pub struct Table {
    pub table: MemoryTable,
}

impl Table {
    fn rows(&self, py: Python<'_>) -> PyResult<(SchemaRef, Arc<[RecordBatch]>)> {
        let rows = self
            .table
            .rows()
            .ok_or_else(|| raise(py, EngineError::bad("nothing has been written there yet")))?;
        Ok((rows.schema, rows.batches))
    }
}

#[pymethods]
impl Table {
    /// Takes all batches of something that has `__arrow_c_stream__`; no value is copied.
    #[new]
    fn new(py: Python<'_>, name: &str, data: &Bound<'_, PyAny>) -> PyResult<Table> {
        let capsule = data.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
        let reader = open(&capsule)?;
        let schema = reader.schema();
        // What Arrow says of a batch may hold a cell.
        let failed = |_| raise(py, EngineError::bad("its Arrow batches cannot be read").in_file(name));
        let batches: Vec<RecordBatch> = py.detach(|| reader.collect::<Result<_, _>>()).map_err(failed)?;
        Ok(Table { table: MemoryTable::from_batches(name, schema, batches) })
    }

    /// A table of text: every row has a cell for each column.
    #[staticmethod]
    fn of_rows(py: Python<'_>, name: &str, rows: Vec<Vec<String>>) -> PyResult<Table> {
        let width = rows.first().map_or(0, Vec::len);
        if rows.is_empty() || width == 0 || rows.iter().any(|row| row.len() != width) {
            let problem = "every row must have a label on every level, and there must be one at least";
            return Err(raise(py, EngineError::bad(problem).in_file(name)));
        }
        let column = |at: usize| -> ArrayRef {
            Arc::new(rows.iter().map(|row| Some(row[at].as_str())).collect::<StringArray>())
        };
        let columns = (0..width).map(|at| (format!("level {at}"), column(at)));
        let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
        Ok(Table { table: MemoryTable::from_batches(name, batch.schema(), vec![batch]) })
    }

    /// The place of a table that will be written.
    #[staticmethod]
    fn unwritten(name: &str) -> Table {
        Table { table: MemoryTable::unwritten(name) }
    }

    /// The number of rows.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.rows(py)?.1.iter().map(RecordBatch::num_rows).sum())
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.rows(py)?.0.fields().iter().map(|field| field.name().clone()).collect())
    }

    /// The batches as a stream of Arrow's C interface. The types are those of the table, whatever is asked for.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let (schema, batches) = self.rows(py)?;
        let batches: Vec<_> = batches.iter().cloned().map(Ok).collect();
        let reader: Box<dyn RecordBatchReader + Send> = Box::new(RecordBatchIterator::new(batches, schema));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
    }
}

/// Takes the stream out of a capsule.
#[expect(unsafe_code, reason = "the interface is one of C: the capsule's name says what its pointer is")]
fn open(capsule: &Bound<'_, PyCapsule>) -> PyResult<ArrowArrayStreamReader> {
    let stream = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a stream that was not taken yet, which is moved out: what stays is marked as
    // released, so that the capsule does not release it again.
    let reader = unsafe { ArrowArrayStreamReader::from_raw(stream.as_ptr()) };
    reader.map_err(|_| pyo3::exceptions::PyValueError::new_err("its Arrow stream cannot be opened"))
}
