//! Releases that go elsewhere than into a file.

use std::fs::File;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use crate::error::Result;

/// What a new table is to be.
#[derive(Clone, Debug)]
pub(crate) struct NewTable {
    /// Its columns.
    pub(crate) schema: SchemaRef,
    /// For each column the type that it has where its table is from, if its values are as they were there.
    pub(crate) types: Vec<Option<String>>,
    /// What the table says of itself.
    pub(crate) comment: String,
    /// Whether it takes the place of a table that is there.
    pub(crate) replace: bool,
}

/// A table that is written elsewhere, and that nobody sees before it is published. Dropping it undoes everything.
pub(crate) trait RemoteSink: Send {
    /// Appends the rows of batches, which may be encoded side by side.
    ///
    /// # Errors
    /// If they cannot be written.
    fn write(&mut self, batches: &[RecordBatch]) -> Result<()>;

    /// Ends the table; says whether a cell may have a line break.
    ///
    /// # Errors
    /// If it cannot be written.
    fn finish(self: Box<Self>) -> Result<(Box<dyn Unpublished>, bool)>;
}

/// A table that is complete where it is, but seen by nobody. Dropping it removes it.
pub(crate) trait Unpublished: Send {
    /// Puts the table as it can be read there now into a file: comma-separated text under a header.
    ///
    /// # Errors
    /// If it cannot be read back.
    fn read_back(&self, into: File) -> Result<()>;

    /// Lets everybody see it, in one step.
    ///
    /// # Errors
    /// If that fails; then it is gone.
    fn publish(self: Box<Self>) -> Result<()>;
}
