//! k-map (Sweeney, 2002): every class could be that of k people of the population that the table is a
//! sample of, whether or not these are in the table.
//!
//! **Degree.** How many of the population are in the class; more is safer.
//!
//! **Monotone.** A union has at least the people of each of its parts; what is left out of the sample stays
//! in the population.

use super::parameter::{Parameter, ParameterValue};
use super::registry::ModelEntry;
use super::{Class, Direction, Monotonicity, PrivacyModel, Whole};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "k-map",
    summary: "every class fits at least k people of a population",
    citation: "Sweeney 2002",
    parameters: &[
        Parameter::whole("k", "the smallest number of people of the population in a class", 2.0),
        Parameter::text("population", "the table of the population, with the same quasi-identifiers"),
    ],
    takes_column: false,
    build: |given| Ok(Box::new(KMap { k: given.number("k") as u64 })),
    measured: |_| Vec::new(),
};

/// At least `k` of the population are in every class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KMap {
    /// The least people of the population in a class.
    pub k: u64,
}

impl PrivacyModel for KMap {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn degree(&self, class: &Class<'_>, _: &Whole) -> f64 {
        class.population.unwrap_or(class.rows) as f64
    }

    fn asked(&self) -> f64 {
        self.k as f64
    }

    fn direction(&self) -> Direction {
        Direction::MoreIsSafer
    }

    fn monotonicity(&self) -> Monotonicity {
        Monotonicity::Monotone
    }

    fn parameters(&self) -> Vec<(&'static str, ParameterValue)> {
        vec![("k", self.asked().into())]
    }

    fn looks_at_population(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_population_is_counted_not_the_sample() {
        let class = Class { rows: 1, values: &[], population: Some(7) };
        assert_eq!(KMap { k: 5 }.degree(&class, &Whole::default()), 7.0);
    }
}
