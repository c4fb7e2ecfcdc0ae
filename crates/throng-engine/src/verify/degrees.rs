//! What a release guarantees, as scripts read it: the largest k of each notion.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use throng::consistency::Degrees;
use throng::notion::Notion;
use throng::privacy::ParameterValue;

use super::attack::degrees_by_name;
use super::linkage::Linkage;
use crate::job::{Job, Require};

/// A release judged beside its original: `throng check ORIGINAL RELEASED --json` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DegreesSummary {
    /// The original.
    pub original: String,
    /// The release.
    pub released: String,
    /// Rows of both.
    pub rows: u64,
    /// The quasi-identifiers.
    pub quasi: Vec<String>,
    /// The largest k of each notion, by name.
    pub degrees: Map<String, Value>,
    /// Name of the notion that is required, if a k is.
    pub required_notion: Option<String>,
    /// The least crowd that is required.
    pub required_k: Option<u64>,
    /// Whether the release has it; none if persons should be counted, who are not in a release, and its rows are enough.
    pub meets_required_k: Option<bool>,
    /// What is required of the values of crowds, and what they have.
    #[serde(default)]
    pub diversity: Vec<DiversityFound>,
}

/// Different values of a sensitive column that crowds must have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiversityFound {
    /// The column.
    pub column: String,
    /// The fewest values that are required.
    pub required_l: u64,
    /// The fewest values that the crowd of somebody has.
    pub values: u64,
    /// Whether these are enough.
    pub meets_required_l: bool,
}

impl DiversityFound {
    /// What a release has of a requirement, if that is one about the values of crowds.
    pub fn find(require: &Require, notion: Notion, linkage: &Linkage) -> Option<DiversityFound> {
        let column = require.column.clone().filter(|_| require.is_of_crowds(notion))?;
        let Some(ParameterValue::Number(l)) = require.parameters.get("l") else { return None };
        let values = linkage.values(notion, &column)?;
        let required_l = *l as u64;
        Some(DiversityFound { column, required_l, values, meets_required_l: values >= required_l })
    }
}

impl DegreesSummary {
    /// The summary of what was found about the release of a job.
    pub fn new(job: &Job, linkage: &Linkage, degrees: &Degrees, required: Option<u64>) -> DegreesSummary {
        let notion = job.privacy.notion;
        DegreesSummary {
            original: job.input.display().to_string(),
            released: job.output.path.as_ref().map_or_else(String::new, |path| path.display().to_string()),
            rows: linkage.rows(),
            quasi: linkage.quasi().map(str::to_owned).collect(),
            degrees: degrees_by_name(degrees),
            required_notion: required.map(|_| notion.name().to_owned()),
            required_k: required,
            meets_required_k: meets(job, degrees, required),
            diversity: job
                .privacy
                .require
                .iter()
                .filter_map(|one| DiversityFound::find(one, notion, linkage))
                .collect(),
        }
    }
}

/// Whether a release has the crowd that is required, if one is. Rows are no persons: where these are counted, few rows are
/// few persons, and of many nobody knows whose they are.
fn meets(job: &Job, degrees: &Degrees, required: Option<u64>) -> Option<bool> {
    let has_rows = degrees.degree(job.privacy.notion) >= required?;
    (!has_rows || job.person().is_none()).then_some(has_rows)
}
