//! Many files that are one table, in the order of their paths.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arrow::array::{
    ArrayRef, DictionaryArray, Int32Array, RecordBatch, RecordBatchOptions, StringArray, new_null_array,
};
use arrow::datatypes::{DataType, Field, Int32Type, Schema};

use super::parted::FileParts;
use super::together::Together;
use super::{PartRows, Source};
use crate::error::{EngineError, Result};
use crate::input::shared_bytes::SharedBytes;
use crate::wording::Message;

/// Bits of a place that say the row within a file; those above say which file.
const ROW_BITS: u32 = 40;
/// Files that are all no larger than this are read side by side, each as a whole.
const SMALL_BYTES: u64 = 4 << 20;

/// The files of a table.
#[derive(Debug)]
pub(crate) struct FileSet {
    pub(super) members: Vec<MemberFile>,
    /// The rows of each file, once somebody has read all of it.
    rows: Vec<OnceLock<u64>>,
}

/// A file of a table.
#[derive(Clone, Debug)]
pub(crate) struct MemberFile {
    pub(super) source: Source,
    /// Where the file has each column of the table.
    pub(super) places: Vec<FileColumn>,
}

/// Where a file has a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileColumn {
    /// Among its own, by number.
    Column(usize),
    /// In its path: all rows have this value, or none.
    Value(Option<String>),
}

/// What of a member is asked for, and how its batches become those of the table.
#[derive(Clone)]
pub(super) struct MemberColumns {
    pub(super) columns: Vec<usize>,
    pub(super) coded: Vec<usize>,
    cells: Arc<[Cell]>,
}

/// A column that is asked for.
struct Cell {
    field: Field,
    from: From,
    /// Whether its value may come as a list of values.
    coded: bool,
}

enum From {
    Batch(usize),
    Value(Option<String>),
}

impl FileSet {
    pub(super) fn new(members: Vec<MemberFile>) -> FileSet {
        let rows = members.iter().map(|_| OnceLock::new()).collect();
        FileSet { members, rows }
    }

    /// The same files, which pass on their bytes.
    pub(super) fn sharing(&self, shared: &Arc<SharedBytes>) -> FileSet {
        let member = |(at, member): (usize, &MemberFile)| {
            let source = Source { shared: Some((Arc::clone(shared), at)), ..member.source.clone() };
            MemberFile { source, places: member.places.clone() }
        };
        FileSet::new(self.members.iter().enumerate().map(member).collect())
    }

    /// Says how many rows a file has.
    pub(super) fn note_rows(&self, member: usize, rows: u64) {
        let _ = self.rows[member].set(rows);
    }

    /// The file of a row of the table, and its number there, from 1; nothing if the rows of a file before it are not
    /// known.
    fn find(&self, row: u64) -> Option<(&Path, u64)> {
        let mut before = 0;
        for (member, rows) in self.members.iter().zip(&self.rows) {
            match rows.get() {
                Some(rows) if row > before + rows => before += rows,
                _ => return Some((&member.source.path, row - before)),
            }
        }
        None
    }

    /// The number in the table of the row at a place.
    fn number(&self, place: u64) -> Option<u64> {
        let (member, row) = split(place);
        let before = self.rows[..member].iter().map(|rows| rows.get().copied());
        before.sum::<Option<u64>>().map(|before| before + row)
    }

    /// Whether all files are so small that several are read at once.
    fn is_of_small_files(&self) -> bool {
        self.members.iter().all(|member| member.source.file_bytes <= SMALL_BYTES)
    }
}

/// The place before which a file has so many rows: places are in the order of the table.
pub(super) fn place(member: usize, rows: u64) -> u64 {
    (member as u64) << ROW_BITS | rows
}

fn split(place: u64) -> (usize, u64) {
    ((place >> ROW_BITS) as usize, place & ((1 << ROW_BITS) - 1))
}

/// The rows of its file before a place.
pub fn rows_within(place: u64) -> u64 {
    split(place).1
}

/// A file of a table, as plans read it.
pub struct TableFile<'s> {
    /// The file.
    pub path: &'s Path,
    /// Its size.
    pub bytes: u64,
    /// The values of columns that its path tells.
    pub keys: Vec<Option<String>>,
}

