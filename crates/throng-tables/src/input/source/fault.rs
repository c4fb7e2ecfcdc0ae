//! Says in our words what is wrong with a file, given the reader's error.
//!
//! The reader's own wording never comes through: it names crates instead of rows, and for some
//! errors it holds cells.

use std::error::Error;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::error::ArrowError;

use super::{Source, bad};
use crate::error::EngineError;
use crate::format::arrow::MAGIC;
use crate::format::{Compression, Format};
use crate::input::limits::Excess;
use crate::input::named::NamedFile;
use crate::wording::Message;

/// What to do about text that is not UTF-8.
pub(crate) const NOT_UTF_8: &str = "give the encoding with --encoding NAME, or convert the file to UTF-8";

/// A cell of a text that is none in its encoding.
pub const CELL_NOT_UTF_8: (&str, &str) =
    ("this is not UTF-8 text", "give the encoding with --encoding NAME, or convert the file to UTF-8");

/// What of a source an error message needs.
pub struct Translator {
    file: NamedFile,
    format: Format,
    compression: Compression,
    header: bool,
    /// Rows before the text that is read.
    rows_before: u64,
    columns: Arc<[String]>,
}

impl Translator {
    pub(crate) fn new(source: &Source) -> Translator {
        Translator {
            file: source.file().unwrap_or_else(|_| NamedFile::here(&source.path)),
            format: source.format,
            compression: source.compression,
            header: source.dialect.is_some_and(|dialect| dialect.header),
            rows_before: 0,
            columns: Arc::clone(&source.columns),
        }
    }

    /// That of a text which somebody else reads.
    pub fn of_text(path: PathBuf, header: bool, columns: Arc<[String]>) -> Translator {
        let (format, compression) = (Format::CSV, Compression::None);
        Translator { file: NamedFile::here(&path), format, compression, header, rows_before: 0, columns }
    }

    /// The same of a scan that begins after so many rows, with a header or without.
    pub(crate) fn after(self, rows_before: u64, header: bool) -> Translator {
        Translator { header, rows_before, ..self }
    }

    /// The error of a scan of this source.
    pub(crate) fn translate(&self, error: &ArrowError) -> EngineError {
        if let Some(problem) = self.in_text(error) {
            return problem;
        }
        match find_io(error) {
            Some(cause) => read_failure(&self.file.name, self.compression, cause),
            None => self.format.damaged(&self.file),
        }
    }

    /// A failure whose reason is not known.
    pub(crate) fn unreadable(&self) -> EngineError {
        EngineError::Data("cannot read it as text".into()).in_file(&self.file.name)
    }

    /// A problem of the row after so many of the text that is read.
    pub(crate) fn at(&self, rows: u64, problem: impl Into<Message>) -> EngineError {
        bad(&self.file.name, problem).at_row(self.rows_before + rows + 1)
    }

    /// A cell of such a row that is not UTF-8.
    pub(crate) fn not_utf_8(&self, rows: u64, column: usize) -> EngineError {
        let problem = self.at(rows, CELL_NOT_UTF_8);
        problem.in_column(&self.columns[column])
    }

    /// A problem in a text file.
    pub fn in_text(&self, error: &ArrowError) -> Option<EngineError> {
        let ArrowError::CsvError(message) = error else { return None };
        Some(self.in_record(message)?.in_file(&self.file.name))
    }

    /// The reader's line numbers count records, from 1.
    fn in_record(&self, message: &str) -> Option<EngineError> {
        let numbers = numbers_in(message);
        if message.starts_with("incorrect number of fields") {
            let &[record, expected, found] = numbers.as_slice() else {
                return None;
            };
            let more = if message.contains("more than") { "more than " } else { "" };
            // One cell above many is a line of a title.
            let hint = (expected == 1)
                .then(|| "if there are title lines above the header, skip them with --skip LINES".to_owned());
            let problem = format!("{more}{}, expected {}", count_cells(found), count_cells(expected));
            return Some(EngineError::bad(Message::new(problem, hint)).at_row(self.row(record)));
        }
        if message.starts_with("Encountered invalid UTF-8") {
            let &[_, record, field] = numbers.as_slice() else {
                return None;
            };
            let column = self.columns.get(usize::try_from(field).ok()?.checked_sub(1)?)?;
            let problem = EngineError::bad(CELL_NOT_UTF_8);
            return Some(problem.at_row(self.row(record)).in_column(column));
        }
        None
    }

    /// The row of a record; 0 is the header.
    fn row(&self, record: u64) -> u64 {
        self.rows_before + record - u64::from(self.header && record > 0)
    }
}

fn count_cells(cells: u64) -> String {
    format!("{cells} cell{}", if cells == 1 { "" } else { "s" })
}

