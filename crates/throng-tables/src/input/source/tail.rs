//! The end of a text file: blank rows, which programs write that do not know where their table ends, and totals.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::bad;
use crate::error::Result;
use crate::input::dialect::{Dialect, split};
use crate::input::totals::{self, Totals};

/// How much of the end is looked at.
const BYTES: u64 = 64 << 10;

/// What the last row that is looked at is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Row {
    /// Its cells are all empty.
    Blank,
    Total,
    /// One cell of many is filled: a note, if a total or a blank row is above it, otherwise a record that lacks much.
    Note,
    Other,
}

/// Where the rows end, if not where the file does. Who says that totals are records says it of all rows.
///
/// # Errors
/// If the last rows look like totals and nobody says what they are.
pub(super) fn find_end(
    path: &Path,
    end: TextEnd,
    dialect: Dialect,
    columns: usize,
    totals: Option<Totals>,
) -> Result<Option<u64>> {
    if totals == Some(Totals::Keep) || columns < 2 {
        return Ok(None);
    }
    let TextEnd { text, before, is_cut } = end;
    let mut end = None;
    let (mut found, mut notes) = (0, 0);
    for (at, line) in lines(&text, is_cut) {
        let rows = match look(line, dialect, columns) {
            Some(Row::Blank) => 0,
            Some(Row::Total) => 1,
            Some(Row::Note) => {
                notes += 1;
                continue;
            }
            Some(Row::Other) => break,
            // A line without anything is no row.
            None => continue,
        };
        if found + notes + rows > totals::MOST_ROWS {
            break;
        }
        found += std::mem::take(&mut notes) + rows;
        if totals.is_some() || found == 0 {
            end = Some(before + at as u64);
        }
    }
    match (found, totals) {
        (0, _) | (_, Some(_)) => Ok(end),
        (rows, None) => Err(bad(path, totals::ask(None, rows))),
    }
}

/// The end of a file from its first row on.
pub(super) struct TextEnd {
    text: Vec<u8>,
    /// Where it begins in the file.
    before: u64,
    /// Whether there are rows before it.
    is_cut: bool,
}

/// Reads the end of a file whose first row begins at `start`.
pub(super) fn read_end(mut file: File, start: u64) -> io::Result<TextEnd> {
    let bytes = file.metadata()?.len();
    let before = start.max(bytes.saturating_sub(BYTES));
    file.seek(SeekFrom::Start(before))?;
    let mut text = Vec::new();
    file.take(BYTES).read_to_end(&mut text)?;
    Ok(TextEnd { text, before, is_cut: before > start })
}

/// The lines of some text from the last to the first, and where they begin; without the first, which may be cut or names
/// the columns.
fn lines(text: &[u8], is_cut: bool) -> impl Iterator<Item = (usize, &[u8])> {
    let ends = memchr::memchr_iter(b'\n', text).map(|end| end + 1).filter(|&end| end < text.len());
    let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    // Blank lines before the first row are no rows.
    let first = if is_cut {
        0
    } else {
        starts
            .iter()
            .zip(&ends)
            .position(|(&start, &end)| !text[start..end].trim_ascii().is_empty())
            .unwrap_or(0)
    };
    let lines: Vec<(usize, &[u8])> =
        starts.into_iter().zip(ends).map(|(start, end)| (start, &text[start..end])).collect();
    lines.into_iter().skip(first + 1).rev()
}

/// What a line is; nothing if it is no row.
fn look(line: &[u8], dialect: Dialect, columns: usize) -> Option<Row> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    let records = split(line, dialect.delimiter, dialect.quote);
    let [record] = &records[..] else { return Some(Row::Other) };
    let is_whole = !record.unclosed && !record.stray_quote(dialect.quote);
    if !is_whole || record.fields.len() != columns {
        return Some(Row::Other);
    }
    let cells: Vec<String> = record.fields.iter().map(|field| field.text()).collect();
    let filled = cells.iter().map(String::as_str).filter(|cell| !cell.is_empty());
    Some(match filled.clone().count() {
        0 => Row::Blank,
        _ if totals::is_total(filled.clone()) => Row::Total,
        filled if totals::is_note(filled, columns) => Row::Note,
        _ => Row::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::sink::FileLayout;

    fn end(text: &str, columns: usize, said: Option<Totals>) -> Result<Option<usize>> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        let text = read_end(File::open(&path).unwrap(), 0).unwrap();
        Ok(find_end(&path, text, FileLayout::PLAIN, columns, said)?.map(|end| end as usize))
    }

    #[test]
    fn blank_rows_at_the_end_are_none() {
        let rows = "a,b,c\n1,,\n,,\n2,3,4\n";
        for tail in [",,\n", ",,\n\n,,\r\n", "\"\",,", ",,\n,,"] {
            assert_eq!(end(&format!("{rows}{tail}"), 3, None).unwrap(), Some(rows.len()), "{tail:?}");
            assert_eq!(end(&format!("{rows}{tail}"), 3, Some(Totals::Keep)).unwrap(), None, "{tail:?}");
        }
        assert_eq!(end(rows, 3, None).unwrap(), None);
        assert_eq!(end("a,b\n,\n", 2, None).unwrap(), Some(4), "a table without a row");
        assert_eq!(end("a,b\n1,\"x\n,\n\"\n", 2, None).unwrap(), None, "a line of a cell");
        let long = format!("a,b\n{}{}", "1,2\n".repeat(40_000), ",\n".repeat(9));
        assert_eq!(end(&long, 2, None).unwrap(), Some(long.len() - 18));
    }

    #[test]
    fn totals_at_the_end_are_asked_about() {
        let rows = "name,n,m\nAnn,1,2\nBob,3,4\n";
        let all = format!("{rows}Total,4,7777777\n,,\n");
        let asked = end(&all, 3, None).unwrap_err().to_string();
        assert!(asked.contains("the last row looks like a total") && !asked.contains("7777777"), "{asked}");
        assert_eq!(end(&all, 3, Some(Totals::Drop)).unwrap(), Some(rows.len()));
        assert_eq!(end(&all, 3, Some(Totals::Keep)).unwrap(), None);
        let wide = "name,n,m,o\nAnn,1,2,3\nBob,4,,\n,5,,\n";
        assert_eq!(end(wide, 4, None).unwrap(), None, "records that lack much");
        let noted = format!("{wide},,,\nTotal,5,,\n,,,\nSource: staff,,,\n");
        let asked = end(&noted, 4, None).unwrap_err().to_string();
        assert!(asked.contains("the last 2 rows look like totals or notes"), "{asked}");
        assert_eq!(end(&noted, 4, Some(Totals::Drop)).unwrap(), Some(wide.len()));
        let two = end(&format!("{rows}Sum,4,6\nMean,2,3\n"), 3, None).unwrap_err().to_string();
        assert!(two.contains("the last 2 rows look like totals"), "{two}");
    }
}
