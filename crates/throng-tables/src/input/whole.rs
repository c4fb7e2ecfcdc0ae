//! Files that are read whole: jobs, hierarchies, recodings, fronts, keys, certificates.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crate::error::{EngineError, Result};
use crate::wording::Message;

/// Bytes of a file that people write, at most: a job, a key, a certificate, a file of passwords.
pub const MOST_WRITTEN: u64 = 16 << 20;
/// Bytes of a file that a program makes of a table, at most: a hierarchy, a recoding, a front.
pub const MOST_MADE: u64 = 1 << 30;

/// All bytes of a file. Only a regular file has an end that can be relied on: a pipe waits for whoever writes to it.
///
/// # Errors
/// If it is no regular file, has more than `most_bytes`, or cannot be read: `action` says what was tried, as
/// "cannot read the job", and `not_found` what to say of a file that is not there.
pub fn read(
    path: &Path,
    most_bytes: u64,
    action: &'static str,
    not_found: impl Into<Message>,
) -> Result<Vec<u8>> {
    let not_found: Message = not_found.into();
    let failed = |cause: io::Error| match cause.kind() {
        io::ErrorKind::NotFound => EngineError::not_found(path, not_found.clone()),
        _ => EngineError::Io { path: path.to_owned(), action, cause },
    };
    let no_file = || EngineError::bad(format!("{action}: this is not a regular file")).in_file(path);
    // To open a pipe would wait, so the name is looked at first; and then what was opened.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(no_file());
    }
    let file = File::open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(no_file());
    }
    let mut bytes = Vec::new();
    file.take(most_bytes + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most_bytes {
        let most_mib = most_bytes >> 20;
        return Err(EngineError::bad(format!("{action}: it has more than {most_mib} MiB")).in_file(path));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_a_size() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("job.toml");
        fs::write(&path, "x".repeat(4 << 20)).unwrap();
        let of = |path: &Path, most| read(path, most, "cannot read the job", "no such job");
        assert_eq!(of(&path, 4 << 20).unwrap().len(), 4 << 20);
        let large = of(&path, 3 << 20).unwrap_err().to_string();
        assert!(large.contains("more than 3 MiB"), "{large}");
        let directory = of(dir.path(), 9).unwrap_err();
        assert!(directory.to_string().contains("not a regular file"), "{directory}");
        let absent = of(&dir.path().join("none"), 9).unwrap_err();
        assert!(matches!(absent, EngineError::NotFound(_)) && absent.to_string().contains("no such job"));
        #[cfg(unix)]
        {
            let zero = of(Path::new("/dev/zero"), 9).unwrap_err().to_string();
            assert!(zero.contains("not a regular file"), "{zero}");
        }
    }
}
