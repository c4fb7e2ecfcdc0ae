//! Rows that agree in all cells of some columns, and what is known of each such group.
//!
//! Cells become numbers, and rows wait in partitions by the hash of their numbers until there are so many that a
//! partition's table is worth bringing into the caches. What several threads found is put together partition by
//! partition, on all cores.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::DataType;
use rayon::prelude::*;

use super::look::{Look, look_at};
use super::numbers::{CellNumbers, Reader, uncountable};
use super::table::{GroupTable, hash};
use crate::error::Result;
use crate::format::reopen::Reopened;

/// Groups that are turned into cells again at once.
const CHUNK_GROUPS: usize = 8192;
/// Bits of the hash that say the partition.
const PARTITION_BITS: u32 = 7;
const PARTITIONS: usize = 1 << PARTITION_BITS;
/// Rows that wait.
const WAITING_ROWS: usize = 1 << 19;

/// What is known of a group.
pub(super) trait Count: Default + Send + 'static {
    /// Adds a row that has this number in the column beside those of the key, if there is one.
    fn add(&mut self, beside: Option<u32>);
    /// Adds what another thread knows of the group.
    fn unite(&mut self, other: Self);
    /// Its rows.
    fn rows(&self) -> u64;
}

impl Count for u64 {
    fn add(&mut self, _: Option<u32>) {
        *self += 1;
    }

    fn unite(&mut self, other: u64) {
        *self += other;
    }

    fn rows(&self) -> u64 {
        *self
    }
}

/// The columns that rows are told apart by, and one beside them if counts look at it.
#[derive(Clone)]
pub(super) struct Columns {
    key: Vec<Arc<CellNumbers>>,
    beside: Option<Arc<CellNumbers>>,
}

impl Columns {
    pub(super) fn new(kinds: &[DataType]) -> Result<Columns> {
        let numbers = |kind: &DataType| CellNumbers::new(kind).map(Arc::new);
        Ok(Columns { key: kinds.iter().map(numbers).collect::<Result<_>>()?, beside: None })
    }

    /// The same with the last column beside the others.
    pub(super) fn with_last_beside(mut self) -> Columns {
        self.beside = self.key.pop();
        self
    }
}

/// How many rows have the same cells. A missing cell is not the same as an empty one.
pub(super) struct CellGroups<V = u64> {
    columns: Columns,
    readers: Vec<Reader>,
    partitions: Vec<GroupTable<V>>,
    /// Rows that are in no table yet, by partition: the low half of the hash, then the numbers.
    waiting: Vec<Vec<u32>>,
    waiting_rows: usize,
}

/// Groups the rows of a file by the columns at `places`.
pub(super) async fn group(table: Arc<Reopened>, places: Vec<usize>) -> Result<CellGroups> {
    let columns = Columns::new(&kinds_at(&table, &places)?)?;
    group_by(table, places, columns).await
}

/// The same with counts of another kind.
pub(super) async fn group_by<V: Count>(
    table: Arc<Reopened>,
    places: Vec<usize>,
    columns: Columns,
) -> Result<CellGroups<V>> {
    let looked = look_at(table, places, move || Ok(CellGroups::new(&columns))).await?;
    Ok(CellGroups::merged(looked))
}

/// The types of the columns at `places`.
pub(super) fn kinds_at(table: &Reopened, places: &[usize]) -> Result<Vec<DataType>> {
    let kinds = places.iter().map(|&place| table.schema().fields().get(place));
    let kinds: Option<Vec<DataType>> = kinds.map(|field| Some(field?.data_type().clone())).collect();
    kinds.ok_or_else(uncountable)
}

impl<V: Count> CellGroups<V> {
    pub(super) fn new(columns: &Columns) -> CellGroups<V> {
        let readers = columns.key.iter().chain(&columns.beside).map(Reader::new).collect();
        let partitions = (0..PARTITIONS).map(|_| GroupTable::new(columns.key.len())).collect();
        let waiting = vec![Vec::new(); PARTITIONS];
        CellGroups { columns: columns.clone(), readers, partitions, waiting, waiting_rows: 0 }
    }

