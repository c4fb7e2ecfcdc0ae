//! A table beside a policy: what holds, by how much the rest fails, and which columns drive that.

use serde::{Deserialize, Serialize};

use super::{CheckSummary, ColumnRisk};
use crate::policy::{Finding, Policy};

/// What a table has of a policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyFound {
    /// The policy.
    pub policy: Policy,
    /// Whether all of it holds; none where persons should be counted and are not there.
    pub holds: Option<bool>,
    /// What it asks for, one by one.
    pub criteria: Vec<Criterion>,
    /// The columns that drive the risk, where something fails: those first without which the fewest rows would be in
    /// classes that are too small.
    pub columns: Vec<LeadingColumn>,
    /// What must go from the table, column by column.
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// One thing that a policy asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// `k`, `max_risk`, `global_risk`, or `columns_to_remove`: how many show what must go.
    pub name: String,
    /// What is asked for.
    pub asked: f64,
    /// What the table has.
    pub found: f64,
    /// By how much that is too little, or too much; 0 where it holds.
    pub short_by: f64,
    /// Whether it holds.
    pub holds: bool,
}

/// A column that drives the risk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeadingColumn {
    /// Its name.
    pub name: String,
    /// Rows that would no longer be in a class that is too small if it were left out.
    pub rows_saved: u64,
}

impl Policy {
    /// Judges a table by what was found of it, and of its [columns](super::find_removals).
    pub fn judge(&self, found: &CheckSummary, findings: Vec<Finding>) -> PolicyFound {
        let at_least = |name: &str, asked: f64, found: f64| criterion(name, asked, found, asked - found);
        let at_most = |name: &str, asked: f64, found: f64| criterion(name, asked, found, found - asked);
        let global = found.sample.as_ref().map_or(found.risk.mean, |sample| sample.global_risk);
        let criteria = [
            self.k.map(|k| at_least("k", k as f64, found.k as f64)),
            self.max_risk.map(|risk| at_most("max_risk", risk, found.risk.highest)),
            self.global_risk.map(|risk| at_most("global_risk", risk, global)),
        ];
        let mut criteria: Vec<Criterion> = criteria.into_iter().flatten().collect();
        if found.rows == 0 {
            // Nobody is in a table without rows.
            criteria.iter_mut().for_each(|one| (one.holds, one.short_by) = (true, 0.0));
        }
        let columns = if criteria.iter().any(|one| !one.holds) { drivers(found) } else { Vec::new() };
        if !self.remove.is_empty() {
            let mut named: Vec<&Option<String>> = findings.iter().map(|finding| &finding.column).collect();
            named.sort_unstable();
            named.dedup();
            criteria.push(at_most("columns_to_remove", 0.0, named.len() as f64));
        }
        let fails = criteria.iter().any(|one| !one.holds);
        let is_judged = !found.lacks_persons && !self.needs_expert;
        let holds = if fails { Some(false) } else { is_judged.then_some(true) };
        PolicyFound { policy: self.clone(), holds, criteria, columns, findings }
    }
}

fn criterion(name: &str, asked: f64, found: f64, short_by: f64) -> Criterion {
    let holds = short_by <= 1e-12;
    let short_by = if holds { 0.0 } else { short_by };
    Criterion { name: name.to_owned(), asked, found, short_by, holds }
}

fn drivers(found: &CheckSummary) -> Vec<LeadingColumn> {
    let saved = |column: &ColumnRisk| LeadingColumn {
        name: column.name.clone(),
        rows_saved: found.exposure.at_risk_rows.saturating_sub(column.left_out.at_risk_rows),
    };
    found.columns.iter().map(saved).filter(|driver| driver.rows_saved > 0).collect()
}
