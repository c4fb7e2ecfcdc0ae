//! Cuts a text file into pieces that several threads read, so that each begins with a record.
//!
//! Whether a line break ends a record depends on all quotes before it. So the file is first cut behind line breaks,
//! about every so many bytes, and each of these parts is walked through twice: as if it began with a record, and as if
//! it began within quotes. There is no third way, for behind a line break a record begins unless a quote is open. Which
//! of the two it was is known from the part before, and that of the first. Then the records are counted, and pieces
//! begin where a batch of the whole file does: so batches are the same, whoever reads them.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;

use memchr::{memchr, memchr3};
use rayon::prelude::*;

use crate::input::dialect::Dialect;
use crate::input::source::BATCH_ROWS;

/// About how much text is a piece.
pub(crate) const PIECE_BYTES: u64 = 4 << 20;
/// Bytes that are read at once.
const BUFFER_BYTES: usize = 256 << 10;
/// What a file may begin with, and what is no part of its first cell.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A part of a text file: whole records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it begins, in bytes.
    pub start: u64,
    /// Where it ends, in bytes.
    pub end: u64,
    /// Rows of the file before it.
    pub rows_before: u64,
}

/// A text file that is to be cut.
pub struct Cutter<'a> {
    /// Where the file can be opened.
    pub path: &'a Path,
    /// How it is delimited.
    pub dialect: Dialect,
    /// Where the first record begins.
    pub start: u64,
    /// About how many bytes a piece has.
    pub piece_bytes: u64,
    /// A piece has whole batches of so many rows.
    pub batch_rows: u64,
}

/// Where a walk through text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    StartRecord,
    StartField,
    InField,
    InQuotes,
    AfterQuote,
}

/// Lines of the file, and how they leave things, by whether a quote is open before them.
struct Part {
    start: u64,
    end: u64,
    from_record: Walk,
    from_quotes: Walk,
}

/// A walk through text: where it is, and how many records have ended.
#[derive(Clone, Copy)]
struct Walk {
    delimiter: u8,
    quote: u8,
    state: State,
    records: u64,
}

impl<'a> Cutter<'a> {
    /// A file whose first record begins at `start`, in pieces of the usual size.
    pub fn new(path: &'a Path, dialect: Dialect, start: u64) -> Cutter<'a> {
        Cutter { path, dialect, start, piece_bytes: PIECE_BYTES, batch_rows: BATCH_ROWS as u64 }
    }

    /// The pieces of the file, in order; nothing if a quote is open at its end.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn cut(&self) -> io::Result<Option<Vec<Piece>>> {
        let lines = cut_lines(self.path, self.start, self.piece_bytes)?;
        let Some(end) = lines.last().map(|&(_, end)| end) else { return Ok(Some(Vec::new())) };
        let parts = lines.into_par_iter().map(|(start, end)| self.walk_through(start, end));
        let parts: Vec<Part> = parts.collect::<io::Result<_>>()?;
        let mut at = self.walk(State::StartRecord);
        let mut before = Vec::with_capacity(parts.len());
        for part in &parts {
            before.push(at);
            let walked = if at.state == State::InQuotes { part.from_quotes } else { part.from_record };
            at = Walk { records: at.records + walked.records, ..walked };
        }
        if at.state == State::InQuotes {
            return Ok(None);
        }
        let starts = parts.par_iter().zip(before).map(|(part, before)| self.find_start(part, before));
        let starts: Vec<(u64, u64)> = starts.filter_map(io::Result::transpose).collect::<io::Result<_>>()?;
        let ends = starts.iter().skip(1).map(|&(start, _)| start).chain([end]);
        let piece = |(&(start, rows_before), end): (&(u64, u64), u64)| Piece { start, end, rows_before };
        Ok(Some(starts.iter().zip(ends).map(piece).collect()))
    }

    fn walk_through(&self, start: u64, end: u64) -> io::Result<Part> {
        let mut from_record = self.walk(State::StartRecord);
        let mut from_quotes = self.walk(State::InQuotes);
        self.read(start, end, |bytes| {
            from_record.go(bytes, |_, _| ControlFlow::Continue(()))?;
            from_quotes.go(bytes, |_, _| ControlFlow::Continue(()))
        })?;
        Ok(Part { start, end, from_record, from_quotes })
    }

