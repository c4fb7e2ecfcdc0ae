//! The dialect of a delimited text file: what separates cells, and whether names come first.
//!
//! Sniffed from the start of the file; any part can be set in the job's `[csv]` section.

mod header;
mod records;

use serde::{Deserialize, Deserializer, Serialize};
use throng::taxonomy::Notation;

use crate::error::{EngineError, Result};
use crate::input::encoding;
use crate::input::formulas::Formulas;
use crate::input::totals::Totals;
pub use header::Header;
pub use records::{Record, ends_in_quotes, split};

/// How a delimited text file is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The byte between cells.
    pub delimiter: u8,
    /// The byte around cells that hold delimiters or newlines; doubled inside them.
    pub quote: u8,
    /// Whether the first row names the columns.
    pub header: bool,
    /// Whether spaces before a cell are no part of it, as in `39, State-gov, 77516`.
    pub trim: bool,
    /// Whether an apostrophe before what a spreadsheet would run is no part of a cell, as in releases with
    /// [`Formulas::Quote`].
    pub marked: bool,
}

/// The job's `[csv]` section: what is set here is not sniffed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DialectOverrides {
    /// The character between cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// The character around cells that hold delimiters or newlines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<char>,
    /// Whether the first row names the columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// Whether spaces before a cell are no part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim: Option<bool>,
    /// The mark before decimals: `.` or `,`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal: Option<char>,
    /// The encoding of the text, such as `windows-1252`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// What is done about cells of the release that a spreadsheet would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulas: Option<Formulas>,
    /// The sheet of a workbook: its name, or its number among those that are not hidden, from 1.
    #[serde(default, deserialize_with = "name_or_number", skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// Lines above the header, or above the first row, that are no part of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<u32>,
    /// What is done about rows at the end that look like totals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totals: Option<Totals>,
    /// Whether the file is a release whose formulas have apostrophes before them.
    #[serde(skip)]
    pub marked: bool,
    /// Columns that the table is known to have, if any are: a first row that has all these names is the header.
    #[serde(skip)]
    pub known_names: Vec<String>,
}

impl DialectOverrides {
    /// The same for a table that has columns of these names.
    pub fn with_known_names(mut self, names: &[String]) -> DialectOverrides {
        self.known_names = names.to_vec();
        self
    }

    /// How numbers are spelled, if it is said.
    pub fn notation(&self) -> Option<Notation> {
        self.decimal.map(notation_of)
    }

    /// The same for a release, which has an encoding of its own.
    pub fn of_release(&self) -> DialectOverrides {
        let marked = self.formulas == Some(Formulas::Quote);
        // A release has no lines but its own, and all its rows are records.
        let totals = Some(Totals::Keep);
        DialectOverrides { encoding: None, sheet: None, skip: None, totals, marked, ..self.clone() }
    }
}

/// A sheet, which may be called by its number.
fn name_or_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "the name of a sheet, or its number, counted from 1")]
    enum Sheet {
        Number(u32),
        Name(String),
    }
    Ok(Some(match Sheet::deserialize(deserializer)? {
        Sheet::Number(number) => number.to_string(),
        Sheet::Name(name) => name,
    }))
}

/// The notation of numbers with this mark before decimals.
pub fn notation_of(decimal: char) -> Notation {
    if decimal == ',' { Notation::Comma } else { Notation::Point }
}

/// Candidates, by what to believe when several split every row equally well: a comma is also a
/// decimal point and punctuation, a tab is hardly ever anything else.
const DELIMITERS: [u8; 4] = [b'\t', b';', b'|', b','];

/// The dialect of a file that starts with `sample`.
///
/// - The delimiter is the one that splits the most rows into as many fields as the first row,
///   where that is more than one; rows with quotes inside unquoted fields do not count. With no
///   such delimiter the file has one column, and the delimiter is a comma.
/// - The quote is `"`.
/// - Cells are trimmed when every delimiter is followed by a space.
/// - There is a header unless the rows speak against one: see the rule in `dialect/header.rs`. Who
///   opens a file asks where nothing tells.
/// - A first line such as `sep=;`, which some programs write, says the delimiter and is no row.
pub fn sniff(sample: &[u8]) -> Dialect {
    sniff_as(sample, None, b'"', &DialectOverrides::default())
}

