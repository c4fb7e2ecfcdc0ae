//! Splits a sample of text into records, by the rules of the reader that later reads the file.
//!
//! Those rules: a quote opens a quoted field only at the field's start; inside, two quotes are
//! one; text after the closing quote belongs to the field; `\n`, `\r` and `\r\n` end records;
//! empty lines are no records; a byte order mark is skipped.

use std::io::{self, Read};

use crate::input::limits::MOST_COLUMNS;

/// One row of the sample.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Its cells.
    pub fields: Vec<Field>,
    /// Whether the sample ended inside quotes.
    pub unclosed: bool,
}

/// One cell of a record, without its quotes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether it stood in quotes.
    pub quoted: bool,
}

impl Record {
    /// A row whose cells are texts already.
    pub(crate) fn from_texts(cells: impl Iterator<Item = String>) -> Record {
        let field = |text: String| Field { bytes: text.into_bytes(), quoted: false };
        Record { fields: cells.map(field).collect(), unclosed: false }
    }

    /// Whether an unquoted field holds a quote: a sign of a wrong delimiter.
    pub fn stray_quote(&self, quote: u8) -> bool {
        self.fields.iter().any(|field| !field.quoted && field.bytes.contains(&quote))
    }
}

impl Field {
    /// The field as text without surrounding spaces.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).trim().to_owned()
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    StartRecord,
    StartField,
    InField,
    InQuotes,
    AfterQuote,
}

/// The records of `sample`; the last may be cut short. Of a record with more cells than a table may have columns, some
/// are left out.
pub fn split(sample: &[u8], delimiter: u8, quote: u8) -> Vec<Record> {
    let sample = sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample);
    let mut splitter = Splitter { delimiter, quote, ..Default::default() };
    for &byte in sample {
        splitter.push(byte);
    }
    splitter.finish()
}

/// Whether a whole text ends inside quotes, so that its last field took in all that follows.
pub fn ends_in_quotes(mut text: impl Read, delimiter: u8, quote: u8) -> io::Result<bool> {
    let mut splitter = Splitter { delimiter, quote, ..Default::default() };
    let mut chunk = vec![0; 64 << 10];
    loop {
        match text.read(&mut chunk)? {
            0 => return Ok(splitter.state == State::InQuotes),
            read => chunk[..read].iter().for_each(|&byte| splitter.push(byte)),
        }
        splitter.records.clear();
    }
}

#[derive(Default)]
struct Splitter {
    delimiter: u8,
    quote: u8,
    state: State,
    records: Vec<Record>,
    record: Record,
    field: Field,
}

impl Splitter {
    fn push(&mut self, byte: u8) {
        let line_end = matches!(byte, b'\r' | b'\n');
        match self.state {
            State::StartRecord if line_end => {}
            State::StartRecord | State::StartField if byte == self.quote => {
                self.field.quoted = true;
                self.state = State::InQuotes;
            }
            State::InQuotes if byte == self.quote => self.state = State::AfterQuote,
            State::InQuotes => self.field.bytes.push(byte),
            State::AfterQuote if byte == self.quote => {
                self.field.bytes.push(byte);
                self.state = State::InQuotes;
            }
            _ if byte == self.delimiter => self.end_field(),
            _ if line_end => self.end_record(),
            _ => {
                self.field.bytes.push(byte);
                self.state = State::InField;
            }
        }
    }

    fn end_field(&mut self) {
        // One more is enough to see that there are too many.
        match self.record.fields.len() {
            0..=MOST_COLUMNS => self.record.fields.push(std::mem::take(&mut self.field)),
            _ => self.field = Field::default(),
        }
        self.state = State::StartField;
    }

    fn end_record(&mut self) {
        self.end_field();
        self.records.push(std::mem::take(&mut self.record));
        self.state = State::StartRecord;
    }

    fn finish(mut self) -> Vec<Record> {
        if self.state != State::StartRecord {
            self.record.unclosed = self.state == State::InQuotes;
            self.end_record();
        }
        self.records
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(sample: &str) -> Vec<Vec<String>> {
        split(sample.as_bytes(), b',', b'"')
            .iter()
            .map(|r| r.fields.iter().map(|f| String::from_utf8(f.bytes.clone()).unwrap()).collect())
            .collect()
    }

    #[test]
    fn splits_every_kind_of_line_end() {
        let expected = [["a", "b"], ["c", "d"], ["e", ""]];
        assert_eq!(rows("a,b\nc,d\ne,"), expected);
        assert_eq!(rows("\r\na,b\r\n\r\nc,d\re,\r\n"), expected);
    }

    #[test]
    fn quotes_hold_delimiters_newlines_and_quotes() {
        assert_eq!(rows("\"a,\n\"\"b\"\"\",c\n"), [["a,\n\"b\"", "c"]]);
        assert_eq!(rows("\"a\"b,c\"d\n"), [["ab", "c\"d"]]);
        assert_eq!(rows("\"\"\n"), [[""]]);
    }

    #[test]
    fn knows_whether_the_last_quote_is_closed() {
        let open = |text: &str| ends_in_quotes(text.as_bytes(), b',', b'"').unwrap();
        assert!(open("a,\"b\nc\n") && open("a,\"b\"\"\n") && open("\""));
        assert!(!open("a,\"b\nc\"\n") && !open("a,b\"c\n") && !open(""));
        let long = format!("{}a,\"b", "\"x\",\"y\"\n".repeat(20_000));
        assert!(open(&long) && !open(&(long + "\"")));
    }

    #[test]
    fn cells_that_no_column_can_have_are_not_kept() {
        let records = split(&b",".repeat(3 * MOST_COLUMNS), b',', b'"');
        assert_eq!(records[0].fields.len(), MOST_COLUMNS + 1);
    }

    #[test]
    fn marks_what_the_end_cut() {
        let records = split(b"a,b\n\"c,d\n", b',', b'"');
        assert_eq!(records.len(), 2);
        assert!(!records[0].unclosed && records[1].unclosed);
    }
}
