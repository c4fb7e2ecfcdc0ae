//! δ-presence (Nergiz, Atzori and Clifton, 2007): somebody who knows the population cannot be too sure that a
//! person is in the table, nor too sure that they are not.
//!
//! **Degree.** The share of the class's people of the population who are in the table; less is safer.
//! Where it is below the least that is allowed, the degree is infinite.
//!
//! **Unions of safe classes are safe:** the share in a union lies between those in its parts. With a least
//! above 0, people of the population whose class has no row refute a release as a whole: no row can be left
//! out for that.

use super::parameter::{GivenError, NumberBounds, Parameter, ParameterValue};
use super::registry::ModelEntry;
use super::{Class, Direction, Monotonicity, PrivacyModel, Whole};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "delta-presence",
    summary: "in every class, a share of the population between min and max is in the table",
    citation: "Nergiz, Atzori and Clifton 2007",
    parameters: &[
        Parameter::number("min", "the smallest share", NumberBounds::UNIT),
        Parameter::number("max", "the largest share", NumberBounds::UNIT),
        Parameter::text("population", "the table of the population, with the same quasi-identifiers"),
    ],
    takes_column: false,
    build: |given| {
        let (min, max) = (given.number("min"), given.number("max"));
        if min > max {
            return Err(GivenError::Together(format!("min is {min}, which is more than max, {max}").into()));
        }
        Ok(Box::new(DeltaPresence { min, max }))
    },
    measured: |_| Vec::new(),
};

/// Of the population in every class, a share from `min` to `max` is in the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeltaPresence {
    /// The least share.
    pub min: f64,
    /// The greatest share.
    pub max: f64,
}

impl PrivacyModel for DeltaPresence {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn degree(&self, class: &Class<'_>, _: &Whole) -> f64 {
        let share = class.rows as f64 / class.population.unwrap_or(class.rows) as f64;
        if share >= self.min { share } else { f64::INFINITY }
    }

    fn asked(&self) -> f64 {
        self.max
    }

    fn direction(&self) -> Direction {
        Direction::LessIsSafer
    }

    fn monotonicity(&self) -> Monotonicity {
        Monotonicity::SafeUnions
    }

    fn parameters(&self) -> Vec<(&'static str, ParameterValue)> {
        vec![("max", self.max.into()), ("min", self.min.into())]
    }

    fn looks_at_population(&self) -> bool {
        true
    }

    fn refuses_absence(&self) -> bool {
        self.min > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_the_population_must_be_between() {
        let model = DeltaPresence { min: 0.1, max: 0.5 };
        let degree = |rows, population| {
            model.degree(&Class { rows, values: &[], population: Some(population) }, &Whole::default())
        };
        assert_eq!(degree(1, 4), 0.25);
        assert_eq!(degree(1, 20), f64::INFINITY);
        assert!(model.holds(0.5) && !model.holds(degree(3, 4)) && !model.holds(f64::INFINITY));
    }
}
