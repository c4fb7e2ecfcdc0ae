//! Where tables are, and how they are read and written: files in several formats, memory, databases and
//! object stores.
//!
//! Nothing here knows why a table is read, or what a release is.

pub mod address;
pub mod backend;
pub mod error;
pub mod format;
pub mod input;
pub mod memory;
pub mod output;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "s3")]
pub mod s3;
pub mod tables;
pub mod threads;
pub mod wording;

/// Databases.
#[cfg(feature = "postgres")]
static DATABASE: Option<&dyn backend::Database> = Some(&postgres::Postgres);
#[cfg(not(feature = "postgres"))]
static DATABASE: Option<&dyn backend::Database> = None;

/// Stores of objects.
#[cfg(feature = "s3")]
static OBJECTS: Option<&dyn backend::Objects> = Some(&s3::S3);
#[cfg(not(feature = "s3"))]
static OBJECTS: Option<&dyn backend::Objects> = None;
