//! Indexes that the local algorithms share.

pub(super) mod branch;
pub(super) mod components;
