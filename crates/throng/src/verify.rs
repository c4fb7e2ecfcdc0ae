//! The independent judge of a release.
//!
//! Shares nothing with the search: classes are compared as rows of labels, the way a reader of
//! the released file would, and every released value is checked against the original one. The
//! notions other than k-anonymity are judged by the [consistency graph](crate::consistency).

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use crate::consistency::{Consistency, least, number_labels};
use crate::notion::Notion;
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
    /// The largest k for which the release has the notion that the requirement asks for; 0 if
    /// nothing is released.
    pub degree: u64,
    /// Rows left out.
    pub suppressed_rows: u64,
}

/// Judges a release against its original table and the requirement.
pub fn verify(release: &Release<'_>) -> Verdict {
    judge(release).map_or_else(Verdict::Unsafe, Verdict::Safe)
}

fn judge(release: &Release<'_>) -> Result<Achieved, String> {
    let suppressed_rows = release.suppressed_rows();
    let limit = release.problem().max_suppressed_rows;
    let sizes = class_sizes(release)?;
    if suppressed_rows > limit {
        return Err(format!("{suppressed_rows} rows are suppressed; at most {limit} may be"));
    }
    let k = sizes.iter().copied().min().unwrap_or(0);
    let degree = match release.problem().requirement.notion {
        Notion::K => judge_classes(release, &sizes).map(|()| k)?,
        notion => judge_crowds(release, notion)?,
    };
    Ok(Achieved { k, degree, suppressed_rows })
}

/// Rows of each class, once every value covers its original one.
fn class_sizes(release: &Release<'_>) -> Result<Vec<u64>, String> {
    let (table, attributes) = (release.problem().table(), release.problem().attributes());
    let labels: Vec<Vec<u32>> = (0..attributes.len()).map(|a| number_labels(release.values(a))).collect();
    let mut classes: HashMap<Vec<u32>, u64, FxBuildHasher> = HashMap::default();
    let mut class = vec![0; attributes.len()];
    for (tuple, &weight) in table.weights().iter().enumerate() {
        for (a, attribute) in attributes.iter().enumerate() {
            let (leaf, value) = (table.column(a)[tuple], release.value(tuple, a));
            if !release.covers(a, value, leaf) {
                let name = &attribute.name;
                return Err(format!("a released value of column '{name}' does not cover the original one"));
            }
            class[a] = labels[a][value as usize];
        }
        if release.is_suppressed(tuple) {
            continue;
        }
        match classes.get_mut(&class) {
            Some(rows) => *rows += u64::from(weight),
            None => _ = classes.insert(class.clone(), u64::from(weight)),
        }
    }
    Ok(classes.into_values().collect())
}

fn judge_classes(release: &Release<'_>, sizes: &[u64]) -> Result<(), String> {
    let model = &release.problem().requirement.model;
    let violations = sizes.iter().filter(|&&rows| !model.holds(&Class { rows })).count();
    match violations {
        0 => Ok(()),
        _ => Err(format!("{violations} classes do not satisfy {}", model.name())),
    }
}

/// The degree of a release that has the notion.
fn judge_crowds(release: &Release<'_>, notion: Notion) -> Result<u64, String> {
    let (table, model) = (release.problem().table(), &release.problem().requirement.model);
    let Some(k) = model.least_rows() else {
        return Err(format!("{} says nothing about {}", model.name(), notion.text()));
    };
    let crowds = Consistency::new(release).crowds(notion);
    let released = crowds.iter().zip(table.weights()).enumerate();
    let violations = released.filter(|&(tuple, (&crowd, _))| crowd < k && !release.is_suppressed(tuple));
    let rows: u64 = violations.map(|(_, (_, &weight))| u64::from(weight)).sum();
    match rows {
        0 => Ok(least(&crowds)),
        _ => Err(format!("{rows} rows do not satisfy {} for k = {k}", notion.text())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consistency::examples::{Example, five_rows};
    use crate::lattice::Node;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::problem::Problem;
    use crate::recoding::Recoding;
    use crate::requirement::Requirement;
    use crate::table::Table;
    use crate::taxonomy::Taxonomy;

    /// Ages 31, 31, 35, 47 with decades above.
    fn problem(max_suppressed_rows: u64) -> Problem {
        let age = Taxonomy::from_rows(&[["31", "30s", "*"], ["35", "30s", "*"], ["47", "40s", "*"]]).unwrap();
        let table = Table::from_rows(1, &[[0], [0], [1], [2]]);
        let k2 = Requirement::new(KAnonymity { k: 2 });
        let lm = loss::find("lm").unwrap();
        Problem::new(table, vec![("age".into(), age, 1.0)], k2, max_suppressed_rows, lm).unwrap()
    }

    fn judge(problem: &Problem, level: u8, suppressed: [bool; 3]) -> Verdict {
        let recoding = Recoding::FullDomain(Node::new(vec![level]));
        verify(&Release::new(problem, recoding, suppressed.to_vec()))
    }

    #[test]
    fn a_safe_release_says_what_it_achieves() {
        let safe = Verdict::Safe(Achieved { k: 3, degree: 3, suppressed_rows: 1 });
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
        let safe = Verdict::Safe(Achieved { k: 0, degree: 0, suppressed_rows: 4 });
        assert_eq!(judge(&problem(4), 0, [true, true, true]), safe);
    }

    #[test]
    fn each_notion_is_judged_by_its_own_degree() {
        for notion in Notion::ALL {
            let example = five_rows(notion);
            let achieved = Achieved { k: 1, degree: 2, suppressed_rows: 0 };
            let expected = match notion {
                Notion::K => Verdict::Unsafe("3 classes do not satisfy k".into()),
                Notion::GlobalOneK => {
                    let reason = "1 rows do not satisfy global (1,k)-anonymity for k = 2";
                    Verdict::Unsafe(reason.into())
                }
                _ => Verdict::Safe(achieved),
            };
            assert_eq!(verify(&example.release()), expected, "{}", notion.name());
        }
    }

    #[test]
    fn a_value_that_does_not_cover_is_seen_whatever_the_notion() {
        for notion in Notion::ALL {
            let example = Example::new(&[(2, "00", "0*"), (2, "01", "*0")], notion);
            let reason = "a released value of column 'b' does not cover the original one";
            assert_eq!(verify(&example.release()), Verdict::Unsafe(reason.into()));
        }
    }
}
