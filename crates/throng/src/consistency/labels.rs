//! Generalised values as a reader of the release sees them: by label.

use std::collections::BTreeMap;

use crate::taxonomy::{Taxonomy, ValueId};

/// A number for the label of each value; values that look alike have the same.
pub(crate) fn number_labels(taxonomy: &Taxonomy) -> Vec<u32> {
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    let mut of_value = Vec::with_capacity(taxonomy.values().len());
    for value in taxonomy.values() {
        let next = numbers.len() as u32;
        of_value.push(*numbers.entry(&value.label).or_insert(next));
    }
    of_value
}

/// The labels of an attribute, and for each leaf those that may stand for it.
pub(super) struct Labels {
    of_value: Vec<u32>,
    /// `paths[starts[leaf]..starts[leaf + 1]]` are the labels from the leaf to the root, ascending.
    starts: Vec<u32>,
    paths: Vec<u32>,
}

impl Labels {
    pub(super) fn new(taxonomy: &Taxonomy) -> Labels {
        let of_value = number_labels(taxonomy);
        let (mut starts, mut paths) = (vec![0], Vec::new());
        let mut path = Vec::new();
        for leaf in 0..taxonomy.leaf_total() as ValueId {
            path.clear();
            climb(taxonomy, leaf, |value| path.push(of_value[value as usize]));
            path.sort_unstable();
            path.dedup();
            paths.extend_from_slice(&path);
            starts.push(paths.len() as u32);
        }
        Labels { of_value, starts, paths }
    }

    /// Number of values, which no label's number reaches.
    pub(super) fn bound(&self) -> usize {
        self.of_value.len()
    }

    pub(super) fn of(&self, value: ValueId) -> u32 {
        self.of_value[value as usize]
    }

    /// The labels that are consistent with a leaf, ascending; at most the height of the tree plus one.
    pub(super) fn path(&self, leaf: ValueId) -> &[u32] {
        let leaf = leaf as usize;
        &self.paths[self.starts[leaf] as usize..self.starts[leaf + 1] as usize]
    }
}

fn climb(taxonomy: &Taxonomy, leaf: ValueId, mut visit: impl FnMut(ValueId)) {
    let mut at = leaf;
    loop {
        visit(at);
        let parent = taxonomy.values()[at as usize].parent;
        if parent == at {
            return;
        }
        at = parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `*` stands for a and b at one level and for all leaves at the next: nobody can tell which.
    #[test]
    fn a_label_is_consistent_with_the_leaves_of_all_its_values() {
        let rows = [["a", "*", "*"], ["b", "*", "*"], ["c", "c+", "*"]];
        let labels = Labels::new(&Taxonomy::from_rows(&rows).unwrap());
        let any = labels.of(3);
        assert_eq!([0, 1, 2].map(|leaf| labels.path(leaf).contains(&any)), [true; 3]);
        assert_eq!([0, 1, 2].map(|leaf| labels.path(leaf).len()), [2, 2, 3]);
    }
}
