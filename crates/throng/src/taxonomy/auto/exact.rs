//! Numbers as they are spelled, compared exactly, and the round numbers between them.

use std::cmp::Ordering;

use crate::taxonomy::parse_number;

/// A finite decimal number of any size and precision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    /// -1, 0 or 1.
    sign: i8,
    /// Power of ten of the first digit.
    magnitude: i64,
    /// Without zeros at either end; none for 0.
    digits: Vec<u8>,
}

impl Decimal {
    /// The number that a text spells, if it is one that a floating-point number can come near.
    pub(super) fn parse(text: &str) -> Option<Decimal> {
        parse_number(text)?;
        let text = text.trim();
        let sign = if text.starts_with('-') { -1 } else { 1 };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        // An exponent that is too long to read is one of a number that is next to nothing.
        let exponent: i64 = exponent.parse().unwrap_or(i64::MIN / 2);
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let whole = whole.trim_start_matches(['+', '-']);
        let digits = || whole.bytes().chain(fraction.bytes());
        let zeros = digits().take_while(|&digit| digit == b'0').count();
        let magnitude = exponent.saturating_add(whole.len() as i64 - 1 - zeros as i64);
        Some(Decimal::new(sign, magnitude, digits().skip(zeros).collect()))
    }

    /// The number `mantissa · 10^exponent`.
    fn from_parts(mantissa: i64, exponent: i32) -> Decimal {
        let digits = mantissa.unsigned_abs().to_string().into_bytes();
        let magnitude = i64::from(exponent) + digits.len() as i64 - 1;
        Decimal::new(mantissa.signum() as i8, magnitude, digits)
    }

    fn new(sign: i8, magnitude: i64, mut digits: Vec<u8>) -> Decimal {
        let end = digits.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
        digits.truncate(end);
        if digits.is_empty() {
            Decimal { sign: 0, magnitude: 0, digits }
        } else {
            Decimal { sign, magnitude, digits }
        }
    }

    /// The nearest floating-point number.
    pub(super) fn to_f64(&self) -> f64 {
        self.scientific().parse().unwrap_or(0.0)
    }

    /// The number, if it is whole and small enough to count with.
    pub(super) fn to_whole(&self) -> Option<i64> {
        let whole = self.sign == 0 || (self.magnitude < 16 && self.magnitude + 1 >= self.digits.len() as i64);
        whole.then(|| self.to_f64() as i64)
    }

    /// The number for people: without an exponent unless it would have many zeros.
    pub(super) fn spell(&self) -> String {
        match self.magnitude {
            -6..=15 => self.positional(),
            _ => self.scientific(),
        }
    }

    fn text(&self) -> (&'static str, &str) {
        let digits = std::str::from_utf8(&self.digits).expect("digits are ASCII");
        (if self.sign < 0 { "-" } else { "" }, if digits.is_empty() { "0" } else { digits })
    }

    fn scientific(&self) -> String {
        let (sign, digits) = self.text();
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{sign}{first}{point}{rest}e{}", self.magnitude)
    }

    fn positional(&self) -> String {
        let (sign, digits) = self.text();
        let whole = (self.magnitude + 1).max(0) as usize;
        let zeros = "0".repeat((-1 - self.magnitude).max(0) as usize);
        let padded = format!("{zeros}{digits:0<whole$}");
        let (whole, fraction) = padded.split_at(whole);
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{sign}{}{point}{fraction}", if whole.is_empty() { "0" } else { whole })
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let size = || self.magnitude.cmp(&other.magnitude).then_with(|| self.digits.cmp(&other.digits));
        self.sign.cmp(&other.sign).then_with(|| match self.sign {
            0 => Ordering::Equal,
            1 => size(),
            _ => size().reverse(),
        })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Digits after which a number is no rounder than its neighbours.
const MOST_DIGITS: i32 = 16;

/// Multiples of a step are no rounder than other numbers if there are that many of them.
const MOST_STEPS: f64 = 1e15;

/// Round numbers, and how round they are.
pub(super) struct Round {
    /// Few, and at least one.
    pub(super) numbers: Vec<Decimal>,
    /// The decimal logarithm of the largest step of which they are multiples.
    pub(super) log_step: f64,
}

/// The roundest numbers above `low` and at most `high`: the multiples there of the largest step
/// 1, 2 or 5 · 10ⁿ that has any.
pub(super) fn roundest(low: &Decimal, high: &Decimal) -> Round {
    let top = low.to_f64().abs().max(high.to_f64().abs());
    let largest = top.max(f64::MIN_POSITIVE).log10().ceil() as i32;
    if low.sign < 0 && high.sign >= 0 {
        // Zero is a multiple of everything.
        return Round { numbers: vec![Decimal::from_parts(0, 0)], log_step: f64::from(largest + 1) };
    }
    for power in (largest - MOST_DIGITS..=largest).rev() {
        for step in [5, 2, 1] {
            let numbers = multiples(low, high, step, power);
            if !numbers.is_empty() {
                return Round { numbers, log_step: f64::from(power) + (step as f64).log10() };
            }
        }
    }
    Round { numbers: vec![high.clone()], log_step: f64::from(largest - MOST_DIGITS) }
}

/// The multiples of `step · 10^power` above `low` and at most `high`, if that is not absurd.
fn multiples(low: &Decimal, high: &Decimal, step: i64, power: i32) -> Vec<Decimal> {
    let steps = (high.to_f64() / (step as f64 * 10f64.powi(power))).floor();
    if steps.is_nan() || steps.abs() >= MOST_STEPS {
        return Vec::new();
    }
    // Rounding may have led one step astray in either direction.
    let near = (-8..=1).map(|off| Decimal::from_parts((steps as i64 + off) * step, power));
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
    fn spellings_of_a_number_are_equal() {
        for (a, b) in
            [("5", "5.0"), ("+5", "005"), ("0.5", ".5"), ("50", "5e1"), ("-0", "0.00"), ("1e-400", "1E-400")]
        {
            assert_eq!(decimal(a), decimal(b), "{a} {b}");
        }
        assert!(decimal("0.29999999999999999999") < decimal("0.3"));
        assert!(decimal("9007199254740993") > decimal("9007199254740992"));
        for text in ["", "x", "nan", "inf", "1e999", "0x10", "1,5"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_spelled_for_people() {
        for text in ["0", "25", "-2.5", "0.05", "1200", "-0.000005", "5e-9", "1.25e40"] {
            assert_eq!(decimal(text).spell(), text);
        }
        assert_eq!(decimal("00120.50").spell(), "120.5");
    }

    #[test]
    fn whole_numbers_are_told() {
        assert_eq!(decimal("120.0").to_whole(), Some(120));
        assert_eq!(decimal("-7").to_whole(), Some(-7));
        assert_eq!(decimal("0").to_whole(), Some(0));
        assert_eq!(decimal("1e15").to_whole(), Some(1_000_000_000_000_000));
        for text in ["0.5", "1e16", "12.25"] {
            assert_eq!(decimal(text).to_whole(), None, "{text}");
        }
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
        fn order_is_that_of_numbers(a in -1_000_000_i64..1_000_000, b in -1_000_000_i64..1_000_000, e in 0_i32..9) {
            let text = |x: i64| format!("{x}e-{e}");
            prop_assert_eq!(decimal(&text(a)).cmp(&decimal(&text(b))), a.cmp(&b));
            prop_assert_eq!(decimal(&text(a)), Decimal::from_parts(a, -e));
            prop_assert_eq!(decimal(&decimal(&text(a)).spell()), decimal(&text(a)));
        }

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
