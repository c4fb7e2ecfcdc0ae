//! Cells of text that a spreadsheet takes for formulas, and what a release does about them.
//!
//! Who opens a file there runs what somebody typed into a form: `=HYPERLINK(…)` sends cells elsewhere. An apostrophe
//! before a cell makes it text. It is also put before cells that begin with apostrophes and go on like a formula, so
//! that different cells stay different, and whoever reads the release back gets what was there.

use std::str::FromStr;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, StringArray};
use serde::{Deserialize, Serialize};

use crate::error::EngineError;
use crate::wording::{Packed, choose};

/// What is done about cells of a release that a spreadsheet would run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", try_from = "String")]
pub enum Formulas {
    /// They are written as they are.
    #[default]
    Keep,
    /// An apostrophe is put before them.
    Quote,
    /// A release with any is not written.
    Refuse,
}

impl FromStr for Formulas {
    type Err = EngineError;

    fn from_str(name: &str) -> Result<Formulas, EngineError> {
        let choices = [("keep", Formulas::Keep), ("quote", Formulas::Quote), ("refuse", Formulas::Refuse)];
        choose("treatment of formulas", name, &choices).map_err(EngineError::bad)
    }
}

impl TryFrom<String> for Formulas {
    type Error = Packed;

    fn try_from(name: String) -> std::result::Result<Formulas, Packed> {
        Ok(name.parse()?)
    }
}

/// What stands before a cell that would be run.
pub const MARK: u8 = b'\'';

/// Whether a spreadsheet takes a cell for a formula. Numbers with a sign are none, nor is a sign alone, nor a range of two
/// numbers as releases have them.
pub fn is_formula(cell: &[u8]) -> bool {
    match cell {
        [] | [_] => false,
        [b'=' | b'@' | b'\t' | b'\r', ..] => true,
        [b'+' | b'-', rest @ ..] => !is_number(rest) && !is_range(rest),
        // The same signs in the width of Chinese characters.
        [0xEF, 0xBC, 0x9D | 0xA0 | 0x8B | 0x8D, ..] => true,
        _ => false,
    }
}

/// Whether what follows a sign makes it a number, however its digits are grouped.
fn is_number(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let text = text.trim().trim_end_matches(['%', ' ']);
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let groups = [' ', '.', ',', '\'', '\u{a0}', '\u{202f}'];
    let is_digits = digits.contains(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || groups.contains(&c));
    let is_exponent = !exponent.is_empty() && exponent.bytes().all(|byte| byte.is_ascii_digit());
    is_digits && is_exponent || ["inf", "infinity", "nan"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether what follows a sign makes it a range of numbers (`-0.1~12.5`).
fn is_range(text: &[u8]) -> bool {
    let Some(at) = text.iter().position(|&byte| byte == b'~') else { return false };
    let high = &text[at + 1..];
    is_number(&text[..at]) && is_number(high.strip_prefix(b"-").unwrap_or(high))
}

/// Whether a cell gets a mark where formulas do.
pub fn needs_mark(cell: &[u8]) -> bool {
    let marks = cell.iter().take_while(|&&byte| byte == MARK).count();
    is_formula(&cell[marks..])
}

/// A cell without the mark that it was written with.
pub fn without_mark(cell: &str) -> &str {
    cell.strip_prefix(char::from(MARK)).filter(|rest| needs_mark(rest.as_bytes())).unwrap_or(cell)
}

/// The cells of a batch without the marks that they were written with.
pub fn without_marks(batch: RecordBatch) -> RecordBatch {
    let is_marked = |cells: &ArrayRef| {
        cells.as_string_opt::<i32>().is_some_and(|cells| cells.value_data().contains(&MARK))
    };
    if !batch.columns().iter().any(is_marked) {
        return batch;
    }
    let columns = batch.columns().iter().map(|cells| match cells.as_string_opt::<i32>() {
        Some(texts) if is_marked(cells) => {
            Arc::new(texts.iter().map(|cell| cell.map(without_mark)).collect::<StringArray>()) as ArrayRef
        }
        _ => Arc::clone(cells),
    });
    RecordBatch::try_new(batch.schema(), columns.collect()).expect("as many texts as before")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_no_formulas() {
        for cell in [
            "",
            "-",
            "+",
            "=",
            "-5",
            "+3.2",
            "-1.234,56",
            "-1 000",
            "-1'000",
            "-.5",
            "+1e-7",
            "-5 %",
            "-inf",
            "5-3",
            "a=b",
            "'quoted'",
            "-0",
            "+49 30 1234",
            "*",
            "{a, b}",
            " =1",
        ] {
            assert!(!is_formula(cell.as_bytes()), "{cell}");
        }
        for cell in [
            "=1+1",
            "=HYPERLINK(\"x\")",
            "+cmd|' /C calc'!A0",
            "-2+3",
            "-10--1",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "--",
            "-a",
            "+e5",
            "＝1+1",
            "－1+1",
            "-1e",
            "-5-0",
        ] {
            assert!(is_formula(cell.as_bytes()), "{cell}");
        }
    }

    /// Different cells stay different, and each is read back as it was.
    #[test]
    fn marks_are_taken_away_again() {
        let cells = ["=1", "'=1", "''=1", "'", "''", "'a", "a", "", "-5", "'-5", "'-a", "-a"];
        let written: Vec<String> = cells
            .iter()
            .map(|cell| if needs_mark(cell.as_bytes()) { format!("'{cell}") } else { (*cell).to_owned() })
            .collect();
        assert_eq!(written[..4], ["'=1", "''=1", "'''=1", "'"]);
        let read: Vec<&str> = written.iter().map(|cell| without_mark(cell)).collect();
        assert_eq!(read, cells);
        assert!(written.iter().all(|cell| !is_formula(cell.as_bytes())));
        let column: ArrayRef =
            Arc::new(written.iter().map(|cell| Some(cell.as_str())).collect::<StringArray>());
        let batch = without_marks(RecordBatch::try_from_iter([("c", column)]).unwrap());
        assert_eq!(batch.column(0).as_string::<i32>().iter().flatten().collect::<Vec<_>>(), cells);
    }
}
