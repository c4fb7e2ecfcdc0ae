//! One file for each verb.

pub(crate) mod algorithms;
pub(crate) mod anonymize;
pub(crate) mod apply;
pub(crate) mod attack;
pub(crate) mod check;
#[cfg(feature = "cluster")]
pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod evaluate;
pub(crate) mod frontier;
pub(crate) mod hierarchy;
pub(crate) mod init;
pub(crate) mod man;
mod pair;
pub(crate) mod policies;
pub(crate) mod profile;
pub(crate) mod report;
pub(crate) mod serve;
pub(crate) mod sql;
mod subject;
mod targets;