/// Like [`sniff`], but what `overrides` sets is taken as it is, and helps with the rest.
pub fn sniff_with(sample: &[u8], overrides: &DialectOverrides) -> Result<Dialect> {
    let delimiter = overrides.delimiter.map(|c| byte("delimiter", c)).transpose()?;
    let quote = overrides.quote.map(|c| byte("quote", c)).transpose()?.unwrap_or(b'"');
    overrides.encoding.as_deref().map_or(Ok(()), |name| encoding::find(name).map(drop))?;
    overrides.decimal.map_or(Ok(()), check_decimal)?;
    if delimiter == Some(quote) {
        return Err(EngineError::bad("csv: the delimiter and the quote must differ"));
    }
    Ok(sniff_as(sample, delimiter, quote, overrides))
}

fn sniff_as(sample: &[u8], delimiter: Option<u8>, quote: u8, rest: &DialectOverrides) -> Dialect {
    let (said, sample) = split_preamble(sample, rest.skip);
    let delimiter = delimiter.or(said.filter(|&said| said != quote));
    let delimiter = delimiter.unwrap_or_else(|| sniff_delimiter(sample, quote));
    let records = whole_records(sample, delimiter, quote);
    let trim = rest.trim.unwrap_or_else(|| spaces_follow_delimiters(&records));
    let header = rest.header.unwrap_or_else(|| sniff_header(&records, rest) != Header::Data);
    Dialect { delimiter, quote, header, trim, marked: rest.marked }
}

/// What the first of some records is, where names may be known.
pub fn sniff_header(records: &[Record], overrides: &DialectOverrides) -> Header {
    let has_known_names = records.first().is_some_and(|first| header::has_all(first, &overrides.known_names));
    if has_known_names { Header::Names } else { header::sniff(records) }
}

/// Refuses what cannot stand before decimals.
pub fn check_decimal(mark: char) -> Result<()> {
    match mark {
        '.' | ',' => Ok(()),
        _ => Err(EngineError::bad("decimal must be \".\" or \",\"")),
    }
}

/// The delimiter that a first line such as `sep=;` says, and the text after that line.
pub fn split_sep_line(sample: &[u8]) -> (Option<u8>, &[u8]) {
    let text = sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample);
    let end = text.iter().position(|&byte| byte == b'\n' || byte == b'\r').unwrap_or(text.len());
    let line = text[..end].strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\""));
    let line = line.unwrap_or(&text[..end]).to_ascii_lowercase();
    match line.strip_prefix(b"sep=") {
        Some(&[delimiter]) if DELIMITERS.contains(&delimiter) => (Some(delimiter), &text[end..]),
        _ => (None, sample),
    }
}

