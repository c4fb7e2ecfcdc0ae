//! Explicit groups, as a job lists them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Taxonomy, TaxonomyError, TreeBuilder};
use crate::wording::quoted;

/// A label and the values below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What the release shows for the members.
    pub label: String,
    /// Values of the level below: leaves for the first level, then labels.
    pub values: Vec<String>,
}

/// Levels of explicit groups, then `*` unless the last level is a single group already.
///
/// `levels[0]` groups leaves, `levels[1]` the labels of that level, and so on. What no group of
/// a level mentions keeps its label there (and joins a group of the same label, as a release
/// shows both alike). Members of the first level become leaves even if the data lack them. Leaves
/// follow the order of the groups, then the rest by text; the empty value (missing) is like any
/// other, so it stays by itself unless some group lists it.
pub fn groups<S: AsRef<str>>(values: &[S], levels: &[Vec<Group>]) -> Result<Taxonomy, TaxonomyError> {
    let leaves = order(values, levels);
    if leaves.is_empty() {
        return Err(TaxonomyError::Empty);
    }
    let mut tree = TreeBuilder::leaves(leaves.iter().copied());
    let mut labels = leaves.clone();
    for (index, level) in levels.iter().enumerate() {
        let goes_to = assign(level, index + 1)?;
        check_known(level, index + 1, &labels)?;
        labels.iter_mut().for_each(|label| *label = goes_to.get(label).unwrap_or(label));
        tree.push_level(labels.iter().copied())?;
    }
    // A domain of one leaf that no group names has yet to be generalised.
    let top = tree.top();
    if top.iter().any(|&id| id != top[0]) || (top[0] as usize) < leaves.len() {
        tree.push_top();
    }
    Ok(tree.finish())
}

/// The leaves: members of the first level, then other values by text, missing last.
fn order<'a, S: AsRef<str>>(values: &'a [S], levels: &'a [Vec<Group>]) -> Vec<&'a str> {
    let members = levels.first().into_iter().flatten().flat_map(|group| &group.values);
    let mut rest: Vec<&str> = values.iter().map(S::as_ref).collect();
    rest.sort_unstable_by_key(|text| (text.is_empty(), *text));
    let mut seen = FxHashSet::default();
    members.map(String::as_str).chain(rest).filter(|&text| seen.insert(text)).collect()
}

/// The label that each member of a level goes to.
fn assign(level: &[Group], number: usize) -> Result<FxHashMap<&str, &str>, TaxonomyError> {
    let mut goes_to: FxHashMap<&str, &str> = FxHashMap::default();
    for Group { label, values } in level {
        if label.is_empty() {
            let problem =
                (format!("level {number} has a group with an empty label"), "every group needs one");
            return Err(TaxonomyError::Builder(problem.into()));
        }
        for (index, member) in values.iter().enumerate() {
            let earlier = goes_to.insert(member, label).filter(|earlier| earlier != label);
            if let Some(earlier) = earlier {
                return Err(TaxonomyError::Builder(
                    (
                        format!(
                            "level {number}: member {} of group {} is also in group {}",
                            index + 1,
                            quoted(label),
                            quoted(earlier)
                        ),
                        "each value may be in only one group of a level",
                    )
                        .into(),
                ));
            }
        }
    }
    Ok(goes_to)
}

