//! Classes of a table as models see them, over all quasi-identifiers or a shield of some.

use std::sync::Arc;

use throng::privacy::{Class, PrivacyModel, Whole};
use throng::table::{Histogram, Table};

/// The classes over some quasi-identifiers.
#[derive(Clone)]
pub(super) struct Classes {
    table: Arc<Table>,
    /// Places of the quasi-identifiers that make up the classes.
    shield: Vec<usize>,
    whole: Whole,
}

/// A class by what its rows have in common: places of the columns, and the code in each.
pub(super) type ClassKey = (Vec<usize>, Vec<u32>);

/// What classes have of a model.
pub(super) struct Degrees {
    /// The degree of each class, and how many rows or persons it has.
    pub(super) by_class: Vec<(f64, u64)>,
    /// The first of those that have least of it.
    pub(super) worst: usize,
}

impl Classes {
    /// Each tuple is a class.
    pub(super) fn of(table: Table) -> Classes {
        let shield = (0..table.attributes()).collect();
        Classes { whole: Whole::of(&table), shield, table: Arc::new(table) }
    }

    /// The classes over some of the quasi-identifiers.
    pub(super) fn over(&self, shield: &[usize]) -> Classes {
        Classes { shield: shield.to_vec(), ..Classes::of(self.table.over(shield)) }
    }

    /// The persons, or rows, of each class, and its rows.
    pub(super) fn crowds(&self) -> Vec<(u64, u64)> {
        (0..self.table.tuples()).map(|class| (self.crowd(class), self.rows(class))).collect()
    }

    fn crowd(&self, class: usize) -> u64 {
        self.table.persons().map_or(self.rows(class), |persons| persons.of(class).distinct() as u64)
    }

    /// Rows of a class.
    pub(super) fn rows(&self, class: usize) -> u64 {
        u64::from(self.table.weights()[class])
    }

    /// What the rows of a class have in common.
    pub(super) fn key(&self, class: usize) -> ClassKey {
        (self.shield.clone(), self.table.record(class))
    }

    /// What each class has of a model.
    pub(super) fn degrees(&self, model: &dyn PrivacyModel) -> Degrees {
        let by_class: Vec<(f64, u64)> =
            (0..self.table.tuples()).map(|class| (self.degree(model, class), self.crowd(class))).collect();
        let worse =
            |a: usize, b: usize| if model.direction().is_worse(by_class[b].0, by_class[a].0) { b } else { a };
        let worst = (0..by_class.len()).reduce(worse).unwrap_or(0);
        Degrees { by_class, worst }
    }

    fn degree(&self, model: &dyn PrivacyModel, class: usize) -> f64 {
        let columns = self.table.carried().iter();
        let folded: Vec<_> = columns.map(|column| column.fold(column.of(class))).collect();
        let values: Vec<Histogram<'_>> = folded.iter().map(|counts| Histogram::Listed(counts)).collect();
        model.degree(&Class { rows: self.crowd(class), values: &values, population: None }, &self.whole)
    }
}