    /// All together.
    fn merged(parts: Vec<CellGroups<V>>) -> CellGroups<V> {
        let columns = parts.first().expect("there is at least one thread").columns.clone();
        let mut partitions: Vec<Vec<GroupTable<V>>> = (0..PARTITIONS).map(|_| Vec::new()).collect();
        for mut part in parts {
            part.settle();
            partitions.iter_mut().zip(part.partitions).for_each(|(tables, table)| tables.push(table));
        }
        let merge = |one: GroupTable<V>, other| one.merge(other, V::unite);
        let merged = partitions.into_par_iter().map(|tables| tables.into_iter().reduce(merge));
        CellGroups { partitions: merged.flatten().collect(), ..CellGroups::new(&columns) }
    }

    /// Puts the rows that wait into their groups.
    pub(super) fn settle(&mut self) {
        let width = self.columns.key.len();
        let has_beside = self.columns.beside.is_some();
        for (table, waiting) in self.partitions.iter_mut().zip(&mut self.waiting) {
            for row in waiting.chunks_exact(1 + self.readers.len()) {
                let (hash, key) = (row[0], &row[1..=width]);
                table.group(key, hash).add(if has_beside { row.last().copied() } else { None });
            }
            waiting.clear();
        }
        self.waiting_rows = 0;
    }

    /// The rows all of whose cells are the same text, which are no longer among the others then.
    pub(super) fn take(&mut self, text: &str) -> u64 {
        let key: Option<Vec<u32>> = self.columns.key.iter().map(|numbers| numbers.of_text(text)).collect();
        let Some(key) = key.filter(|key| !key.is_empty()) else { return 0 };
        let hash = hash(&key);
        self.partitions[partition(hash)].take(&key, hash as u32).map_or(0, |taken| taken.rows())
    }

    /// The numbers of the column beside those of the key.
    pub(super) fn beside(&self) -> Option<&CellNumbers> {
        self.columns.beside.as_deref()
    }

    /// All groups that have rows, in any order.
    pub(super) fn counts(&self) -> impl Iterator<Item = &V> {
        self.partitions.iter().flat_map(GroupTable::groups).filter(|group| group.rows() > 0)
    }

    /// Gives the cells of all groups and the rows of each to `each`, in any order.
    ///
    /// # Errors
    /// By what `each` says.
    pub(super) fn try_each(self, mut each: impl FnMut(&[ArrayRef], &[u64]) -> Result<()>) -> Result<()> {
        for table in &self.partitions {
            for start in (0..table.groups().len()).step_by(CHUNK_GROUPS) {
                let chunk = start..table.groups().len().min(start + CHUNK_GROUPS);
                let columns = self.columns.key.iter().enumerate();
                let cells = columns
                    .map(|(column, numbers)| numbers.cells(chunk.clone().map(|at| table.key(at)[column])))
                    .collect::<Result<Vec<ArrayRef>>>()?;
                let rows: Vec<u64> = table.groups()[chunk].iter().map(V::rows).collect();
                each(&cells, &rows)?;
            }
        }
        Ok(())
    }
}

impl<V: Count> Look for CellGroups<V> {
    fn see(&mut self, batch: &RecordBatch) -> Result<()> {
        let cells = self.readers.iter_mut().zip(batch.columns()).map(|(reader, cells)| reader.read(cells));
        let cells: Vec<Vec<u32>> = cells.collect::<Result<_>>()?;
        let width = self.columns.key.len();
        let mut row = vec![0; 1 + cells.len()];
        for at in 0..batch.num_rows() {
            row[1..].iter_mut().zip(&cells).for_each(|(number, column)| *number = column[at]);
            let hash = hash(&row[1..=width]);
            row[0] = hash as u32;
            self.waiting[partition(hash)].extend_from_slice(&row);
        }
        self.waiting_rows += batch.num_rows();
        if self.waiting_rows >= WAITING_ROWS {
            self.settle();
        }
        Ok(())
    }
}

fn partition(hash: u64) -> usize {
    (hash >> (u64::BITS - PARTITION_BITS)) as usize
}
