//! What adversaries can link a release to, as scripts read it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use throng::attack::{Attack, Links};
use throng::consistency::Degrees;
use throng::notion::Notion;

use super::linkage::Linkage;

/// Rows that are named as the worst.
const WORST: usize = 5;

/// The crowd below which rows are counted where nothing is claimed: links to one record are certain.
const CERTAIN_BELOW: u64 = 2;

/// What was found by attacking a release: `throng attack --json` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttackSummary {
    /// Rows of the table.
    pub rows: u64,
    /// What the release claims, if somebody says so.
    pub claim: Option<Claim>,
    /// Whether the claim holds.
    pub holds: Option<bool>,
    /// The crowd below which rows are counted: that of the claim, or two.
    pub threshold_k: u64,
    /// The largest k of each notion, by name.
    pub degrees: Map<String, Value>,
    /// What the first adversary can link, who knows everybody's quasi-identifiers.
    pub neighbours: LinksSummary,
    /// What the second adversary can link, who also knows who is in the table.
    pub matches: LinksSummary,
}

/// The crowd that a release says it gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Name of the notion.
    pub notion: String,
    /// The least crowd.
    pub k: u64,
}

/// What one adversary can link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinksSummary {
    /// The fewest released rows that an original one is linked to.
    pub fewest: u64,
    /// Original rows that are linked to fewer than the threshold.
    pub rows_below_k: u64,
    /// How many original rows are linked to each number of released ones.
    pub distribution: BTreeMap<u64, u64>,
    /// The rows with the fewest links.
    pub worst: Vec<WorstRow>,
    /// For each sensitive column, by name, the original rows whose value is certain.
    pub certain_rows: Map<String, Value>,
}

/// A row with few links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorstRow {
    /// Its number, from 1.
    pub row: u64,
    /// Further rows with the same original and released values.
    pub rows_alike: u64,
    /// Released rows that it is linked to.
    pub links: u64,
}

impl AttackSummary {
    /// The summary of an attack; what the job claims is judged if `claimed`.
    pub fn new(linkage: &Linkage, attack: &Attack, claimed: bool) -> AttackSummary {
        let (notion, k) = attack.claim;
        let threshold_k = if claimed { k } else { CERTAIN_BELOW };
        AttackSummary {
            rows: linkage.rows(),
            claim: claimed.then(|| Claim { notion: notion.name().to_owned(), k }),
            holds: claimed.then_some(attack.holds),
            threshold_k,
            degrees: degrees_by_name(&attack.degrees),
            neighbours: LinksSummary::new(linkage, &attack.neighbours, threshold_k),
            matches: LinksSummary::new(linkage, &attack.matches, threshold_k),
        }
    }
}

impl LinksSummary {
    fn new(linkage: &Linkage, links: &Links, k: u64) -> LinksSummary {
        let worst = |tuple: usize| WorstRow {
            row: linkage.first_row(tuple),
            rows_alike: linkage.rows_alike(tuple),
            links: links.rows[tuple],
        };
        let certain = linkage.sensitive().zip(&links.certain_rows);
        LinksSummary {
            fewest: links.fewest(),
            rows_below_k: links.rows_below(k),
            distribution: links.distribution.clone(),
            worst: links.worst(WORST).into_iter().map(worst).collect(),
            certain_rows: certain.map(|(name, &rows)| (name.to_owned(), json!(rows))).collect(),
        }
    }
}

/// The largest k of each notion, by its name.
pub(super) fn degrees_by_name(degrees: &Degrees) -> Map<String, Value> {
    Notion::ALL.iter().map(|&notion| (notion.name().to_owned(), json!(degrees.of(notion)))).collect()
}
