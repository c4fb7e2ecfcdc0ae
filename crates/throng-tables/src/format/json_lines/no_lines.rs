//! JSON lines without a line: a table without rows, of which only those who wrote it know the columns.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::address::Address;
use crate::error::Result;
use crate::format::{Compression, Format};
use crate::input::dialect::DialectOverrides;
use crate::input::scheme;
use crate::input::source::{Source, probe};
use crate::tables::Tables;

impl Source {
    /// See [`Tables::open_release`].
    ///
    /// # Errors
    /// As of [`Source::open`].
    pub fn open_release(
        address: impl Into<Address>,
        overrides: &DialectOverrides,
        names: &[String],
    ) -> Result<Source> {
        Tables::default().open_release(address, overrides, names)
    }
}

impl Tables {
    /// Opens a release that has columns of these names, unless it says itself what they are called. A first row with all
    /// these names is its header, whatever it looks like.
    ///
    /// # Errors
    /// As of [`Source::open`].
    pub fn open_release(
        &self,
        address: impl Into<Address>,
        overrides: &DialectOverrides,
        names: &[String],
    ) -> Result<Source> {
        let address = address.into();
        let empty = match &address {
            Address::Files(path) => find_empty(&scheme::local(path)?),
            _ => None,
        };
        match empty {
            Some((file, compression)) => Ok(probe::lines_of(&file, compression, names)),
            None => self.open(address, &overrides.clone().with_known_names(names)),
        }
    }
}

/// Whether a table is JSON lines without a line, in one file or several.
pub fn has_no_lines(path: &Path) -> bool {
    find_empty(path).is_some()
}

/// The file of JSON lines that has none, or the first of a directory in which all are such; none if there is a line, or
/// anything else.
fn find_empty(path: &Path) -> Option<(PathBuf, Compression)> {
    if !path.is_dir() {
        let (format, compression) = Format::from_name(path)?;
        let is_empty = format == Format::JSON_LINES && has_no_text(path, compression).unwrap_or(false);
        return is_empty.then(|| (path.to_owned(), compression));
    }
    let entries = fs::read_dir(path).ok()?.collect::<io::Result<Vec<_>>>().ok()?;
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    files.sort();
    let empty: Vec<_> = files.iter().map_while(|file| find_empty(file)).collect();
    if empty.len() < files.len() { None } else { empty.into_iter().next() }
}

fn has_no_text(path: &Path, compression: Compression) -> io::Result<bool> {
    // To open a pipe would wait for whoever writes to it.
    if !fs::metadata(path)?.is_file() {
        return Ok(false);
    }
    let file = File::open(path)?;
    let mut text: Box<dyn Read> = match compression {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(file)),
        Compression::Zstd => Box::new(zstd::Decoder::new(file)?),
    };
    Ok(text.read(&mut [0])? == 0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("a.jsonl");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(find_empty(&pipe), None);
        let empty = dir.path().join("b.jsonl");
        File::create(&empty).unwrap();
        assert_eq!(find_empty(&empty), Some((empty, Compression::None)));
    }
}
