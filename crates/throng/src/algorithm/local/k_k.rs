//! The (k,1), (1,k), (k,k) and global (1,k) algorithms of *k-Anonymization Revisited*: each record is
//! generalised by itself.

mod by_record;
mod diversity;
pub(in crate::algorithm) mod expansion;
mod global;
pub(in crate::algorithm) mod nearest;
mod one_k;
pub(in crate::algorithm) mod optimal;
mod originals;
mod price;
mod search;
mod start;

pub(crate) use start::{check_start, complete};
