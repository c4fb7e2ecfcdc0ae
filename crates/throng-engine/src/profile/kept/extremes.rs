//! How many rows have the least and the greatest number of a column.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array};
use arrow::compute::{cast, max, min};
use arrow::datatypes::{DataType, Float64Type};
use throng::taxonomy::Notation;

use crate::coding::NumberCoding;
use crate::dictionary::{as_text, try_each};

/// The least and the greatest number so far, each with its rows, in each way to read the cells.
#[derive(Debug, Default)]
pub(super) struct NumberExtremes {
    plain: CellReading,
    /// The same with a decimal point and marks between thousands, and with a decimal comma.
    marked: [CellReading; 2],
    /// What is done to the numbers before they are released.
    coding: NumberCoding,
}

/// What was found by one way to read cells.
#[derive(Clone, Copy, Debug, Default)]
struct CellReading {
    found: Option<[(f64, u64); 2]>,
    /// Whether something else than numbers was met: a column is numbers throughout, or none.
    is_over: bool,
}

impl NumberExtremes {
    /// Those of the numbers that are released.
    pub(super) fn of_coded(coding: NumberCoding) -> NumberExtremes {
        NumberExtremes { coding, ..NumberExtremes::default() }
    }

    pub(super) fn add(&mut self, cells: &ArrayRef) {
        let coding = self.coding;
        self.plain.add(coding, || {
            let numbers = cast(cells, &DataType::Float64).ok()?;
            (numbers.null_count() <= missing(cells)).then_some(numbers)
        });
        for (reading, notation) in self.marked.iter_mut().zip([Notation::Point, Notation::Comma]) {
            reading.add(coding, || read(cells, notation));
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
    fn add(&mut self, coding: NumberCoding, numbers: impl FnOnce() -> Option<ArrayRef>) {
        if self.is_over {
            return;
        }
        let Some(numbers) = numbers() else {
            self.is_over = true;
            return;
        };
        let numbers: &Float64Array = numbers.as_primitive::<Float64Type>();
        let coded: Option<Float64Array> =
            (!coding.is_none()).then(|| numbers.unary(|number| coding.code(number)));
        let numbers: &Float64Array = coded.as_ref().unwrap_or(numbers);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(coding: NumberCoding) -> Option<(u64, u64)> {
        let mut extremes = NumberExtremes::of_coded(coding);
        for cells in [vec![20.0, 21.0, 64.0, 70.0], vec![21.0, 69.0, 310.0]] {
            let cells: ArrayRef = Arc::new(Float64Array::from(cells));
            extremes.add(&cells);
        }
        extremes.rows(true)
    }

    #[test]
    fn extremes_are_those_of_released_numbers() {
        let top = |top: f64| NumberCoding { top: Some(top), ..NumberCoding::default() };
        assert_eq!(rows(NumberCoding::default()), Some((1, 1)));
        assert_eq!(rows(top(1000.0)), Some((1, 1)), "nobody is beyond it");
        assert_eq!(rows(top(300.0)), Some((1, 1)), "one is");
        assert_eq!(rows(top(69.0)), Some((1, 3)));
        let coding = NumberCoding { bottom: Some(25.0), top: Some(65.0), round: Some(5.0) };
        assert_eq!(rows(coding), Some((3, 4)));
    }
}