/// Above the first level, a member that is not there to be grouped is a slip of the pen.
fn check_known(level: &[Group], number: usize, below: &[&str]) -> Result<(), TaxonomyError> {
    let below: FxHashSet<&str> = below.iter().copied().collect();
    for Group { label, values } in level {
        if let Some(index) = values.iter().position(|member| !below.contains(member.as_str())) {
            return Err(TaxonomyError::Builder(
                (
                    format!(
                        "level {number}: member {} of group {} does not occur at level {}",
                        index + 1,
                        quoted(label),
                        number - 1
                    ),
                    "members must be labels of the level below",
                )
                    .into(),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::taxonomy::tests::{assert_invariants, assert_topped, leaf_labels, level_labels};

    fn group(label: &str, values: &[&str]) -> Group {
        Group { label: label.into(), values: values.iter().map(|v| v.to_string()).collect() }
    }

    fn diplomas() -> Vec<Vec<Group>> {
        vec![
            vec![group("school", &["9th", "10th"]), group("degree", &["BSc", "MSc"])],
            vec![group("known", &["school", "degree"])],
        ]
    }

    #[test]
    fn groups_the_leaves_and_then_the_groups() {
        let taxonomy = groups(&["MSc", "9th", "zzz", ""], &diplomas()).unwrap();
        assert_topped(&taxonomy);
        assert_eq!(leaf_labels(&taxonomy), ["9th", "10th", "BSc", "MSc", "zzz", ""]);
        assert_eq!(level_labels(&taxonomy, 1), ["school", "school", "degree", "degree", "zzz", ""]);
        assert_eq!(level_labels(&taxonomy, 2), ["known", "known", "known", "known", "zzz", ""]);
        assert_eq!((taxonomy.height(), taxonomy.missing()), (3, Some(5)));
        assert_eq!(taxonomy.generalise(4, 2), 4, "what no group mentions keeps its id");
    }

    #[test]
    fn a_single_last_group_is_the_top() {
        let taxonomy = groups(&["BSc"], &diplomas()).unwrap();
        assert_invariants(&taxonomy);
        assert_eq!((taxonomy.height(), taxonomy.label(taxonomy.root())), (2, "known"));
    }

    #[test]
    fn a_lone_leaf_still_gets_a_top() {
        for levels in [vec![], vec![vec![]], vec![vec![group("a", &["a"])]]] {
            let taxonomy = groups(&["a"], &levels).unwrap();
            assert_topped(&taxonomy);
            assert_ne!(taxonomy.root(), 0);
        }
    }

    #[test]
    fn ungrouped_leaves_can_be_grouped_higher_up() {
        let mut levels = diplomas();
        levels[1][0].values.push("zzz".into());
        let taxonomy = groups(&["zzz"], &levels).unwrap();
        assert_invariants(&taxonomy);
        assert_eq!(level_labels(&taxonomy, 2), ["known"; 5]);
    }

    #[test]
    fn missing_joins_a_group_that_lists_it() {
        let taxonomy = groups(&["", "n/a", "x"], &[vec![group("unknown", &["", "n/a"])]]).unwrap();
        assert_invariants(&taxonomy);
        assert_eq!(level_labels(&taxonomy, 1), ["unknown", "unknown", "x"]);
        assert_eq!(taxonomy.missing(), Some(0));
    }

    #[test]
    fn a_value_joins_the_group_that_is_named_like_it() {
        let taxonomy = groups(&["a", "b", "c"], &[vec![group("c", &["a", "b"])]]).unwrap();
        assert_invariants(&taxonomy);
        assert_eq!((taxonomy.height(), level_labels(&taxonomy, 1)), (1, vec!["c"; 3]));
    }

    #[test]
    fn a_member_of_two_groups_is_refused_without_showing_it() {
        let levels = [vec![group("low", &["1", "secret"]), group("high", &["2", "secret"])]];
        let error = groups(&["1"], &levels).unwrap_err().to_string();
        assert!(error.contains("level 1: member 2 of group 'high' is also in group 'low'"), "{error}");
        assert!(!error.contains("secret"));
        let twice = [vec![group("low", &["1", "1"]), group("low", &["1", "2"])]];
        assert_eq!(level_labels(&groups(&["1"], &twice).unwrap(), 1), ["low", "low"]);
    }

    #[test]
    fn an_unknown_member_above_the_first_level_is_refused_without_showing_it() {
        let levels = [vec![group("low", &["1"])], vec![group("all", &["low", "secret"])]];
        let error = groups(&["1"], &levels).unwrap_err().to_string();
        assert!(error.contains("level 2: member 2 of group 'all'"), "{error}");
        assert!(!error.contains("secret"));
    }

    #[test]
    fn refuses_empty_labels_and_empty_domains() {
        assert!(matches!(groups(&["a"], &[vec![group("", &["a"])]]), Err(TaxonomyError::Builder(_))));
        assert_eq!(groups::<&str>(&[], &[]), Err(TaxonomyError::Empty));
    }

    proptest! {
        #[test]
        fn any_accepted_groups_make_a_taxonomy(
            values in proptest::collection::vec("[a-f]?", 1..10),
            levels in proptest::collection::vec(
                proptest::collection::vec(("[a-hA-C]", proptest::collection::vec("[a-fA-C]?", 0..4)), 0..3),
                0..4,
            ),
        ) {
            let levels: Vec<Vec<Group>> = levels
                .into_iter()
                .map(|level| level.into_iter().map(|(label, values)| Group { label, values }).collect())
                .collect();
            if let Ok(taxonomy) = groups(&values, &levels) {
                assert_invariants(&taxonomy);
                prop_assert!(values.iter().all(|v| leaf_labels(&taxonomy).contains(&v.as_str())));
                prop_assert_eq!(taxonomy.level_size(taxonomy.height()), 1);
                prop_assert!(taxonomy.height() > 0 && taxonomy.root() as usize >= taxonomy.leaf_total());
            }
        }
    }
}
