//! Rows that agree in all cells of some columns, and how many there are of each.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::row::{RowConverter, Rows, SortField};
use rustc_hash::FxHashMap;

use super::look::{Look, look_at};
use super::stored::Opened;
use crate::error::{EngineError, Result};

/// Groups that are turned into cells again at once.
const CHUNK_GROUPS: usize = 8192;

/// How many rows have the same cells, by the bytes that Arrow makes of these. A missing cell is not
/// the same as an empty one.
pub(super) struct Groups {
    /// Nothing without columns: all rows are the same then.
    converter: Option<RowConverter>,
    kinds: Arc<[DataType]>,
    counts: FxHashMap<Box<[u8]>, u64>,
}

/// Groups the rows of a file by the columns at `places`.
pub(super) async fn group(table: Arc<Opened>, places: Vec<usize>) -> Result<Groups> {
    let kinds = table.kinds(&places)?;
    let looked = look_at(table, places, move || Groups::new(&kinds)).await?;
    let merged = looked.into_iter().reduce(Groups::merged);
    Ok(merged.expect("there is at least one thread"))
}

impl Opened {
    /// The types of the columns at `places`.
    pub(super) fn kinds(&self, places: &[usize]) -> Result<Arc<[DataType]>> {
        let schema = self.schema.project(places).map_err(|_| uncountable())?;
        Ok(schema.fields().iter().map(|field| field.data_type().clone()).collect())
    }
}

impl Groups {
    pub(super) fn new(kinds: &Arc<[DataType]>) -> Result<Groups> {
        let fields: Vec<SortField> = kinds.iter().cloned().map(SortField::new).collect();
        let converter = if fields.is_empty() { None } else { Some(RowConverter::new(fields)) };
        let converter = converter.transpose().map_err(|_| uncountable())?;
        Ok(Groups { converter, kinds: Arc::clone(kinds), counts: FxHashMap::default() })
    }

    /// Nothing yet, of the columns of a file at `places`.
    pub(super) fn of_columns(table: &Opened, places: &[usize]) -> Result<Groups> {
        Groups::new(&table.kinds(places)?)
    }

    /// The bytes of some rows; nothing without columns.
    pub(super) fn rows(&self, cells: &[ArrayRef]) -> Result<Option<Rows>> {
        let rows = self.converter.as_ref().map(|converter| converter.convert_columns(cells));
        rows.transpose().map_err(|_| uncountable())
    }

    /// Takes groups that were counted elsewhere.
    pub(super) fn fill(&mut self, groups: impl Iterator<Item = (Box<[u8]>, u64)>) {
        self.counts = groups.collect();
    }

    /// Both together.
    fn merged(self, other: Groups) -> Groups {
        let (mut more, less) =
            if self.counts.len() < other.counts.len() { (other, self) } else { (self, other) };
        more.counts.reserve(less.counts.len());
        less.counts.into_iter().for_each(|(cells, rows)| *more.counts.entry(cells).or_default() += rows);
        more
    }

    fn add(&mut self, cells: &[u8], rows: u64) {
        match self.counts.get_mut(cells) {
            Some(count) => *count += rows,
            None => _ = self.counts.insert(cells.into(), rows),
        }
    }

    /// The rows all of whose cells are the same text, which are no longer among the others then.
    pub(super) fn take(&mut self, text: &str) -> Result<u64> {
        let Some(converter) = self.converter.as_ref().filter(|_| self.kinds.iter().all(is_text)) else {
            return Ok(0);
        };
        let cell: ArrayRef = Arc::new(StringArray::from(vec![text]));
        let cells: std::result::Result<Vec<ArrayRef>, _> =
            self.kinds.iter().map(|kind| cast(&cell, kind)).collect();
        let row = cells.and_then(|cells| converter.convert_columns(&cells)).map_err(|_| uncountable())?;
        Ok(self.counts.remove(row.row(0).data()).unwrap_or(0))
    }

    /// How many rows each group has, in any order.
    pub(super) fn sizes(&self) -> impl Iterator<Item = u64> {
        self.counts.values().copied()
    }

    /// Gives the cells of all groups and the rows of each to `each`, in any order.
    ///
    /// # Errors
    /// By what `each` says.
    pub(super) fn try_each(self, mut each: impl FnMut(&[ArrayRef], &[u64]) -> Result<()>) -> Result<()> {
        let Some(converter) = self.converter else {
            return self.counts.values().try_for_each(|&rows| each(&[], &[rows]));
        };
        let parser = converter.parser();
        let mut groups = self.counts.into_iter();
        loop {
            let chunk: Vec<(Box<[u8]>, u64)> = groups.by_ref().take(CHUNK_GROUPS).collect();
            if chunk.is_empty() {
                return Ok(());
            }
            let rows = chunk.iter().map(|(cells, _)| parser.parse(cells));
            let cells = converter.convert_rows(rows).map_err(|_| uncountable())?;
            each(&cells, &chunk.iter().map(|&(_, rows)| rows).collect::<Vec<u64>>())?;
        }
    }
}

impl Look for Groups {
    fn see(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let Some(converter) = &self.converter else {
            self.add(&[], batch.num_rows() as u64);
            return Ok(());
        };
        let rows = converter.convert_columns(batch.columns()).map_err(|_| uncountable())?;
        rows.iter().for_each(|row| self.add(row.data(), 1));
        Ok(())
    }
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

fn uncountable() -> EngineError {
    EngineError::Data("its classes cannot be counted".into())
}
