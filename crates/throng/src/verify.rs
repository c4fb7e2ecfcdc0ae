//! The independent judge of a release.
//!
//! Shares nothing with the search: classes are compared as rows of labels, the way a reader of
//! the released file would, and every released value is checked against the original one.

use std::collections::{BTreeMap, HashMap};

use rustc_hash::FxBuildHasher;

use crate::privacy::Class;
use crate::release::Release;
use crate::taxonomy::Taxonomy;

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
    let labels: Vec<Vec<u32>> = attributes.iter().map(|a| number_labels(&a.taxonomy)).collect();
    let mut classes: HashMap<Vec<u32>, u64, FxBuildHasher> = HashMap::default();
    let mut suppressed_rows = 0;
    let mut class = vec![0; attributes.len()];
    for (tuple, &weight) in table.weights().iter().enumerate() {
        for (a, attribute) in attributes.iter().enumerate() {
            let (leaf, value) = (table.column(a)[tuple], release.value(tuple, a));
            if !attribute.taxonomy.covers(value, leaf) {
                let name = &attribute.name;
                return Verdict::Unsafe(format!(
                    "a released value of column '{name}' does not cover the original one"
                ));
            }
            class[a] = labels[a][value as usize];
        }
        if release.is_suppressed(tuple) {
            suppressed_rows += u64::from(weight);
        } else if let Some(rows) = classes.get_mut(&class) {
            *rows += u64::from(weight);
        } else {
            classes.insert(class.clone(), u64::from(weight));
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

/// A number for the label of each value; values that look alike have the same.
fn number_labels(taxonomy: &Taxonomy) -> Vec<u32> {
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    let mut of_value = Vec::with_capacity(taxonomy.values().len());
    for value in taxonomy.values() {
        let next = numbers.len() as u32;
        of_value.push(*numbers.entry(&value.label).or_insert(next));
    }
    of_value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Node;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::problem::Problem;
    use crate::requirement::Requirement;
    use crate::table::Table;

    /// Ages 31, 31, 35, 47 with decades above.
    fn problem(max_suppressed_rows: u64) -> Problem {
        let age = Taxonomy::from_rows(&[["31", "30s", "*"], ["35", "30s", "*"], ["47", "40s", "*"]]).unwrap();
        let table = Table::from_rows(1, &[[0], [0], [1], [2]]);
        let k2 = Requirement::new(KAnonymity { k: 2 });
        let lm = loss::find("lm").unwrap();
        Problem::new(table, vec![("age".into(), age, 1.0)], k2, max_suppressed_rows, lm).unwrap()
    }

    fn judge(problem: &Problem, level: u8, suppressed: [bool; 3]) -> Verdict {
        verify(&Release::full_domain(problem, Node::new(vec![level]), suppressed.to_vec()))
    }

    #[test]
    fn a_safe_release_says_what_it_achieves() {
        let safe = Verdict::Safe(Achieved { k: 3, suppressed_rows: 1 });
        assert_eq!(judge(&problem(1), 1, [false, false, true]), safe);
    }

    #[test]
    fn a_class_that_is_too_small_is_seen() {
        let verdict = judge(&problem(1), 0, [false, false, true]);
        assert_eq!(verdict, Verdict::Unsafe("1 classes do not satisfy k".into()));
    }

    #[test]
    fn too_many_suppressed_rows_are_seen() {
        let verdict = judge(&problem(1), 1, [true, true, false]);
        assert_eq!(verdict, Verdict::Unsafe("3 rows are suppressed; at most 1 may be".into()));
    }

    #[test]
    fn suppressing_everything_is_safe_if_allowed() {
        let safe = Verdict::Safe(Achieved { k: 0, suppressed_rows: 4 });
        assert_eq!(judge(&problem(4), 0, [true, true, true]), safe);
    }
}
