//! Pseudonyms: identifiers become hashes that nobody can compute without a key.
//!
//! Without a key, whoever has a list of all identifiers could hash it and compare; so there is none without.
//! The key is no part of a job, which people share.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::{EngineError, Result};
use crate::input::whole;

/// The environment variable that has the key.
pub const KEY_VARIABLE: &str = "THRONG_PSEUDONYM_KEY";

/// The environment variable that names the file of the key.
pub const KEY_FILE_VARIABLE: &str = "THRONG_PSEUDONYM_KEY_FILE";

/// The fewest bytes of a key: fewer could be tried one after the other.
const LEAST_BYTES: usize = 16;

/// The most bytes of a key; a larger file is some other one.
const MOST_BYTES: usize = 1 << 16;

/// The fewest different bytes of a key: random ones of the least length, be they hexadecimal digits, have fewer in less
/// than one case of a million.
const LEAST_DIFFERENT: usize = 5;

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
    /// If there are fewer bytes, or far too many, or they are plainly not random.
    pub fn new(bytes: &[u8]) -> Result<PseudonymKey> {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if !(LEAST_BYTES..=MOST_BYTES).contains(&bytes.len()) {
            return Err(EngineError::bad((
                format!(
                    "a pseudonym key must have {LEAST_BYTES} to {MOST_BYTES} bytes, which should be random"
                ),
                "`openssl rand -hex 32` makes one",
            )));
        }
        let mut different = bytes.to_vec();
        different.sort_unstable();
        different.dedup();
        if different.len() < LEAST_DIFFERENT || is_repeated(bytes) || is_run(bytes) {
            return Err(EngineError::bad((
                "this pseudonym key is not random: its bytes repeat, or follow one another, so it could \
                 be guessed",
                "`openssl rand -hex 32` makes one",
            )));
        }
        Ok(PseudonymKey { root: blake3::derive_key(CONTEXT, bytes), file: None })
    }

    /// The key in a file.
    ///
    /// # Errors
    /// If the file cannot be read, others can read it, or it has no key.
    pub fn read(path: &Path) -> Result<PseudonymKey> {
        refuse_shared(path)?;
        let not_found = ("no such file", "it should contain the pseudonym key");
        let action = "cannot read the pseudonym key";
        let bytes = whole::read(path, whole::MOST_WRITTEN, action, not_found)?;
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
            (Some(_), Some(_)) => Err(EngineError::bad((
                format!("both {KEY_VARIABLE} and {KEY_FILE_VARIABLE} are set"),
                "only one key is allowed",
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

/// Whether bytes are one piece over and over, such as `secretsecretsecret`.
fn is_repeated(bytes: &[u8]) -> bool {
    (1..=bytes.len() / 2).any(|piece| bytes.iter().zip(&bytes[piece..]).all(|(one, next)| one == next))
}

/// Whether each byte follows the one before, up or down, but for at most two places, such as in `0123456789abcdef`.
fn is_run(bytes: &[u8]) -> bool {
    let breaks = |step: fn(u8, u8) -> bool| bytes.windows(2).filter(|pair| !step(pair[0], pair[1])).count();
    let up = breaks(|one, next| one.checked_add(1) == Some(next));
    let down = breaks(|one, next| next.checked_add(1) == Some(one));
    up.min(down) <= 2
}

/// Refuses a file that others than its owner can read.
#[cfg(unix)]
fn refuse_shared(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).map_or(0, |file| file.permissions().mode() & 0o077);
    if mode == 0 {
        return Ok(());
    }
    let problem = (
        "users other than its owner can read or change this pseudonym key, and so undo pseudonyms",
        "restrict access to it (chmod 600), and make a new key if someone may have seen it",
    );
    Err(EngineError::bad(problem).in_file(path))
}

#[cfg(not(unix))]
fn refuse_shared(_: &Path) -> Result<()> {
    Ok(())
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
        let one = of("93b1c7d04e5f6a28", "id", b"7");
        assert!(is_pseudonym(one.as_bytes()), "{one}");
        for same in ["93b1c7d04e5f6a28\n", "93b1c7d04e5f6a28\r\n"] {
            assert_eq!(of(same, "id", b"7"), one);
        }
        let others = [
            of("93b1c7d04e5f6a2X", "id", b"7"),
            of("93b1c7d04e5f6a28\n\n", "id", b"7"),
            of("93b1c7d04e5f6a28", "ID", b"7"),
            of("93b1c7d04e5f6a28", "id", b"07"),
        ];
        assert!(others.iter().all(|other| *other != one), "{others:?}");
    }

    #[test]
    fn no_key_is_short_and_none_is_shown() {
        for text in ["", "0123456789abcde", "0123456789abcde\n"] {
            let error = PseudonymKey::new(text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with("a pseudonym key must have 16 to 65536 bytes"), "{error}");
        }
        let text = "93b1c7d04e5f6a28";
        assert!(!format!("{:?}", key(text)).contains(text));
        assert_eq!(format!("{:?}", key(text)), "PseudonymKey { file: None, .. }");
    }

    #[test]
    fn a_key_that_repeats_or_counts_is_none() {
        let guessed = [
            "aaaaaaaaaaaaaaaa",
            "abababababababab",
            "abcdabcdabcdabcd",
            "secret-secret-secret-secret-",
            "00000000000000000000000000000001",
            "0123456789abcdef",
            "abcdefghijklmnop",
            "9876543210fedcba",
        ];
        for text in guessed {
            let error = PseudonymKey::new(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("is not random") && !error.contains(text), "{error}");
        }
        assert!(PseudonymKey::new(&[0; 32]).is_err());
        for seed in 0..1000_u32 {
            let digits = blake3::hash(&seed.to_le_bytes()).to_hex();
            key(&digits[..32]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_can_read_is_none() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "93b1c7d04e5f6a28\n").unwrap();
        for (mode, is_allowed) in
            [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o620, false)]
        {
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            let read = PseudonymKey::read(file.path());
            assert_eq!(read.is_ok(), is_allowed, "{mode:o}");
            assert!(read.err().is_none_or(|error| error.to_string().contains("chmod 600")));
        }
    }

    #[test]
    fn what_is_no_pseudonym() {
        for cell in ["", "ann", "0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef0123456789abcde"] {
            assert!(!is_pseudonym(cell.as_bytes()), "{cell}");
        }
    }
}
