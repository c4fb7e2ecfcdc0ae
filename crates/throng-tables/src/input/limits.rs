//! How much is read at once, and how much is believed of a file: what a file claims of itself, or holds when it is
//! unpacked, takes memory and time only up to these limits.

use std::error::Error;
use std::fmt;
use std::io::{self, Read};

use crate::wording::Message;

/// Bytes of text after which a batch ends with the row at hand, however few rows it has.
pub const BATCH_BYTES: usize = 16 << 20;
/// Bytes of a row of text, at most.
pub const ROW_BYTES: usize = 64 << 20;
/// Columns of a table, at most: each takes memory of its own, in every batch.
pub const MOST_COLUMNS: usize = 50_000;
/// Bytes of a row of a format whose rows can share what they hold, at most.
pub const SPELLED_ROW_BYTES: u64 = 1 << 30;
/// What compressed data may always hold.
const FREE_BYTES: u64 = 1 << 30;
/// What else it may hold: so many times its own size.
const MOST_TIMES: u64 = 1000;

/// Bytes that compressed data of a length may hold.
pub fn most_decompressed(compressed_bytes: u64) -> u64 {
    FREE_BYTES.max(compressed_bytes.saturating_mul(MOST_TIMES))
}

/// Why text is not read any further. Within an error of reading, it is told apart from damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    /// A row does not end.
    Row,
    /// Compressed data holds too much.
    Decompressed,
}

impl Excess {
    /// The limit that an error of reading is about, if it is about one.
    pub fn from_error(error: &io::Error) -> Option<Excess> {
        error.get_ref()?.downcast_ref().copied()
    }

    /// What is wrong, and what may be the cause.
    pub fn message(self) -> Message {
        match self {
            Excess::Row => {
                let cause = "is there a quote that is never closed, or is this not a table?";
                ("a row does not end within 64 MiB, the most that a row of text may take", cause).into()
            }
            Excess::Decompressed => {
                let what = "the file unpacks to more than 1 GiB and more than 1,000 times its own size, which no real table does";
                (what, "if this one does, decompress it first").into()
            }
        }
    }
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl Error for Excess {}

impl From<Excess> for io::Error {
    fn from(excess: Excess) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, excess)
    }
}

/// What a decompressor gives, up to a number of bytes.
pub struct Limited<R> {
    text: R,
    left_bytes: u64,
}

impl<R: Read> Limited<R> {
    /// What `text` gives of a file of so many bytes.
    pub fn new(text: R, compressed_bytes: u64) -> Limited<R> {
        Limited { text, left_bytes: most_decompressed(compressed_bytes) }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read(buffer)?;
        self.left_bytes = self.left_bytes.checked_sub(read as u64).ok_or(Excess::Decompressed)?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_too_much_is_told_from_damage() {
        assert_eq!((most_decompressed(5), most_decompressed(2 << 30)), (FREE_BYTES, 2000 << 30));
        let mut text = Limited { text: io::repeat(b'a'), left_bytes: 10 };
        let error = text.read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(Excess::from_error(&error), Some(Excess::Decompressed));
        assert_eq!(Excess::from_error(&io::Error::from(io::ErrorKind::InvalidData)), None);
        let mut text = Limited { text: &b"abc"[..], left_bytes: 3 };
        assert_eq!(io::copy(&mut text, &mut io::sink()).unwrap(), 3);
    }
}
