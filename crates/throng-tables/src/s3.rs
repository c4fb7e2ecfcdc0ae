//! Tables of object stores: S3, and whatever speaks its protocol.
//!
//! Parquet is read where it is, by plans that ask for the bytes of columns . Other formats have to be read
//! from end to end, and more than once: they are fetched first, into files that only their owner can read. A release is
//! written and verified here, sent under another name, read back there, and then copied to its own by the store.

mod answers;
mod bucket;
mod fault;
mod fetch;
mod list;
mod look;
mod send;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub use bucket::build as build_store;

use crate::backend::{Listed, Look, Objects};
use crate::error::Result;
use crate::tables::Tables;
use fetch::FetchedObjects;

/// Stores that speak the protocol of S3, as the environment says.
pub(crate) struct S3;

impl Objects for S3 {
    fn list(&self, path: &Path) -> Result<Option<Listed>> {
        list::list(path)
    }

    fn look(&self, path: &Path) -> Result<Look> {
        look::look(path)
    }

    fn look_all(&self, paths: Vec<PathBuf>) -> Result<Vec<Look>> {
        look::look_all(paths)
    }

    fn fetch(&self, path: &Path, seen: &Look, tables: &Tables) -> Result<()> {
        tables.held::<FetchedObjects>().fetch(path, seen).map(drop)
    }

    fn local_path(&self, path: &Path, tables: &Tables) -> io::Result<PathBuf> {
        tables.held::<FetchedObjects>().local_path(path)
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        list::exists(path)
    }

    fn refuse_bad_target(&self, path: &Path) -> Result<()> {
        list::refuse_bad_target(path)
    }

    fn send(&self, file: &File, target: &Path) -> Result<()> {
        send::send(file, target)
    }
}
