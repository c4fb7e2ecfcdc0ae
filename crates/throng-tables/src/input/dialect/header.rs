//! Whether the first row of a sample names the columns.
//!
//! The rule: each column is looked at by itself.
//! - A word above nothing but numbers and dates speaks *for* a header, and so does nothing at all
//!   above a first column that counts the rows from 0 or 1: several programs write such files.
//! - So do words that columns are [called by](words), if there are two or they are a third of the
//!   row; and cells of a different kind from all those below them (`city` above `Bonn` and `Kiel`, `code`
//!   above `P-01` and `P-02`), if these and such words are half of the row.
//! - A number or date above nothing but numbers and dates speaks *against* one, and so does a cell
//!   made of letters and digits like all below it (`P-01` above `P-02`), and a first row of which
//!   more than half the cells occur again in their columns.
//!
//! Where both speak, names decide. Where nothing does, or a word above numbers stands against a
//! number above numbers, nobody knows: then people are [asked](Header::Unknown), as neither a header
//! nor a row of somebody's should be released as the other. Names that repeat or are empty do not
//! count against a header; a file whose names repeat is refused.

mod words;

use super::records::Record;
use crate::input::formulas::without_mark;

/// What files write for 'unknown': neither a name nor a value that tells.
const MISSING: &str = "? - -- . na n/a n.a. #n/a <na> nan nil null none missing unknown unbekannt k.a. k.a \
                       inconnu desconocido sconosciuto onbekend desconhecido nieznany refused";

/// Rows after the first that are looked at.
const ROWS: usize = 1000;

/// Known cells below a name that must be of one make before another make tells.
const FEW: usize = 3;

/// What the first row of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// The names of the columns.
    Names,
    /// A row like the others.
    Data,
    /// Either: nothing tells.
    Unknown,
}

