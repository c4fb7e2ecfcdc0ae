//! Labels that stand for more than one set of leaves.
//!
//! A level shows each of its labels for one set, so a full-domain release is clear. A local or cut
//! release shows values of several levels side by side: there, one label must not mean two things.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Taxonomy, ValueId};

impl Taxonomy {
    /// The values whose label an earlier one has, too, each with the first that has it.
    ///
    /// A leaf that is shown as the root is not among them: it says as little.
    pub fn shared_labels(&self) -> Vec<(ValueId, ValueId)> {
        let mut first: FxHashMap<&str, ValueId> = FxHashMap::default();
        let mut shared = Vec::new();
        for (id, value) in (0..).zip(&self.values) {
            let earlier = *first.entry(value.label.as_str()).or_insert(id);
            let is_top = id == self.root && (earlier as usize) < self.leaf_total();
            if earlier != id && !(is_top && value.label == super::ANY) {
                shared.push((earlier, id));
            }
        }
        shared
    }

    /// The same tree, in which a value whose label an earlier one has is told apart by its level:
    /// `Employee (level 2)`.
    #[must_use]
    pub fn with_distinct_labels(mut self) -> Taxonomy {
        let mut taken: FxHashSet<String> = self.values.iter().map(|value| value.label.clone()).collect();
        for (_, id) in self.shared_labels() {
            let value = &mut self.values[id as usize];
            let mut label = value.label.clone();
            while !taken.insert(label.clone()) {
                label = format!("{label} (level {})", value.level);
            }
            value.label = label;
        }
        self
    }

    /// The first leaf below a value.
    pub fn first_leaf(&self, value: ValueId) -> ValueId {
        let leaf = (0..self.leaf_total() as ValueId).find(|&leaf| self.covers(value, leaf));
        leaf.expect("every value has a leaf")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_label_for_two_sets_is_told_apart() {
        let rows = [["a", "E", "E", "*"], ["b", "E", "E", "*"], ["c", "F", "E", "*"], ["d", "d", "G", "*"]];
        let taxonomy = Taxonomy::from_rows(&rows).unwrap();
        let shared = taxonomy.shared_labels();
        assert_eq!(shared.len(), 1);
        let (fine, coarse) = shared[0];
        assert_eq!((taxonomy.values()[fine as usize].leaf_count, taxonomy.first_leaf(fine)), (2, 0));
        assert_eq!(taxonomy.values()[coarse as usize].leaf_count, 3);
        let distinct = taxonomy.with_distinct_labels();
        assert_eq!(distinct.to_rows()[2], ["c", "F", "E (level 2)", "*"]);
        assert!(distinct.shared_labels().is_empty());
    }

    #[test]
    fn a_group_is_no_leaf() {
        let taxonomy = Taxonomy::from_rows(&[["other", "other", "*"], ["x", "other", "*"]]).unwrap();
        assert_eq!(taxonomy.with_distinct_labels().to_rows()[1], ["x", "other (level 1)", "*"]);
        let star = Taxonomy::from_rows(&[["a", "*"], ["b", "*"]]).unwrap().with_top_leaf();
        assert!(star.shared_labels().is_empty());
        let taken = [["a", "E", "E", "*"], ["E (level 2)", "F", "E", "*"]];
        let taken = Taxonomy::from_rows(&taken).unwrap().with_distinct_labels();
        assert_eq!(taken.to_rows()[1][2], "E (level 2) (level 2)");
    }
}
