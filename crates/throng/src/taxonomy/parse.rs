//! Hierarchy files: one line per leaf, `leaf;level1;…;top`, as ARX reads and writes them.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::{ANY, Taxonomy, TaxonomyError};
use crate::wording::Message;

/// What may stand between the labels of a file, the most trusted first.
pub const SEPARATORS: [char; 3] = [';', '\t', ','];

/// What a line that says the delimiter starts with.
const SEP: &str = "sep=";

/// Reads a hierarchy file.
///
/// A first line such as `sep=,` says the delimiter. Else it is `;`, tab or `,`: of those that split
/// every line into the same number of columns, the first under which every line ends in `*`, else the
/// first of them; if there is none, the first that splits the first line. Fields may be quoted with `"`
/// (doubled inside) and are otherwise kept exactly. Lines end with LF or CRLF, empty lines are
/// skipped, there is no header. A line that is the same as an earlier one is [left out](repeated_lines). Errors name
/// lines of the file, empty ones counted.
pub fn parse(text: &str) -> Result<Taxonomy, TaxonomyError> {
    parse_separated(text, None)
}

/// As [`parse`], with this between the labels, if it is said.
///
/// # Errors
/// As of [`parse`].
pub fn parse_separated(text: &str, separator: Option<char>) -> Result<Taxonomy, TaxonomyError> {
    let (records, _) = read_distinct(text, separator)?;
    let rows: Vec<&[Cow<'_, str>]> = records.iter().map(|record| &record.fields[..]).collect();
    Taxonomy::from_rows(&rows).map_err(|error| error.map_rows(|row| records[row - 1].line))
}

/// The line of a hierarchy file on which each leaf stands.
///
/// # Errors
/// As of [`parse`].
pub fn lines(text: &str, separator: Option<char>) -> Result<Vec<usize>, TaxonomyError> {
    Ok(read_distinct(text, separator)?.0.iter().map(|record| record.line).collect())
}

/// The lines of a hierarchy file that are the same as an earlier one, each with that.
///
/// # Errors
/// As of [`parse`].
pub fn repeated_lines(text: &str, separator: Option<char>) -> Result<Vec<(usize, usize)>, TaxonomyError> {
    read_distinct(text, separator).map(|(_, repeated)| repeated)
}

/// The records that differ from all before them, and the lines of the others with those that they repeat.
fn read_distinct(text: &str, separator: Option<char>) -> Result<Distinct<'_>, TaxonomyError> {
    let mut records = read_all(text, separator)?;
    let mut first: FxHashMap<&str, usize> = FxHashMap::default();
    let mut repeated = Vec::new();
    for (at, record) in records.iter().enumerate() {
        let earlier = &records[*first.entry(record.fields[0].as_ref()).or_insert(at)];
        if earlier.line != record.line && earlier.fields == record.fields {
            repeated.push((record.line, earlier.line));
        }
    }
    records.retain(|record| repeated.binary_search_by_key(&record.line, |&(line, _)| line).is_err());
    Ok((records, repeated))
}

fn read_all(text: &str, separator: Option<char>) -> Result<Vec<Record<'_>>, TaxonomyError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let line = text.lines().next().unwrap_or_default().trim_end();
    match line.strip_prefix(SEP).and_then(|said| SEPARATORS.into_iter().find(|d| said == d.to_string())) {
        Some(delimiter) => {
            let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
            Reader { rest, line: 2, delimiter: separator.unwrap_or(delimiter) }.collect()
        }
        None => match separator {
            Some(separator) => Reader::new(text, separator).collect(),
            None => read(text),
        },
    }
}

/// Writes a hierarchy file that [`parse`] reads back as the same taxonomy.
///
/// Extents are not part of the format, but follow from leaves that are numbers or ISO 8601 dates; those
/// that a builder was told of (dates of another format, intervals of codes) are lost.
pub fn to_text(taxonomy: &Taxonomy) -> String {
    let mut text = String::new();
    for row in taxonomy.to_rows() {
        // A lone empty field would be an empty line, which is skipped.
        let lone = row.len() == 1;
        for (column, field) in row.iter().enumerate() {
            if column > 0 {
                text.push(SEPARATORS[0]);
            }
            push_field(&mut text, field, lone);
        }
        text.push('\n');
    }
    text
}

