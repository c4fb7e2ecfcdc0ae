//! Pseudonyms: identifiers become hashes that nobody can compute without a key.
//!
//! Without a key, whoever has a list of all identifiers could hash it and compare; so there is none without.
//! The key is no part of a job, which people share.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::error::{EngineError, Result};

/// The environment variable that has the key.
pub const KEY_VARIABLE: &str = "THRONG_PSEUDONYM_KEY";

/// The environment variable that names the file of the key.
pub const KEY_FILE_VARIABLE: &str = "THRONG_PSEUDONYM_KEY_FILE";

/// The fewest bytes of a key: fewer could be tried one after the other.
const LEAST_BYTES: usize = 16;

/// The most bytes of a key; a larger file is some other one.
const MOST_BYTES: usize = 1 << 16;

/// Tells these hashes from all others that somebody may compute with the same key.
const CONTEXT: &str = "throng pseudonyms 2026-11: key of a release";

/// Bytes of a pseudonym: so many that two identifiers hardly ever share one.
const BYTES: usize = 16;

/// Digits of a pseudonym.
const DIGITS: usize = 2 * BYTES;

/// What makes pseudonyms; the same key gives the same.
pub struct PseudonymKey {
    root: [u8; blake3::KEY_LEN],
    file: Option<PathBuf>,
}

impl PseudonymKey {
    /// A key from at least 16 bytes, which should be random; a line end after them does not count.
    ///
    /// # Errors
    /// If there are fewer bytes, or far too many.
    pub fn new(bytes: &[u8]) -> Result<PseudonymKey> {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if !(LEAST_BYTES..=MOST_BYTES).contains(&bytes.len()) {
            return Err(EngineError::bad(format!(
                "a key of pseudonyms has from {LEAST_BYTES} to {MOST_BYTES} bytes, which should be random; \
                 `openssl rand -hex 32` makes one"
            )));
        }
        Ok(PseudonymKey { root: blake3::derive_key(CONTEXT, bytes), file: None })
    }

    /// The key in a file.
    ///
    /// # Errors
    /// If the file cannot be read, or has no key.
    pub fn read(path: &Path) -> Result<PseudonymKey> {
        let mut bytes = Vec::new();
        // Two more for a line end, and one to see that there are too many.
        let most = MOST_BYTES as u64 + 3;
        let read = File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
        read.map_err(|cause| match cause.kind() {
            ErrorKind::NotFound => {
                EngineError::not_found(path, "no such file; it should have the key of pseudonyms")
            }
            _ => {
                EngineError::Io { path: path.to_owned(), action: "cannot read the key of pseudonyms", cause }
            }
        })?;
        let key = PseudonymKey::new(&bytes).map_err(|error| error.in_file(path))?;
        Ok(PseudonymKey { file: Some(path.to_owned()), ..key })
    }

    /// The key in a file that somebody named, else that of the environment; nothing if there is none.
    ///
    /// # Errors
    /// If it is no key, the file cannot be read, or the environment says two things.
    pub fn find(file: Option<&Path>) -> Result<Option<PseudonymKey>> {
        if let Some(file) = file {
            return PseudonymKey::read(file).map(Some);
        }
        match (env::var_os(KEY_VARIABLE), env::var_os(KEY_FILE_VARIABLE)) {
            (Some(_), Some(_)) => Err(EngineError::bad(format!(
                "both {KEY_VARIABLE} and {KEY_FILE_VARIABLE} are set; only one key is allowed"
            ))),
            (Some(key), None) => PseudonymKey::of_variable(&key).map(Some),
            (None, Some(file)) => PseudonymKey::read(Path::new(&file)).map(Some),
            (None, None) => Ok(None),
        }
    }

    fn of_variable(key: &OsStr) -> Result<PseudonymKey> {
        PseudonymKey::new(key.as_encoded_bytes()).map_err(|error| error.within(KEY_VARIABLE))
    }

    /// The file that it was read from.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The key of one column: the same identifier has different pseudonyms in two columns.
    pub(crate) fn of_column(&self, name: &str) -> ColumnKey {
        ColumnKey(*blake3::keyed_hash(&self.root, name.as_bytes()).as_bytes())
    }
}

impl fmt::Debug for PseudonymKey {
    /// Shows nothing of the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PseudonymKey").field("file", &self.file).finish_non_exhaustive()
    }
}

/// What makes the pseudonyms of one column.
pub(crate) struct ColumnKey([u8; blake3::KEY_LEN]);

impl ColumnKey {
    /// The pseudonym of an identifier: hexadecimal digits.
    pub(crate) fn pseudonym(&self, identifier: &[u8]) -> String {
        let hash = blake3::keyed_hash(&self.0, identifier);
        let mut digits = hash.to_hex().to_string();
        digits.truncate(DIGITS);
        digits
    }
}

/// Whether a cell looks like a pseudonym.
pub(crate) fn is_pseudonym(cell: &[u8]) -> bool {
    cell.len() == DIGITS && cell.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> PseudonymKey {
        PseudonymKey::new(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_pseudonym_depends_on_key_column_and_identifier_alone() {
        let of = |text: &str, column: &str, cell: &[u8]| key(text).of_column(column).pseudonym(cell);
        let one = of("0123456789abcdef", "id", b"7");
        assert!(is_pseudonym(one.as_bytes()), "{one}");
        for same in ["0123456789abcdef\n", "0123456789abcdef\r\n"] {
            assert_eq!(of(same, "id", b"7"), one);
        }
        let others = [
            of("0123456789abcdeF", "id", b"7"),
            of("0123456789abcdef\n\n", "id", b"7"),
            of("0123456789abcdef", "ID", b"7"),
            of("0123456789abcdef", "id", b"07"),
        ];
        assert!(others.iter().all(|other| *other != one), "{others:?}");
    }

    #[test]
    fn no_key_is_short_and_none_is_shown() {
        for text in ["", "0123456789abcde", "0123456789abcde\n"] {
            let error = PseudonymKey::new(text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with("a key of pseudonyms has from 16 to 65536 bytes"), "{error}");
        }
        let text = "0123456789abcdef";
        assert!(!format!("{:?}", key(text)).contains(text));
        assert_eq!(format!("{:?}", key(text)), "PseudonymKey { file: None, .. }");
    }

    #[test]
    fn what_is_no_pseudonym() {
        for cell in ["", "ann", "0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef0123456789abcde"] {
            assert!(!is_pseudonym(cell.as_bytes()), "{cell}");
        }
    }
}
