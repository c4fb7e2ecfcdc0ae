//! Generalised values as a reader of the release sees them: by label.

use std::collections::BTreeMap;

use crate::release::Release;
use crate::taxonomy::{Leaves, Taxonomy, Value, ValueId};

/// A number for the label of each value; values that look alike have the same.
pub(crate) fn number_labels<'v>(values: impl Iterator<Item = &'v Value>) -> Vec<u32> {
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    let mut of_value = Vec::with_capacity(values.size_hint().0);
    for value in values {
        let next = numbers.len() as u32;
        of_value.push(*numbers.entry(&value.label).or_insert(next));
    }
    of_value
}

/// The labels of an attribute, and for each leaf those that may stand for it.
pub(super) struct LeafLabels {
    /// The label of each value of a release; empty where labels were read from a table.
    of_value: Vec<u32>,
    /// How many labels there may be: no label's number reaches it.
    bound: usize,
    /// `paths[starts[leaf]..starts[leaf + 1]]` are the labels from the leaf to the root, ascending.
    starts: Vec<u32>,
    paths: Vec<u32>,
    /// By label, what the recoding made values of; empty if it made none.
    made: Vec<Vec<Leaves>>,
}

impl LeafLabels {
    pub(super) fn new(release: &Release, attribute: usize) -> LeafLabels {
        let taxonomy = &release.problem().attributes()[attribute].taxonomy;
        let of_value = number_labels(release.values(attribute));
        let mut made = Vec::new();
        if !release.made(attribute).is_empty() {
            made.resize(of_value.len(), Vec::new());
        }
        for (leaves, &label) in release.made(attribute).iter().zip(&of_value[taxonomy.values().len()..]) {
            made[label as usize].push(leaves.clone());
        }
        let (starts, paths) = paths(taxonomy, |value| Some(of_value[value as usize]), None);
        let bound = of_value.len();
        LeafLabels { of_value, bound, starts, paths, made }
    }

    /// Labels that were read from a table: `of_value` gives that of a value, if any shows it; `any` stands
    /// for every leaf, and `made` says for each label what else it stands for.
    pub(super) fn read(
        taxonomy: &Taxonomy,
        of_value: impl Fn(ValueId) -> Option<u32>,
        any: Option<u32>,
        made: Vec<Vec<Leaves>>,
    ) -> LeafLabels {
        let (starts, paths) = paths(taxonomy, of_value, any);
        let bound = made.len();
        let made = if made.iter().all(Vec::is_empty) { Vec::new() } else { made };
        LeafLabels { of_value: Vec::new(), bound, starts, paths, made }
    }

    /// So many labels, each consistent with the leaf of its number; the label after these is consistent with all leaves,
    /// and the leaf after these with all labels.
    pub(super) fn of_known(values: u32) -> LeafLabels {
        let starts = (0..=values).map(|leaf| 2 * leaf).chain([3 * values + 1]).collect();
        let paths = (0..values).flat_map(|leaf| [leaf, values]).chain(0..=values).collect();
        LeafLabels { of_value: Vec::new(), bound: values as usize + 1, starts, paths, made: Vec::new() }
    }

    pub(super) fn label(&self, value: ValueId) -> u32 {
        self.of_value[value as usize]
    }

    /// The labels of the tree that are consistent with a leaf, ascending; at most its height plus one.
    fn path(&self, leaf: ValueId) -> &[u32] {
        let leaf = leaf as usize;
        &self.paths[self.starts[leaf] as usize..self.starts[leaf + 1] as usize]
    }

    /// Whether a label is consistent with a leaf.
    pub(super) fn stands_for(&self, label: u32, leaf: ValueId) -> bool {
        let made = self.made.get(label as usize).map_or(&[][..], Vec::as_slice);
        made.iter().any(|leaves| leaves.contains(leaf)) || self.path(leaf).contains(&label)
    }

