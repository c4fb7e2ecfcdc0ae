//! Entropy l-diversity (Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, 2006): the sensitive
//! values of a class are as uncertain as l equally frequent ones.
//!
//! **Degree.** exp(H) of the class, H = −Σ q ln q being the entropy of its values: the number of equally
//! frequent values of that entropy. More is safer. Rounded to nine decimals, so that l equally frequent
//! values have exactly l.
//!
//! **Missing** cells may be of any value, and are taken to be of the most frequent one: no other way to fill
//! them in leaves less uncertainty. A safe class is safe however they are filled in, so what follows holds of
//! them, too.
//!
//! **Unions of safe classes are safe:** entropy is concave, so a mixture has at least the lesser of two.
//! With an unsafe class a union may fail: 1 + 1 rows of two values have 2, with ten more of the first
//! they have 1.3.

use std::sync::LazyLock;

use super::levelled::least_to_level;
use super::missing::ShownBySensitive;
use super::parameter::{NumberBounds, Parameter, ParameterValue};
use super::registry::ModelEntry;
use super::{Class, Direction, Monotonicity, PrivacyModel, Whole, degree_of_values, rounded};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "entropy-l",
    summary: "the sensitive values of every class are at least as uncertain as l equally frequent values",
    citation: "Machanavajjhala et al. 2006",
    parameters: &[Parameter::number("l", "the smallest number of equally frequent values", AT_LEAST_ONE)],
    takes_column: true,
    build: |given| Ok(Box::new(EntropyL { l: given.number("l"), column: given.column().place })),
    measured: |column| vec![Box::new(EntropyL { l: 1.0, column: column.place })],
};

const AT_LEAST_ONE: NumberBounds = NumberBounds { least: 1.0, closed: true, most: f64::INFINITY };

/// The sensitive values of every class are as uncertain as `l` equally frequent ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EntropyL {
    /// The least number of equally frequent values.
    pub l: f64,
    /// The sensitive column, by its place among the carried ones.
    pub column: usize,
}

impl PrivacyModel for EntropyL {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn degree(&self, class: &Class<'_>, whole: &Whole) -> f64 {
        // H = ln n − Σ c ln c / n.
        let rows = class.rows_of(self.column) as f64;
        let shown = ShownBySensitive::new(class, self.column, whole);
        let mut sum: f64 = shown.counts().map(c_ln_c).sum();
        if shown.missing > 0 {
            let most = shown.most();
            sum += c_ln_c(most + shown.missing) - c_ln_c(most);
        }
        rounded((rows.ln() - sum / rows).exp())
    }

    fn asked(&self) -> f64 {
        self.l
    }

    fn direction(&self) -> Direction {
        Direction::MoreIsSafer
    }

    fn monotonicity(&self) -> Monotonicity {
        Monotonicity::SafeUnions
    }

    fn parameters(&self) -> Vec<(&'static str, ParameterValue)> {
        vec![("l", self.l.into())]
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn least_left_out(&self, class: &Class<'_>, _: f64, whole: &Whole, _: u64) -> u64 {
        let shown = ShownBySensitive::new(class, self.column, whole);
        least_to_level(shown, |level| self.holds(degree_of_values(self, level, &Whole::default())))
    }

    fn values_needed(&self) -> u64 {
        self.l.ceil() as u64
    }
}

/// Small counts of which c ln c is looked up: a logarithm takes longer than all the rest.
static SMALL: LazyLock<[f64; 1 << 10]> =
    LazyLock::new(|| std::array::from_fn(|count| (count.max(1) as f64).ln() * count as f64));

fn c_ln_c(count: u32) -> f64 {
    let looked_up = SMALL.get(count as usize).copied();
    looked_up.unwrap_or_else(|| f64::from(count) * f64::from(count).ln())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::tests::class;

    #[test]
    fn equally_frequent_values_have_their_number() {
        let model = EntropyL { l: 3.0, column: 0 };
        let degree = |counts: &[u32]| class(counts, |class| model.degree(class, &Whole::default()));
        for values in 1..40 {
            assert_eq!(degree(&vec![7; values]), values as f64);
        }
        // H of 1/2, 1/4, 1/4 is 1.5 bits.
        assert_eq!(degree(&[2, 1, 1]), rounded(2f64.powf(1.5)));
        assert_eq!(degree(&[2000, 0, 1000, 1000]), rounded(2f64.powf(1.5)));
        assert!(model.holds(3.0) && !model.holds(2.9));
        assert!(degree(&[11, 1]) < 1.4, "two values, but hardly uncertain");
    }
}
