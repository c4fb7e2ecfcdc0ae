//! Whole numbers in the place of a measure's costs.
//!
//! Where all costs are fractions of one denominator, the units are that: no cost is rounded, and two recodings
//! that lose the same have the same sum, whatever they lose it by. Else units are so small that rounding hardly
//! matters.

use crate::loss::CellLoss;
use crate::problem::Problem;

/// Costs of a row stay below this many units, so that their sums fit in 64 bits.
const MOST_UNITS: u128 = 1 << 60;

/// How far from a whole number a cost of so many units may be by rounding.
const TOLERANCE: f64 = 1e-4;

/// The units of a problem's objective.
#[derive(Clone, Debug)]
pub(super) enum Units {
    /// Whole shares: by attribute the denominator of its own costs, and the units of one share.
    Shares(Vec<(u64, i64)>),
    /// So many for a cost of 1.
    Fixed(f64),
}

impl Units {
    /// `costs` are those of the values of each attribute's tree; they will be taken at most so many times.
    pub(super) fn new(problem: &Problem, loss: &dyn CellLoss, costs: &[Vec<f64>], times: i64) -> Units {
        let largest = costs.iter().flatten().fold(0.0f64, |max, &cost| max.max(cost));
        let denominators: Option<Vec<u64>> =
            problem.attributes().iter().map(|attribute| loss.denominator(attribute)).collect();
        let shares = denominators.and_then(|of| shares(&of, largest * times as f64)).map(Units::Shares);
        let fit = |units: &Units| {
            let mut attributes = costs.iter().enumerate();
            attributes.all(|(a, costs)| costs.iter().all(|&cost| units.is_whole(a, cost)))
        };
        shares
            .filter(fit)
            .unwrap_or_else(|| Units::Fixed(if largest > 0.0 { (1u64 << 40) as f64 / largest } else { 1.0 }))
    }

    /// The units of a cost.
    pub(super) fn units(&self, attribute: usize, cost: f64) -> i64 {
        match self {
            Units::Shares(of) => {
                let (denominator, units) = of[attribute];
                (cost * denominator as f64).round() as i64 * units
            }
            Units::Fixed(unit) => (cost * unit).round() as i64,
        }
    }

    /// The units of a cost of 1.
    pub(super) fn of_one(&self) -> f64 {
        match self {
            // The same for all.
            Units::Shares(of) => {
                of.first().map_or(1.0, |&(denominator, units)| denominator as f64 * units as f64)
            }
            Units::Fixed(unit) => *unit,
        }
    }

    /// The units of a cost of 1, if they are a mere approximation.
    pub(super) fn fixed(&self) -> Option<f64> {
        match self {
            Units::Fixed(unit) => Some(*unit),
            Units::Shares(_) => None,
        }
    }

    fn is_whole(&self, attribute: usize, cost: f64) -> bool {
        let Units::Shares(of) = self else { return true };
        let shares = cost * of[attribute].0 as f64;
        (shares - shares.round()).abs() <= TOLERANCE
    }
}

/// By attribute its denominator, and how many units of the common one are one share; none if that is too large.
fn shares(denominators: &[u64], largest: f64) -> Option<Vec<(u64, i64)>> {
    let common = denominators.iter().try_fold(1u128, |common, &of| {
        let multiple = common / gcd(common, u128::from(of)) * u128::from(of);
        (multiple < MOST_UNITS).then_some(multiple)
    })?;
    let most = common as f64 * largest * denominators.len() as f64;
    let share = |&of: &u64| (of, (common / u128::from(of)) as i64);
    (most < MOST_UNITS as f64).then(|| denominators.iter().map(share).collect())
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_one_denominator_where_it_fits() {
        assert_eq!(shares(&[3, 2, 6], 1.0), Some(vec![(3, 2), (2, 3), (6, 1)]));
        assert_eq!(shares(&[1, 1], 1.0), Some(vec![(1, 1), (1, 1)]));
        assert_eq!(shares(&[4_294_967_291, 4_294_967_279], 1.0), None);
        assert_eq!(shares(&[1 << 20], 1e18), None);
    }

    #[test]
    fn two_thirds_and_a_third_are_one() {
        let units = Units::Shares(shares(&[3, 2], 1.0).unwrap());
        assert_eq!(units.units(0, 2.0 / 3.0) + units.units(0, 1.0 / 3.0), units.units(1, 1.0));
        assert!(units.is_whole(0, 2.0 / 3.0) && !units.is_whole(1, 2.0 / 3.0));
    }
}