/// What the first of `records` is.
pub(crate) fn sniff(records: &[Record]) -> Header {
    let (first, rows) = first_and_rest(records);
    let columns: Vec<SampleColumn<'_>> = columns(&first, &rows).collect();
    let alone = rows.is_empty();
    let count = |tells: fn(&SampleColumn<'_>) -> bool| columns.iter().filter(|column| tells(column)).count();
    let named = count(|column| column.is_called());
    let other = count(|column| !column.is_called() && column.differs_in_make());
    if count(|column| column.counts_rows()) > 0 || named >= 2 || named > 0 && 3 * named >= first.len() {
        return Header::Names;
    }
    let against = count(|column| column.starts_with_number()) + count(|column| column.is_of_one_make()) > 0
        || 2 * count(|column| column.recurs()) > first.len();
    let above_numbers = count(|column| column.names_numbers()) > 0;
    match (above_numbers || named + other > 0 && 2 * (named + other) >= first.len(), against) {
        (true, false) => Header::Names,
        (false, true) => Header::Data,
        // Without rows there is nothing to release, and that is what will be said.
        (false, false) if alone => Header::Names,
        _ => Header::Unknown,
    }
}

/// Whether a row has all these names among its cells; no names are in none.
pub(crate) fn has_all(row: &Record, names: &[String]) -> bool {
    let cells = texts(row);
    let has = |name: &String| cells.iter().any(|cell| without_mark(cell.trim()) == name.trim());
    !names.is_empty() && names.iter().all(has)
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

fn columns<'a>(first: &'a [String], rows: &'a [Vec<String>]) -> impl Iterator<Item = SampleColumn<'a>> {
    first.iter().enumerate().map(move |(at, top)| SampleColumn { top, at, rows })
}

/// One column of the sample: its first cell, and the cells below it.
struct SampleColumn<'a> {
    top: &'a str,
    at: usize,
    rows: &'a [Vec<String>],
}

impl SampleColumn<'_> {
    fn below(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(|row| row.get(self.at)).map(String::as_str)
    }

    /// Whether the cells below are numbers, as far as they are known.
    fn numbers_below(&self) -> Option<bool> {
        let mut known = self.known().peekable();
        known.peek()?;
        Some(known.all(is_number_or_date))
    }

    /// The cells below that are known.
    fn known(&self) -> impl Iterator<Item = &str> {
        self.below().filter(|cell| !is_missing(cell))
    }

    /// Whether the first cell is what columns are called, and no cell below is the same.
    fn is_called(&self) -> bool {
        words::name_a_column(self.top) && !self.recurs()
    }

    /// Whether the cells below have in common what the first lacks: a case, or digits.
    fn differs_in_make(&self) -> bool {
        let lacks = |has: fn(&str) -> bool| !has(self.top) && self.known().all(has);
        !is_missing(self.top)
            && self.known().nth(FEW - 1).is_some()
            && (lacks(starts_large) || lacks(starts_small) || lacks(has_digit))
            && self.top.starts_with(char::is_alphabetic)
    }

    /// Whether the first cell has digits, and those below have digits and signs in the same places.
    fn is_of_one_make(&self) -> bool {
        let make = |cell: &str| -> String { cell.chars().map(kind).collect() };
        let of_top = make(self.top);
        has_digit(self.top) && self.known().nth(FEW - 1).is_some() && self.known().all(|c| make(c) == of_top)
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
    cell.is_empty() || MISSING.split_whitespace().any(|mark| cell.eq_ignore_ascii_case(mark))
}

/// Whether a cell is a number, date or time, with at most three letters of a unit and any signs:
/// `-1.5e3`, `31.01.1970`, `90+`, `≥ 90`, `12 kg`, `1 234,50 €`.
fn is_number_or_date(cell: &str) -> bool {
    let first = cell.chars().find(|c| c.is_alphanumeric());
    first.is_some_and(|c| c.is_ascii_digit()) && cell.chars().filter(|c| c.is_alphabetic()).count() <= 3
}

fn has_digit(cell: &str) -> bool {
    cell.contains(|c: char| c.is_ascii_digit())
}

fn starts_large(cell: &str) -> bool {
    cell.starts_with(char::is_uppercase)
}

fn starts_small(cell: &str) -> bool {
    cell.starts_with(char::is_lowercase)
}

/// A character, where digits are all the same, and letters.
fn kind(c: char) -> char {
    match c {
        c if c.is_ascii_digit() => '0',
        c if c.is_alphabetic() => 'a',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sniff as sniff_dialect;
    use super::Header;

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

    fn verdict(sample: &str) -> Header {
        super::sniff(&super::super::split(sample.as_bytes(), b',', b'"'))
    }

    #[test]
    fn rows_that_could_be_either() {
        for doubtful in [
            "Anna Koch,Hamburg,Asthma\nBen Weber,Bonn,Flu\nCleo Wolf,Bonn,Gout\nDirk Zoll,Kiel,Flu\n",
            "Bonn,,m\nKiel,x,m\nUlm,y,f\n",
            "koch,hamburg\nweber,bonn\nwolf,kiel\n",
            "Koch,divers\nWeber,m\nWolf,f\nZoll,m\n",
            // A word above numbers, and a number above numbers.
            "Koch,ledig,39\nWeber,1,40\nWolf,2,41\n",
            "E1,T2\nx,y\n",
        ] {
            assert_eq!(verdict(doubtful), Header::Unknown, "{doubtful:?}");
        }
    }

    #[test]
    fn names_of_columns_above_words() {
        for named in [
            "Name,Ort,Diagnose\nAnna Koch,Hamburg,Asthma\nBen Weber,Bonn,Flu\n",
            "last_name,favourite colour\nKoch,blue\nWeber,red\n",
            "imię,miasto,uwagi\nAnna,Kraków,x\nJan,Gdynia,y\n",
            "ward,shift,team\nNorth,Early,Red\nSouth,Late,Blue\nNorth,Late,Blue\n",
            "WARD,SHIFT\nnorth,early\nsouth,late\neast,late\n",
            "specimen,lot\nP-01,x\nP-02,y\nP-03,z\n",
            "city\nBonn\nKiel\n",
        ] {
            assert_eq!(verdict(named), Header::Names, "{named:?}");
        }
    }

    #[test]
    fn codes_above_codes_are_data() {
        assert_eq!(verdict("P-01,Koch\nP-02,Weber\nP-03,Wolf\nP-04,Zoll\n"), Header::Data);
        assert_eq!(verdict("90+,Koch\n41,Weber\n42,Wolf\n"), Header::Data);
        assert_eq!(verdict("unbekannt,39,Koch\n7,40,Weber\n8,41,Wolf\n"), Header::Data);
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
