//! Means over columns as whole numbers.
//!
//! The largest loss is a sum of whole units, and as exact as that. A geometric mean is compared by the sum of the
//! logarithms of what it multiplies. These are rounded down to [`DIGITS`] binary digits, by whole numbers alone: the
//! same on every machine, and never less for a larger loss. So bounds are below what they bound without any
//! tolerance, and two releases count as equally good only where the products differ by less than one in 10^17.

use super::units::Units;
use crate::loss::{Aggregate, Mean, cells};
use crate::problem::Problem;

/// Binary digits of logarithms behind the point.
const DIGITS: u32 = 60;

/// A mean over columns that is no sum of what they lose.
pub(super) enum MeanOfColumns {
    /// Of the logarithms of 1 + loss.
    Geometric {
        /// A loss of 1, in the units of a column's sum times the number of columns.
        one: u128,
        columns: u128,
    },
    Largest,
}

impl MeanOfColumns {
    /// None for the arithmetic mean, which is compared by the sum.
    pub(super) fn new(problem: &Problem, aggregate: Aggregate, units: &Units) -> Option<MeanOfColumns> {
        let (of_cells, of_suppressed) = aggregate.preference.factors();
        let factor = of_cells.max(of_suppressed) as f64;
        match aggregate.mean {
            Mean::Arithmetic => None,
            Mean::Geometric => Some(MeanOfColumns::Geometric {
                one: ((cells(problem) * units.of_one() * factor).round() as u128).max(1),
                columns: problem.attributes().len() as u128,
            }),
            Mean::Largest => Some(MeanOfColumns::Largest),
        }
    }

    /// What the sums over the cells of columns come to.
    pub(super) fn mean(&self, sums: impl Iterator<Item = i128>) -> i128 {
        match self {
            MeanOfColumns::Geometric { .. } => sums.map(|sum| self.logarithm(sum)).sum(),
            MeanOfColumns::Largest => sums.max().unwrap_or(0),
        }
    }

    /// What each column adds to a lower bound at least, given what its cells cost at least.
    pub(super) fn bounds(&self, least: &[Vec<i128>]) -> Vec<Vec<i128>> {
        // None is larger than the largest, so their mean is not, either.
        let columns = least.len() as i128;
        let bound = |&sum: &i128| match self {
            MeanOfColumns::Geometric { .. } => self.logarithm(sum),
            MeanOfColumns::Largest => sum.div_euclid(columns),
        };
        least.iter().map(|of| of.iter().map(bound).collect()).collect()
    }

    /// log2 (1 + loss), rounded down.
    fn logarithm(&self, sum: i128) -> i128 {
        let MeanOfColumns::Geometric { one, columns } = self else { return sum };
        let sum = u128::try_from(sum).unwrap_or(0);
        log2(one + columns * sum) - log2(*one)
    }
}

/// The binary logarithm of a whole number above 0, in units of 2^-[`DIGITS`]; never less for a larger number.
fn log2(number: u128) -> i128 {
    let whole = 127 - number.leading_zeros();
    // From 1 to 2, where 2^63 is 1: what is shifted out is rounded down, as are the squares.
    let mut rest = if whole >= 63 { number >> (whole - 63) } else { number << (63 - whole) };
    let mut digits = i128::from(whole);
    for _ in 0..DIGITS {
        rest = (rest * rest) >> 63;
        let digit = rest >> 64;
        rest >>= digit;
        digits = 2 * digits + digit as i128;
    }
    digits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const UNIT: f64 = (1u64 << DIGITS) as f64;

    #[test]
    fn powers_of_two_are_exact() {
        for whole in 0..127 {
            assert_eq!(log2(1 << whole), i128::from(whole) << DIGITS);
        }
        // The nearest double to log2 10.
        let ten = log2(10) as f64 / UNIT;
        assert!((ten - std::f64::consts::LOG2_10).abs() < 1e-15, "{ten}");
    }

    #[test]
    fn a_geometric_mean_is_not_an_arithmetic_one() {
        let mean = MeanOfColumns::Geometric { one: 1000, columns: 2 };
        let of = |sums: [i128; 2]| mean.mean(sums.into_iter());
        // 1 + loss: 2 · 2 = 4 is more than 1 · 3.8, though 1000 is more than 1400 / 2 + ….
        assert!(of([500, 500]) > of([0, 1400]) && of([500, 500]) == of([0, 1500]));
        assert_eq!(MeanOfColumns::Largest.mean([3, 9, 4].into_iter()), 9);
    }

    proptest! {
        #[test]
        fn logarithms_rise_and_are_near(a in 1u128..1 << 100, more in 0u128..1 << 90) {
            prop_assert!(log2(a) <= log2(a + more));
            let near = (a as f64).log2();
            prop_assert!((log2(a) as f64 / UNIT - near).abs() <= 1e-13);
        }

        /// Bounds of columns are below what the columns come to.
        #[test]
        fn sums_of_bounds_are_bounds(sums in prop::collection::vec((0i128..1 << 50, 0i128..1 << 40), 1..6)) {
            for mean in [MeanOfColumns::Geometric { one: 1 << 45, columns: sums.len() as u128 }, MeanOfColumns::Largest] {
                let least: Vec<Vec<i128>> = sums.iter().map(|&(least, _)| vec![least]).collect();
                let bound: i128 = mean.bounds(&least).iter().map(|of| of[0]).sum();
                prop_assert!(bound <= mean.mean(sums.iter().map(|(least, more)| least + more)));
            }
        }
    }
}
