//! Identifiers that are replaced by pseudonyms.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::datatypes::{DataType, Field, Schema};

use super::{RecodedColumn, Recoder};
use crate::dictionary::{as_text, try_each};
use crate::error::Result;
use crate::prepare::EncodedTable;
use crate::pseudonym::{ColumnKey, PseudonymKey};

impl<'a> Recoder<'a> {
    /// The same with pseudonyms in the place of the identifiers that the job wants replaced.
    ///
    /// # Panics
    /// If there are some, and no key.
    pub fn with_pseudonyms(mut self, prepared: &EncodedTable, key: Option<&PseudonymKey>) -> Recoder<'a> {
        let mut fields: Vec<Field> =
            self.schema.fields().iter().map(|field| field.as_ref().clone()).collect();
        for (column, name) in prepared.roles.pseudonyms() {
            let place = prepared.roles.released().position(|(released, _)| released == column);
            let place = place.expect("pseudonyms are released");
            // Nobody's identifiers are released for want of a key.
            let key = key.expect("jobs with pseudonyms and without a key are refused");
            self.columns[place].1 = RecodedColumn::Pseudonyms(key.of_column(name));
            fields[place] = Field::new(name, DataType::Utf8, true);
        }
        self.schema = Arc::new(Schema::new(fields));
        self
    }

    /// A pseudonym for every cell but the empty ones.
    pub(super) fn replace(
        &self,
        cells: &ArrayRef,
        key: &ColumnKey,
        at: usize,
        before: u64,
    ) -> Result<ArrayRef> {
        let name = &self.origin.columns[self.scanned[at]];
        let cells = as_text(&self.keep(cells, at, before)?)
            .ok_or_else(|| self.origin.bad("a value cannot be written as text").in_column(name))?;
        let mut pseudonyms: Vec<Option<String>> = Vec::with_capacity(cells.len());
        try_each(&cells, |cell| {
            pseudonyms.push((!cell.is_empty()).then(|| key.pseudonym(cell)));
            Ok::<(), crate::error::EngineError>(())
        })?;
        Ok(Arc::new(StringArray::from(pseudonyms)))
    }
}