impl Source {
    /// The files of the table; nothing if some file has its columns in other places than the first, which only those who
    /// go by names can read.
    pub fn files(&self) -> Option<Vec<TableFile<'_>>> {
        let Some(set) = &self.set else {
            return Some(vec![TableFile { path: &self.path, bytes: self.file_bytes, keys: Vec::new() }]);
        };
        let own = |member: &MemberFile| -> Vec<FileColumn> {
            member.places.iter().filter(|place| matches!(place, FileColumn::Column(_))).cloned().collect()
        };
        let first = own(&set.members[0]);
        let by_name = self.format.is_described();
        if !by_name && set.members.iter().any(|member| own(member) != first) {
            return None;
        }
        let value = |place: &FileColumn| match place {
            FileColumn::Column(_) => None,
            FileColumn::Value(value) => Some(value.clone()),
        };
        let files = set.members.iter().map(|MemberFile { source, places }| TableFile {
            path: &source.path,
            bytes: source.file_bytes,
            keys: places.iter().filter_map(value).collect(),
        });
        Some(files.collect())
    }

    /// Each of the files by itself.
    pub fn members(&self) -> Vec<&Source> {
        self.set
            .as_ref()
            .map_or_else(|| vec![self], |set| set.members.iter().map(|one| &one.source).collect())
    }

    /// How many columns at the end are told by the paths of files.
    pub fn path_columns(&self) -> usize {
        let places = self.set.as_ref().map(|set| &set.members[0].places[..]).unwrap_or_default();
        places.iter().filter(|place| matches!(place, FileColumn::Value(_))).count()
    }
}

impl Source {
    /// Bad input in a row of the table, which is that of a file.
    pub fn bad_at(&self, row: u64, what: impl Into<Message>) -> EngineError {
        let (file, row) = self.find_row(row);
        EngineError::bad(what).in_file(file).at_row(row)
    }

    /// The file that has a row of the table, and the number of the row in it.
    pub fn find_row(&self, row: u64) -> (PathBuf, u64) {
        let found = self.set.as_ref().and_then(|set| set.find(row));
        found.map_or_else(|| (self.path.clone(), row), |(path, row)| (path.to_owned(), row))
    }

    /// Bad input at a place, as [`Parts::starts`](super::PartStream::starts) counts them.
    pub fn bad_at_place(&self, at: u64, what: impl Into<Message>) -> EngineError {
        let Some(set) = &self.set else { return self.bad(what).at_row(at) };
        let (member, row) = split(at);
        set.members[member].source.bad(what).at_row(row)
    }

    /// The number in the table of the row at a place, once all of it was read.
    pub fn number(&self, place: u64) -> u64 {
        self.set.as_ref().and_then(|set| set.number(place)).unwrap_or(place)
    }

    /// The files of the table, if it is many.
    pub fn file_count(&self) -> usize {
        self.set.as_ref().map_or(1, |set| set.members.len())
    }

    /// Whether the table is a directory or a pattern.
    pub fn is_set(&self) -> bool {
        self.set.is_some()
    }
}

impl MemberFile {
    /// What to read of the file for columns of a table with this schema.
    pub(super) fn ask(&self, schema: &Schema, columns: &[usize], coded: &[usize]) -> MemberColumns {
        let mut asked = MemberColumns { columns: Vec::new(), coded: Vec::new(), cells: Arc::new([]) };
        let mut cells = Vec::with_capacity(columns.len());
        for &column in columns {
            let is_coded = coded.contains(&column);
            let from = match &self.places[column] {
                FileColumn::Column(own) => {
                    asked.columns.push(*own);
                    asked.coded.extend(is_coded.then_some(*own));
                    From::Batch(asked.columns.len() - 1)
                }
                FileColumn::Value(value) => From::Value(value.clone()),
            };
            cells.push(Cell { field: schema.field(column).clone(), from, coded: is_coded });
        }
        asked.cells = cells.into();
        asked
    }
}

