//! Whether the first row of a sample names the columns.
//!
//! The rule: each column is looked at by itself.
//! - A word above nothing but numbers and dates speaks *for* a header, and so does nothing at all
//!   above a first column that counts the rows from 0 or 1: several programs write such files.
//! - A number or date above nothing but numbers and dates speaks *against* one, and so does a
//!   first row of which more than half the cells occur again in their columns.
//!
//! There is a header when anything speaks for one, or nothing against. Names that repeat or are
//! empty do not count against a header. A file whose names repeat is refused, and so is one that
//! lacks a name while its first row [may be data](may_be_data): neither a header nor a row of
//! somebody's should be released as the other.

use super::records::Record;

/// What files write for 'unknown': neither a name nor a value that tells.
const MISSING: [&str; 7] = ["?", "-", "na", "n/a", "nan", "null", "none"];

/// Rows after the first that are looked at.
const ROWS: usize = 1000;

/// Whether the first of `records` is a header.
pub(super) fn sniff(records: &[Record]) -> bool {
    let (first, rows) = first_and_rest(records);
    let columns: Vec<Column<'_>> = columns(&first, &rows).collect();
    if columns.iter().any(Column::speaks_for_header) {
        return true;
    }
    let recurring = columns.iter().filter(|column| column.recurs()).count();
    let against = columns.iter().any(Column::starts_with_number);
    !against && recurring * 2 <= first.len()
}

/// Whether the first row, if it was taken for a header, could also be data: nothing speaks for a
/// header, and some cell is a number or occurs again.
pub(crate) fn may_be_data(records: &[Record]) -> bool {
    let (first, rows) = first_and_rest(records);
    let columns: Vec<Column<'_>> = columns(&first, &rows).collect();
    !columns.iter().any(Column::speaks_for_header)
        && columns.iter().any(|column| is_number_or_date(column.top) || column.recurs())
}

/// The first row, and those of the others that are looked at.
fn first_and_rest(records: &[Record]) -> (Vec<String>, Vec<Vec<String>>) {
    let Some((first, rest)) = records.split_first() else {
        return (Vec::new(), Vec::new());
    };
    let first = texts(first);
    // A header that is repeated (files pasted together) says nothing about the columns.
    let rows = rest.iter().take(ROWS).map(texts).filter(|row| *row != first).collect();
    (first, rows)
}

fn columns<'a>(first: &'a [String], rows: &'a [Vec<String>]) -> impl Iterator<Item = Column<'a>> {
    first.iter().enumerate().map(move |(at, top)| Column { top, at, rows })
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

    fn speaks_for_header(&self) -> bool {
        self.names_numbers() || self.counts_rows()
    }

    /// Whether this is a first column without a name whose cells are 0, 1, 2, … or 1, 2, 3, …
    fn counts_rows(&self) -> bool {
        let from = |start: usize| (start..).zip(self.below()).all(|(row, cell)| cell == row.to_string());
        self.at == 0 && self.top.is_empty() && self.rows.len() > 1 && (from(0) || from(1))
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
    fn a_column_without_a_name_that_counts_the_rows() {
        assert!(header(",0,1\n0,5,6\n1,7,8\n2,9,9\n"));
        assert!(header("\"\",\"x\",\"x\"\n\"1\",x,x\n\"2\",x,x\n"));
        assert!(!header(",0,1\n0,5,6\n7,7,8\n"));
        assert!(!header("5,0,1\n0,5,6\n1,7,8\n"));
    }

    #[test]
    fn rows_that_could_be_either() {
        let may_be_data =
            |sample: &str| super::may_be_data(&super::super::split(sample.as_bytes(), b',', b'"'));
        for named in [",age\n0,39\n1,50\n", "sex,,city\nm,x,Bonn\nf,y,Kiel\n", "a,b,\n", ""] {
            assert!(!may_be_data(named), "{named:?}");
        }
        for doubtful in ["Bonn,,m\nKiel,x,m\nUlm,y,f\n", "x,,7\ny,z,z\n"] {
            assert!(may_be_data(doubtful), "{doubtful:?}");
        }
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
