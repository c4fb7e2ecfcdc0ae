//! Where the table is counted and the release is written.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::output::{Output, RowOrder};
use crate::address::Address;
use crate::error::{EngineError, Result};
use crate::wording::Message;

/// The cluster that counts and writes, if one does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineSpec {
    /// The address of its scheduler, `df://host:port`; `local` runs the same plans in this process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// By what its nodes know who asks, and who asks knows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsFiles>,
}

/// The files by which a node or a client of a cluster shows who it is, and knows the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsFiles {
    /// The certificate of the authority that has signed those of all nodes and clients.
    pub ca: PathBuf,
    /// The own certificate, which names the host.
    pub cert: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

/// Plans that run in this process.
pub const LOCAL: &str = "local";

impl EngineSpec {
    /// Makes relative paths start at `base`.
    pub(super) fn rebase(&mut self, base: &Path) {
        if let Some(TlsFiles { ca, cert, key }) = &mut self.tls {
            [ca, cert, key].into_iter().for_each(|path| *path = base.join(&path));
        }
    }

    /// Refuses what is no cluster.
    pub(super) fn validate(&self) -> Result<()> {
        let Some(cluster) = self.cluster.as_deref().filter(|&cluster| cluster != LOCAL) else {
            return Ok(());
        };
        super::ClusterAddress::parse(cluster).map(drop).map_err(|error| error.within("engine.cluster"))
    }

    /// Refuses a release that nodes cannot write.
    pub(super) fn refuse_unwritable(&self, output: &Output, has_pseudonyms: bool) -> Result<()> {
        if self.cluster.is_none() {
            return Ok(());
        }
        let why: Message =
            if matches!(output.path, Some(Address::Object(_))) {
                ("a cluster writes parts to a directory that all its nodes can see, not to an object store",
                "name a directory, and copy it afterwards").into()
            } else if !output.is_directory() {
                "a cluster writes parts, so the output must be a directory: end its name in /".into()
            } else if output.order != RowOrder::Keep {
                ("a cluster keeps the order of the rows", "leave out either the order or the cluster").into()
            } else if has_pseudonyms {
                (
                    "the nodes of a cluster are never given the key of pseudonyms",
                    "leave out either the pseudonyms or the cluster",
                )
                    .into()
            } else {
                return Ok(());
            };
        Err(EngineError::bad(why))
    }
}
