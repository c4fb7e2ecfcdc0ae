//! Tables of this process: batches of Arrow that somebody has, and releases that somebody gets. No file is touched.
//!
//! To the rest they are a table as any other: rows are read in parts by all threads, and a release is read back before
//! anybody can take it.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

/// A table in memory: one that is read, or the place of one that will be written. It is itself, whatever its name: another
/// of the same name or with the same rows is another table.
///
/// ```
/// use std::sync::Arc;
/// use arrow::array::{ArrayRef, Int64Array, RecordBatch};
/// use throng_tables::{address::Address, input::source::Source, memory::MemoryTable};
///
/// let ages: ArrayRef = Arc::new(Int64Array::from(vec![31, 47]));
/// let batch = RecordBatch::try_from_iter([("age", ages)])?;
/// let people = MemoryTable::from_batches("people", batch.schema(), vec![batch]);
/// let source = Source::open(Address::from(people), &Default::default())?;
/// assert_eq!((source.columns(), source.expected_rows()), (&["age".to_owned()][..], Some(2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct MemoryTable(Arc<Named>);

struct Named {
    /// By which messages name it.
    name: PathBuf,
    rows: RwLock<Option<Batched>>,
}

/// The rows of a table in memory.
#[derive(Clone, Debug)]
pub struct Batched {
    /// The columns.
    pub schema: SchemaRef,
    /// The rows, in order.
    pub batches: Arc<[RecordBatch]>,
}

impl MemoryTable {
    /// A table of these rows. All batches have the columns of `schema`.
    pub fn from_batches(
        name: impl Into<PathBuf>,
        schema: SchemaRef,
        batches: Vec<RecordBatch>,
    ) -> MemoryTable {
        MemoryTable::new(name.into(), Some(Batched { schema, batches: batches.into() }))
    }

    /// The place of a table that will be written.
    pub fn unwritten(name: impl Into<PathBuf>) -> MemoryTable {
        MemoryTable::new(name.into(), None)
    }

    fn new(name: PathBuf, rows: Option<Batched>) -> MemoryTable {
        MemoryTable(Arc::new(Named { name, rows: RwLock::new(rows) }))
    }

    /// By which messages name it.
    pub fn name(&self) -> &Path {
        &self.0.name
    }

    /// Its rows; none if it was not written yet.
    pub fn rows(&self) -> Option<Batched> {
        self.0.rows.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts rows in its place, in one step.
    pub(crate) fn publish(&self, rows: Batched) {
        *self.0.rows.write().unwrap_or_else(PoisonError::into_inner) = Some(rows);
    }
}

impl Batched {
    /// How many rows there are.
    pub fn count(&self) -> u64 {
        self.batches.iter().map(|batch| batch.num_rows() as u64).sum()
    }
}

impl fmt::Debug for MemoryTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MemoryTable").field(&self.0.name).finish()
    }
}

impl PartialEq for MemoryTable {
    fn eq(&self, other: &MemoryTable) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for MemoryTable {}

impl Hash for MemoryTable {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

#[cfg(test)]
mod tests;
