//! The rows of a sheet, read by calamine.

mod cells;
mod find;
mod package;
mod rows;

use std::error::Error;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use ::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, StringBuilder};
use ::arrow::datatypes::SchemaRef;

pub(crate) use self::find::FoundSheet;
use self::find::find;
use self::rows::{Merged, Row, Workbook};
use crate::error::{EngineError, Result};
use crate::format::{Compression, FileAt};
use crate::input::limits::BATCH_BYTES;
use crate::input::source::fault::{find_io, read_failure};
use crate::input::source::{BATCH_ROWS, Source, bad, probe};
use crate::input::totals::{self, Totals};
use crate::threads;

/// Batches that wait for whoever asked for them.
const AHEAD: usize = 2;
/// What a cell takes in a batch besides its text.
const CELL_BYTES: usize = 4;

/// Where the table of a workbook is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sheet {
    /// The name of the sheet.
    name: String,
    /// The first row that may be data, from 0.
    first_row: u32,
    /// The first column of the table, from 0, and how many it has.
    first_column: u32,
    columns: u32,
    /// What is done about totals below the last row.
    totals: Option<Totals>,
}

/// Looks into a workbook: which sheet is the table, where it begins, and what its columns are called.
pub(super) fn open(file: &FileAt<'_>) -> Result<Source> {
    package::check(file.file, file.bytes)?;
    let mut workbook = Workbook::open(file.file)?;
    let found = find(&mut workbook, file)?;
    probe::sheet(file, found)
}

/// A file that claims to be a workbook cannot be read as such.
pub(super) fn damaged(path: &Path) -> EngineError {
    let problem =
        ("this workbook is damaged or cut short", "open it in Excel, which may repair it, and save it again");
    bad(path, problem)
}

/// The machine's failures told from a file that is damaged.
fn explain(path: &Path, error: &(dyn Error + 'static)) -> EngineError {
    find_io(error).map_or_else(|| damaged(path), |cause| explain_io(path, cause))
}

fn explain_io(path: &Path, cause: &io::Error) -> EngineError {
    // Whoever unpacks a damaged part says so by an error without a number.
    match cause.raw_os_error().is_some_and(|code| code != EINVAL) || cause.kind() == io::ErrorKind::NotFound {
        true => read_failure(path, Compression::None, cause),
        false => damaged(path),
    }
}

/// What the system says of a place before the start of a file, to which a damaged one may lead.
const EINVAL: i32 = 22;

/// Batches of some columns of a sheet, read on a thread of its own. Nothing may be taken after an error.
pub(super) struct SheetRows {
    /// Nothing at the end: a thread that ends otherwise has failed.
    batches: Receiver<Option<Result<RecordBatch>>>,
    source: Source,
    is_over: bool,
}

impl SheetRows {
    /// Starts to read.
    ///
    /// # Errors
    /// If the system gives no more threads.
    pub(super) fn start(source: &Source, columns: &[usize]) -> Result<SheetRows> {
        let (sender, batches) = sync_channel(AHEAD);
        let (mine, columns) = (source.clone(), columns.to_vec());
        threads::start("workbook", move || {
            let end = Batches::new(&mine, &columns, &sender).and_then(|mut batches| batches.send_all());
            // Whoever asked may have left.
            drop(sender.send(match end {
                Ok(()) => None,
                Err(error) => Some(Err(error)),
            }));
        })?;
        Ok(SheetRows { batches, source: source.clone(), is_over: false })
    }
}

impl Iterator for SheetRows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        if self.is_over {
            return None;
        }
        let next = self.batches.recv().unwrap_or_else(|_| Some(Err(damaged(&self.source.path))));
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

/// The rows at hand, and to whom they go.
struct Batches<'a> {
    source: &'a Source,
    sheet: Arc<Sheet>,
    schema: SchemaRef,
    columns: Vec<u32>,
    cells: Vec<StringBuilder>,
    rows: usize,
    bytes: usize,
    sender: &'a SyncSender<Option<Result<RecordBatch>>>,
    /// Rows that are totals if no other follows.
    held: Vec<Row>,
}

