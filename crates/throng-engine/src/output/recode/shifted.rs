//! Dates that are kept, but moved by a random number of days, the same for all dates of a person.
//!
//! The number follows from the person's identifier by a key that is drawn for this release alone and kept nowhere: no
//! table of numbers is in memory, and nobody who has the release, the job and the identifiers can compute it.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch};
use arrow::compute::{CastOptions, cast, cast_with_options};
use arrow::datatypes::{DataType, Int64Type, TimeUnit};

use super::{RecodedColumn, Recoder, failed, spell_anew};
use crate::dictionary::{as_text, try_each};
use crate::error::{EngineError, Result};
use crate::job::DateShift;
use crate::output::shuffle::Secret;
use crate::prepare::EncodedTable;

/// What is wrong with a cell whose date cannot be moved.
const NO_DATE: (&str, &str) = (
    "a cell is neither a date nor empty",
    "dates are spelled as 2024-03-17, 2024-03-17 09:30 or 2024-03-17T09:30:15+01:00, or as date_format says",
);

/// What is wrong with a cell of a type whose date would be moved out of it.
const TOO_FAR: (&str, &str) = (
    "a date cannot be moved so far",
    "the type of the column has no date so early or so late; empty such cells, or write them as text",
);

/// By how much the dates of each person are moved.
pub(super) struct PersonShifts {
    key: [u8; blake3::KEY_LEN],
    /// The position of the person in scanned batches; none if each row is of a person of its own.
    person: Option<usize>,
}

impl PersonShifts {
    /// From so many days earlier to so many later, all equally likely.
    fn days(&self, of: &[u8], most: u32) -> i32 {
        let hash = blake3::keyed_hash(&self.key, of);
        let word = u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("eight bytes"));
        // So many more words than days that none is noticeably likelier.
        (word % (2 * u64::from(most) + 1)) as i32 - most as i32
    }
}

impl Recoder<'_> {
    /// The same with dates moved where the job wants it; `person` is the column of persons in the input, which must be
    /// among those that are scanned.
    ///
    /// # Errors
    /// If the operating system has no randomness.
    pub fn with_shifts(mut self, prepared: &EncodedTable, person: Option<usize>) -> Result<Self> {
        for (place, (_, name)) in prepared.roles.released().enumerate() {
            if let Some(shift) = prepared.roles.shifted(name) {
                self.columns[place].1 = RecodedColumn::Shifted(shift.clone());
                if self.shifts.is_none() {
                    let scanned = |column| self.scanned.iter().position(|&one| one == column);
                    let person = person.map(|column| scanned(column).expect("persons are scanned"));
                    self.shifts = Some(PersonShifts { key: Secret::drawn()?.bytes(), person });
                }
            }
        }
        Ok(self)
    }

    /// The dates of a column as they are released; missing ones stay missing.
    pub(super) fn shift(
        &self,
        batch: &RecordBatch,
        shift: &DateShift,
        at: usize,
        before: u64,
    ) -> Result<ArrayRef> {
        let days = self.days(batch, shift, before)?;
        let cells = self.keep(batch.column(at), at, before)?;
        if let Some(units) = units_of_day(cells.data_type()) {
            return shift_typed(&cells, &days, units, |place| self.bad_cell(place, at, before, TOO_FAR));
        }
        let bad = |place: usize| self.bad_cell(place, at, before, NO_DATE);
        spell_anew(&cells, bad, |place, text| shift.cell(text, days[place]).ok_or_else(|| bad(place)))
    }

    /// By how many days the dates of each row are moved.
    fn days(&self, batch: &RecordBatch, shift: &DateShift, before: u64) -> Result<Vec<i32>> {
        let shifts = self.shifts.as_ref().expect("made with the columns");
        let mut days = Vec::with_capacity(batch.num_rows());
        // A row of which nobody knows whose it is moves by itself.
        let of_row = |at: usize| {
            shifts.days(&[&b"row "[..], &(before + at as u64).to_le_bytes()[..]].concat(), shift.days)
        };
        let Some(person) = shifts.person else {
            days.extend((0..batch.num_rows()).map(of_row));
            return Ok(days);
        };
        let name = &self.origin.columns[self.scanned[person]];
        let persons = as_text(batch.column(person))
            .ok_or_else(|| self.origin.bad("a value cannot be written as text").in_column(name))?;
        try_each(&persons, |cell| {
            let at = days.len();
            days.push(match cell {
                b"" => of_row(at),
                person => shifts.days(&[&b"person "[..], person].concat(), shift.days),
            });
            Ok::<(), EngineError>(())
        })?;
        Ok(days)
    }
}

