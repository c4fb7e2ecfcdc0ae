//! Hashes of files, by which a run and a report say which ones they are about.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::input::files::FileList;
use crate::input::source;
use throng_tables::input::shared_bytes::SharedBytes;
use throng_tables::tables::Tables;

/// SHA-256 of a table in hexadecimal digits: of its file; or, if it is many, of a text with a line for each as
/// `sha256sum` writes it, its hash, two spaces and its path below the directory that all are in, in the order of the table.
///
/// # Errors
/// If a file cannot be read.
pub fn sha256_of_table(path: &Path, tables: &Tables) -> io::Result<String> {
    sha256_of_files(path, |file| sha256_of(tables.open_file(file)?))
}

/// The same of a table whose files were hashed by others.
///
/// # Errors
/// If it has other files.
pub(crate) fn sha256_of_hashed(path: &Path, hashes: &[(PathBuf, String)]) -> io::Result<String> {
    sha256_of_files(path, |file| {
        let hash = hashes.iter().find(|(hashed, _)| hashed == file).map(|(_, hash)| hash.clone());
        hash.ok_or_else(|| io::Error::other("it was put there after the table was opened"))
    })
}

/// The same of a table whose bytes are passed on by who decodes it.
///
/// # Errors
/// If a file cannot be read, or nobody wants it any more.
pub(crate) fn sha256_of_shared(path: &Path, tables: &Tables, shared: &SharedBytes) -> io::Result<String> {
    sha256_of_files(path, |file| match shared.bytes_of(file) {
        Some(bytes) => sha256_of(bytes),
        // It was put there since.
        None => sha256_of(tables.open_file(file)?),
    })
}

fn sha256_of_files(path: &Path, hash: impl Fn(&Path) -> io::Result<String>) -> io::Result<String> {
    let mut hasher = Sha256::new();
    // A directory of files without a line has nothing to list.
    if path.is_dir() && source::has_no_lines(path) {
        return Ok(hex(hasher));
    }
    let Some(list) = FileList::list(path).map_err(io::Error::other)? else { return hash(path) };
    for file in list.files() {
        hasher.update(format!("{}  {}\n", hash(file)?, list.name(file)));
    }
    Ok(hex(hasher))
}

fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of a file in hexadecimal digits.
///
/// # Errors
/// If it cannot be read.
pub fn sha256(path: &Path) -> io::Result<String> {
    sha256_of(File::open(path)?)
}

fn sha256_of(mut file: impl Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            bytes => hasher.update(&buffer[..bytes]),
        }
    }
    Ok(hex(hasher))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_the_standard() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(
            sha256(&path).unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
