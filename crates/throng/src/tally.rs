//! What every measure needs to know of a release.
//!
//! Full-domain, cut and local recoding all end as one generalised value for each tuple and
//! attribute. Counting the rows of each value, and the sizes of the classes, is therefore
//! enough for every measure; a new algorithm needs no measure code.

use crate::taxonomy::Leaves;

/// Counts of a release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Rows of the original table.
    pub rows: u64,
    /// Rows left out of the release.
    pub suppressed_rows: u64,
    /// For each attribute, the rows of each generalised value (by id); suppressed rows count
    /// as the root.
    pub cells: Vec<Vec<u64>>,
    /// For each attribute, the values on that list that are not of its taxonomy.
    pub made: Vec<Vec<Leaves>>,
    /// Sizes of the released classes.
    pub sizes: ClassSizes,
    /// Sum of the levels, for full-domain recoding.
    pub level: Option<usize>,
}

/// Summary of a set of classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassSizes {
    /// Number of classes.
    pub classes: u64,
    /// Rows in them.
    pub rows: u64,
    /// Sum of the squared sizes.
    pub squares: u128,
    /// Rows of the smallest class; 0 if there is none.
    pub smallest: u64,
    /// Rows of the largest class; 0 if there is none.
    pub largest: u64,
    /// Rows that do not have the most frequent label of their class; none where labels are not counted.
    pub off_label: Option<u64>,
}

impl ClassSizes {
    /// Counts one more class.
    #[inline]
    pub fn add(&mut self, rows: u64) {
        self.smallest = if self.classes == 0 { rows } else { self.smallest.min(rows) };
        self.largest = self.largest.max(rows);
        self.classes += 1;
        self.rows += rows;
        self.squares += u128::from(rows) * u128::from(rows);
    }

    /// Counts the labels of a class: so many of its rows have not the most frequent one.
    #[inline]
    pub fn add_off_label(&mut self, rows: u64) {
        *self.off_label.get_or_insert(0) += rows;
    }

    /// Mean size; 0 if there is no class.
    pub fn mean(&self) -> f64 {
        if self.classes == 0 { 0.0 } else { self.rows as f64 / self.classes as f64 }
    }
}

impl FromIterator<u64> for ClassSizes {
    fn from_iter<I: IntoIterator<Item = u64>>(sizes: I) -> ClassSizes {
        let mut all = ClassSizes::default();
        sizes.into_iter().for_each(|rows| all.add(rows));
        all
    }
}
