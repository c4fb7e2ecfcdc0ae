//! Columns of coded numbers in a written table: none may be beyond a bound, or not round.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::DataType;
use throng::taxonomy::Notation;
use throng::wording::quoted;

use super::look::look_at_columns;
use super::unverified;
use crate::dictionary::{as_text, try_each};
use crate::error::{EngineError, Result};
use crate::format::reopen::Reopened;
use crate::job::CodedNumbers;

/// Looks at every cell of these columns.
///
/// # Errors
/// [`EngineError::Unverified`] if one is neither empty nor a number as it was asked for.
pub(super) async fn check(table: &Arc<Reopened>, columns: &[(String, CodedNumbers)]) -> Result<()> {
    look_at_columns(table, columns, see).await
}

fn see(name: &str, coded: &CodedNumbers, cells: &ArrayRef) -> Result<()> {
    let precision = match cells.data_type() {
        DataType::Float16 => 1.0 / 1024.0,
        DataType::Float32 => f64::from(f32::EPSILON),
        _ => 4.0 * f64::EPSILON,
    };
    let refuse = || unverified(format!("column {} has cells that are not coded", quoted(name)));
    let cells = as_text(cells).ok_or_else(refuse)?;
    try_each(&cells, |cell| match cell {
        b"" => Ok::<(), EngineError>(()),
        cell if is_coded(coded, cell, precision) => Ok(()),
        _ => Err(refuse()),
    })
}

/// Whether a cell is a number within the bounds, and a multiple of what it must be a multiple of; numbers are as precise
/// as this share of them.
fn is_coded(coded: &CodedNumbers, cell: &[u8], precision: f64) -> bool {
    let Ok(text) = std::str::from_utf8(cell) else { return false };
    let text = if coded.notation == Notation::Comma { text.replace(',', ".") } else { text.to_owned() };
    let Ok(number) = text.parse::<f64>() else { return false };
    let coding = coded.coding;
    let is_multiple = |round: f64| {
        let nearest = (number / round).round();
        (nearest * round - number).abs() <= precision * number.abs()
    };
    coding.bottom.is_none_or(|bottom| number >= bottom)
        && coding.top.is_none_or(|top| number <= top)
        && coding.round.is_none_or(is_multiple)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::NumberCoding;

    const DOUBLE: f64 = 4.0 * f64::EPSILON;

    #[test]
    fn large_numbers_between_multiples_are_found() {
        let of = |round: f64, cell: &str, precision: f64| {
            let coding = NumberCoding { round: Some(round), ..NumberCoding::default() };
            let coded = CodedNumbers { coding, notation: Notation::Plain, is_said: true };
            is_coded(&coded, cell.as_bytes(), precision)
        };
        for (round, good, bad) in [
            (1000.0, "30000000000000", "30000000000999"),
            (5.0, "12345678905", "12345678906"),
            (0.1, "123456789.1", "123456789.15"),
        ] {
            assert!(of(round, good, DOUBLE) && !of(round, bad, DOUBLE), "{round}");
        }
        let single = f64::from(f32::EPSILON);
        assert!(of(0.3, "0.90000004", single) && !of(0.3, "0.90000004", DOUBLE));
        assert!(!of(0.3, "0.901", single));
    }

    #[test]
    fn cells_beyond_bounds_or_between_multiples_are_found() {
        let coding = NumberCoding { bottom: Some(0.0), top: Some(2.5), round: Some(0.1) };
        let of = |notation, cell: &str| {
            is_coded(&CodedNumbers { coding, notation, is_said: true }, cell.as_bytes(), DOUBLE)
        };
        for good in ["0", "0.3", "2.5", "1.7"] {
            assert!(of(Notation::Plain, good), "{good}");
        }
        for bad in ["-0.1", "2.6", "0.25", "1,7", "90+", "x"] {
            assert!(!of(Notation::Plain, bad), "{bad}");
        }
        assert!(of(Notation::Comma, "1,7") && !of(Notation::Comma, "1,75"));
    }
}
