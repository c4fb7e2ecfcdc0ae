//! How many rows have the least and the greatest number of a column.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array};
use arrow::compute::{cast, max, min};
use arrow::datatypes::{DataType, Float64Type};
use throng::taxonomy::Notation;

use crate::dictionary::{as_text, try_each};

/// The least and the greatest number so far, each with its rows, in each way to read the cells.
#[derive(Debug, Default)]
pub(super) struct NumberExtremes {
    plain: CellReading,
    /// The same with a decimal point and marks between thousands, and with a decimal comma.
    marked: [CellReading; 2],
}

/// What was found by one way to read cells.
#[derive(Clone, Copy, Debug, Default)]
struct CellReading {
    found: Option<[(f64, u64); 2]>,
    /// Whether something else than numbers was met: a column is numbers throughout, or none.
    is_over: bool,
}

impl NumberExtremes {
    pub(super) fn add(&mut self, cells: &ArrayRef) {
        self.plain.add(|| {
            let numbers = cast(cells, &DataType::Float64).ok()?;
            (numbers.null_count() <= missing(cells)).then_some(numbers)
        });
        for (reading, notation) in self.marked.iter_mut().zip([Notation::Point, Notation::Comma]) {
            reading.add(|| read(cells, notation));
        }
    }

    /// Rows with the least, and rows with the greatest, where `is_number` says that plain numbers are meant as such.
    pub(super) fn rows(&self, is_number: bool) -> Option<(u64, u64)> {
        let rows = |reading: &CellReading| reading.found.map(|[(_, least), (_, greatest)]| (least, greatest));
        match self.plain.is_over {
            false => rows(&self.plain).filter(|_| is_number),
            true => self.marked.iter().find(|reading| !reading.is_over).and_then(rows),
        }
    }
}

impl CellReading {
    fn add(&mut self, numbers: impl FnOnce() -> Option<ArrayRef>) {
        if self.is_over {
            return;
        }
        let Some(numbers) = numbers() else {
            self.is_over = true;
            return;
        };
        let numbers: &Float64Array = numbers.as_primitive::<Float64Type>();
        let (Some(least), Some(greatest)) = (min(numbers), max(numbers)) else { return };
        let rows = |number: f64| numbers.iter().flatten().filter(|cell| *cell == number).count() as u64;
        let new = [(least, rows(least)), (greatest, rows(greatest))];
        let Some(found) = &mut self.found else {
            self.found = Some(new);
            return;
        };
        join(&mut found[0], new[0], |new, old| new < old);
        join(&mut found[1], new[1], |new, old| new > old);
    }
}

/// The numbers that all cells of text spell, if they do.
fn read(cells: &ArrayRef, notation: Notation) -> Option<ArrayRef> {
    let text = as_text(cells).filter(|_| !cells.data_type().is_numeric())?;
    let mut numbers: Vec<Option<f64>> = Vec::with_capacity(text.len());
    let read = try_each(&text, |cell| {
        let cell = std::str::from_utf8(cell).map_err(|_| ())?.trim();
        numbers.push(match cell.is_empty() {
            true => None,
            false => Some(notation.spell_plainly(cell).and_then(|plain| plain.parse().ok()).ok_or(())?),
        });
        Ok::<(), ()>(())
    });
    read.ok().map(|()| Arc::new(Float64Array::from(numbers)) as ArrayRef)
}

/// Cells without a value; an empty text is one, too.
fn missing(cells: &ArrayRef) -> usize {
    let empty =
        cells.as_string_opt::<i32>().map_or(0, |text| text.iter().flatten().filter(|t| t.is_empty()).count());
    cells.null_count() + empty
}

fn join(old: &mut (f64, u64), new: (f64, u64), beyond: impl Fn(f64, f64) -> bool) {
    if beyond(new.0, old.0) {
        *old = new;
    } else if new.0 == old.0 {
        old.1 += new.1;
    }
}
