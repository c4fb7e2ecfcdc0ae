//! Where the table of a workbook is: its sheet, and its header below lines of a title.

use calamine::{SheetType, SheetVisible};
use throng::wording::{quoted, quoted_list};

use super::Sheet;
use super::rows::{Row, Workbook};
use crate::error::{EngineError, Result};
use crate::format::FileAt;
use crate::input::dialect::Record;
use crate::input::source::bad;
use crate::wording::{did_you_mean, nearest};

/// Rows that are looked at.
const ROWS: usize = 1000;
/// Bytes of them.
const BYTES: usize = 16 << 20;
/// Cells of all of them, those that are empty among them.
const CELLS: usize = 1 << 20;
/// What a cell takes besides its text.
const CELL_BYTES: usize = 16;
/// Rows above the header, at most, where nobody says how many there are.
const MOST_TITLES: usize = 50;

/// The table of a workbook, as far as its start tells.
pub(crate) struct FoundSheet {
    /// Its first rows, which all have as many cells; the first may be the header.
    pub(crate) records: Vec<Record>,
    /// Where it is.
    pub(crate) place: Place,
    /// How many rows there are, if that is known.
    pub(crate) expected_rows: Option<u64>,
}

/// Where a table begins, with a header or without.
pub(crate) struct Place {
    sheet: Sheet,
    /// The first row, and the one below it.
    first: u32,
}

impl Place {
    /// The rows below the header, if there is one.
    pub(crate) fn below(self, has_header: bool) -> Sheet {
        Sheet { first_row: self.first + u32::from(has_header), ..self.sheet }
    }
}

/// Finds the table.
pub(super) fn find(workbook: &mut Workbook<'_>, file: &FileAt<'_>) -> Result<FoundSheet> {
    let name = choose(workbook, file)?;
    let skip = file.overrides.skip;
    let (mut rows, mut bytes, mut is_cut) = (Vec::new(), 0, false);
    workbook.each_row(&name, |row| {
        if row.index >= skip.unwrap_or(0) {
            bytes += row.cells().map(|(_, text)| CELL_BYTES + text.len()).sum::<usize>();
            is_cut = rows.len() == ROWS || !rows.is_empty() && bytes > BYTES;
            if !is_cut {
                rows.push(row.clone());
            }
        }
        Ok(!is_cut)
    })?;
    let titles = if skip.is_some() { 0 } else { count_titles(&rows) };
    let rows = &rows[titles..];
    let Some(first) = rows.first() else { return Err(nothing(file, &name)) };
    let all = || rows.iter().flat_map(|row| row.cells().map(|(column, _)| column));
    let (start, end) = (all().min().unwrap_or(0), all().max().map_or(0, |last| last + 1));
    let record = |row: &Row| {
        let mut cells = vec![String::new(); (end - start) as usize];
        row.cells().for_each(|(column, text)| text.clone_into(&mut cells[(column - start) as usize]));
        Record::from_texts(cells.into_iter())
    };
    let sheet = Sheet {
        name,
        first_row: 0,
        first_column: start,
        columns: end - start,
        totals: file.overrides.totals,
    };
    Ok(FoundSheet {
        records: rows.iter().take((CELLS / (end - start) as usize).max(2)).map(record).collect(),
        place: Place { sheet, first: first.index },
        expected_rows: (!is_cut).then_some(rows.len() as u64),
    })
}

/// The rows before the header: they have fewer than half as many cells as most rows of the table.
fn count_titles(rows: &[Row]) -> usize {
    let mut sizes: Vec<usize> = rows.iter().map(Row::len).collect();
    sizes.sort_unstable();
    let usual = sizes.get(sizes.len() / 2).copied().unwrap_or(0);
    let is_title = |row: &&Row| 2 * row.len() < usual || row.len() == 1 && usual > 1;
    let titles = rows.iter().take_while(is_title).count();
    // So many are rows of a table with gaps.
    if titles > MOST_TITLES { 0 } else { titles }
}

/// The sheet that was asked for; or the only one that is not hidden and has cells.
fn choose(workbook: &mut Workbook<'_>, file: &FileAt<'_>) -> Result<String> {
    let sheets = workbook.sheets().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
    let all: Vec<(String, bool)> =
        sheets.map(|sheet| (sheet.name.clone(), sheet.visible == SheetVisible::Visible)).collect();
    let seen: Vec<&str> = all.iter().filter(|(_, is_seen)| *is_seen).map(|(name, _)| name.as_str()).collect();
    if let Some(asked) = &file.overrides.sheet {
        let by_name = all.iter().map(|(name, _)| name.as_str()).find(|name| name == asked);
        let by_number = || asked.parse::<usize>().ok()?.checked_sub(1).and_then(|at| seen.get(at).copied());
        return by_name.or_else(by_number).map(str::to_owned).ok_or_else(|| unknown(file, asked, &seen));
    }
    let mut filled = Vec::new();
    for name in &seen {
        let mut has_cells = false;
        workbook.each_row(name, |_| {
            has_cells = true;
            Ok(false)
        })?;
        if has_cells {
            filled.push(*name);
        }
    }
    match filled[..] {
        [] => Err(bad(
            file.path,
            ("the workbook has no sheet with cells, or only hidden ones", "name one with --sheet NAME"),
        )),
        [name] => Ok(name.to_owned()),
        _ => Err(bad(
            file.path,
            (
                format!("the workbook has {} sheets with cells, {}", filled.len(), quoted_list(&filled)),
                "choose the one with the table by --sheet NAME (in a job: sheet in [xlsx])",
            ),
        )),
    }
}

fn unknown(file: &FileAt<'_>, asked: &str, seen: &[&str]) -> EngineError {
    let near = nearest(asked, seen.iter().copied()).map(did_you_mean).unwrap_or_default();
    let problem = (
        format!("there is no sheet {}{near}", quoted(asked)),
        format!("the sheets are {}", quoted_list(seen)),
    );
    bad(file.path, problem)
}

fn nothing(file: &FileAt<'_>, name: &str) -> EngineError {
    bad(
        file.path,
        format!("the sheet {} has no row with cells, or none below the skipped ones", quoted(name)),
    )
}
