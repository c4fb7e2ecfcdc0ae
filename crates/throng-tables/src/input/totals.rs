//! Totals and notes below a table: rows that are no records.
//!
//! A row that adds up others would be released as one more person, and its numbers tell of all the others. Nobody but who
//! made the table knows for sure, so the last rows are asked about if they look like that.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::EngineError;
use crate::wording::{Message, Packed, choose};

/// Rows that may be totals, at most: the total, the mean, notes.
pub const MOST_ROWS: usize = 16;
/// Columns that a table has at least, if a row with a single cell is a note.
const WIDE: usize = 4;

/// What is done about rows at the end that look like totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", try_from = "String")]
pub enum Totals {
    /// They are left out.
    Drop,
    /// They are records.
    Keep,
}

impl FromStr for Totals {
    type Err = EngineError;

    fn from_str(name: &str) -> Result<Totals, EngineError> {
        let choices = [("drop", Totals::Drop), ("keep", Totals::Keep)];
        choose("treatment of totals", name, &choices).map_err(EngineError::bad)
    }
}

impl TryFrom<String> for Totals {
    type Error = Packed;

    fn try_from(name: String) -> std::result::Result<Totals, Packed> {
        Ok(name.parse()?)
    }
}

/// What totals are called.
const WORDS: &str = "average celkem durchschnitt gemiddelde gesamt gesamtsumme gesamtergebnis insgesamt \
                     kokonaissumma mean median mittelwert moyenne overall promedio razem somma somme \
                     subtotal sum suma summe summa sums total totaal totale totals yhteensä średnia";

/// Whether a row looks like a total, by its cells that are not empty: a name such as 'Total' before numbers. In a table of
/// one column that is a value like others.
pub fn is_total<'a>(mut cells: impl Iterator<Item = &'a str>) -> bool {
    let Some(first) = cells.next() else { return false };
    let name = first.trim().trim_end_matches([':', '.', '=']).trim_end().to_lowercase();
    // 'Grand total', 'Total général', 'Suma końcowa'.
    let mut words = name.split_whitespace();
    let is_named =
        words.clone().count() <= 2 && words.any(|word| WORDS.split_whitespace().any(|known| known == word));
    let mut cells = cells.peekable();
    is_named && cells.peek().is_some() && cells.all(is_number)
}

/// Whether a row looks like a note below a table, or a sum without a name: of many cells it has one.
pub fn is_note(filled: usize, columns: usize) -> bool {
    columns >= WIDE && filled == 1
}

fn is_number(cell: &str) -> bool {
    cell.contains(|c: char| c.is_ascii_digit()) && cell.chars().filter(|c| c.is_alphabetic()).count() <= 3
}

/// What to say of such rows, the first of which is row `first` of its sheet, if it is in one.
pub fn ask(first: Option<u32>, rows: usize) -> Message {
    let (what, looks, them, records) = match rows {
        1 => {
            ("the last row".to_owned(), "looks like a total or a note, not a record", "it", "it is a record")
        }
        _ => (
            format!("the last {rows} rows"),
            "look like totals or notes, not records",
            "them",
            "they are records",
        ),
    };
    let place = match first {
        Some(first) if rows == 1 => format!(" (row {first} of the sheet)"),
        Some(first) => format!(" (from row {first} of the sheet on)"),
        None => String::new(),
    };
    let what = format!("{what}{place} {looks}");
    (
        what,
        format!(
            "use --totals drop to leave {them} out, or --totals keep if {records} (in a job: totals = \
             \"drop\" in [xlsx] or [csv])"
        ),
    )
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(cells: &[&str]) -> bool {
        let filled = cells.iter().copied().filter(|cell| !cell.is_empty());
        is_total(filled.clone()) || is_note(filled.count(), cells.len())
    }

    #[test]
    fn totals_and_notes_are_told_from_records() {
        for total in [
            &["Total", "", "1,204"][..],
            &["", "Summe:", "12", "13"],
            &["Grand Total", "12"],
            &["Source: survey of 2024", "", "", ""],
            &["", "", "", "5400"],
        ] {
            assert!(looks(total), "{total:?}");
        }
        for record in [
            &["Ann", "31", "Ulm"][..],
            &["Total", "31", "Ulm"],
            &["Total"],
            &["Totalverlust am Auto", "31"],
            &["Ann", "", ""],
            &["", "", "", ""],
        ] {
            assert!(!looks(record), "{record:?}");
        }
    }

    #[test]
    fn the_question_says_how_to_answer() {
        assert!(ask(None, 1).to_string().starts_with("the last row looks like a total or a note"));
        assert!(
            ask(Some(7), 2)
                .to_string()
                .starts_with("the last 2 rows (from row 7 of the sheet on) look like totals")
        );
        assert!(ask(Some(7), 2).to_string().contains("--totals keep if they are records"));
    }
}
