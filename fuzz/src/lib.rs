//! What the fuzz targets do with their bytes: each reader, and what must be true of whatever it accepts.
//!
//! The targets call these functions, and so does a test of the engine, with the inputs in `corpus/`.

mod tables;
mod texts;

pub use tables::{arrow, encoding, lines, parquet, xlsx};
pub use texts::{address, dialect, frontier, hierarchy, job, numbers, recoding};

/// A target: any bytes are accepted or refused, without a panic.
pub type Target = fn(&[u8]);

/// All targets, by the names of their files and of their folders in `corpus/`.
pub const TARGETS: [(&str, Target); 12] = [
    ("address", address),
    ("arrow", arrow),
    ("dialect", dialect),
    ("encoding", encoding),
    ("frontier", frontier),
    ("hierarchy", hierarchy),
    ("job", job),
    ("lines", lines),
    ("numbers", numbers),
    ("parquet", parquet),
    ("recoding", recoding),
    ("xlsx", xlsx),
];
