//! What stands in the place of an identifier.

use serde::{Deserialize, Serialize};

use crate::wording::{Packed, choose};

/// How an identifier is replaced instead of left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", try_from = "String")]
pub enum Pseudonym {
    /// By a hash that only the holder of the key can compute.
    Keyed,
}

impl TryFrom<String> for Pseudonym {
    type Error = Packed;

    fn try_from(name: String) -> Result<Pseudonym, Packed> {
        Ok(choose("pseudonym", &name, &[("keyed", Pseudonym::Keyed)])?)
    }
}