/// The whole numbers in a message, in order.
fn numbers_in(message: &str) -> Vec<u64> {
    message.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

/// A file could not be read: the machine's fault, unless the compressed data makes no sense.
pub(crate) fn read_failure(path: &Path, compression: Compression, cause: &io::Error) -> EngineError {
    if let Some(excess) = Excess::from_error(cause) {
        return bad(path, excess.message());
    }
    let by_system = cause.raw_os_error().is_some() || cause.kind() == io::ErrorKind::NotFound;
    if compression != Compression::None && !by_system {
        let name = compression.name();
        return bad(path, format!("the {name} data is damaged or cut short"));
    }
    if cause.kind() == io::ErrorKind::InvalidData && !by_system {
        return bad(
            path,
            (
                "this text is not in the encoding in which it is read",
                "give the right one with --encoding NAME",
            ),
        );
    }
    // The wording of the cause is ours to choose only where the system gave it.
    let cause = match cause.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::from(cause.kind()),
    };
    EngineError::Io { path: path.to_owned(), action: "cannot read", cause }
}

/// What to do about a file that is not whole.
const WHOLE: &str =
    "if it is still being written, wait until it is complete; otherwise write or copy it again";

/// A file that claims to be Parquet cannot be read as such.
pub(crate) fn damaged_parquet(file: &NamedFile) -> EngineError {
    let (path, magic) = (&file.name, b"PAR1");
    match ends(file, magic) {
        Some((true, false)) => {
            bad(path, ("the end of this Parquet file is missing: it was cut short", WHOLE))
        }
        Some((true, true)) => bad(path, ("this Parquet file is damaged", WHOLE)),
        _ => bad(path, "this is not a Parquet file, or it is damaged or cut short"),
    }
}

/// A file that claims to be Arrow IPC cannot be read as such.
pub(crate) fn damaged_arrow(file: &NamedFile) -> EngineError {
    let path = &file.name;
    match ends(file, MAGIC) {
        Some((true, false)) => {
            bad(path, ("the end of this Arrow IPC file is missing: it was cut short", WHOLE))
        }
        Some((true, true)) => bad(path, ("this Arrow IPC file is damaged", WHOLE)),
        _ => bad(path, "this is not an Arrow IPC file (version 2 of Feather), or it is damaged or cut short"),
    }
}

/// Whether a file begins, and whether it ends, with a mark.
fn ends(file: &NamedFile, mark: &[u8]) -> Option<(bool, bool)> {
    let mut file = file.open().ok()?;
    let mut bytes = vec![0; mark.len()];
    file.read_exact(&mut bytes).ok()?;
    let begins = bytes == mark;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::End(-(mark.len() as i64))).ok()?;
    file.read_exact(&mut bytes).ok()?;
    // The first bytes of a file that has no others are no end.
    Some((begins, bytes == mark && length >= 2 * mark.len() as u64))
}

/// The failed read behind an error.
pub(crate) fn find_io<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a io::Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        let found = match error.downcast_ref::<ArrowError>() {
            Some(ArrowError::IoError(_, cause)) => Some(cause),
            _ => error.downcast_ref::<io::Error>(),
        };
        if let Some(cause) = found {
            // An error that only wraps another is not what the system said.
            let inner = cause.get_ref().and_then(|inner| find_io(inner));
            return Some(inner.unwrap_or(cause));
        }
        next = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(header: bool) -> Translator {
        Translator {
            file: NamedFile::here(Path::new("t.csv")),
            format: Format::CSV,
            compression: Compression::Gzip,
            header,
            rows_before: 0,
            columns: ["a".to_owned(), "b".to_owned()].into(),
        }
    }

    fn csv(message: &str) -> ArrowError {
        ArrowError::CsvError(message.to_owned())
    }

    #[test]
    fn counts_rows_without_the_header() {
        let ragged = csv("incorrect number of fields for line 3, expected 2 got 1");
        let message = |header| fault(header).translate(&ragged).to_string();
        assert_eq!(message(true), "t.csv: row 2: 1 cell, expected 2 cells");
        assert_eq!(message(false), "t.csv: row 3: 1 cell, expected 2 cells");
        let more = csv("incorrect number of fields for line 1, expected 2 got more than 2");
        let message = fault(true).translate(&more).to_string();
        assert_eq!(message, "t.csv: the header: more than 2 cells, expected 2 cells");
    }

    #[test]
    fn one_cell_above_many_may_be_a_title() {
        let title = csv("incorrect number of fields for line 1, expected 1 got more than 1");
        let message = fault(true).translate(&title).to_string();
        assert!(message.contains("expected 1 cell; if there are title lines above the header"), "{message}");
    }

    #[test]
    fn unknown_wording_is_not_passed_on() {
        let secret = csv("some new error about 'secret'");
        let error = fault(true).translate(&secret);
        assert!(matches!(error, EngineError::Data(_)));
        assert!(!error.to_string().contains("secret"));
    }

    #[test]
    fn tells_bad_data_from_a_bad_machine() {
        let cut = ArrowError::from(io::Error::from(io::ErrorKind::UnexpectedEof));
        assert!(matches!(fault(true).translate(&cut), EngineError::BadInput(_)));
        let disk = ArrowError::from(io::Error::from_raw_os_error(5));
        assert!(matches!(fault(true).translate(&disk), EngineError::Io { .. }));
    }
}
