//! β-likeness (Cao and Karras, 2012): anyone who finds a person's class becomes at most β times surer of any
//! sensitive value than the whole release makes them.
//!
//! **Degree.** The greatest gain (q − p) / p of a value, q being its share of the class and p that of the
//! whole; less is safer. *Enhanced*, the gain may not exceed −ln p either, so that frequent values are
//! bounded, too: a class in which one does has no finite degree.
//!
//! **Missing** is a value like any other, or no row of the class and of the whole; the worse of the two counts.
//!
//! **Unions of safe classes are safe:** the share in a union lies between those in its parts. What is left
//! out changes the whole that classes are compared with.

use super::missing::worse_reading;
use super::parameter::{NumberBounds, Parameter, ParameterKind, ParameterValue};
use super::registry::ModelEntry;
use super::{Class, Direction, Monotonicity, PrivacyModel, Whole};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "beta-likeness",
    summary: "no sensitive value is more than beta times more frequent in a class than in the whole release",
    citation: "Cao and Karras 2012",
    parameters: &[
        Parameter::number("beta", "the largest gain in frequency", NumberBounds::POSITIVE),
        Parameter::optional(
            "enhanced",
            "whether frequent values are also bounded by -ln p (default: false)",
            ParameterKind::Flag,
        ),
    ],
    takes_column: true,
    build: |given| {
        let (beta, enhanced) = (given.number("beta"), given.flag("enhanced"));
        Ok(Box::new(BetaLikeness { beta, enhanced, column: given.column().place }))
    },
    measured: |column| {
        let of = |enhanced| BetaLikeness { beta: f64::INFINITY, enhanced, column: column.place };
        vec![Box::new(of(false)), Box::new(of(true))]
    },
};

/// No value gains more than `beta` in a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BetaLikeness {
    /// The greatest gain.
    pub beta: f64,
    /// Whether a gain may not exceed −ln p, either.
    pub enhanced: bool,
    /// The sensitive column, by its place among the carried ones.
    pub column: usize,
}

impl PrivacyModel for BetaLikeness {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn degree(&self, class: &Class<'_>, whole: &Whole) -> f64 {
        worse_reading(self, class, whole, |class, whole| self.greatest_gain(class, whole))
    }

    fn asked(&self) -> f64 {
        self.beta
    }

    fn direction(&self) -> Direction {
        Direction::LessIsSafer
    }

    fn monotonicity(&self) -> Monotonicity {
        Monotonicity::SafeUnions
    }

    fn parameters(&self) -> Vec<(&'static str, ParameterValue)> {
        vec![("beta", self.beta.into()), ("enhanced", self.enhanced.into())]
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn holds(&self, degree: f64) -> bool {
        // Infinite is what an enhanced model refuses, whatever is asked.
        degree <= self.beta && degree.is_finite()
    }

    fn compares_with_whole(&self) -> bool {
        true
    }
}

impl BetaLikeness {
    fn greatest_gain(&self, class: &Class<'_>, whole: &Whole) -> f64 {
        let (rows, all) = (i128::from(class.rows), i128::from(whole.rows));
        let mut greatest = 0.0f64;
        for (code, count) in class.values[self.column].iter() {
            let of_whole = whole.values[self.column][code as usize];
            let (q, p) = (i128::from(count) * all, i128::from(of_whole) * rows);
            let gain = (q - p) as f64 / p as f64;
            if self.enhanced && gain > -(of_whole as f64 / all as f64).ln() {
                return f64::INFINITY;
            }
            greatest = Direction::LessIsSafer.worse(greatest, gain);
        }
        greatest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::tests::{class, whole};

    #[test]
    fn the_greatest_gain_counts() {
        let of = |enhanced| BetaLikeness { beta: 1.0, enhanced, column: 0 };
        let degree = |enhanced, counts: &[u32], all: &[u64]| {
            class(counts, |class| of(enhanced).degree(class, &whole(all)))
        };
        // Of 10: 5, 3, 2; in the class 1, 0, 1: the last gains (1/2 − 1/5) / (1/5).
        assert_eq!(degree(false, &[1, 0, 1], &[5, 3, 2]), 1.5);
        assert_eq!(degree(false, &[5, 3, 2], &[50, 30, 20]), 0.0);
        // −ln(1/5) = 1.61 allows that; −ln(4/5) = 0.22 does not allow a gain of 1/4.
        assert_eq!(degree(true, &[1, 0, 1], &[5, 3, 2]), 1.5);
        assert_eq!(degree(false, &[2, 0], &[8, 2]), 0.25);
        assert_eq!(degree(true, &[2, 0], &[8, 2]), f64::INFINITY);
        assert!(of(true).holds(1.0) && !of(true).holds(1.1) && !of(true).holds(f64::INFINITY));
    }
}