impl MemberColumns {
    /// A batch of the file as one of the table.
    fn arrange(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        let (mut fields, mut columns) =
            (Vec::with_capacity(self.cells.len()), Vec::with_capacity(self.cells.len()));
        for cell in self.cells.iter() {
            let cells = match &cell.from {
                From::Batch(at) => Arc::clone(batch.column(*at)),
                From::Value(value) => repeat(value.as_deref(), rows, cell),
            };
            fields.push(cell.field.clone().with_data_type(cells.data_type().clone()).with_nullable(true));
            columns.push(cells);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
            .map_err(|_| EngineError::Data("columns of a file do not fit those of its table".into()))
    }

    pub(super) fn arrange_all(self, rows: PartRows) -> PartRows {
        Box::new(rows.map(move |batch| self.arrange(&batch?)))
    }
}

/// A value in so many rows.
fn repeat(value: Option<&str>, rows: usize, cell: &Cell) -> ArrayRef {
    let Some(value) = value else { return new_null_array(cell.field.data_type(), rows) };
    let list: ArrayRef = Arc::new(StringArray::from(vec![value]));
    match cell.coded {
        true => {
            let places = Int32Array::from(vec![0; rows]);
            Arc::new(DictionaryArray::<Int32Type>::new(places, list))
        }
        false if cell.field.data_type() == &DataType::Utf8 => Arc::new(StringArray::from(vec![value; rows])),
        false => new_null_array(cell.field.data_type(), rows),
    }
}

/// The rows of many files in their order.
pub(super) struct SetRows {
    table: Source,
    set: Arc<FileSet>,
    columns: Vec<usize>,
    coded: Vec<usize>,
    /// The next file, and what is left of the one before, with its rows so far.
    next: usize,
    rows: Option<PartRows>,
    read: u64,
}

impl SetRows {
    /// The rows of all files. Small ones are decoded by several threads; which way is taken does not depend on how many
    /// there are.
    ///
    /// # Errors
    /// If a file cannot be opened.
    pub(super) fn start(
        table: &Source,
        set: &Arc<FileSet>,
        columns: &[usize],
        coded: &[usize],
    ) -> Result<PartRows> {
        if set.members.len() > 1 && set.is_of_small_files() {
            let (table, set) = (table.clone(), Arc::clone(set));
            let (columns, coded) = (columns.to_vec(), coded.to_vec());
            return Ok(super::when_asked(move || {
                let parts = FileParts::open(&table, &set, &columns, &coded)?;
                let members = parts.members();
                let rows = Together::start(Box::new(parts), rayon::current_num_threads())?;
                Ok(Box::new(Numbered { set, members, rows, read: 0, member: 0 }) as PartRows)
            }));
        }
        Ok(Box::new(SetRows {
            table: table.clone(),
            set: Arc::clone(set),
            columns: columns.to_vec(),
            coded: coded.to_vec(),
            next: 0,
            rows: None,
            read: 0,
        }))
    }

    /// Opens the next file.
    fn open(&mut self) -> Result<PartRows> {
        let member = &self.set.members[self.next];
        let asked = member.ask(&self.table.schema, &self.columns, &self.coded);
        let rows = member.source.rows(&asked.columns, &asked.coded)?;
        Ok(asked.arrange_all(rows))
    }
}

impl Iterator for SetRows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        loop {
            if let Some(rows) = &mut self.rows {
                if let Some(batch) = rows.next() {
                    self.read += batch.as_ref().map_or(0, |batch| batch.num_rows() as u64);
                    return Some(batch);
                }
                self.set.note_rows(self.next - 1, std::mem::take(&mut self.read));
            }
            if self.next == self.set.members.len() {
                self.rows = None;
                return None;
            }
            match self.open() {
                Ok(rows) => self.rows = Some(rows),
                Err(error) => return Some(Err(error)),
            }
            self.next += 1;
        }
    }
}

/// Rows of parts that several threads decode, counted file by file.
struct Numbered {
    set: Arc<FileSet>,
    /// The file of each part.
    members: Vec<usize>,
    rows: Together,
    /// The file at hand, and its rows so far.
    member: usize,
    read: u64,
}

impl Iterator for Numbered {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        let batch = self.rows.next();
        let member = match &batch {
            Some(_) => self.members[self.rows.part()],
            None => self.set.members.len(),
        };
        for done in self.member..member {
            self.set.note_rows(done, std::mem::take(&mut self.read));
        }
        self.member = member;
        self.read +=
            batch.as_ref().and_then(|batch| batch.as_ref().ok()).map_or(0, |batch| batch.num_rows() as u64);
        batch
    }
}
