//! Whether the rows of a table are sorted by a column.

use std::cmp::Ordering;
use std::convert::Infallible;

use arrow::array::ArrayRef;

use crate::dictionary::{as_text, try_each};
use crate::input::source::BATCH_ROWS;

/// Steps up or down after which it is known whether they are mixed.
const ENOUGH: u64 = 1_000;
/// Of a hundred steps, those that may go the other way.
const STRAY_PERCENT: u64 = 1;
/// Steps from which on a sorted column is no chance.
const MANY_STEPS: u64 = 20;
/// Rows of one value before its place among others is no chance.
const LONG_STRETCH: u64 = 8;

/// The steps from each row to the next.
#[derive(Debug, Default)]
pub(super) struct RowSteps {
    before: Option<Cell>,
    rises: u64,
    falls: u64,
    /// Rows of the value at hand, and of the shortest stretch of one value that is over.
    stretch: u64,
    shortest: Option<u64>,
    is_mixed: bool,
    cells: usize,
}

/// A cell, and the number that it is.
#[derive(Debug)]
struct Cell {
    text: Vec<u8>,
    number: Option<f64>,
}

impl Cell {
    fn new(text: &[u8]) -> Cell {
        let number = std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok());
        Cell { text: text.to_vec(), number }
    }

    fn cmp(&self, other: &Cell) -> Ordering {
        match (self.number, other.number) {
            (Some(one), Some(other)) => one.total_cmp(&other),
            _ => self.text.cmp(&other.text),
        }
    }
}

impl RowSteps {
    pub(super) fn add(&mut self, cells: &ArrayRef) {
        if self.is_mixed {
            return;
        }
        let Some(text) = as_text(cells) else {
            self.is_mixed = true;
            return;
        };
        let each = try_each(&text, |cell| {
            self.step(cell);
            self.cells += 1;
            // Not at the ends of batches: these are not where they are because of the rows.
            if self.cells.is_multiple_of(BATCH_ROWS) {
                self.is_mixed |= self.rises + self.falls > ENOUGH && !self.goes_one_way();
            }
            Ok::<(), Infallible>(())
        });
        let Ok(()) = each;
    }

    fn step(&mut self, cell: &[u8]) {
        if cell.is_empty() {
            return;
        }
        if self.before.as_ref().is_some_and(|before| before.text == cell) {
            self.stretch += 1;
            return;
        }
        let cell = Cell::new(cell);
        if let Some(before) = &self.before {
            match cell.cmp(before) {
                Ordering::Less => self.falls += 1,
                Ordering::Greater => self.rises += 1,
                Ordering::Equal => {}
            }
            self.shortest = Some(self.shortest.map_or(self.stretch, |shortest| shortest.min(self.stretch)));
        }
        self.stretch = 1;
        self.before = Some(cell);
    }

    fn goes_one_way(&self) -> bool {
        100 * self.rises.min(self.falls) <= STRAY_PERCENT * (self.rises + self.falls)
    }

    /// Whether rows are sorted, up or down.
    pub(super) fn is_sorted(&self) -> bool {
        let shortest = self.shortest.map_or(self.stretch, |shortest| shortest.min(self.stretch));
        let steps = self.rises + self.falls;
        !self.is_mixed
            && self.goes_one_way()
            && (steps >= MANY_STEPS || steps > 0 && shortest >= LONG_STRETCH)
    }
}
