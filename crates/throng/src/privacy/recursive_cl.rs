//! Recursive (c,l)-diversity (Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, 2006): the most
//! frequent sensitive value of a class is not too frequent, even once l − 2 others are ruled out.
//!
//! **Degree.** r₁ / (r_l + … + r_m), the counts of the class's values being r₁ ≥ … ≥ r_m; infinite if there
//! are fewer than l. Less is safer, and it must be less than c.
//!
//! **Missing** cells may be of any value, and are taken to be of the most frequent one: no other way to fill
//! them in makes the ratio greater. A safe class is safe however they are filled in, so what follows holds of
//! them, too.
//!
//! **Unions of safe classes are safe:** the greatest counts of a union add up to no more than those of its
//! parts, so r₁ grows by no more than the sum, and the rest from r_l on by no less.

use super::levelled::least_to_level;
use super::missing::ShownBySensitive;
use super::parameter::{NumberBounds, Parameter, ParameterValue};
use super::registry::ModelEntry;
use super::{Class, Direction, Monotonicity, PrivacyModel, Whole, degree_of_values};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "recursive-cl",
    summary: "in every class, the most frequent sensitive value occurs less than c times as often as the \
        l-th and all rarer ones together",
    citation: "Machanavajjhala et al. 2006",
    parameters: &[
        Parameter::number("c", "the value that the ratio must stay below", NumberBounds::POSITIVE),
        Parameter::whole("l", "the rank of the first value that the most frequent one is compared with", 2.0),
    ],
    takes_column: true,
    build: |given| {
        let (c, l) = (given.number("c"), given.number("l") as usize);
        Ok(Box::new(RecursiveCL { c, l, column: given.column().place }))
    },
    measured: |column| vec![Box::new(RecursiveCL { c: f64::INFINITY, l: 2, column: column.place })],
};

/// In every class the most frequent value has less than `c` times the rows of the `l`-th and all rarer ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecursiveCL {
    /// What the ratio must be less than.
    pub c: f64,
    /// The first of the values that the most frequent is compared with, counted from 1.
    pub l: usize,
    /// The sensitive column, by its place among the carried ones.
    pub column: usize,
}

impl PrivacyModel for RecursiveCL {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn degree(&self, class: &Class<'_>, whole: &Whole) -> f64 {
        let values = ShownBySensitive::new(class, self.column, whole);
        let (mut few, mut many) = ([0; FEW], Vec::new());
        let occurring = values.distinct();
        let counts = if occurring <= FEW {
            &mut few[..occurring]
        } else {
            many.resize(occurring, 0);
            &mut many[..]
        };
        counts.iter_mut().zip(values.counts()).for_each(|(count, rows)| *count = rows);
        counts.sort_unstable();
        counts.iter_mut().next_back().into_iter().for_each(|most| *most += values.missing);
        self.ratio(counts)
    }

    fn asked(&self) -> f64 {
        self.c
    }

    fn direction(&self) -> Direction {
        Direction::LessIsSafer
    }

    fn monotonicity(&self) -> Monotonicity {
        Monotonicity::SafeUnions
    }

    fn parameters(&self) -> Vec<(&'static str, ParameterValue)> {
        vec![("c", self.c.into()), ("l", (self.l as f64).into())]
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn holds(&self, degree: f64) -> bool {
        degree < self.c
    }

    fn least_left_out(&self, class: &Class<'_>, _: f64, whole: &Whole, _: u64) -> u64 {
        let shown = ShownBySensitive::new(class, self.column, whole);
        least_to_level(shown, |level| self.holds(degree_of_values(self, level, &Whole::default())))
    }

    fn values_needed(&self) -> u64 {
        self.l as u64
    }
}

/// Counts that stay on the stack: most classes have few values.
const FEW: usize = 32;

impl RecursiveCL {
    /// The ratio of counts that ascend.
    fn ratio(&self, counts: &[u32]) -> f64 {
        let rest = (counts.len() + 1).saturating_sub(self.l);
        let rest: u64 = counts[..rest].iter().map(|&count| u64::from(count)).sum();
        let most = counts.last().copied().unwrap_or(0);
        if rest == 0 { f64::INFINITY } else { f64::from(most) / rest as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::tests::class;

    #[test]
    fn the_most_frequent_is_compared_with_the_rest_from_the_lth_on() {
        let model = RecursiveCL { c: 3.0, l: 3, column: 0 };
        let degree = |counts: &[u32]| class(counts, |class| model.degree(class, &Whole::default()));
        // r = 6, 4, 2, 1: 6 / (2 + 1).
        assert_eq!(degree(&[1, 0, 6, 2, 4]), 2.0);
        assert_eq!(degree(&[6, 4]), f64::INFINITY);
        assert!(model.holds(2.0) && !model.holds(3.0), "less than c, not c");
        let many: Vec<u32> = (1..=40).collect();
        assert_eq!(degree(&many), 40.0 / f64::from(38 * 39 / 2));
    }
}
