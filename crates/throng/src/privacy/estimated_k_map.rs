//! k-map of a population that nobody has counted (El Emam and Dankar, 2008): every class is, but for a small chance of
//! error, that of k people of the population that the table is a sample of.
//!
//! **Degree.** If a class has F people in the population, and each of them was sampled with probability π, f of them are
//! with the binomial probability P(f | F). The hypothesis that there are fewer than k is given up if f or more would then be
//! sampled with a probability of at most α, the significance:
//!
//! P(Bin(k − 1, π) ≥ f) ≤ α.
//!
//! The degree is the largest k for which it is; a lower confidence bound of F. It is at least f. More is safer.
//!
//! **Worked example.** A tenth is sampled, and α is 0.05. Of four people at least two are sampled with probability 0.052, of
//! three with 0.028: a class of two rows has four people, though twenty are expected. Of eight people at least three are
//! sampled with 0.038, of nine with 0.053: a class of three rows has nine.
//!
//! **Deviations.** The paper has a Poisson distribution of mean kπ in the place of the binomial one, for which a class of the
//! sample could have more people than the population. Of a class of more than a thousand rows the first three digits count,
//! so that its degree is a little too small.
//!
//! **Monotone.** A union has at least the rows of each of its parts.

use std::sync::{Arc, OnceLock};

use super::parameter::{NumberBounds, Parameter, ParameterKind, ParameterValue};
use super::registry::ModelEntry;
use super::{Class, Direction, Monotonicity, PrivacyModel, Whole};
use crate::sample::tail_of_binomial;

/// The significance if none is given.
const SIGNIFICANCE: f64 = 0.05;

/// Up to here every number of rows has a degree of its own; beyond, those of the same first three digits share one.
const EXACT_ROWS: u64 = 1_000;
const SHARED: u64 = 900;
/// Probabilities that differ by no more are the same.
const ROUNDING: f64 = 1e-12;
/// Factors of ten beyond that.
const DECADES: u32 = 16;

/// The share of its population that the table is.
pub(super) const FRACTION: Parameter = Parameter::number(
    "fraction",
    "the share of the population that was sampled (default: the sampling_fraction of the job)",
    NumberBounds::SHARE,
);

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "estimated-k-map",
    summary: "every class is estimated to fit at least k people of the population that the table was sampled from",
    citation: "El Emam and Dankar 2008",
    parameters: &[
        Parameter::whole("k", "the smallest number of people of the population in a class", 2.0),
        FRACTION,
        Parameter::optional(
            "significance",
            "the chance that a class of fewer people passes (default: 0.05)",
            ParameterKind::Number(NumberBounds { least: 0.0, closed: false, most: 0.5 }),
        ),
    ],
    takes_column: false,
    build: |given| {
        let significance = given.optional_number("significance").unwrap_or(SIGNIFICANCE);
        Ok(Box::new(EstimatedKMap::new(given.number("k") as u64, given.number("fraction"), significance)))
    },
    measured: |_| Vec::new(),
};

/// At least `k` of the population are in every class, by estimate.
#[derive(Clone, Debug)]
pub struct EstimatedKMap {
    k: u64,
    fraction: f64,
    significance: f64,
    /// What was found for a number of rows.
    known: Arc<[OnceLock<f64>]>,
}

impl EstimatedKMap {
    /// At least `k` people in every class, where such a share of them was sampled, with such a chance of error.
    pub fn new(k: u64, fraction: f64, significance: f64) -> EstimatedKMap {
        let places = EXACT_ROWS as usize + SHARED as usize * DECADES as usize;
        EstimatedKMap { k, fraction, significance, known: (0..places).map(|_| OnceLock::new()).collect() }
    }

    /// The people that a class of so many rows has at least.
    fn people(&self, rows: u64) -> f64 {
        let (place, rows) = place(rows);
        let find = || people_at_least(rows, self.fraction, self.significance);
        self.known.get(place).map_or_else(find, |known| *known.get_or_init(find))
    }
}

