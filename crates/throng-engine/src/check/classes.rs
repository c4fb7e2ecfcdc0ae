//! Classes of a table as models see them, over all quasi-identifiers or a shield of some.

use std::collections::BTreeMap;
use std::sync::Arc;

use throng::privacy::{Class, PrivacyModel, Whole};
use throng::table::{Carried, Histogram, Table};

use super::grouping::starts;

/// The classes over some quasi-identifiers.
#[derive(Clone)]
pub(super) struct QuasiClasses {
    table: Arc<Table>,
    /// Where the tuples of each class begin, and the end. Without columns beside them there may be several: one says at
    /// most 2³² − 1 rows.
    starts: Arc<[usize]>,
    /// Places of the quasi-identifiers that make up the classes.
    shield: Vec<usize>,
    whole: Whole,
}

/// A class by what its rows have in common: places of the columns, and the code in each.
pub(super) type ClassKey = (Vec<usize>, Vec<u32>);

/// What classes have of a model.
pub(super) struct ClassDegrees {
    /// The degree of each class, and how many rows or persons it has.
    pub(super) by_class: Vec<(f64, u64)>,
    /// The first of those that have least of it.
    pub(super) worst: usize,
}

impl QuasiClasses {
    /// Each tuple is a class, with those that are equal to it.
    pub(super) fn from_table(table: Table) -> QuasiClasses {
        let shield: Vec<usize> = (0..table.attributes()).collect();
        let columns: Vec<&[u32]> = shield.iter().map(|&at| table.column(at)).collect();
        let starts = starts(&columns, table.tuples()).into();
        QuasiClasses { whole: Whole::from_table(&table), shield, starts, table: Arc::new(table) }
    }

    /// The classes over some of the quasi-identifiers.
    pub(super) fn over(&self, shield: &[usize]) -> QuasiClasses {
        QuasiClasses { shield: shield.to_vec(), ..QuasiClasses::from_table(self.table.over(shield)) }
    }

    /// The persons, or rows, of each class, and its rows.
    pub(super) fn crowds(&self) -> Vec<(u64, u64)> {
        (0..self.len()).map(|class| (self.crowd(class), self.rows(class))).collect()
    }

    /// Places of the quasi-identifiers that make up the classes.
    pub(super) fn shield(&self) -> &[usize] {
        &self.shield
    }

    /// Whether there is no class.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn crowd(&self, class: usize) -> u64 {
        let persons = |persons: &Carried| persons.histogram(self.starts[class]).distinct() as u64;
        self.table.persons().map_or_else(|| self.rows(class), persons)
    }

    /// Rows of a class.
    pub(super) fn rows(&self, class: usize) -> u64 {
        let weights = &self.table.weights()[self.starts[class]..self.starts[class + 1]];
        weights.iter().map(|&rows| u64::from(rows)).sum()
    }

    /// What the rows of a class have in common.
    pub(super) fn key(&self, class: usize) -> ClassKey {
        (self.shield.clone(), self.table.record(self.starts[class]))
    }

    /// The rows of a class that were found; none if there is no class.
    pub(super) fn rows_named(&self, class: usize, rows: &BTreeMap<ClassKey, Vec<u64>>) -> Vec<u64> {
        if self.is_empty() { Vec::new() } else { rows[&self.key(class)].clone() }
    }

    /// What each class has of a model.
    pub(super) fn degrees(&self, model: &dyn PrivacyModel) -> ClassDegrees {
        let by_class: Vec<(f64, u64)> =
            (0..self.len()).map(|class| (self.degree(model, class), self.crowd(class))).collect();
        let worse =
            |a: usize, b: usize| if model.direction().is_worse(by_class[b].0, by_class[a].0) { b } else { a };
        let worst = (0..by_class.len()).reduce(worse).unwrap_or(0);
        ClassDegrees { by_class, worst }
    }

    fn degree(&self, model: &dyn PrivacyModel, class: usize) -> f64 {
        let columns = self.table.carried().iter();
        let folded: Vec<_> =
            columns.map(|column| column.fold(column.histogram(self.starts[class]))).collect();
        let values: Vec<Histogram<'_>> = folded.iter().map(|counts| Histogram::Listed(counts)).collect();
        model.degree(&Class { rows: self.crowd(class), values: &values, population: None }, &self.whole)
    }
}

#[cfg(test)]
mod tests {
    use throng::privacy::KAnonymity;

    use super::*;

    #[test]
    fn a_class_may_have_more_rows_than_a_tuple() {
        let most = u64::from(u32::MAX);
        let classes =
            QuasiClasses::from_table(Table::new(vec![vec![0, 0, 1], vec![4, 4, 4]], vec![u32::MAX, 9, 3]));
        assert_eq!(classes.crowds(), [(most + 9, most + 9), (3, 3)]);
        assert_eq!(classes.over(&[1]).crowds(), [(most + 12, most + 12)]);
        let found = classes.degrees(&KAnonymity { k: 2 });
        assert_eq!((found.worst, classes.key(found.worst).1), (1, vec![1, 4]));
    }
}
