//! When a cell of delimited text is quoted, and how.

use crate::input::dialect::Dialect;
use crate::input::formulas::{Formulas, MARK, needs_mark};

/// Quotes the cells that need it: those with a delimiter, a quote or a line break.
#[derive(Clone)]
pub(crate) struct Quoting {
    delimiter: u8,
    quote: u8,
    special: [bool; 256],
    /// Whether what a spreadsheet would run gets a mark.
    marks: bool,
}

impl Quoting {
    /// The quoting of a dialect, with something done about formulas.
    pub(crate) fn new(dialect: &Dialect, formulas: Formulas) -> Quoting {
        let mut special = [false; 256];
        for byte in [dialect.delimiter, dialect.quote, b'\n', b'\r'] {
            special[usize::from(byte)] = true;
        }
        let marks = formulas == Formulas::Quote;
        Quoting { delimiter: dialect.delimiter, quote: dialect.quote, special, marks }
    }

    /// The byte between cells.
    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// The byte around cells.
    pub(crate) fn quote(&self) -> u8 {
        self.quote
    }

    /// Appends a cell; says whether it has a line break.
    #[inline]
    pub(crate) fn push(&self, bytes: &mut Vec<u8>, cell: &[u8]) -> bool {
        if self.marks && needs_mark(cell) {
            return self.push_special(bytes, &[&[MARK], cell].concat());
        }
        self.push_special(bytes, cell)
    }

    #[inline]
    fn push_special(&self, bytes: &mut Vec<u8>, cell: &[u8]) -> bool {
        if cell.iter().any(|&byte| self.special[usize::from(byte)]) {
            return self.push_quoted(bytes, cell);
        }
        bytes.extend_from_slice(cell);
        false
    }

    fn push_quoted(&self, bytes: &mut Vec<u8>, cell: &[u8]) -> bool {
        bytes.push(self.quote);
        for &byte in cell {
            if byte == self.quote {
                bytes.push(byte);
            }
            bytes.push(byte);
        }
        bytes.push(self.quote);
        cell.iter().any(|byte| matches!(byte, b'\n' | b'\r'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(cell: &str) -> (String, bool) {
        let dialect = Dialect { delimiter: b';', quote: b'"', header: true, trim: false, marked: false };
        let mut bytes = Vec::new();
        let newlines = Quoting::new(&dialect, Formulas::Keep).push(&mut bytes, cell.as_bytes());
        (String::from_utf8(bytes).unwrap(), newlines)
    }

    #[test]
    fn only_what_needs_quotes_gets_them() {
        for cell in ["", "plain", "a, b", " spaced ", "Müller", "it's"] {
            assert_eq!(quoted(cell), (cell.to_owned(), false));
        }
        assert_eq!(quoted("a;b"), ("\"a;b\"".to_owned(), false));
        assert_eq!(quoted("say \"hi\""), ("\"say \"\"hi\"\"\"".to_owned(), false));
        assert_eq!(quoted("two\nlines"), ("\"two\nlines\"".to_owned(), true));
        assert_eq!(quoted("two\rlines"), ("\"two\rlines\"".to_owned(), true));
    }
}
