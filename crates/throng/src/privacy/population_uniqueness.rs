//! Population uniqueness: of the records of a sample only a small share is estimated to be unique in the population.
//!
//! **Degree.** That of the release is the share by one of the [estimators](crate::sample); what it is by which formula is
//! written there. A class by itself has 1 if its record is alone and else 0, so that these go first where rows may be left
//! out: no other record can be unique. What is left counts as the same share of those of the population that are like it.
//! Where an estimator does not hold there is no degree, and nothing is released. Less is safer.
//!
//! **Not monotone.** Where two classes become one, none of whose records is alone, the others may look rarer than before.

use super::estimated_k_map::FRACTION;
use super::parameter::{NumberBounds, Parameter, ParameterKind, ParameterValue};
use super::registry::ModelEntry;
use super::{Class, Direction, Monotonicity, PrivacyModel, Whole, rounded};
use crate::sample::{ESTIMATORS, Estimator, Sample};

/// The estimator if none is given.
const ESTIMATOR: &str = "dankar";

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "population-uniqueness",
    summary: "at most this share of the records is estimated to be unique in the population that the table was sampled from",
    citation: "Dankar et al. 2012",
    parameters: &[
        Parameter::number("share", "the largest share of records that may be unique", NumberBounds::UNIT),
        FRACTION,
        Parameter::optional(
            "estimator",
            "pitman, zayatz, snb, or dankar, whose rule chooses among them (default: dankar)",
            ParameterKind::Choice(&["pitman", "zayatz", "snb", "dankar"]),
        ),
    ],
    takes_column: false,
    build: |given| {
        let name = given.text("estimator").unwrap_or(ESTIMATOR);
        Ok(Box::new(PopulationUniqueness::new(given.number("share"), given.number("fraction"), name)))
    },
    measured: |_| Vec::new(),
};

/// At most a share of the records is unique in the population.
#[derive(Clone, Copy, Debug)]
pub struct PopulationUniqueness {
    share: f64,
    fraction: f64,
    estimator: &'static Estimator,
}

impl PopulationUniqueness {
    /// At most such a share by the estimator of a name, of a sample that is such a fraction of its population.
    ///
    /// # Panics
    /// If there is no such estimator.
    pub fn new(share: f64, fraction: f64, estimator: &str) -> PopulationUniqueness {
        let estimator = ESTIMATORS.iter().find(|known| known.name == estimator).expect("an estimator's name");
        PopulationUniqueness { share, fraction, estimator }
    }
}

impl PrivacyModel for PopulationUniqueness {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn degree(&self, class: &Class<'_>, _: &Whole) -> f64 {
        if class.rows == 1 { 1.0 } else { 0.0 }
    }

    fn asked(&self) -> f64 {
        self.share
    }

    fn direction(&self) -> Direction {
        Direction::LessIsSafer
    }

    fn monotonicity(&self) -> Monotonicity {
        Monotonicity::None
    }

    fn parameters(&self) -> Vec<(&'static str, ParameterValue)> {
        vec![
            ("share", self.share.into()),
            ("fraction", self.fraction.into()),
            ("estimator", self.estimator.name.into()),
        ]
    }

    fn is_mean(&self) -> bool {
        true
    }

    fn together(&self, classes: &mut dyn Iterator<Item = (f64, u64)>) -> Option<f64> {
        let (mut sizes, mut is_number, mut any) = (Vec::new(), true, false);
        classes.for_each(|(degree, rows)| {
            is_number &= !degree.is_nan();
            any |= rows > 0;
            sizes.push((rows, 1));
        });
        if !is_number || !any {
            return any.then_some(f64::NAN);
        }
        let share = (self.estimator.share)(&Sample::new(sizes, self.fraction));
        Some(share.map_or(f64::NAN, rounded))
    }

    fn why_none(&self, sizes: &[u64]) -> Option<String> {
        let sizes: Vec<(u64, u64)> =
            sizes.iter().map(|&rows| (rows, 1)).filter(|(rows, _)| *rows > 0).collect();
        let refused = (!sizes.is_empty()).then(|| (self.estimator.share)(&Sample::new(sizes, self.fraction)));
        let out_of_range = refused?.err()?;
        let (name, instead) = (self.estimator.name, out_of_range.instead);
        Some(format!("{name} does not hold here: {}; use estimator = \"{instead}\"", out_of_range.reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::achieved;

    fn share(model: &PopulationUniqueness, sizes: &[u64]) -> Option<f64> {
        achieved(
            model,
            sizes.iter().map(|&rows| (model.degree(&Class::of_rows(rows), &Whole::default()), rows)),
        )
    }

    #[test]
    fn the_share_is_that_of_the_estimators_worked_examples() {
        let zayatz = PopulationUniqueness::new(0.1, 0.5, "zayatz");
        assert_eq!(share(&zayatz, &[1, 1, 2]), Some(0.318_181_818));
        assert_eq!(share(&zayatz, &[3, 2]), Some(0.0));
        assert_eq!(share(&zayatz, &[]), None);
        let census = PopulationUniqueness::new(0.1, 1.0, "dankar");
        assert_eq!(share(&census, &[1, 1, 2]), Some(0.5));
    }

    /// One of two rows, of four classes, is as rare as before, but no longer so among its like.
    #[test]
    fn a_union_may_be_less_safe() {
        let zayatz = PopulationUniqueness::new(0.1, 0.1, "zayatz");
        let (before, after) = (share(&zayatz, &[1, 2, 2, 2, 2]).unwrap(), share(&zayatz, &[1, 8]).unwrap());
        assert!(after > before + 0.005, "{before} {after}");
    }

    #[test]
    fn where_an_estimator_does_not_hold_nothing_does() {
        let pitman = PopulationUniqueness::new(1.0, 0.01, "pitman");
        let share = share(&pitman, &[1; 40]).unwrap();
        assert!(share.is_nan() && !pitman.holds(share));
        let why = pitman.why_none(&[1; 40]).unwrap();
        assert!(why.contains("alone") && why.ends_with("use estimator = \"zayatz\""), "{why}");
        assert_eq!(pitman.why_none(&[2, 2]), None);
    }
}
