//! Round numbers between others.

use crate::taxonomy::decimal::Decimal;

/// Digits after which a number is no rounder than its neighbours.
const MOST_DIGITS: i32 = 16;

/// Multiples of a step are no rounder than other numbers if there are that many of them.
const MOST_STEPS: f64 = 1e15;

/// Round numbers, and how round they are.
pub(super) struct RoundNumbers {
    /// Few, and at least one.
    pub(super) numbers: Vec<Decimal>,
    /// The decimal logarithm of the largest step of which they are multiples.
    pub(super) log_step: f64,
}

/// The roundest numbers above `low` and at most `high`: the multiples there of the largest step
/// 1, 2 or 5 · 10ⁿ that has any.
pub(super) fn roundest(low: &Decimal, high: &Decimal) -> RoundNumbers {
    let top = low.to_f64().abs().max(high.to_f64().abs());
    let largest = top.max(f64::MIN_POSITIVE).log10().ceil() as i32;
    if low.sign < 0 && high.sign >= 0 {
        // Zero is a multiple of everything.
        return RoundNumbers { numbers: vec![Decimal::from_parts(0, 0)], log_step: f64::from(largest + 1) };
    }
    for power in (largest - MOST_DIGITS..=largest).rev() {
        for step in [5, 2, 1] {
            let numbers = multiples(low, high, step, power);
            if !numbers.is_empty() {
                return RoundNumbers { numbers, log_step: f64::from(power) + (step as f64).log10() };
            }
        }
    }
    RoundNumbers { numbers: vec![high.clone()], log_step: f64::from(largest - MOST_DIGITS) }
}

/// The multiples of `step · 10^power` above `low` and at most `high`, if that is not absurd.
fn multiples(low: &Decimal, high: &Decimal, step: i64, power: i32) -> Vec<Decimal> {
    let steps = (high.to_f64() / (step as f64 * 10f64.powi(power))).floor();
    if steps.is_nan() || steps.abs() >= MOST_STEPS {
        return Vec::new();
    }
    // Rounding may have led one step astray in either direction.
    let near =
        (-8..=1).map(|off| Decimal::from_parts((steps as i128 + off) * i128::from(step), power.into()));
    near.filter(|number| low < number && number <= high).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    fn round(low: &str, high: &str) -> Vec<String> {
        roundest(&decimal(low), &decimal(high)).numbers.iter().map(Decimal::spell).collect()
    }

    #[test]
    fn the_roundest_number_is_found() {
        assert_eq!(round("32", "43"), ["40"]);
        assert_eq!(round("23", "26"), ["25"]);
        assert_eq!(round("41", "44"), ["42", "44"]);
        assert_eq!(round("-5", "3"), ["0"]);
        assert_eq!(round("-5", "0"), ["0"]);
        assert_eq!(round("0", "0.3"), ["0.2"]);
        assert_eq!(round("-31", "-22"), ["-30"]);
        assert_eq!(round("99", "1001"), ["1000"]);
        assert_eq!(round("1e300", "3e300"), ["2e300"]);
        assert_eq!(round("0", "1e-400"), ["1e-400"]);
        assert_eq!(round("123456789012345678901", "123456789012345678902"), ["1.23456789012345678902e20"]);
    }

    proptest! {
        #[test]
        fn round_numbers_lie_between(a in -1e9..1e9_f64, width in 1e-6..1e6_f64) {
            let (low, high) = (decimal(&a.to_string()), decimal(&(a + width).to_string()));
            prop_assume!(low < high);
            let round = roundest(&low, &high).numbers;
            prop_assert!(!round.is_empty() && round.len() <= 10);
            prop_assert!(round.iter().all(|x| low < *x && *x <= high));
        }
    }
}
