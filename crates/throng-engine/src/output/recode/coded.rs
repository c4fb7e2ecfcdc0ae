//! Numbers that are kept, but bounded or rounded.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Float64Type};

use super::{RecodedColumn, Recoder, failed, spell_anew};
use crate::error::Result;
use crate::job::CodedNumbers;
use crate::prepare::EncodedTable;

/// Beyond this, floating-point numbers skip whole ones.
const MOST_WHOLE: f64 = (1u64 << 53) as f64;

/// What is wrong with a cell that cannot be coded.
const NO_NUMBER: (&str, &str) = (
    "a cell is not a number",
    "bottom, top and round are for columns of numbers; decimal = \",\" says that they have a decimal comma, decimal = \".\" \
     a point; missing cells are empty",
);

/// What is wrong with a cell that is two numbers.
const TWO_NUMBERS: (&str, &str) = (
    "a cell is one number with a decimal point, and another with a decimal comma",
    "say which it is: decimal = \".\" or decimal = \",\" for the column or in [csv]",
);

/// What is wrong with a number that the column cannot hold.
const UNFIT: (&str, &str) = (
    "the number that would be released does not fit the type of the column",
    "its bottom, top and round must fit it",
);

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
        let bad = |place: usize| self.bad_cell(place, at, before, NO_NUMBER);
        spell_anew(&cells, bad, |place, text| match coded.is_ambiguous(text) {
            true => Err(self.bad_cell(place, at, before, TWO_NUMBERS)),
            false => coded.cell(text).ok_or_else(|| bad(place)),
        })
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
            return Err(self.bad_cell(place, at, before, NO_NUMBER));
        }
        match coded.code_typed(cells).map_err(failed)? {
            (released, None) => Ok(released),
            (_, Some(place)) if cells.data_type().is_integer() && !coded.coding.is_whole() => {
                let whole = "the column has whole numbers, so its bottom, top and round must be whole";
                Err(self.bad_cell(place, at, before, whole))
            }
            (_, Some(place)) => Err(self.bad_cell(place, at, before, UNFIT)),
        }
    }
}
