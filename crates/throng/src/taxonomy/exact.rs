//! Numbers as they are spelled, compared exactly.

use std::cmp::Ordering;

use super::parse_number;

/// Digits that leave room for differences in an `i128`.
const MOST_DIGITS: i64 = 36;

/// Power of ten of the first digit of the largest numbers that are spelled without an exponent.
const LARGEST_POSITIONAL: i64 = 15;

/// A finite decimal number of any size and precision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    /// -1, 0 or 1.
    pub(super) sign: i8,
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
    pub(super) fn from_parts(mantissa: i64, exponent: i32) -> Decimal {
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

    /// The number, if it is whole and small enough to be spelled without an exponent.
    pub(super) fn to_whole(&self) -> Option<i128> {
        if self.magnitude > LARGEST_POSITIONAL { None } else { self.units(0) }
    }

    /// Power of ten of the last digit; none for 0, which has no digits.
    pub(super) fn last_place(&self) -> Option<i64> {
        (self.sign != 0).then(|| self.magnitude.saturating_sub(self.digits.len() as i64 - 1))
    }

    /// How many units of `10^place` the number is, if it is a whole number of these and has at most 36
    /// digits up to that place.
    pub(super) fn units(&self, place: i64) -> Option<i128> {
        let Some(last) = self.last_place() else { return Some(0) };
        let length = self.magnitude.checked_sub(place)?.checked_add(1)?;
        if last < place || length > MOST_DIGITS {
            return None;
        }
        let digits = self.digits.iter().fold(0, |units, &digit| 10 * units + i128::from(digit - b'0'));
        Some(i128::from(self.sign) * digits * 10_i128.pow((last - place) as u32))
    }

    /// The number for people: without an exponent unless it would have many zeros.
    pub(super) fn spell(&self) -> String {
        match self.magnitude {
            -6..=LARGEST_POSITIONAL => self.positional(),
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
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
        assert_eq!(decimal("9007199254740993").to_whole(), Some(9_007_199_254_740_993), "no double is that");
        for text in ["0.5", "1e16", "12.25"] {
            assert_eq!(decimal(text).to_whole(), None, "{text}");
        }
    }

    #[test]
    fn units_are_counted_exactly() {
        let units = |text: &str, place: i64| decimal(text).units(place);
        assert_eq!(
            (units("-12.5", -1), units("-12.5", -3), units("12.5", 0)),
            (Some(-125), Some(-12_500), None)
        );
        assert_eq!((units("4600", 2), units("4600", 3), units("0", 300)), (Some(46), None, Some(0)));
        assert_eq!(units("4611686018427387905", 0), Some((1 << 62) + 1));
        assert_eq!((units("1e35", 0), units("1e36", 0)), (Some(10_i128.pow(35)), None));
        assert_eq!((decimal("1e-400").last_place(), decimal("-0.0").last_place()), (Some(-400), None));
    }

    proptest! {
        #[test]
        fn order_is_that_of_numbers(a in -1_000_000_i64..1_000_000, b in -1_000_000_i64..1_000_000, e in 0_i32..9) {
            let text = |x: i64| format!("{x}e-{e}");
            prop_assert_eq!(decimal(&text(a)).cmp(&decimal(&text(b))), a.cmp(&b));
            prop_assert_eq!(decimal(&text(a)), Decimal::from_parts(a, -e));
            prop_assert_eq!(decimal(&decimal(&text(a)).spell()), decimal(&text(a)));
        }
    }
}
