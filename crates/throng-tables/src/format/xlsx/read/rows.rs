//! The rows of a sheet, one after the other.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use calamine::{Dimensions, Reader, Xlsx};

use super::cells::{Shown, spell};
use super::{damaged, explain, package};
use crate::error::Result;
use crate::input::foreign::guard;
use crate::input::named::NamedFile;
use crate::input::source::bad;

use super::super::{MOST_COLUMNS, MOST_ROWS};

/// Cells that are filled from merged ones, at most.
const MOST_FILLED: u64 = 1 << 26;

/// A workbook that was opened.
pub(super) struct Workbook<'a> {
    path: &'a Path,
    book: Xlsx<BufReader<File>>,
}

/// A row with a cell that is not empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    /// Its place in the sheet, from 0.
    pub(super) index: u32,
    /// The column of each cell that is not empty, from 0, and where its text ends.
    cells: Vec<(u32, usize)>,
    text: String,
}

impl Row {
    fn clear(&mut self, index: u32) {
        self.cells.clear();
        self.text.clear();
        self.index = index;
    }

    /// Ends the cell whose text was appended.
    fn end_cell(&mut self, column: u32) {
        let start = self.cells.last().map_or(0, |&(_, end)| end);
        if self.text.len() > start {
            self.cells.push((column, self.text.len()));
        }
    }

    /// Its cells that are not empty, and their columns.
    pub(super) fn cells(&self) -> impl Iterator<Item = (u32, &str)> {
        let starts = std::iter::once(0).chain(self.cells.iter().map(|&(_, end)| end));
        starts.zip(&self.cells).map(|(start, &(column, end))| (column, &self.text[start..end]))
    }

    /// The cell of a column, if it is not empty.
    pub(super) fn cell(&self, column: u32) -> Option<&str> {
        self.cells().find(|&(at, _)| at == column).map(|(_, text)| text)
    }

    /// How many of its cells are not empty.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }
}

impl<'a> Workbook<'a> {
    /// Opens a file that was looked at by [`package::check`].
    pub(super) fn open(named: &'a NamedFile) -> Result<Workbook<'a>> {
        let (path, file) = (named.name.as_path(), package::open(named)?);
        let book = guard(|| Xlsx::new(file)).ok_or_else(|| damaged(path))?;
        Ok(Workbook { path, book: book.map_err(|error| explain(path, &error))? })
    }

    /// What it says of its sheets.
    pub(super) fn sheets(&self) -> &[calamine::Sheet] {
        self.book.sheets_metadata()
    }

    /// The regions of merged cells of a sheet, by their first rows.
    pub(super) fn merged(&mut self, sheet: &str) -> Result<Vec<Dimensions>> {
        let path = self.path;
        let found = guard(|| self.book.merge_cells_by_sheet_name(sheet)).ok_or_else(|| damaged(path))?;
        let mut merged = found.map_err(|error| explain(path, &error))?;
        merged.retain(|region| region.start.0 <= region.end.0 && region.start.1 <= region.end.1);
        merged.sort_by_key(|region| (region.start, region.end));
        Ok(merged)
    }

    /// Hands each row of a sheet to `see`, until that wants no more.
    pub(super) fn each_row(&mut self, sheet: &str, mut see: impl FnMut(&Row) -> Result<bool>) -> Result<()> {
        let path = self.path;
        let is_1904 = self.book.has_1904_epoch();
        let reader = guard(|| self.book.worksheet_cells_reader(sheet)).ok_or_else(|| damaged(path))?;
        let mut reader = reader.map_err(|error| explain(path, &error))?;
        let shown = Shown::of_styles(reader.styles());
        let mut row = Row::default();
        loop {
            let cell = guard(|| reader.next_cell_with_style_id()).ok_or_else(|| damaged(path))?;
            let Some((cell, style)) = cell.map_err(|error| explain(path, &error))? else { break };
            let (index, column) = cell.get_position();
            refuse_beyond(path, index, column)?;
            let is_behind = row.cells.last().is_some_and(|&(last, _)| index == row.index && column <= last);
            if index < row.index || is_behind {
                return Err(bad(
                    path,
                    ("the cells of this workbook are not in order", "open it in Excel and save it again"),
                ));
            }
            if index > row.index {
                if row.len() > 0 && !see(&row)? {
                    return Ok(());
                }
                row.clear(index);
            }
            spell(&mut row.text, cell.get_value(), shown.get(style).copied().unwrap_or_default(), is_1904);
            row.end_cell(column);
        }
        if row.len() > 0 {
            see(&row)?;
        }
        Ok(())
    }
}

fn refuse_beyond(path: &Path, row: u32, column: u32) -> Result<()> {
    match row < MOST_ROWS && column < MOST_COLUMNS {
        true => Ok(()),
        false => Err(bad(path, "a cell of this workbook lies beyond the last row or column of Excel")),
    }
}

/// Fills merged cells: what the first of a region shows is meant for all of its rows and columns.
pub(super) struct Merged {
    regions: std::iter::Peekable<std::vec::IntoIter<Dimensions>>,
    /// Those that the row at hand is in, with what they show.
    open: Vec<(Dimensions, Option<String>)>,
    filled: Row,
    count: u64,
}

impl Merged {
    /// Regions in the order of their first rows.
    pub(super) fn new(regions: Vec<Dimensions>) -> Merged {
        Merged { regions: regions.into_iter().peekable(), open: Vec::new(), filled: Row::default(), count: 0 }
    }

    /// The row with its merged cells filled, as far as they are left of `end`.
    pub(super) fn fill<'a>(&'a mut self, path: &Path, row: &'a Row, end: u32) -> Result<&'a Row> {
        self.open.retain(|(region, _)| region.end.0 >= row.index);
        while let Some(region) = self.regions.next_if(|region| region.start.0 <= row.index) {
            if region.end.0 >= row.index {
                let is_first = region.start.0 == row.index;
                let shown = row.cell(region.start.1).filter(|_| is_first).map(str::to_owned);
                self.open.push((region, shown));
            }
        }
        self.refuse_many(path, self.open.len())?;
        if self.open.iter().all(|(_, shown)| shown.is_none()) {
            return Ok(row);
        }
        let mut is_there = vec![false; end as usize];
        row.cells()
            .filter(|&(column, _)| column < end)
            .for_each(|(column, _)| is_there[column as usize] = true);
        let mut lacking: Vec<(u32, &str)> = Vec::new();
        for (region, shown) in &self.open {
            let Some(shown) = shown else { continue };
            let columns = region.start.1..region.end.1.saturating_add(1).min(end);
            self.count += columns.len() as u64;
            for column in columns {
                // Of regions that overlap in spite of all rules the first shows.
                if !std::mem::replace(&mut is_there[column as usize], true) {
                    lacking.push((column, shown));
                }
            }
        }
        if lacking.is_empty() {
            return Ok(row);
        }
        lacking.extend(row.cells());
        lacking.sort_by_key(|&(column, _)| column);
        self.filled.clear(row.index);
        for (column, text) in lacking {
            self.filled.text.push_str(text);
            self.filled.end_cell(column);
        }
        Ok(&self.filled)
    }

    /// Regions of one sheet do not overlap, so a row is in no more than there are columns.
    fn refuse_many(&mut self, path: &Path, open: usize) -> Result<()> {
        self.count += open as u64;
        match open > MOST_COLUMNS as usize || self.count > MOST_FILLED {
            true => Err(bad(path, ("this sheet has more merged cells than any table", "unmerge them first"))),
            false => Ok(()),
        }
    }
}
