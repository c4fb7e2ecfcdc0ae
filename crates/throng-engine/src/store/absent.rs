//! What a build without object stores says of them.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use parquet::arrow::arrow_reader::ArrowReaderMetadata;

use super::Address;
use crate::error::{EngineError, Result};
use crate::input::files::FileList;

/// Whoever has this build cannot be helped by a better address.
fn refuse<T>(path: &Path) -> Result<T> {
    Address::parse(path)?;
    Err(EngineError::bad("this throng was built without object stores; build it with the feature 's3'"))
}

pub(crate) fn list(path: &Path) -> Result<Option<FileList>> {
    refuse(path)
}

/// Nothing of an object was ever seen.
pub(crate) enum Look {}

impl Look {
    pub(crate) fn bytes(&self) -> u64 {
        match *self {}
    }

    pub(crate) fn parquet(&self) -> Option<&ArrowReaderMetadata> {
        match *self {}
    }
}

pub(crate) fn look(path: &Path) -> Result<Look> {
    refuse(path)
}

pub(crate) fn look_all(_: &[PathBuf]) -> Result<Vec<Look>> {
    Ok(Vec::new())
}

pub(crate) fn fetch(_: &Path, seen: &Look) -> Result<PathBuf> {
    match *seen {}
}

pub(crate) fn place(path: &Path) -> io::Result<PathBuf> {
    refuse(path).map_err(io::Error::other)
}

pub(crate) fn exists(path: &Path) -> Result<bool> {
    refuse(path)
}

pub(crate) fn refuse_bad_target(path: &Path) -> Result<()> {
    refuse(path)
}

pub(crate) fn send(_: &File, target: &Path) -> Result<()> {
    refuse(target)
}

pub(crate) fn forget() {}