impl<'a> Batches<'a> {
    fn new(
        source: &'a Source,
        columns: &[usize],
        sender: &'a SyncSender<Option<Result<RecordBatch>>>,
    ) -> Result<Batches<'a>> {
        let sheet = source.sheet.clone().expect("a workbook has a sheet");
        let schema = source.schema.project(columns).map_err(|_| damaged(&source.path))?;
        Ok(Batches {
            columns: columns.iter().map(|&column| sheet.first_column + column as u32).collect(),
            cells: columns.iter().map(|_| StringBuilder::new()).collect(),
            schema: Arc::new(schema),
            source,
            sheet,
            rows: 0,
            bytes: 0,
            sender,
            held: Vec::new(),
        })
    }

    fn send_all(&mut self) -> Result<()> {
        let (path, sheet) = (&self.source.path, Arc::clone(&self.sheet));
        let failed = |cause| explain_io(path, &cause);
        let file = self.source.file().map_err(failed)?;
        package::check(&file, std::fs::metadata(&file.local).map_err(failed)?.len())?;
        let mut workbook = Workbook::open(&file)?;
        let mut merged = Merged::new(workbook.merged(&sheet.name)?);
        let end = sheet.first_column + sheet.columns;
        let mut is_wanted = true;
        workbook.each_row(&sheet.name, |row| {
            if row.index >= sheet.first_row {
                self.refuse_outside(row)?;
                // A total is known by the cells that it has itself.
                let is_total = sheet.totals != Some(Totals::Keep) && self.is_total(row);
                let row = merged.fill(path, row, end)?;
                is_wanted = if is_total { self.hold(row)? } else { self.take(row)? };
            }
            Ok(is_wanted)
        })?;
        if is_wanted {
            self.end()?;
        }
        Ok(())
    }

    fn refuse_outside(&self, row: &Row) -> Result<()> {
        let end = self.sheet.first_column + self.sheet.columns;
        let is_inside = |column: u32| (self.sheet.first_column..end).contains(&column);
        match row.cells().find(|&(column, _)| !is_inside(column)) {
            None => Ok(()),
            Some((column, _)) => Err(self.source.bad((
                format!(
                    "row {} of the sheet has a cell in column {}, which is not a column of the table: its names are in {} to {}",
                    row.index + 1,
                    letters(column),
                    letters(self.sheet.first_column),
                    letters(end - 1)
                ),
                "delete what is beside the table, or give the column a name",
            ))),
        }
    }

    fn is_total(&self, row: &Row) -> bool {
        totals::is_note(row.len(), self.sheet.columns as usize)
            || totals::is_total(row.cells().map(|(_, text)| text))
    }

    fn hold(&mut self, row: &Row) -> Result<bool> {
        self.held.push(row.clone());
        // So many in a row are no totals.
        if self.held.len() <= totals::MOST_ROWS { Ok(true) } else { self.release() }
    }

    fn release(&mut self) -> Result<bool> {
        let held = std::mem::take(&mut self.held);
        held.iter().try_fold(true, |_, row| self.push(row))
    }

    fn take(&mut self, row: &Row) -> Result<bool> {
        if !self.held.is_empty() {
            self.release()?;
        }
        self.push(row)
    }

    /// Appends a row, and says whether more are wanted.
    fn push(&mut self, row: &Row) -> Result<bool> {
        let mut cells = row.cells().peekable();
        let is_sorted = self.columns.is_sorted();
        for (builder, &column) in self.cells.iter_mut().zip(&self.columns) {
            let text = match is_sorted {
                true => {
                    while cells.next_if(|&(at, _)| at < column).is_some() {}
                    cells.peek().filter(|&&(at, _)| at == column).map(|&(_, text)| text)
                }
                false => row.cell(column),
            };
            self.bytes += text.map_or(0, str::len);
            builder.append_option(text);
        }
        self.rows += 1;
        // Cells that are empty take their place, too.
        self.bytes += CELL_BYTES * self.columns.len();
        if self.rows == BATCH_ROWS || self.bytes >= BATCH_BYTES { self.send() } else { Ok(true) }
    }

    fn send(&mut self) -> Result<bool> {
        let columns = self.cells.iter_mut().map(|cells| Arc::new(cells.finish()) as ArrayRef).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options);
        (self.rows, self.bytes) = (0, 0);
        let batch = batch.map_err(|_| damaged(&self.source.path))?;
        Ok(self.sender.send(Some(Ok(batch))).is_ok())
    }

    fn end(&mut self) -> Result<()> {
        if let (Some(first), None) = (self.held.first(), self.sheet.totals) {
            return Err(self.source.bad(totals::ask(Some(first.index + 1), self.held.len())));
        }
        if self.rows > 0 {
            self.send()?;
        }
        Ok(())
    }
}

/// What people call a column of a sheet.
fn letters(column: u32) -> String {
    let (rest, last) = (column / 26, char::from(b'A' + (column % 26) as u8));
    if rest == 0 { last.to_string() } else { format!("{}{last}", letters(rest - 1)) }
}
