//! The independent judge of a release.
//!
//! Shares nothing with the search: classes are compared as rows of labels, the way a reader of
//! the released file would, and every released value is checked against the original one.

use std::collections::BTreeMap;

use crate::privacy::Class;
use crate::release::Release;

/// What is wrong with a release, or what it achieves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every requirement holds.
    Safe(Achieved),
    /// The release must not be published.
    Unsafe(String),
}

/// What a release achieves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Achieved {
    /// Rows of the smallest class; 0 if nothing is released.
    pub k: u64,
    /// Rows left out.
    pub suppressed_rows: u64,
}

/// Judges a release against its original table and the requirement.
pub fn verify(release: &Release<'_>) -> Verdict {
    let problem = release.problem();
    let (table, attributes) = (problem.table(), problem.attributes());
    let mut classes: BTreeMap<Vec<&str>, u64> = BTreeMap::new();
    let mut suppressed_rows = 0;
    let mut labels = Vec::with_capacity(attributes.len());
    for (tuple, &weight) in table.weights().iter().enumerate() {
        labels.clear();
        for (a, attribute) in attributes.iter().enumerate() {
            let (leaf, value) = (table.column(a)[tuple], release.value(tuple, a));
            if !attribute.taxonomy.covers(value, leaf) {
                let name = &attribute.name;
                return Verdict::Unsafe(format!("a released value of column '{name}' does not cover the original one"));
            }
            labels.push(attribute.taxonomy.label(value));
        }
        if release.is_suppressed(tuple) {
            suppressed_rows += u64::from(weight);
        } else if let Some(rows) = classes.get_mut(&labels) {
            *rows += u64::from(weight);
        } else {
            classes.insert(labels.clone(), u64::from(weight));
        }
    }
    if suppressed_rows > problem.max_suppressed_rows {
        let limit = problem.max_suppressed_rows;
        return Verdict::Unsafe(format!("{suppressed_rows} rows are suppressed; at most {limit} may be"));
    }
    let model = &problem.requirement.model;
    let violations = classes.values().filter(|&&rows| !model.holds(&Class { rows })).count();
    if violations > 0 {
        return Verdict::Unsafe(format!("{violations} classes do not satisfy {}", model.name()));
    }
    Verdict::Safe(Achieved { k: classes.values().copied().min().unwrap_or(0), suppressed_rows })
}
