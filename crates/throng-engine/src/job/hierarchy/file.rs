//! A hierarchy that stands in a file, or in a table of this process.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use throng::taxonomy::Taxonomy;

use crate::batches::MemoryTable;
use crate::dictionary::as_text;
use crate::error::{EngineError, Result};
use crate::wording::Message;

/// A file with one line per value: `leaf;level1;…;top`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HierarchyFile {
    /// Where it is.
    pub path: PathBuf,
    /// What stands between its labels; recognised if nothing is said.
    pub separator: Option<char>,
    /// The rows, if they are in memory: the path is no more than their name then. No job file says it.
    pub in_memory: Option<MemoryTable>,
}

impl Deref for HierarchyFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl<P: Into<PathBuf>> From<P> for HierarchyFile {
    fn from(path: P) -> HierarchyFile {
        HierarchyFile { path: path.into(), separator: None, in_memory: None }
    }
}

impl HierarchyFile {
    /// A table with one row per value: the value, and its label on each level.
    pub fn of_memory(table: MemoryTable) -> HierarchyFile {
        HierarchyFile { path: table.name().to_owned(), separator: None, in_memory: Some(table) }
    }

    /// Reads the rows of a table.
    ///
    /// # Errors
    /// If a cell is missing or has no text, or the rows are no hierarchy.
    pub(super) fn read_rows(&self, table: &MemoryTable) -> Result<Taxonomy> {
        let bad = |problem: Message| EngineError::bad(problem).in_file(&self.path);
        let Some(rows) = table.rows() else {
            return Err(bad("nothing has been written there yet".into()));
        };
        let mut lines: Vec<Vec<String>> = Vec::new();
        for batch in rows.batches.iter() {
            let columns = batch.columns().iter().zip(rows.schema.fields());
            let columns = columns.map(|(cells, field)| {
                let text = as_text(cells).and_then(|text| cast(&text, &DataType::Utf8).ok());
                let text = text.filter(|text| text.null_count() == 0);
                text.ok_or_else(|| {
                    let problem =
                        ("a cell is missing or is not text", "every row must have a label on every level");
                    bad(problem.into()).in_column(field.name())
                })
            });
            let columns: Vec<ArrayRef> = columns.collect::<Result<_>>()?;
            let cell = |column: &ArrayRef, row: usize| column.as_string::<i32>().value(row).to_owned();
            let rows = 0..batch.num_rows();
            lines.extend(rows.map(|row| columns.iter().map(|column| cell(column, row)).collect::<Vec<_>>()));
        }
        Taxonomy::from_rows(&lines).map_err(|error| EngineError::from(error).in_file(&self.path))
    }
}