/// The same, and so many lines after it, or at the start of the text, that are no part of the table either.
pub fn split_preamble(sample: &[u8], skip: Option<u32>) -> (Option<u8>, &[u8]) {
    let (said, mut rows) = split_sep_line(sample);
    // The end of the first line is still there.
    let lines = skip.map_or(0, |skip| skip as usize + usize::from(said.is_some()));
    for _ in 0..lines {
        let Some(end) = rows.iter().position(|&byte| byte == b'\n' || byte == b'\r') else {
            return (said, &rows[rows.len()..]);
        };
        let end = if rows[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        rows = &rows[end..];
    }
    (said, rows)
}

fn byte(key: &str, character: char) -> Result<u8> {
    match u8::try_from(character) {
        Ok(byte) if byte.is_ascii() && !matches!(byte, b'\r' | b'\n' | 0) => Ok(byte),
        _ => {
            Err(EngineError::bad(format!("csv: {key} must be one ASCII character that is not a line break")))
        }
    }
}

fn sniff_delimiter(sample: &[u8], quote: u8) -> u8 {
    let mut best = (0, b',');
    for delimiter in DELIMITERS {
        if delimiter == quote {
            continue;
        }
        let records = whole_records(sample, delimiter, quote);
        let Some(fields) = records.first().map(|r| r.fields.len()).filter(|&n| n > 1) else {
            continue;
        };
        let regular = records.iter().filter(|r| r.fields.len() == fields && !r.stray_quote(quote));
        // In millionths, and never 0: splitting at all is better than one column.
        let share = 1 + regular.count() * 1_000_000 / records.len();
        if share > best.0 {
            best = (share, delimiter);
        }
    }
    best.1
}

/// The sample's records without a last one that the sample's end cut inside quotes.
fn whole_records(sample: &[u8], delimiter: u8, quote: u8) -> Vec<Record> {
    let mut records = split(sample, delimiter, quote);
    if records.len() > 1 && records.last().is_some_and(|r| r.unclosed) {
        records.pop();
    }
    records
}

fn spaces_follow_delimiters(records: &[Record]) -> bool {
    let mut after_delimiter = records.iter().flat_map(|r| r.fields.iter().skip(1)).peekable();
    after_delimiter.peek().is_some()
        && after_delimiter.all(|field| !field.quoted && field.bytes.starts_with(b" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delimiter(sample: &str) -> char {
        char::from(sniff(sample.as_bytes()).delimiter)
    }

    #[test]
    fn finds_each_delimiter() {
        assert_eq!(delimiter("a,b\n1,2\n"), ',');
        assert_eq!(delimiter("a;b\n1,5;2,5\n"), ';');
        assert_eq!(delimiter("a\tb\nx, y\tz\n"), '\t');
        assert_eq!(delimiter("a|b|c\r\n1|2|3\r\n"), '|');
    }

    #[test]
    fn decimal_commas_without_a_header() {
        assert_eq!(delimiter("1,5;2,5;3,5\n1,0;2,0;3,0\n"), ';');
    }

    #[test]
    fn delimiters_inside_quotes_do_not_count() {
        assert_eq!(delimiter("name,note\nx,\"a;b;c\"\ny,\"d;e;f\"\n"), ',');
        assert_eq!(delimiter("name,\"x;y\"\nbob,\"1;2\"\n"), ',');
        assert_eq!(delimiter("a;b\n\"1,2\n3,4\";5\n"), ';');
    }

    #[test]
    fn one_column_is_a_comma_file() {
        let dialect = sniff(b"city\nBonn\nKiel\n");
        assert_eq!((dialect.delimiter, dialect.header), (b',', true));
        assert_eq!(delimiter(""), ',');
    }

    #[test]
    fn one_bad_row_does_not_change_the_delimiter() {
        let mut sample = String::from("a,b,c\n");
        sample.push_str(&"1,2,3\n".repeat(50));
        sample.push_str("1;2\n");
        assert_eq!(delimiter(&sample), ',');
    }

    #[test]
    fn trims_only_when_every_delimiter_has_a_space() {
        let adult = b"39, State-gov, 77516\n50, Private, 83311\n";
        let dialect = sniff(adult);
        assert_eq!((dialect.delimiter, dialect.trim, dialect.header), (b',', true, false));
        assert!(!sniff(b"a, b\n1,2\n").trim);
        assert!(!sniff(b"a,\" b\"\nx,\" y\"\n").trim);
        assert!(!sniff(b"a\nb\n").trim);
    }

    #[test]
    fn skips_a_byte_order_mark() {
        let dialect = sniff(b"\xef\xbb\xbf\"a;b\",c\n\"1;2\",3\n");
        assert_eq!(dialect.delimiter, b',');
        assert!(dialect.header);
    }

    #[test]
    fn a_line_that_says_the_delimiter_is_no_header() {
        for first in ["sep=;", "SEP=;", "\"sep=;\"", "\u{feff}sep=;"] {
            let sample = format!("{first}\r\nage;sex\r\n39;m\r\n");
            let dialect = sniff(sample.as_bytes());
            assert_eq!((dialect.delimiter, dialect.header), (b';', true), "{first}");
            assert_eq!(split_sep_line(sample.as_bytes()).1, b"\r\nage;sex\r\n39;m\r\n", "{first}");
        }
        assert!(!sniff(b"sep=|\n39|m\n40|f\n").header);
        for first in ["sep=", "sep=;;", "sepal;x", "sep=x"] {
            assert_eq!(split_sep_line(first.as_bytes()), (None, first.as_bytes()), "{first}");
        }
    }

    #[test]
    fn lines_above_the_header_are_skipped() {
        for (sample, skip) in [
            ("Patients of 2024\n\nage;sex\n39;m\n", 2),
            ("\u{feff}Patients; of 2024\r\nage;sex\r\n39;m\r\n", 1),
            ("sep=;\r\nPatients\r\nage;sex\r\n39;m\r\n", 1),
            ("age;sex\n39;m\n", 0),
        ] {
            let overrides = DialectOverrides { skip: Some(skip), ..DialectOverrides::default() };
            let dialect = sniff_with(sample.as_bytes(), &overrides).unwrap();
            assert_eq!((dialect.delimiter, dialect.header), (b';', true), "{sample:?}");
            let (_, rows) = split_preamble(sample.as_bytes(), Some(skip));
            assert!(rows.trim_ascii_start().starts_with(b"age;sex"), "{sample:?}");
        }
        assert_eq!(split_preamble(b"a,b\n1,2\n", Some(9)).1, b"");
    }

    #[test]
    fn a_sheet_has_a_name_or_a_number() {
        let sheet = |text: &str| toml::from_str::<DialectOverrides>(text).unwrap().sheet;
        assert_eq!(sheet("sheet = 'People'").as_deref(), Some("People"));
        assert_eq!(sheet("sheet = 2").as_deref(), Some("2"));
        assert!(toml::from_str::<DialectOverrides>("sheet = true").is_err());
        assert!(toml::from_str::<DialectOverrides>("totals = 'sum'").is_err());
    }

    #[test]
    fn overrides_win() {
        let overrides = DialectOverrides {
            delimiter: Some(';'),
            quote: Some('\''),
            header: Some(false),
            trim: Some(true),
            ..DialectOverrides::default()
        };
        let dialect = sniff_with(b"a,b\n1,2\n", &overrides).unwrap();
        let expected = Dialect { delimiter: b';', quote: b'\'', header: false, trim: true, marked: false };
        assert_eq!(dialect, expected);
    }

    #[test]
    fn a_first_row_with_the_names_that_are_known_is_the_header() {
        // Codes above codes: by itself the first row would be data.
        let sample = b"c1,c2\nv3,w5\nv4,w6\nv5,w7\n";
        let header = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            sniff_with(sample, &DialectOverrides::default().with_known_names(&names)).unwrap().header
        };
        assert!(!header(&[]) && !header(&["c1", "c3"]));
        assert!(header(&["c2"]) && header(&["c2", "c1"]));
    }

    #[test]
    fn refuses_overrides_that_cannot_work() {
        for delimiter in ['"', '\n', 'é', '\0'] {
            let overrides = DialectOverrides { delimiter: Some(delimiter), ..Default::default() };
            assert!(sniff_with(b"a,b\n", &overrides).is_err(), "{delimiter:?}");
        }
    }

    #[test]
    fn reads_the_job_section() {
        let overrides: DialectOverrides = toml::from_str("delimiter = \"\\t\"\nheader = false").unwrap();
        assert_eq!(overrides.delimiter, Some('\t'));
        assert_eq!((overrides.quote, overrides.header), (None, Some(false)));
        assert!(toml::from_str::<DialectOverrides>("separator = ';'").is_err());
    }
}
