//! Tables of object stores: S3, and whatever speaks its protocol.
//!
//! Parquet is read where it is, by plans that ask for the bytes of columns ([`crate::lake`]). Other formats have to be read
//! from end to end, and more than once: they are fetched first, into files that only their owner can read. A release is
//! written and verified here, sent under another name, read back there, and then copied to its own by the store.

#[cfg_attr(not(feature = "s3"), allow(dead_code))]
mod address;
#[cfg(feature = "s3")]
mod bucket;
#[cfg(feature = "s3")]
mod fault;
#[cfg(feature = "s3")]
mod fetch;
#[cfg(feature = "s3")]
mod list;
#[cfg(feature = "s3")]
mod look;
#[cfg(feature = "s3")]
mod registry;
#[cfg(feature = "s3")]
mod send;

pub(crate) use address::Address;
pub use address::is_address;
#[cfg(feature = "s3")]
pub(crate) use {
    fetch::{fetch, forget, place},
    list::{exists, list, refuse_bad_target},
    look::{Look, look, look_all},
    registry::Stores,
    send::send,
};

#[cfg(not(feature = "s3"))]
mod absent;
#[cfg(not(feature = "s3"))]
pub(crate) use absent::{Look, exists, fetch, forget, list, look, look_all, place, refuse_bad_target, send};