    /// The labels that are consistent with a leaf.
    pub(super) fn of_leaf(&self, leaf: ValueId) -> Standing<'_> {
        if self.made.is_empty() { Standing::Listed(self.path(leaf)) } else { Standing::Tested(self, leaf) }
    }

    /// For each label, how many of some tuples it is consistent with, given the leaf of each; those
    /// for which it stands twice may count twice.
    pub(super) fn count(&self, leaves: impl Iterator<Item = ValueId>) -> Vec<u64> {
        let mut tuples = vec![0u64; self.starts.len()];
        leaves.for_each(|leaf| tuples[leaf as usize + 1] += 1);
        let mut counts = vec![0; self.bound];
        for leaf in 0..self.starts.len() - 1 {
            let count = tuples[leaf + 1];
            self.path(leaf as ValueId).iter().for_each(|&label| counts[label as usize] += count);
            tuples[leaf + 1] += tuples[leaf];
        }
        // By now the tuples of all leaves before each.
        let between = |first: ValueId, last: ValueId| tuples[last as usize + 1] - tuples[first as usize];
        for (count, made) in counts.iter_mut().zip(&self.made) {
            *count += made.iter().fold(0, |sum, leaves| match leaves {
                Leaves::Range { first, last } => sum + between(*first, *last),
                Leaves::Set(members) => sum + members.iter().map(|&leaf| between(leaf, leaf)).sum::<u64>(),
            });
        }
        counts
    }
}

/// The labels that are consistent with a leaf: a short ascending list, or a question to be asked of
/// each, where a recoding made many values that overlap.
#[derive(Clone, Copy)]
pub(super) enum Standing<'l> {
    Listed(&'l [u32]),
    Tested(&'l LeafLabels, ValueId),
}

/// The labels from each leaf to the root, one leaf after the other, and where those of each begin; `any` is
/// on every path.
fn paths(
    taxonomy: &Taxonomy,
    of_value: impl Fn(ValueId) -> Option<u32>,
    any: Option<u32>,
) -> (Vec<u32>, Vec<u32>) {
    let (mut starts, mut paths) = (vec![0], Vec::new());
    let mut path = Vec::new();
    for leaf in 0..taxonomy.leaf_total() as ValueId {
        path.clear();
        path.extend(taxonomy.ancestors(leaf).filter_map(&of_value).chain(any));
        path.sort_unstable();
        path.dedup();
        paths.extend_from_slice(&path);
        starts.push(paths.len() as u32);
    }
    (starts, paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::problem::Problem;
    use crate::recoding::{Local, Recoding};
    use crate::requirement::Requirement;
    use crate::table::Table;
    use crate::taxonomy::ranges;

    /// `*` stands for a and b at one level and for all leaves at the next: nobody can tell which.
    #[test]
    fn a_label_is_consistent_with_the_leaves_of_all_its_values() {
        let rows = [["a", "*", "*"], ["b", "*", "*"], ["c", "c+", "*"]];
        let taxonomy = Taxonomy::from_rows(&rows).unwrap();
        let problem = problem(taxonomy, vec![0, 1, 2]);
        let release = Recoding::Local(Local::new(vec![vec![3, 3, 3]])).apply(&problem);
        let labels = LeafLabels::new(&release, 0);
        let any = labels.label(3);
        assert_eq!([0, 1, 2].map(|leaf| labels.stands_for(any, leaf)), [true; 3]);
        assert_eq!([0, 1, 2].map(|leaf| labels.path(leaf).len()), [2, 2, 3]);
        assert_eq!(labels.count([0, 1, 1, 2].into_iter())[any as usize], 4);
    }

    #[test]
    fn ranges_are_consistent_with_what_lies_between() {
        let problem = problem(ranges(&["1", "2", "3", "4"], None).unwrap(), vec![0, 1, 2, 3]);
        let made = [(0, 2), (2, 3)].map(|(first, last)| Leaves::Range { first, last });
        let local = Local::with_made(vec![vec![5, 5, 6, 6]], vec![made.to_vec()]);
        let release = Recoding::Local(local).apply(&problem);
        let labels = LeafLabels::new(&release, 0);
        let of = |value: ValueId| [0, 1, 2, 3].map(|leaf| labels.stands_for(labels.label(value), leaf));
        assert_eq!(of(5), [true, true, true, false]);
        assert_eq!(of(6), [false, false, true, true]);
        assert_eq!((of(1), of(4)), ([false, true, false, false], [true; 4]));
        let counts = labels.count([0, 0, 1, 3].into_iter());
        assert_eq!([4, 5, 6].map(|value| counts[labels.label(value) as usize]), [4, 3, 1]);
    }

    fn problem(taxonomy: Taxonomy, leaves: Vec<ValueId>) -> Problem {
        let weights = vec![1; leaves.len()];
        let k = Requirement::new(KAnonymity { k: 2 });
        let (table, lm) = (Table::new(vec![leaves], weights), loss::find("lm").unwrap());
        Problem::new(table, vec![("x".into(), taxonomy, 1.0)], k, 0, lm).unwrap()
    }
}