fn push_field(text: &mut String, field: &str, lone: bool) {
    let special = |c: char| SEPARATORS.contains(&c) || matches!(c, '"' | '\r' | '\n' | '\u{feff}');
    // A first field may look like a line that says the delimiter.
    if field.contains(special) || field.starts_with(SEP) || (lone && field.is_empty()) {
        text.push('"');
        text.push_str(&field.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(field);
    }
}

/// The records of the file under the delimiter that suits it.
fn read(text: &str) -> Result<Vec<Record<'_>>, TaxonomyError> {
    let mut splitting = None;
    let mut best: Option<((bool, bool), Vec<Record<'_>>)> = None;
    for delimiter in SEPARATORS {
        let Some(Ok(first)) = Reader::new(text, delimiter).next() else {
            continue;
        };
        let width = first.fields.len();
        if width == 1 {
            continue;
        }
        let records: Result<Vec<Record<'_>>, _> = Reader::new(text, delimiter).collect();
        if let Ok(records) = &records
            && records.iter().all(|r| r.fields.len() == width)
        {
            // A quote inside a field is a sign of a delimiter inside quotes.
            let clean = |record: &Record<'_>| !record.fields.iter().any(|field| field.contains('"'));
            let topped = |record: &Record<'_>| record.fields[width - 1].trim() == ANY;
            let worth = (records.iter().all(clean), records.iter().all(topped));
            if best.as_ref().is_none_or(|(least, _)| worth > *least) {
                best = Some((worth, Reader::new(text, delimiter).collect::<Result<_, _>>()?));
            }
            continue;
        }
        splitting = splitting.or(Some(records));
    }
    if let Some((_, records)) = best {
        return Ok(records);
    }
    splitting.unwrap_or_else(|| Reader::new(text, SEPARATORS[0]).collect())
}

type Distinct<'a> = (Vec<Record<'a>>, Vec<(usize, usize)>);

/// The fields of one leaf, and the line on which they start.
struct Record<'a> {
    line: usize,
    fields: Vec<Cow<'a, str>>,
}

/// Reads records one by one; its use ends with the first error.
struct Reader<'a> {
    rest: &'a str,
    line: usize,
    delimiter: char,
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<Record<'a>, TaxonomyError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.end_line() {}
        if self.rest.is_empty() { None } else { Some(self.record()) }
    }
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, delimiter: char) -> Reader<'a> {
        Reader { rest: text, line: 1, delimiter }
    }

    fn record(&mut self) -> Result<Record<'a>, TaxonomyError> {
        let line = self.line;
        let mut fields = vec![self.field()?];
        while let Some(rest) = self.rest.strip_prefix(self.delimiter) {
            self.rest = rest;
            fields.push(self.field()?);
        }
        self.end_line();
        Ok(Record { line, fields })
    }

    /// Steps over the end of a line, if one is next.
    fn end_line(&mut self) -> bool {
        let after = self.rest.strip_prefix('\r').filter(|rest| rest.is_empty() || rest.starts_with('\n'));
        let after = after.unwrap_or(self.rest);
        let next = after.strip_prefix('\n').unwrap_or(after);
        let moved = next.len() < self.rest.len();
        self.rest = next;
        self.line += usize::from(moved);
        moved
    }

    fn field(&mut self) -> Result<Cow<'a, str>, TaxonomyError> {
        if let Some(quoted) = self.rest.strip_prefix('"') {
            return self.quoted(quoted).map(Cow::Owned);
        }
        let end = self.rest.find([self.delimiter, '\n']).unwrap_or(self.rest.len());
        let (field, rest) = self.rest.split_at(end);
        self.rest = rest;
        let ends_line = !rest.starts_with(self.delimiter);
        Ok(Cow::Borrowed(if ends_line { field.strip_suffix('\r').unwrap_or(field) } else { field }))
    }

    /// Reads a quoted field of which the opening quote has been taken.
    fn quoted(&mut self, mut rest: &'a str) -> Result<String, TaxonomyError> {
        let mut field = String::new();
        loop {
            let Some((part, after)) = rest.split_once('"') else {
                return Err(syntax(
                    self.line,
                    ("a quoted field is opened but never closed", "add the closing '\"'"),
                ));
            };
            field.push_str(part);
            let Some(doubled) = after.strip_prefix('"') else {
                rest = after;
                break;
            };
            field.push('"');
            rest = doubled;
        }
        self.line += field.matches('\n').count();
        self.rest = rest;
        let ends = rest.is_empty() || rest == "\r" || rest.starts_with("\r\n");
        if ends || rest.starts_with([self.delimiter, '\n']) {
            return Ok(field);
        }
        let problem =
            ("text follows a closing '\"'", "quote the whole field and double the quotes inside it");
        Err(syntax(self.line, problem))
    }
}

