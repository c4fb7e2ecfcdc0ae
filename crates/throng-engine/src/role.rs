//! What a column is to a release.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{EngineError, Result};
use crate::wording::{Packed, choose};

/// What a column is to the release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", try_from = "String")]
pub enum Role {
    /// Names a person: left out of the release, or replaced by a pseudonym.
    Identifier,
    /// Can be linked with other tables: generalised.
    Quasi,
    /// What must not be learnt about a person: kept.
    Sensitive,
    /// A class label that the release should still predict: kept.
    Target,
    /// Kept as it is.
    Other,
}

const ROLES: [(&str, Role); 5] = [
    ("identifier", Role::Identifier),
    ("quasi", Role::Quasi),
    ("sensitive", Role::Sensitive),
    ("target", Role::Target),
    ("other", Role::Other),
];

impl Role {
    /// The name in jobs.
    pub fn name(self) -> &'static str {
        ROLES.iter().find(|(_, role)| *role == self).map_or("", |(name, _)| name)
    }
}

impl FromStr for Role {
    type Err = EngineError;

    fn from_str(name: &str) -> Result<Role> {
        choose("role", name, &ROLES).map_err(EngineError::bad)
    }
}

impl TryFrom<String> for Role {
    type Error = Packed;

    fn try_from(name: String) -> std::result::Result<Role, Packed> {
        Ok(name.parse()?)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = ROLES.iter().find(|(_, role)| role == self).map_or("", |&(name, _)| name);
        f.write_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_go_by_their_names() {
        for (name, role) in ROLES {
            assert_eq!(name.parse::<Role>().unwrap(), role);
            assert_eq!(role.to_string(), name);
        }
        assert_eq!(
            "quasi-identifier".parse::<Role>().unwrap_err().to_string(),
            "unknown role 'quasi-identifier'; allowed are: \
             identifier, quasi, sensitive, target, other"
        );
    }
}
