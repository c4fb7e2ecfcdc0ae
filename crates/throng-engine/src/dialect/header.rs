//! Whether the first row of a sample names the columns.
//!
//! The rule: each column is looked at by itself.
//! - A word above nothing but numbers and dates speaks *for* a header.
//! - A number or date above nothing but numbers and dates speaks *against* one, and so does a
//!   first row of which more than half the cells occur again in their columns.
//!
//! There is a header when anything speaks for one, or nothing against. Names that repeat or are
//! empty do not count against a header: such a file is refused with a message, rather than its
//! header released as a row.

use super::records::Record;

/// What files write for 'unknown': neither a name nor a value that tells.
const MISSING: [&str; 7] = ["?", "-", "na", "n/a", "nan", "null", "none"];

/// Rows after the first that are looked at.
const ROWS: usize = 1000;

/// Whether the first of `records` is a header.
pub(super) fn sniff(records: &[Record]) -> bool {
    let Some((first, rest)) = records.split_first() else {
        return true;
    };
    let first = texts(first);
    // A header that is repeated (files pasted together) says nothing about the columns.
    let rows: Vec<_> = rest.iter().take(ROWS).map(texts).filter(|row| *row != first).collect();
    let columns = || first.iter().enumerate().map(|(at, top)| Column { top, at, rows: &rows });
    if columns().any(|column| column.names_numbers()) {
        return true;
    }
    let recurring = columns().filter(Column::recurs).count();
    let against = columns().any(|column| column.starts_with_number());
    !against && recurring * 2 <= first.len()
}

/// One column of the sample: its first cell, and the cells below it.
struct Column<'a> {
    top: &'a str,
    at: usize,
    rows: &'a [Vec<String>],
}

impl Column<'_> {
    fn below(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(|row| row.get(self.at)).map(String::as_str)
    }

    /// Whether the cells below are numbers, as far as they are known.
    fn numbers_below(&self) -> Option<bool> {
        let mut known = self.below().filter(|cell| !is_missing(cell)).peekable();
        known.peek()?;
        Some(known.all(is_number_or_date))
    }

    fn names_numbers(&self) -> bool {
        !is_missing(self.top) && !is_number_or_date(self.top) && self.numbers_below() == Some(true)
    }

    fn starts_with_number(&self) -> bool {
        is_number_or_date(self.top) && self.numbers_below() != Some(false)
    }

    fn recurs(&self) -> bool {
        !is_missing(self.top) && self.below().any(|cell| cell == self.top)
    }
}

fn texts(record: &Record) -> Vec<String> {
    record.fields.iter().map(|field| field.text()).collect()
}

fn is_missing(cell: &str) -> bool {
    cell.is_empty() || MISSING.iter().any(|mark| cell.eq_ignore_ascii_case(mark))
}

/// Whether a cell starts like a number and has only characters of numbers, dates and times.
fn is_number_or_date(cell: &str) -> bool {
    let digits = cell.trim_start_matches(['+', '-', '.']);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || "+-.,:/ eETZ%".contains(c))
}

#[cfg(test)]
mod tests {
    use super::super::sniff as sniff_dialect;

    fn header(sample: &str) -> bool {
        sniff_dialect(sample.as_bytes()).header
    }

    #[test]
    fn names_above_numbers_or_words() {
        assert!(header("age,sex\n39,male\n50,female\n"));
        assert!(header("name,city\nx,Bonn\ny,Kiel\n"));
        assert!(header("id,2019,2020\n1,5,6\n2,7,8\n"));
        assert!(header("born,sex\n1970-01-31,m\n?,f\n"));
    }

    #[test]
    fn numbers_above_numbers_are_data() {
        assert!(!header("39,male\n50,female\n"));
        assert!(!header("31.01.1970;x\n01.02.1980;y\n"));
        assert!(!header("39,male\n"));
        assert!(!header("-1.5e3,a\n,b\n"));
    }

    #[test]
    fn a_first_row_that_recurs_is_data() {
        assert!(!header("male,yes\nfemale,yes\nmale,no\n"));
        assert!(header("sex,yes\nmale,yes\nfemale,no\n"));
    }

    #[test]
    fn a_repeated_header_is_still_a_header() {
        assert!(header("sex,city\nmale,Bonn\nsex,city\nfemale,Kiel\n"));
        assert!(header("age,age\n1,2\n"));
        assert!(header(",age\n0,39\n1,50\n"));
    }

    #[test]
    fn a_missing_mark_above_numbers_is_no_name() {
        assert!(!header("?,39,x\n7,50,y\n8,51,z\n"));
    }

    #[test]
    fn names_that_look_like_codes() {
        assert!(header("E1,T2\nx,y\n"));
        assert!(header("a\n"));
        assert!(header(""));
    }
}