fn syntax(row: usize, problem: impl Into<Message>) -> TaxonomyError {
    TaxonomyError::Syntax { row, problem: problem.into() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::taxonomy::tests::{any_taxonomy, assert_invariants};

    fn rows(text: &str) -> Vec<Vec<String>> {
        let taxonomy = parse(text).unwrap();
        assert_invariants(&taxonomy);
        taxonomy.to_rows().iter().map(|row| row.iter().map(|s| s.to_string()).collect()).collect()
    }

    #[test]
    fn a_line_may_stand_twice_if_it_says_the_same() {
        let text = "a;x;*\nb;x;*\n\na;x;*\nb;x;*\na;x;*\n";
        assert_eq!(rows(text), rows("a;x;*\nb;x;*\n"));
        assert_eq!(repeated_lines(text, None).unwrap(), [(4, 1), (5, 2), (6, 1)]);
        assert_eq!(lines(text, None).unwrap(), [1, 2]);
        let differs = parse("a;x;*\na;x;*\na;y;*\n").unwrap_err();
        assert_eq!(differs, TaxonomyError::DuplicateLeaf { row: 3, earlier: 1 });
    }

    #[test]
    fn every_delimiter_and_line_ending_reads_alike() {
        let expected = rows("a;x;*\nb;x;*\n");
        assert_eq!(expected, [["a", "x", "*"], ["b", "x", "*"]]);
        for text in [
            "a,x,*\nb,x,*",
            "a\tx\t*\r\nb\tx\t*\r\n",
            "\u{feff}a;x;*\r\nb;x;*\r",
            "\n\na;x;*\n\r\n\nb;x;*\n\n",
            "\"a\";\"x\";*\r\n\"b\";x;\"*\"\r\n",
        ] {
            assert_eq!(rows(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_delimiter_is_the_one_that_splits_all_lines_alike() {
        assert_eq!(rows("1;[0, 5);*\n7;[5, 10);*\n"), [["1", "[0, 5)", "*"], ["7", "[5, 10)", "*"]]);
        assert_eq!(rows("a;b,*\nc,*\n"), [["a;b", "*"], ["c", "*"]]);
        assert_eq!(rows("\"a;b\",*\nc,*\n"), [["a;b", "*"], ["c", "*"]]);
        assert_eq!(rows("a;b,x,*\nc;d,y,*\n"), [["a;b", "x", "*"], ["c;d", "y", "*"]]);
        assert_eq!(rows("a;x, y;*\nb;x, y;*\n"), [["a", "x, y", "*"], ["b", "x, y", "*"]]);
        assert_eq!(rows("sep=,\na;b,x;*\nc;d,x;*\n"), [["a;b", "x;*"], ["c;d", "x;*"]]);
        assert_eq!(lines("sep=,\n\na,*\nb,*\n", None).unwrap(), [3, 4]);
    }

    #[test]
    fn what_looks_like_a_delimiter_line_is_quoted() {
        let taxonomy = Taxonomy::from_rows(&[["sep=", ""], ["b", ""]]).unwrap();
        assert_eq!(parse(&to_text(&taxonomy)).unwrap(), taxonomy);
        assert_eq!(rows("1;a, x\n2;b, x\n"), [["1", "a, x"], ["2", "b, x"]]);
    }

    #[test]
    fn fields_are_kept_exactly() {
        assert_eq!(rows(" a ;\t*\nb;\t*"), [[" a ", "\t*"], ["b", "\t*"]]);
        assert_eq!(rows("5\" pipe;*\na\rb;*\n"), [["5\" pipe", "*"], ["a\rb", "*"]]);
        assert_eq!(rows("\"a\"\"b\r\n;c\";*\n;*\n"), [["a\"b\r\n;c", "*"], ["", "*"]]);
        assert_eq!(rows("a;\nb;\n"), [["a", ""], ["b", ""]]);
    }

    #[test]
    fn one_column_is_a_hierarchy_without_levels() {
        let taxonomy = parse("a\nb\n\"\"\n").unwrap();
        assert_eq!((taxonomy.height(), taxonomy.leaf_total()), (0, 3));
        assert_eq!(taxonomy.missing(), Some(2));
        assert_eq!(taxonomy.label(taxonomy.root()), "*");
    }

    #[test]
    fn errors_name_lines_of_the_file() {
        let error = |text| parse(text).unwrap_err();
        assert_eq!(error("\n\r\n"), TaxonomyError::Empty);
        assert_eq!(error("\u{feff}"), TaxonomyError::Empty);
        assert_eq!(error("\na;*\n\nb\n"), TaxonomyError::Ragged { row: 4, found: 1, expected: 2 });
        assert_eq!(error("\"a\n\n\";*\nb;*;*"), TaxonomyError::Ragged { row: 4, found: 3, expected: 2 });
        assert_eq!(error("a\nb;*\n"), TaxonomyError::Ragged { row: 2, found: 2, expected: 1 });
        assert_eq!(error("\na;*\n\n\na;x"), TaxonomyError::DuplicateLeaf { row: 5, earlier: 2 });
        let split = TaxonomyError::NotCoarser { row: 5, earlier: 2, level: 2 };
        assert_eq!(error("\na;x;1\nb;y;1\n\nc;x;2"), split);
    }

    #[test]
    fn quoting_errors_name_their_line() {
        let line = |text| match parse(text).unwrap_err() {
            TaxonomyError::Syntax { row, .. } => row,
            other => panic!("{other:?}"),
        };
        assert_eq!(line("a;*\n\"b;*\nc;*\n"), 2);
        assert_eq!(line("a;*\n\"b\nc\"d;*\n"), 3);
        assert_eq!(line("\"a"), 1);
        assert_eq!(line("\"a\"\rb;*"), 1);
    }

    #[test]
    fn errors_never_show_values() {
        for text in ["secret;*\nsecret;x", "secret;*\nsecret", "secret;*\n\"secret\"secret", "\"secret"] {
            let error = parse(text).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("secret"));
        }
    }

    #[test]
    fn written_text_is_quoted_only_where_needed() {
        let taxonomy = Taxonomy::from_rows(&[["a b", "x,y", "*"], ["5\"", "x,y", "*"]]).unwrap();
        assert_eq!(to_text(&taxonomy), "a b;\"x,y\";*\n\"5\"\"\";\"x,y\";*\n");
    }

    proptest! {
        #[test]
        fn parse_inverts_to_text(taxonomy in any_taxonomy()) {
            prop_assert_eq!(parse(&to_text(&taxonomy)).unwrap(), taxonomy);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[ab*;,\t\"\r\n\u{feff}]{0,40}") {
            if let Ok(taxonomy) = parse(&text) {
                assert_invariants(&taxonomy);
                prop_assert_eq!(parse(&to_text(&taxonomy)).unwrap(), taxonomy);
            }
        }
    }
}
