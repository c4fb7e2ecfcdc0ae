//! Distinct l-diversity (Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, 2006): anyone who finds a
//! person's class does not know which of l sensitive values is the person's.
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
    name: "distinct-l",
    summary: "every class has at least l different values of the sensitive column",
    citation: "Machanavajjhala et al. 2006",
    parameters: &[Parameter::whole("l", "the smallest number of values", 2.0)],
    takes_column: true,
    build: |given| Ok(Box::new(DistinctL { l: given.number("l") as u64, column: given.column().place })),
    measured: |column| vec![Box::new(DistinctL { l: 1, column: column.place })],
};

/// Every class has at least `l` different values of a sensitive column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistinctL {
    /// The least number of values.
    pub l: u64,
    /// The sensitive column, by its place among the carried ones.
    pub column: usize,
}

impl DistinctL {
    /// A model that is this one.
    pub fn downcast(model: &dyn PrivacyModel) -> Option<DistinctL> {
        let column = model.column().filter(|_| model.name() == ENTRY.name)?;
        Some(DistinctL { l: model.asked() as u64, column })
    }
}

impl PrivacyModel for DistinctL {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn degree(&self, class: &Class<'_>, whole: &Whole) -> f64 {
        ShownBySensitive::new(class, self.column, whole).distinct() as f64
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

    fn parameters(&self) -> Vec<(&'static str, ParameterValue)> {
        vec![("l", self.asked().into())]
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn told_by_rows(&self) -> ToldByRows {
        // A value that a person of the class has is in one of its rows.
        ToldByRows::Same
    }

    fn values_needed(&self) -> u64 {
        self.l
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
