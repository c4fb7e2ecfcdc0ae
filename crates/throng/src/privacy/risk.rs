//! Re-identification risk: the chance that an attacker names the right person (Dankar and El Emam, 2010).
//!
//! **Degree.** For a *prosecutor*, who knows that the person is in the table, 1 over the rows of the class;
//! for a *journalist*, who knows of the population only, 1 over its people in the class. The maximum looks
//! at the worst class; the average, over all rows, is what a *marketer* who names everybody gets right.
//! Less is safer.
//!
//! **Monotone.** A union is larger than its parts. For the average, classes get fewer and rows do not, so
//! the mean, which is classes over rows for a prosecutor, falls; for a journalist only as long as nothing is
//! suppressed.

use super::parameter::{GivenError, NumberBounds, Parameter, ParameterKind, ParameterValue};
use super::registry::{Given, ModelEntry};
use super::{Class, Direction, Monotonicity, PrivacyModel, ToldByRows, Whole};

const RISK: Parameter = Parameter::number("risk", "the highest risk allowed", NumberBounds::SHARE);

const ATTACKER: Parameter = Parameter::optional(
    "attacker",
    "prosecutor (knows who is in the table; the default) or journalist (knows a population)",
    ParameterKind::Choice(&["prosecutor", "journalist"]),
);

const POPULATION: Parameter =
    Parameter::optional("population", "the table of the population, for a journalist", ParameterKind::Text);

pub(super) const AVERAGE: ModelEntry = ModelEntry {
    name: "average-risk",
    summary: "the average risk of re-identification over all rows is at most this (the marketer)",
    citation: "Dankar and El Emam 2010",
    parameters: &[RISK, ATTACKER, POPULATION],
    takes_column: false,
    build: |given| build(given, true),
    measured: |_| vec![Box::new(Risk { risk: 1.0, journalist: false, mean: true })],
};

pub(super) const MAXIMUM: ModelEntry = ModelEntry {
    name: "max-risk",
    summary: "no row has a higher risk of re-identification than this (prosecutor or journalist)",
    citation: "Dankar and El Emam 2010",
    parameters: &[RISK, ATTACKER, POPULATION],
    takes_column: false,
    build: |given| build(given, false),
    measured: |_| vec![Box::new(Risk { risk: 1.0, journalist: false, mean: false })],
};

fn build(given: &Given<'_>, mean: bool) -> Result<Box<dyn PrivacyModel>, GivenError> {
    let together = |text: &str| Err(GivenError::Together(text.into()));
    let journalist = given.text("attacker") == Some("journalist");
    match (journalist, given.text("population").is_some()) {
        (true, false) => together("a journalist needs population: the table that they know"),
        (false, true) => together("population needs attacker = \"journalist\""),
        _ => Ok(Box::new(Risk { risk: given.number("risk"), journalist, mean })),
    }
}

/// The risk of re-identification is at most `risk`: of every row, or on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Risk {
    /// The greatest risk.
    pub risk: f64,
    /// Whether the attacker knows a population only.
    pub journalist: bool,
    /// Whether the average over all rows counts.
    pub mean: bool,
}

impl PrivacyModel for Risk {
    fn name(&self) -> &'static str {
        if self.mean { AVERAGE.name } else { MAXIMUM.name }
    }

    fn degree(&self, class: &Class<'_>, _: &Whole) -> f64 {
        let crowd = class.population.filter(|_| self.journalist).unwrap_or(class.rows);
        1.0 / crowd as f64
    }

    fn asked(&self) -> f64 {
        self.risk
    }

    fn direction(&self) -> Direction {
        Direction::LessIsSafer
    }

    fn monotonicity(&self) -> Monotonicity {
        // Left out are the rows of the highest risk; a union of such a class and others need not be one.
        if self.mean && self.journalist { Monotonicity::SafeUnions } else { Monotonicity::Monotone }
    }

    fn parameters(&self) -> Vec<(&'static str, ParameterValue)> {
        let attacker = if self.journalist { "journalist" } else { "prosecutor" };
        vec![("risk", self.risk.into()), ("attacker", attacker.into())]
    }

    fn looks_at_population(&self) -> bool {
        self.journalist
    }

    fn told_by_rows(&self) -> ToldByRows {
        if self.mean || self.journalist { ToldByRows::Nothing } else { ToldByRows::AtBest }
    }

    fn is_mean(&self) -> bool {
        self.mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::achieved;

    #[test]
    fn the_worst_class_or_the_mean_of_the_rows() {
        let of = |mean| Risk { risk: 0.2, journalist: false, mean };
        let degrees = |model: Risk| {
            let of_class = |rows| (model.degree(&Class::of_rows(rows), &Whole::default()), rows);
            achieved(&model, [2, 3, 5].map(of_class))
        };
        assert_eq!(degrees(of(false)), Some(0.5));
        // Three classes of ten rows.
        assert_eq!(degrees(of(true)), Some(0.3));
        assert!(of(false).holds(1.0 / 5.0));
        let class = Class { rows: 2, values: &[], population: Some(40) };
        let journalist = Risk { journalist: true, ..of(false) };
        assert_eq!(journalist.degree(&class, &Whole::default()), 1.0 / 40.0);
        assert_eq!(of(false).degree(&class, &Whole::default()), 0.5);
    }
}
