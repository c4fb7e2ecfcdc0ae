//! What regulators and agencies ask of a table, by name: each policy is a file of data with its source.

mod removal;
mod values;

use serde::{Deserialize, Serialize};

use crate::error::{EngineError, Result};
use crate::job::Require;
use crate::wording::choose;
pub use removal::{Finding, Removal};
pub(crate) use removal::{find as find_removals, of_file_name};
pub(crate) use values::ColumnValues;
pub use values::ValueRule;

/// The files, one a policy.
const FILES: &[&str] = &[
    include_str!("policy/ema-0070.toml"),
    include_str!("policy/health-canada.toml"),
    include_str!("policy/hdx.toml"),
    include_str!("policy/k-3.toml"),
    include_str!("policy/k-5.toml"),
    include_str!("policy/k-10.toml"),
    include_str!("policy/k-11.toml"),
    include_str!("policy/k-20.toml"),
    include_str!("policy/hipaa-safe-harbor.toml"),
    include_str!("policy/hipaa-expert-determination.toml"),
];

/// A policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// Whose it is, and about what.
    pub title: String,
    /// What it asks for, in a sentence or two.
    pub about: String,
    /// Where it was published.
    pub source: String,
    /// When: a year, a month or a day.
    pub date: String,
    /// The smallest crowd.
    pub k: Option<u64>,
    /// The highest chance with which a record is found by someone who knows that the person is in the table.
    pub max_risk: Option<f64>,
    /// The highest mean chance that a match is right.
    pub global_risk: Option<f64>,
    /// What must go from a table, whatever its classes are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<Removal>,
    /// Whether no number decides, but somebody who knows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_expert: bool,
}

/// All policies.
pub fn policies() -> Vec<Policy> {
    FILES.iter().map(|text| toml::from_str(text).expect("a policy's file")).collect()
}

/// The policy of a name.
///
/// # Errors
/// If there is none; the message suggests the nearest name.
pub fn find(name: &str) -> Result<Policy> {
    let all = policies();
    let names: Vec<(&str, usize)> = all.iter().map(|policy| policy.name.as_str()).zip(0..).collect();
    let at = choose("policy", name, &names).map_err(EngineError::bad)?;
    Ok(all[at].clone())
}

impl Policy {
    /// Rows of the smallest class that it allows: the size below which rows are at risk.
    pub fn least_rows(&self) -> Option<u64> {
        // 1 / 12 is no more than 0.09, 1 / 11 is.
        let of_risk = self.max_risk.map(|risk| (1.0 / risk - 1e-9).ceil() as u64);
        self.k.into_iter().chain(of_risk).max()
    }

    /// Refuses to release by a policy that nothing of a search decides.
    pub(crate) fn refuse_unsearchable(&self) -> Result<()> {
        let (name, why) = (
            &self.name,
            match (self.needs_expert, self.remove.is_empty()) {
                (true, _) => "an expert decides, not a requirement",
                (_, false) => "it concerns what columns show, not classes",
                _ => return Ok(()),
            },
        );
        let instead = format!("throng check JOB --policy {name}");
        Err(EngineError::bad((
            format!("policy = \"{name}\": {why}"),
            format!("leave it out of the job, and judge the release: {instead}"),
        )))
    }

    /// What a job that names it requires beside what the job itself says, which it never weakens.
    pub(crate) fn required(&self) -> Vec<Require> {
        let model =
            |name: &str, risk: f64| format!("{name}:risk={risk}").parse().expect("a model of the registry");
        let k = self.k.map(Require::crowd);
        let highest = self.max_risk.map(|risk| model("max-risk", risk));
        let mean = self.global_risk.map(|risk| model("average-risk", risk));
        [k, highest, mean].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_has_a_source_and_asks_for_something() {
        for policy in policies() {
            let asks = policy.k.is_some() || policy.max_risk.is_some() || policy.global_risk.is_some();
            let asks = asks || !policy.remove.is_empty() || policy.needs_expert;
            assert!(asks && !policy.source.is_empty() && policy.date.starts_with("20"), "{}", policy.name);
            assert_eq!(find(&policy.name).unwrap(), policy);
        }
        assert!(find("ema-070").unwrap_err().to_string().contains("'ema-0070'"));
    }

    #[test]
    fn a_policy_adds_to_what_a_job_says_and_takes_nothing_away() {
        let job = |top: &str, k: u64| {
            let columns = "age = { role = 'quasi' }";
            let text =
                format!("input = 'a.csv'\noutput = 'b.csv'\n{top}\n[columns]\n{columns}\n[privacy]\nk = {k}");
            crate::job::Job::parse(&text, std::path::Path::new("")).map_err(|error| error.to_string())
        };
        let plain = job("", 20).unwrap();
        for policy in policies() {
            if policy.required().is_empty() {
                let refused = job(&format!("policy = '{}'", policy.name), 20).unwrap_err();
                assert!(refused.contains("throng check JOB --policy hipaa-"), "{refused}");
                continue;
            }
            let with = job(&format!("policy = '{}'", policy.name), 20).unwrap();
            assert_eq!(with.privacy.k, plain.privacy.k);
            assert_eq!(with.privacy.require, policy.required());
            with.validate().unwrap();
            // Written and read again, it says the same.
            let again = crate::job::Job::parse(&with.to_toml().unwrap(), std::path::Path::new("")).unwrap();
            assert_eq!(again.privacy, with.privacy);
        }
        assert_eq!(job("policy = 'k-11'", 2).unwrap().privacy.largest_k(), 11);
        assert!(job("policy = 'hdxx'", 2).unwrap_err().contains("'hdx'"));
    }

    #[test]
    fn a_risk_is_a_size() {
        assert_eq!(find("ema-0070").unwrap().least_rows(), Some(12));
        assert_eq!(find("k-11").unwrap().least_rows(), Some(11));
        assert_eq!(find("hdx").unwrap().least_rows(), None);
        let fifth = Policy { max_risk: Some(0.2), ..find("ema-0070").unwrap() };
        assert_eq!(fifth.least_rows(), Some(5));
    }
}
