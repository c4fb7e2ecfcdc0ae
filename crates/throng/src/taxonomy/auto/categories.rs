//! Categories: merged by how alike their rows are, the rare first.
//!
//! Up to 256 categories are merged by the [`Dendrogram`] of their profiles. Of more, those that are
//! frequent stay by themselves at first, and the rest is cut into runs of neighbours in the order of
//! text, of about equal rows; then these bundles are merged. So 100,000 names cost little more than
//! sorting them, and names that begin alike stay together.

use super::co_occurrence::CoOccurrence;
use super::dendrogram::Dendrogram;
use super::ladder::{Ladder, LeafPartition, choose};
use super::naming::Naming;
use super::runs;

/// Most groups that are compared pair by pair.
const MAX_BUNDLES: usize = 256;

/// A category with more rows than this share of a bundle's is a bundle of its own.
const FREQUENT_SHARE: u64 = (MAX_BUNDLES / 2) as u64;

/// The strand of categories.
pub(super) fn merge(
    values: &[&str],
    rows: &[u64],
    mut known: Vec<usize>,
    co_occurrence: Option<&CoOccurrence>,
    max_levels: usize,
    naming: Naming<'_>,
) -> Ladder {
    known.sort_unstable_by_key(|&value| values[value]);
    let mut partitions = bundle(rows, &known);
    let bundles = partitions.last().cloned().unwrap_or_else(|| (0..known.len() as u32).collect());
    let tree = grow(rows, &known, &bundles, co_occurrence);
    let items = count(&bundles);
    partitions.extend(group_counts(items).into_iter().map(|groups| {
        let cut = tree.cut(groups);
        bundles.iter().map(|&bundle| cut[bundle as usize]).collect()
    }));
    let sizes: Vec<usize> = partitions.iter().map(|groups| count(groups)).collect();
    let chosen: Vec<Vec<u32>> =
        choose(&sizes, known.len(), max_levels).into_iter().map(|at| partitions[at].clone()).collect();
    arrange(values, rows, &known, &chosen, naming)
}

fn count(groups: &[u32]) -> usize {
    groups.iter().max().map_or(0, |&last| last as usize + 1)
}

/// Partitions that do not look at profiles, the finest first; none for few categories.
fn bundle(rows: &[u64], known: &[usize]) -> Vec<Vec<u32>> {
    if known.len() <= MAX_BUNDLES {
        return Vec::new();
    }
    let weights: Vec<u64> = known.iter().map(|&value| rows[value].max(1)).collect();
    let total: u64 = weights.iter().sum();
    let frequent: Vec<bool> = weights.iter().map(|&rows| rows > total / FREQUENT_SHARE).collect();
    let rare: Vec<u64> =
        weights.iter().zip(&frequent).filter(|(_, frequent)| !**frequent).map(|(&rows, _)| rows).collect();
    let own = known.len() - rare.len();
    let bundles = MAX_BUNDLES - own;
    // Halfway between, so that names are not thrown together by the hundred at once.
    let finer = ((rare.len() * bundles) as f64).sqrt() as usize;
    let fine = runs::cut(&rare, finer.max(bundles));
    let mut weight_of_run = vec![0; count(&fine)];
    fine.iter().zip(&rare).for_each(|(&run, &rows)| weight_of_run[run as usize] += rows);
    let coarse_of_run = runs::cut(&weight_of_run, bundles);
    let coarse: Vec<u32> = fine.iter().map(|&run| coarse_of_run[run as usize]).collect();
    vec![interleave(&frequent, &fine), interleave(&frequent, &coarse)]
}

/// Groups of all categories: those of the rare ones, and each frequent one by itself.
fn interleave(frequent: &[bool], groups: &[u32]) -> Vec<u32> {
    let (mut groups_left, mut own) = (groups.iter(), count(groups) as u32);
    let all = frequent.iter().map(|&frequent| {
        if frequent {
            own += 1;
            own - 1
        } else {
            *groups_left.next().expect("a group for each rare category")
        }
    });
    all.collect()
}

fn grow(rows: &[u64], known: &[usize], bundles: &[u32], co_occurrence: Option<&CoOccurrence>) -> Dendrogram {
    let items = count(bundles);
    let mut weights = vec![0; items];
    known.iter().zip(bundles).for_each(|(&value, &bundle)| weights[bundle as usize] += rows[value]);
    let points = match co_occurrence {
        Some(pairs) => {
            assert_eq!(pairs.values(), rows.len(), "the co-occurrence of each value");
            let mut bundle_of = vec![None; rows.len()];
            known.iter().zip(bundles).for_each(|(&value, &bundle)| bundle_of[value] = Some(bundle as usize));
            pairs.points(|value| bundle_of[value], items)
        }
        None => vec![Vec::new(); items],
    };
    Dendrogram::grow(&weights, &points)
}

/// About a third as many groups from level to level, down to two.
fn group_counts(items: usize) -> Vec<usize> {
    let levels = if items < 3 { 0 } else { ((items as f64).ln() / 3f64.ln()).floor() as usize };
    let root = (items as f64).ln() / (levels + 1) as f64;
    (1..=levels).rev().map(|power| (root * power as f64).exp().round() as usize).collect()
}

