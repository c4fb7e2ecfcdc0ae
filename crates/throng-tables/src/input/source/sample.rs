//! The start of a text file, by which it is judged.

use std::io::{self, Read};
use std::path::Path;

use encoding_rs::{Encoding, UTF_8};

use super::probe::text_format;
use crate::format::{Compression, Format};
use crate::input::dialect::{DialectOverrides, sniff_with, split, split_preamble};
use crate::input::encoding;
use crate::input::limits::{Excess, ROW_BYTES};

/// How much of a text file is looked at.
const LEAST_BYTES: usize = 256 << 10;
/// How much at most, where the first rows are longer: as much as a row may have.
const MOST_BYTES: usize = ROW_BYTES;

/// The start of a text file, as formats of text look at it.
#[derive(Clone, Copy, Debug)]
pub struct TextStart<'a> {
    /// The text in UTF-8, to the end of a line if it is not all there is.
    pub sample: &'a [u8],
    /// What it takes up in the file.
    pub sample_bytes: usize,
    /// Whether there is more.
    pub is_cut: bool,
    /// How the file is compressed as a whole.
    pub compression: Compression,
    /// The encoding of the file.
    pub encoding: &'static Encoding,
    /// Whether nobody but the bytes say so.
    pub encoding_is_guessed: bool,
}

/// The start of a text file.
pub(super) struct TextSample {
    /// The text in UTF-8, to the end of a line if it is not all there is.
    pub(super) text: Vec<u8>,
    /// What it takes up in the file.
    pub(super) bytes: usize,
    /// Whether there is more.
    pub(super) is_cut: bool,
    /// The encoding that was said, or found.
    pub(super) encoding: &'static Encoding,
}

impl TextSample {
    /// Reads the start of a file, as much of it as it takes to see a row beside the first; or all that may be one.
    pub(super) fn read(
        mut from: impl Read,
        path: &Path,
        said: Option<&'static Encoding>,
        overrides: &DialectOverrides,
    ) -> io::Result<TextSample> {
        let (mut raw, mut size) = (Vec::new(), LEAST_BYTES);
        loop {
            (&mut from).take((size - raw.len()) as u64).read_to_end(&mut raw)?;
            let sample = TextSample::new(&raw, raw.len() == size, said);
            if size == MOST_BYTES && sample.is_one_row() {
                return Err(Excess::Row.into());
            }
            if !sample.is_cut || size == MOST_BYTES || sample.shows_rows(path, overrides) {
                return Ok(sample);
            }
            size = MOST_BYTES.min(size * 8);
        }
    }

    fn new(raw: &[u8], is_cut: bool, said: Option<&'static Encoding>) -> TextSample {
        let encoding = said.unwrap_or_else(|| encoding::detect(raw));
        let mut text = if encoding == UTF_8 { raw.to_vec() } else { encoding::decode_start(raw, encoding) };
        // A line that is cut would look like a row with fewer fields.
        if let Some(end) = text.iter().rposition(|&byte| byte == b'\n').filter(|_| is_cut) {
            text.truncate(end + 1);
        }
        TextSample { text, bytes: raw.len(), is_cut, encoding }
    }

    /// Whether it is text that does not come to the end of a row, however much is read.
    fn is_one_row(&self) -> bool {
        self.is_cut && !self.text.iter().any(|byte| matches!(byte, b'\n' | b'\r' | 0))
    }

    /// Whether it has a whole row beside the first, which may be names; of JSON lines one is enough. What is no text,
    /// or has no dialect, will be refused whatever follows.
    fn shows_rows(&self, path: &Path, overrides: &DialectOverrides) -> bool {
        if self.text.contains(&0) {
            return true;
        }
        if !self.text.ends_with(b"\n") || text_format(path, &self.text) == Format::JSON_LINES {
            return self.text.ends_with(b"\n");
        }
        let Ok(dialect) = sniff_with(&self.text, overrides) else { return true };
        let records = split(split_preamble(&self.text, overrides.skip).1, dialect.delimiter, dialect.quote);
        records.iter().filter(|record| !record.unclosed).count() > 1
    }
}
