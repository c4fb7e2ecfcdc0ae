//! δ-disclosure privacy (Brickell and Shmatikov, 2008): every sensitive value is about as frequent in a
//! class as in the whole release.
//!
//! **Degree.** The greatest |ln(q / p)| of a value, q being its share of the class and p that of the whole;
//! infinite if a value of the whole does not occur in the class. Less is safer, and it must be less than δ.
//! The paper does not name the base of the logarithm: here it is e.
//!
//! **Missing** is a value like any other, or no row of the class and of the whole; the worse of the two counts.
//!
//! **Unions of safe classes are safe:** the share in a union lies between those in its parts. What is left
//! out changes the whole that classes are compared with.

use super::missing::worse_reading;
use super::parameter::{NumberBounds, Parameter, ParameterValue};
use super::registry::ModelEntry;
use super::{Class, Direction, Monotonicity, PrivacyModel, Whole};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "delta-disclosure",
    summary: "every sensitive value is about as frequent in a class as in the whole release",
    citation: "Brickell and Shmatikov 2008",
    parameters: &[Parameter::number(
        "delta",
        "the value that |ln(q/p)| must stay below",
        NumberBounds::POSITIVE,
    )],
    takes_column: true,
    build: |given| {
        Ok(Box::new(DeltaDisclosure { delta: given.number("delta"), column: given.column().place }))
    },
    measured: |column| vec![Box::new(DeltaDisclosure { delta: f64::INFINITY, column: column.place })],
};

/// The share of every value in a class is less than a factor exp(`delta`) from that in the whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeltaDisclosure {
    /// What |ln(q/p)| must be less than.
    pub delta: f64,
    /// The sensitive column, by its place among the carried ones.
    pub column: usize,
}

impl PrivacyModel for DeltaDisclosure {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn degree(&self, class: &Class<'_>, whole: &Whole) -> f64 {
        worse_reading(self, class, whole, |class, whole| self.greatest_change(class, whole))
    }

    fn asked(&self) -> f64 {
        self.delta
    }

    fn direction(&self) -> Direction {
        Direction::LessIsSafer
    }

    fn monotonicity(&self) -> Monotonicity {
        Monotonicity::SafeUnions
    }

    fn parameters(&self) -> Vec<(&'static str, ParameterValue)> {
        vec![("delta", self.delta.into())]
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn holds(&self, degree: f64) -> bool {
        degree < self.delta
    }

    fn compares_with_whole(&self) -> bool {
        true
    }
}

impl DeltaDisclosure {
    fn greatest_change(&self, class: &Class<'_>, whole: &Whole) -> f64 {
        let (rows, all) = (class.rows as f64, whole.rows as f64);
        let of_whole = &whole.values[self.column];
        if class.values[self.column].distinct() < of_whole.iter().filter(|&&rows| rows > 0).count() {
            return f64::INFINITY;
        }
        let change = |(code, count): (u32, u32)| {
            let factor = (f64::from(count) * all) / (of_whole[code as usize] as f64 * rows);
            factor.ln().abs()
        };
        let changes = class.values[self.column].iter().map(change);
        changes.fold(0.0, |a, b| Direction::LessIsSafer.worse(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::tests::{class, whole};

    #[test]
    fn the_greatest_change_of_a_share_counts() {
        let model = DeltaDisclosure { delta: 1.0, column: 0 };
        let degree = |counts: &[u32], all: &[u64]| class(counts, |class| model.degree(class, &whole(all)));
        assert_eq!(degree(&[1, 1], &[5, 5]), 0.0);
        // 1/4 of the class, 1/2 of the whole.
        assert_eq!(degree(&[1, 3], &[5, 5]), 2f64.ln());
        assert_eq!(degree(&[4, 0], &[5, 5]), f64::INFINITY);
        assert_eq!(degree(&[4, 0, 4], &[5, 0, 5]), 0.0, "a value of nobody is not missing");
        assert!(!model.holds(1.0) && model.holds(0.99));
    }
}
