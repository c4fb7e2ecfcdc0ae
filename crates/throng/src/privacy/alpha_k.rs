//! (α,k)-anonymity (Wong, Li, Fu and Wang, 2006): in addition to k rows, no more than a share α of any class
//! has a sensitive value. The k is a separate requirement.
//!
//! **Degree.** The share of the class's rows that have the value; without one, that of its most frequent
//! value (the paper's general form, for all values at once). Less is safer.
//!
//! **Missing** cells may be of any value, and are taken to be of the value, or of the most frequent one: a class
//! that holds does so however they are filled in.
//!
//! **Unions of safe classes are safe:** the share in a union lies between those in its parts.

use super::levelled::least_to_level;
use super::missing::ShownBySensitive;
use super::parameter::{NumberBounds, Parameter, ParameterKind, ParameterValue};
use super::registry::ModelEntry;
use super::{Class, Direction, Monotonicity, PrivacyModel, Whole, degree_of_values};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "alpha-k",
    summary: "in addition to k rows, no more than a share alpha of any class has the sensitive value, or \
        any single value",
    citation: "Wong, Li, Fu and Wang 2006",
    parameters: &[
        Parameter::number("alpha", "the largest share of a class", NumberBounds::SHARE),
        Parameter::optional(
            "value",
            "the sensitive value; every value if none is given",
            ParameterKind::Text,
        ),
    ],
    takes_column: true,
    build: |given| {
        let (alpha, column) = (given.number("alpha"), given.column());
        // A value that no row has any more, as in a release, has a code beyond all others.
        let code = |text: &str| column.code(text).unwrap_or(column.texts.len() as u32);
        let value = given.text("value").map(|text| (code(text), text.to_owned()));
        Ok(Box::new(AlphaK { alpha, value, column: column.place }))
    },
    measured: |column| vec![Box::new(AlphaK { alpha: 1.0, value: None, column: column.place })],
};

/// At most a share `alpha` of every class has a value of a sensitive column.
#[derive(Clone, Debug, PartialEq)]
pub struct AlphaK {
    /// The greatest share of a class.
    pub alpha: f64,
    /// The code of the value, which no row need have, and its text; every value if there is none.
    pub value: Option<(u32, String)>,
    /// The sensitive column, by its place among the carried ones.
    pub column: usize,
}

impl PrivacyModel for AlphaK {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn degree(&self, class: &Class<'_>, whole: &Whole) -> f64 {
        let shown = ShownBySensitive::new(class, self.column, whole);
        let rows = match &self.value {
            Some((code, _)) => shown.of_value(*code),
            None => shown.most(),
        };
        // A person with the value and a missing cell is one, not two.
        ((u64::from(rows) + u64::from(shown.missing)) as f64 / class.rows as f64).min(1.0)
    }

    fn asked(&self) -> f64 {
        self.alpha
    }

    fn direction(&self) -> Direction {
        Direction::LessIsSafer
    }

    fn monotonicity(&self) -> Monotonicity {
        Monotonicity::SafeUnions
    }

    fn parameters(&self) -> Vec<(&'static str, ParameterValue)> {
        let value = self.value.iter().map(|(_, text)| ("value", text.as_str().into()));
        [("alpha", self.alpha.into())].into_iter().chain(value).collect()
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn least_left_out(&self, class: &Class<'_>, _: f64, whole: &Whole, _: u64) -> u64 {
        let shown = ShownBySensitive::new(class, self.column, whole);
        match &self.value {
            Some(_) => 1,
            None => {
                least_to_level(shown, |level| self.holds(degree_of_values(self, level, &Whole::default())))
            }
        }
    }

    fn values_needed(&self) -> u64 {
        // The most frequent of m values has at least a share of 1/m.
        if self.value.is_some() { 1 } else { (1.0 / self.alpha - 1e-9).ceil() as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::tests::{class, whole};

    #[test]
    fn the_share_of_a_value_or_of_the_most_frequent() {
        let of = |value| AlphaK { alpha: 0.5, value, column: 0 };
        let degree = |model: AlphaK| class(&[3, 0, 1], |class| model.degree(class, &whole(&[3, 1, 1])));
        assert_eq!(degree(of(None)), 0.75);
        assert_eq!(degree(of(Some((2, "hiv".into())))), 0.25);
        assert_eq!(degree(of(Some((1, "flu".into())))), 0.0);
        assert!(of(None).holds(0.5) && !of(None).holds(0.51));
    }
}
