//! p-sensitive k-anonymity (Truta and Vinay, 2006): in addition to k rows, every class has p different
//! sensitive values. The k is a separate requirement.
//!
//! **Degree.** The number of different values of the sensitive column in a class; more is safer.
//!
//! **Missing** cells are not a value, and do not make a class more diverse.
//!
//! **Monotone.** A union has all the values of each of its parts.

use super::missing::ShownBySensitive;
use super::parameter::{Parameter, ParameterValue};
use super::registry::ModelEntry;
use super::{Class, Direction, Monotonicity, PrivacyModel, ToldByRows, Whole};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "p-sensitive",
    summary: "in addition to k rows, every class has at least p different values of the sensitive column",
    citation: "Truta and Vinay 2006",
    parameters: &[Parameter::whole("p", "the smallest number of values", 2.0)],
    takes_column: true,
    build: |given| Ok(Box::new(PSensitive { p: given.number("p") as u64, column: given.column().place })),
    measured: |column| vec![Box::new(PSensitive { p: 1, column: column.place })],
};

/// Every class has at least `p` different values of a sensitive column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PSensitive {
    /// The least number of values.
    pub p: u64,
    /// The sensitive column, by its place among the carried ones.
    pub column: usize,
}

impl PrivacyModel for PSensitive {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn degree(&self, class: &Class<'_>, whole: &Whole) -> f64 {
        ShownBySensitive::new(class, self.column, whole).distinct() as f64
    }

    fn asked(&self) -> f64 {
        self.p as f64
    }

    fn direction(&self) -> Direction {
        Direction::MoreIsSafer
    }

    fn monotonicity(&self) -> Monotonicity {
        Monotonicity::Monotone
    }

    fn parameters(&self) -> Vec<(&'static str, ParameterValue)> {
        vec![("p", self.asked().into())]
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn told_by_rows(&self) -> ToldByRows {
        // A value that a person of the class has is in one of its rows.
        ToldByRows::Same
    }

    fn values_needed(&self) -> u64 {
        self.p
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::tests::{class, whole};

    #[test]
    fn values_are_counted_not_rows() {
        let model = PSensitive { p: 2, column: 0 };
        assert_eq!(class(&[9, 0, 1], |class| model.degree(class, &whole(&[9, 1, 1]))), 2.0);
        assert!(model.holds(2.0) && !model.holds(1.0));
    }
}