/// The leaves in the order of the groups, coarse to fine, the frequent first; and their labels.
fn arrange(
    values: &[&str],
    rows: &[u64],
    known: &[usize],
    partitions: &[Vec<u32>],
    naming: Naming<'_>,
) -> Ladder {
    let mut order: Vec<usize> = (0..known.len()).collect();
    order.sort_by(|&a, &b| {
        let groups = partitions.iter().rev().map(|groups| groups[a].cmp(&groups[b]));
        let frequency = rows[known[b]].cmp(&rows[known[a]]);
        groups.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then).then(frequency).then(a.cmp(&b))
    });
    let leaves: Vec<usize> = order.iter().map(|&at| known[at]).collect();
    let levels = partitions.iter().map(|groups| {
        let groups: Vec<u32> = order.iter().map(|&at| groups[at]).collect();
        let labels = label(values, rows, &leaves, &groups, naming);
        LeafPartition { groups, labels }
    });
    let levels = levels.collect();
    Ladder { leaves, levels, positions: None }
}

impl Ladder {
    /// With all categories together at the last level: beside numbers, that they are words says
    /// something.
    pub(super) fn rooted(mut self, values: &[&str], max_levels: usize, naming: Naming<'_>) -> Ladder {
        if self.leaves.len() > 1 && max_levels > 0 {
            let labels = vec![naming.label(&self.leaves, values, 0, 1)];
            self.levels.truncate(max_levels - 1);
            self.levels.push(LeafPartition { groups: vec![0; self.leaves.len()], labels });
        }
        self
    }
}

fn label(values: &[&str], rows: &[u64], leaves: &[usize], groups: &[u32], naming: Naming<'_>) -> Vec<String> {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); count(groups)];
    leaves.iter().zip(groups).for_each(|(&value, &group)| members[group as usize].push(value));
    let total = members.len();
    let name = |(number, mut members): (usize, Vec<usize>)| {
        members.sort_by(|&a, &b| rows[b].cmp(&rows[a]).then_with(|| values[a].cmp(values[b])));
        naming.label(&members, values, number, total)
    };
    members.into_iter().enumerate().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::super::naming::GroupNaming;
    use super::*;

    const MEMBERS: Naming<'_> = Naming::new(GroupNaming::Members, None);

    fn labels(ladder: &Ladder, level: usize) -> Vec<&str> {
        ladder.levels[level].labels.iter().map(String::as_str).collect()
    }

    #[test]
    fn what_occurs_alike_is_merged() {
        let values = ["nurse", "clerk", "doctor", "typist", "surgeon"];
        let rows = [40, 30, 20, 10, 10];
        let mut pairs = CoOccurrence::new(5);
        // Two departments: the ward and the office.
        let of = [(0, 0, 40), (2, 0, 20), (4, 0, 10), (1, 1, 30), (3, 1, 10)];
        pairs.add_column(2, of.into_iter());
        let ladder = merge(&values, &rows, (0..5).collect(), Some(&pairs), 5, MEMBERS);
        let mut groups = labels(&ladder, 0);
        groups.sort_unstable();
        assert_eq!(groups, ["{clerk, typist}", "{nurse, doctor, surgeon}"]);
    }

    #[test]
    fn without_profiles_the_rare_are_merged() {
        let values = ["a", "b", "c", "d"];
        let ladder = merge(&values, &[100, 90, 2, 1], (0..4).collect(), None, 5, MEMBERS);
        assert!(labels(&ladder, 0).contains(&"{b, c, d}"), "{ladder:?}");
    }

    #[test]
    fn numbers_take_the_place_of_members() {
        let values = ["Ann", "Bob", "Cas", "Dan", "Eve", "Fay"];
        let ladder = merge(
            &values,
            &[100, 90, 2, 1, 1, 1],
            (0..6).collect(),
            None,
            5,
            Naming::new(GroupNaming::Numbers, None),
        );
        assert!(!ladder.levels.is_empty());
        for level in &ladder.levels {
            let expected: Vec<String> =
                (1..=level.size()).map(|n| format!("group {n} of {}", level.size())).collect();
            assert_eq!(level.labels, expected, "a lone member is not named either");
        }
    }

    #[test]
    fn two_categories_stay_as_they_are() {
        for count in 0..3 {
            let values = &["f", "m"][..count.min(2)];
            let ladder =
                merge(values, &[1, 1][..values.len()], (0..values.len()).collect(), None, 5, MEMBERS);
            assert!(ladder.levels.is_empty());
        }
    }

    #[test]
    fn group_counts_shrink_evenly() {
        assert_eq!(group_counts(2), []);
        assert_eq!(group_counts(3), [2]);
        assert_eq!(group_counts(5), [2]);
        assert_eq!(group_counts(14), [6, 2]);
        assert_eq!(group_counts(41), [16, 6, 3]);
    }

    #[test]
    fn many_categories_are_bundled_by_text() {
        let texts: Vec<String> = (0..3000).map(|i| format!("{:04}", i * 3)).collect();
        let values: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut rows = vec![1; 3000];
        rows[77] = 10_000;
        let ladder = merge(&values, &rows, (0..3000).collect(), None, 5, MEMBERS);
        let sizes: Vec<usize> = ladder.levels.iter().map(LeafPartition::size).collect();
        assert!(sizes[0] <= 1000 && sizes.len() <= 5, "{sizes:?}");
        let at = ladder.leaves.iter().position(|&value| value == 77).unwrap();
        let finest = &ladder.levels[0];
        assert_eq!(finest.labels[finest.groups[at] as usize], "0231", "a frequent one stays by itself");
        // All others of its finest group follow each other in the order of text.
        let group = finest.groups[0];
        let mut members: Vec<usize> =
            (0..3000).filter(|&at| finest.groups[at] == group).map(|at| ladder.leaves[at]).collect();
        members.sort_unstable();
        let skips = members.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
        assert!(skips <= 1, "{members:?}");
    }
}