/// How many units a day has where dates are numbers.
fn units_of_day(kind: &DataType) -> Option<i64> {
    const SECONDS: i64 = 86_400;
    match kind {
        DataType::Date32 => Some(1),
        DataType::Date64 | DataType::Timestamp(TimeUnit::Millisecond, _) => Some(SECONDS * 1_000),
        DataType::Timestamp(TimeUnit::Second, _) => Some(SECONDS),
        DataType::Timestamp(TimeUnit::Microsecond, _) => Some(SECONDS * 1_000_000),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => Some(SECONDS * 1_000_000_000),
        _ => None,
    }
}

fn shift_typed(
    cells: &ArrayRef,
    days: &[i32],
    units: i64,
    bad: impl Fn(usize) -> EngineError,
) -> Result<ArrayRef> {
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    let whole = if *cells.data_type() == DataType::Date32 { DataType::Int32 } else { DataType::Int64 };
    let numbers = cast(&cast(cells, &whole).map_err(failed)?, &DataType::Int64).map_err(failed)?;
    let numbers = numbers.as_primitive::<Int64Type>();
    let fits = |number: &i64| whole == DataType::Int64 || i32::try_from(*number).is_ok();
    let moved = (0..numbers.len()).map(|at| {
        let later = |number: i64| number.checked_add(i64::from(days[at]) * units).filter(fits);
        let sum = |number: i64| later(number).ok_or_else(|| bad(at));
        numbers.is_valid(at).then(|| sum(numbers.value(at))).transpose()
    });
    let moved: ArrayRef = Arc::new(moved.collect::<Result<Int64Array>>()?);
    let moved = cast_with_options(&moved, &whole, &strict).map_err(failed)?;
    cast_with_options(&moved, cells.data_type(), &strict).map_err(failed)
}

#[cfg(test)]
mod tests {
    use arrow::array::{Date32Array, TimestampMicrosecondArray};

    use super::*;

    #[test]
    fn a_person_has_one_number_and_all_numbers_occur() {
        let shifts = PersonShifts { key: [7; 32], person: None };
        let of = |person: u32| shifts.days(&person.to_le_bytes(), 2);
        assert!((0..100).all(|person| of(person) == of(person)));
        let mut times = [0; 5];
        (0..5_000).for_each(|person| times[(of(person) + 2) as usize] += 1);
        // 1,000 each, give or take six standard deviations.
        assert!(times.iter().all(|&times| (830..=1_170).contains(&times)), "{times:?}");
        let other = PersonShifts { key: [8; 32], person: None };
        assert!((0..100u32).any(|person| other.days(&person.to_le_bytes(), 2) != of(person)));
    }

    #[test]
    fn typed_dates_keep_their_type_and_their_gaps() {
        let bad = |_| EngineError::bad("no date");
        let days: ArrayRef = Arc::new(Date32Array::from(vec![Some(10), None, Some(40)]));
        let moved = shift_typed(&days, &[-3, 5, 2], 1, bad).unwrap();
        assert_eq!(moved.as_ref(), &Date32Array::from(vec![Some(7), None, Some(42)]) as &dyn Array);
        let times = TimestampMicrosecondArray::from(vec![1, 2]).with_timezone("UTC");
        let kind = times.data_type().clone();
        let times: ArrayRef = Arc::new(times);
        let moved = shift_typed(&times, &[1, -1], units_of_day(&kind).unwrap(), bad).unwrap();
        assert_eq!(*moved.data_type(), kind);
        let number = |at: usize| {
            let moved = cast(&moved, &DataType::Int64).unwrap();
            moved.as_primitive::<Int64Type>().value(at)
        };
        assert_eq!((number(0), number(1)), (86_400_000_001, -86_399_999_998));
        let last: ArrayRef = Arc::new(Date32Array::from(vec![0, i32::MAX]));
        let error = shift_typed(&last, &[1, 1], 1, |at| EngineError::bad(format!("row {at}"))).unwrap_err();
        assert_eq!(error.to_string(), "row 1");
    }
}
