//! Numbers that are kept, but bounded or rounded.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, StringArray};
use arrow::compute::{CastOptions, cast, cast_with_options};
use arrow::datatypes::{DataType, Float64Type};

use super::{RecodedColumn, Recoder, failed};
use crate::dictionary::{as_text, try_each};
use crate::error::{EngineError, Result};
use crate::job::CodedNumbers;
use crate::prepare::EncodedTable;

/// Beyond this, floating-point numbers skip whole ones.
const MOST_WHOLE: f64 = (1u64 << 53) as f64;

/// What is wrong with a cell that cannot be coded.
const NO_NUMBER: (&str, &str) =
    ("a cell is not a number", "bottom, top and round are for columns of numbers; missing cells are empty");

impl Recoder<'_> {
    /// The same with numbers bounded and rounded where the job wants it.
    pub fn with_codings(mut self, prepared: &EncodedTable) -> Self {
        for (place, (_, name)) in prepared.roles.released().enumerate() {
            if let Some(coded) = prepared.roles.coded(name) {
                self.columns[place].1 = RecodedColumn::Coded(*coded);
            }
        }
        self
    }

    /// The numbers of a column as they are released; missing ones stay missing.
    pub(super) fn code(
        &self,
        cells: &ArrayRef,
        coded: &CodedNumbers,
        at: usize,
        before: u64,
    ) -> Result<ArrayRef> {
        let cells = self.keep(cells, at, before)?;
        if cells.data_type().is_numeric() {
            return self.code_numbers(&cells, coded, at, before);
        }
        let bad = |place: usize| self.bad_cell(place, at, before);
        let texts = as_text(&cells).ok_or_else(|| bad(0))?;
        let (mut place, mut released) = (0, Vec::with_capacity(texts.len()));
        try_each(&texts, |cell| {
            let text = std::str::from_utf8(cell).map_err(|_| bad(place))?;
            released.push(match text.trim() {
                "" => None,
                text => Some(coded.cell(text).ok_or_else(|| bad(place))?),
            });
            place += 1;
            Ok::<(), EngineError>(())
        })?;
        cast(&StringArray::from(released), cells.data_type()).map_err(failed)
    }

    fn code_numbers(
        &self,
        cells: &ArrayRef,
        coded: &CodedNumbers,
        at: usize,
        before: u64,
    ) -> Result<ArrayRef> {
        let strict = CastOptions { safe: false, ..CastOptions::default() };
        let numbers = cast_with_options(cells, &DataType::Float64, &strict).map_err(failed)?;
        let numbers = numbers.as_primitive::<Float64Type>();
        let is_good = |number: f64| {
            number.is_finite() && (!cells.data_type().is_integer() || number.abs() <= MOST_WHOLE)
        };
        if let Some(place) =
            (0..numbers.len()).find(|&at| numbers.is_valid(at) && !is_good(numbers.value(at)))
        {
            return Err(self.bad_cell(place, at, before));
        }
        let coded: Float64Array = numbers.unary(|number| coded.coding.code(number));
        if cells.data_type().is_integer() && coded.iter().flatten().any(|number| number.fract() != 0.0) {
            let problem = "the column has whole numbers, so its bottom, top and round must be whole";
            return Err(self.origin.bad(problem).in_column(&self.origin.columns[self.scanned[at]]));
        }
        let coded: ArrayRef = Arc::new(coded);
        cast_with_options(&coded, cells.data_type(), &strict).map_err(failed)
    }

    fn bad_cell(&self, place: usize, at: usize, before: u64) -> EngineError {
        let name = &self.origin.columns[self.scanned[at]];
        self.origin.bad_at(before + place as u64 + 1, NO_NUMBER).in_column(name)
    }
}
