//! Distinct l-diversity (Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, 2006): who finds a
//! person's class does not know which of l sensitive values is the person's.
//!
//! **Degree.** The number of different values of the sensitive column in a class; more is safer.
//!
//! **Monotone.** A union has all the values of each of its parts.

use super::registry::{Entry, Given, Parameter};
use super::{Class, Direction, Monotonicity, PrivacyModel, Whole};

pub(super) const ENTRY: Entry = Entry {
    name: "distinct-l",
    summary: "every class has at least l different values of the sensitive column",
    citation: "Machanavajjhala et al. 2006",
    parameters: &[Parameter {
        name: "l",
        help: "the least number of values",
        least: 2.0,
        most: f64::INFINITY,
        whole: true,
    }],
    takes_column: true,
    build: |given: &Given<'_>| Box::new(DistinctL { l: given.of("l") as u64, column: given.column() }),
};

/// Every class has at least `l` different values of a sensitive column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DistinctL {
    /// The least number of values.
    pub l: u64,
    /// The sensitive column, by its place among the carried ones.
    pub column: usize,
}

impl PrivacyModel for DistinctL {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn degree(&self, class: &Class<'_>, _: &Whole) -> f64 {
        class.values[self.column].distinct() as f64
    }

    fn asked(&self) -> f64 {
        self.l as f64
    }

    fn direction(&self) -> Direction {
        Direction::MoreIsSafer
    }

    fn monotonicity(&self) -> Monotonicity {
        Monotonicity::Monotone
    }

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        vec![("l", self.asked())]
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn most(&self, values: usize) -> Option<f64> {
        Some(values as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Histogram;

    #[test]
    fn values_that_occur_are_counted_once_each() {
        let model = DistinctL { l: 3, column: 1 };
        let degree = |values: &[Histogram<'_>]| {
            model.degree(&Class { rows: 6, values, population: None }, &Whole::default())
        };
        let other = Histogram::Placed(&[6]);
        assert_eq!(degree(&[other, Histogram::Placed(&[3, 0, 2, 1])]), 3.0);
        assert_eq!(degree(&[other, Histogram::Listed(&[(0, 5), (9, 1)])]), 2.0);
        assert!(model.holds(3.0) && !model.holds(2.0));
    }
}