/// Where the degree of a number of rows is kept, and the number of rows that it is that of.
fn place(rows: u64) -> (usize, u64) {
    let (mut leading, mut decade) = (rows, 0u32);
    while leading >= EXACT_ROWS {
        leading /= 10;
        decade += 1;
    }
    match decade {
        0 => (rows as usize, rows),
        _ => {
            let of_decade = u64::from(decade - 1) * SHARED + leading - (EXACT_ROWS - SHARED);
            ((EXACT_ROWS + of_decade) as usize, leading * 10u64.pow(decade))
        }
    }
}

/// The largest k such that of k − 1 people so many would be sampled with no more than a small chance.
fn people_at_least(rows: u64, fraction: f64, significance: f64) -> f64 {
    if rows == 0 || fraction >= 1.0 || fraction.is_nan() {
        return if fraction.is_nan() { f64::NAN } else { rows as f64 };
    }
    // Of as many as are expected, at least half the samples have so many rows.
    let (mut low, mut high) = (rows as f64 - 1.0, (rows as f64 / fraction).ceil() + 1.0);
    while high - low > 1.0 {
        let middle = ((low + high) / 2.0).floor();
        if middle <= low || middle >= high {
            break;
        }
        if tail_of_binomial(middle, fraction, rows as f64) <= significance + ROUNDING {
            low = middle
        } else {
            high = middle
        }
    }
    low + 1.0
}

impl PrivacyModel for EstimatedKMap {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn degree(&self, class: &Class<'_>, _: &Whole) -> f64 {
        self.people(class.rows)
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
        vec![
            ("k", self.asked().into()),
            ("fraction", self.fraction.into()),
            ("significance", self.significance.into()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definition: all subsets of people by their number.
    fn tail(people: u64, fraction: f64, rows: u64) -> f64 {
        let choose = |n: u64, k: u64| (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product::<f64>();
        let of = |sampled: u64| {
            let others = (people - sampled) as i32;
            choose(people, sampled) * fraction.powi(sampled as i32) * (1.0 - fraction).powi(others)
        };
        (rows..=people).map(of).sum()
    }

    #[test]
    fn the_degree_is_the_largest_k_that_is_not_given_up() {
        for fraction in [0.03, 0.1, 0.25, 0.5, 0.9] {
            for significance in [0.01, 0.05, 0.3] {
                for rows in 1..12 {
                    let by_definition = (rows..)
                        .find(|&people| tail(people, fraction, rows) > significance + ROUNDING)
                        .unwrap();
                    let found = people_at_least(rows, fraction, significance);
                    assert_eq!(found, by_definition as f64, "{rows} {fraction} {significance}");
                }
            }
        }
    }

    #[test]
    fn the_worked_example_and_a_census() {
        let of = |rows, fraction| EstimatedKMap::new(5, fraction, 0.05).people(rows);
        assert_eq!((of(1, 0.1), of(2, 0.1), of(3, 0.1)), (1.0, 4.0, 9.0));
        assert_eq!((of(1, 1.0), of(7, 1.0)), (1.0, 7.0));
    }

    #[test]
    fn large_classes_have_the_degree_of_their_first_three_digits() {
        let model = EstimatedKMap::new(5, 0.1, 0.05);
        for rows in [999u64, 1_000, 1_009, 1_010, 12_345, 99_999, 100_000, 7_654_321, 20_000_000_000] {
            let (place, counted) = place(rows);
            assert!(place < model.known.len() && counted <= rows && rows < counted + counted / 99, "{rows}");
            assert_eq!(model.people(rows), people_at_least(counted, 0.1, 0.05), "{rows}");
            // About as many as are expected, but never more.
            let share = model.people(rows) * 0.1 / rows as f64;
            assert!(share > 0.9 && share <= 1.0, "{rows}: {share}");
        }
        let degrees: Vec<f64> = (1..5_000).map(|rows| model.people(rows)).collect();
        assert!(degrees.is_sorted());
    }
}
