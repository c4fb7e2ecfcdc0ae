//! How many classes there are of each size.

use std::collections::BTreeMap;

/// The sizes of a set of classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    classes_by_size: BTreeMap<u64, u64>,
}

impl Sizes {
    /// So many classes of each size, as pairs of a size and a number; those without rows are none.
    pub fn counted(pairs: impl IntoIterator<Item = (u64, u64)>) -> Sizes {
        let mut sizes = Sizes::default();
        for (size, classes) in pairs.into_iter().filter(|&(size, classes)| size > 0 && classes > 0) {
            *sizes.classes_by_size.entry(size).or_default() += classes;
        }
        sizes
    }

    /// The number of classes of each size, smallest first.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.classes_by_size.iter().map(|(&size, &classes)| (size, classes))
    }

    /// Number of classes.
    pub fn classes(&self) -> u64 {
        self.classes_by_size.values().sum()
    }

    /// Rows in all classes.
    pub fn rows(&self) -> u64 {
        self.iter().map(|(size, classes)| size * classes).sum()
    }

    /// Rows of the smallest class.
    pub fn smallest(&self) -> Option<u64> {
        self.classes_by_size.keys().next().copied()
    }

    /// Classes smaller than `k`.
    pub fn classes_below(&self, k: u64) -> u64 {
        self.classes_by_size.range(..k).map(|(_, classes)| classes).sum()
    }

    /// Rows in classes smaller than `k`.
    pub fn rows_below(&self, k: u64) -> u64 {
        self.classes_by_size.range(..k).map(|(size, classes)| size * classes).sum()
    }
}

impl FromIterator<u64> for Sizes {
    /// Counts classes by their sizes; one without rows is none.
    fn from_iter<I: IntoIterator<Item = u64>>(sizes: I) -> Sizes {
        let mut counted = Sizes::default();
        for size in sizes.into_iter().filter(|&size| size > 0) {
            *counted.classes_by_size.entry(size).or_default() += 1;
        }
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_is_below() {
        let sizes: Sizes = [1, 5, 2, 1, 0, 5].into_iter().collect();
        assert_eq!((sizes.classes(), sizes.rows(), sizes.smallest()), (5, 14, Some(1)));
        assert_eq!((sizes.classes_below(2), sizes.rows_below(2)), (2, 2));
        assert_eq!((sizes.classes_below(5), sizes.rows_below(5)), (3, 4));
        assert_eq!((sizes.classes_below(6), sizes.rows_below(6)), (5, 14));
        assert_eq!(Sizes::default().smallest(), None);
        assert_eq!(sizes, Sizes::counted([(5, 1), (0, 9), (1, 2), (2, 1), (5, 1), (7, 0)]));
    }
}
