//! Tables of databases, as inputs and as outputs.
//!
//! A database reads, counts and writes where the data is: rows come by COPY, distinct tuples by GROUP BY, and a
//! release goes out by COPY into a table that nobody sees until it is verified.

// Without a database to reach, parts of an address are read only to be refused.
#[cfg_attr(not(feature = "postgres"), allow(dead_code))]
mod address;
#[cfg(feature = "postgres")]
mod postgres;

use std::path::Path;

pub use address::Address;
pub(crate) use address::split_name;
#[cfg(feature = "postgres")]
pub use postgres::ask_passwords_by;

use crate::error::Result;
use crate::input::source::Source;
use crate::output::remote::{NewTable, RemoteSink};

/// Whether a path is the address of a table in a database.
pub fn is_address(path: &Path) -> bool {
    path.to_str().is_some_and(address::is_address)
}

/// Opens the table, or the result of the query, that an address names.
///
/// # Errors
/// If the address cannot be used, the server cannot be reached or refuses, or there is no such table.
#[cfg(feature = "postgres")]
pub(crate) fn open(path: &Path) -> Result<Source> {
    postgres::open(&address_of(path)?, path)
}

/// Keeps what later looks at an address see as it is now, as long as what is returned is kept.
///
/// # Errors
/// If the server cannot be reached, or refuses.
#[cfg(feature = "postgres")]
pub(crate) fn hold(path: &Path) -> Result<impl Sized> {
    if is_address(path) { postgres::hold(&address_of(path)?, path).map(Some) } else { Ok(None) }
}

/// Refuses a table that cannot be made, or that is what `input` reads, before any work is done for it.
///
/// # Errors
/// If it is there already and not to be replaced, or the server cannot be reached or refuses.
#[cfg(feature = "postgres")]
pub(crate) fn refuse_bad_target(target: &Path, replace: bool, input: &Path) -> Result<()> {
    postgres::refuse_bad_target(&address_of(target)?, target, replace, input)
}

/// Whether there is a table at an address.
///
/// # Errors
/// If the server cannot be reached, or refuses.
#[cfg(feature = "postgres")]
pub fn exists(target: &Path) -> Result<bool> {
    postgres::exists(&address_of(target)?, target)
}

/// Starts a table that nobody sees until it is published.
///
/// # Errors
/// If the server cannot be reached, or refuses.
#[cfg(feature = "postgres")]
pub(crate) fn create(target: &Path, table: NewTable) -> Result<Box<dyn RemoteSink>> {
    postgres::create(&address_of(target)?, target, table)
}

fn address_of(path: &Path) -> Result<Address> {
    Address::parse(&path.to_string_lossy())
}

#[cfg(not(feature = "postgres"))]
mod absent {
    use super::*;
    use crate::error::EngineError;

    /// Whoever has this build cannot be helped by a better address.
    fn refuse() -> EngineError {
        EngineError::bad("this throng was built without PostgreSQL; build it with the feature 'postgres'")
    }

    pub(crate) fn open(path: &Path) -> Result<Source> {
        address_of(path).and_then(|_| Err(refuse()))
    }

    pub(crate) fn hold(path: &Path) -> Result<Option<()>> {
        if is_address(path) { Err(refuse()) } else { Ok(None) }
    }

    pub(crate) fn refuse_bad_target(target: &Path, _: bool, _: &Path) -> Result<()> {
        address_of(target).and_then(|_| Err(refuse()))
    }

    /// Nothing can be said of a table of a database here.
    ///
    /// # Errors
    /// Always.
    pub fn exists(target: &Path) -> Result<bool> {
        address_of(target).and_then(|_| Err(refuse()))
    }

    pub(crate) fn create(target: &Path, _: NewTable) -> Result<Box<dyn RemoteSink>> {
        address_of(target).and_then(|_| Err(refuse()))
    }
}

#[cfg(not(feature = "postgres"))]
pub use absent::exists;
#[cfg(not(feature = "postgres"))]
pub(crate) use absent::{create, hold, open, refuse_bad_target};