    /// Where the first batch of the file begins within a part, and the rows before it; nothing if none does.
    fn find_start(&self, part: &Part, before: Walk) -> io::Result<Option<(u64, u64)>> {
        if part.start == self.start {
            return Ok(Some((self.start, 0)));
        }
        let header = u64::from(self.dialect.header);
        let begins = |records: u64| records > header && (records - header).is_multiple_of(self.batch_rows);
        if before.state != State::InQuotes && begins(before.records) {
            return Ok(Some((part.start, before.records - header)));
        }
        let (mut walk, mut offset, mut found) = (before, part.start, None);
        self.read(part.start, part.end, |bytes| {
            let walked = walk.go(bytes, |place, records| match begins(records) {
                true => ControlFlow::Break((place, records)),
                false => ControlFlow::Continue(()),
            });
            if let ControlFlow::Break((place, records)) = walked {
                found = Some((offset + place as u64, records - header));
                return ControlFlow::Break(());
            }
            offset += bytes.len() as u64;
            ControlFlow::Continue(())
        })?;
        // What ends the file is no start of a piece.
        Ok(found.filter(|&(start, _)| start < part.end))
    }

    fn walk(&self, state: State) -> Walk {
        let Dialect { delimiter, quote, .. } = self.dialect;
        Walk { delimiter, quote, state, records: 0 }
    }

    /// Hands the bytes of a part to `each`, as long as that wants more.
    fn read(&self, start: u64, end: u64, mut each: impl FnMut(&[u8]) -> ControlFlow<()>) -> io::Result<()> {
        let mut file = File::open(self.path)?;
        file.seek(SeekFrom::Start(start))?;
        let mut text = file.take(end - start);
        let mut buffer = vec![0; BUFFER_BYTES];
        let mut is_start = start == self.start;
        loop {
            let read = read_full(&mut text, &mut buffer)?;
            let mut bytes = &buffer[..read];
            if bytes.is_empty() {
                return Ok(());
            }
            if std::mem::take(&mut is_start) {
                bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
            }
            if each(bytes).is_break() {
                return Ok(());
            }
        }
    }
}

/// A file in parts of about so many bytes that end behind a line break.
pub(crate) fn cut_lines(path: &Path, mut start: u64, piece_bytes: u64) -> io::Result<Vec<(u64, u64)>> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut parts = Vec::new();
    while start < bytes {
        let about = start + piece_bytes;
        let end = if about < bytes { about + line_rest(&mut file, about)? } else { bytes };
        parts.push((start, end));
        start = end;
    }
    Ok(parts)
}

/// Fills a buffer, but for the end of the text.
pub(crate) fn read_full(text: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match text.read(&mut buffer[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

/// How many bytes of a line there are from a place on, with its end.
fn line_rest(file: &mut File, start: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(start))?;
    Ok(BufReader::new(file).skip_until(b'\n')? as u64)
}

impl Walk {
    /// Goes on through some bytes. At each end of a record `ended` is told the place behind it and how many have ended,
    /// and may stop.
    fn go<B>(&mut self, bytes: &[u8], mut ended: impl FnMut(usize, u64) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut at = 0;
        while at < bytes.len() {
            let next = match self.state {
                State::InQuotes => memchr(self.quote, &bytes[at..]).map(|found| at + found),
                // Within a cell nothing but these matters, and quotes only behind a delimiter.
                State::InField => memchr3(self.quote, b'\n', b'\r', &bytes[at..]).map(|found| at + found),
                _ => Some(at),
            };
            let Some(next) = next else {
                let last = bytes[bytes.len() - 1];
                if self.state == State::InField && last == self.delimiter {
                    self.state = State::StartField;
                }
                break;
            };
            let is_field_start = matches!(self.state, State::StartRecord | State::StartField)
                || self.state == State::InField && next > at && bytes[next - 1] == self.delimiter;
            let is_record_start = self.state == State::StartRecord;
            let byte = bytes[next];
            at = next + 1;
            self.state = match self.state {
                State::InQuotes => State::AfterQuote,
                State::AfterQuote if byte == self.quote => State::InQuotes,
                _ if byte == self.quote && is_field_start => State::InQuotes,
                _ if byte == self.delimiter => State::StartField,
                _ if matches!(byte, b'\n' | b'\r') => State::StartRecord,
                _ => State::InField,
            };
            if self.state == State::StartRecord && !is_record_start {
                self.records += 1;
                ended(at, self.records)?;
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests;
