//! Numbers as they are spelled, compared and grouped exactly.
//!
//! Groups must not depend on binary rounding: as floating point numbers, 0.3 / 0.1 is less than 3, and
//! 0.3 would land below the bound that its label shows.

use std::cmp::Ordering;

use super::parse_number;

/// Digits that leave room for sums and differences in an `i128`.
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

/// A number in units of a power of ten, rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlooredDecimal {
    pub(super) units: i128,
    /// Whether rounding changed nothing.
    pub(super) exact: bool,
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
    pub(super) fn from_parts(mantissa: i128, exponent: i64) -> Decimal {
        let digits = mantissa.unsigned_abs().to_string().into_bytes();
        let magnitude = exponent + digits.len() as i64 - 1;
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
        self.floor(place).filter(|floor| floor.exact).map(|floor| floor.units)
    }

    /// How many units of `10^place` the number has, rounded down; nothing if these take more than 36
    /// digits.
    pub(super) fn floor(&self, place: i64) -> Option<FlooredDecimal> {
        let Some(last) = self.last_place() else { return Some(FlooredDecimal { units: 0, exact: true }) };
        let length = self.magnitude.checked_sub(place)?.checked_add(1)?;
        if length > MOST_DIGITS {
            return None;
        }
        let kept = self.digits.len().min(length.max(0) as usize);
        let digits =
            self.digits[..kept].iter().fold(0, |units, &digit| 10 * units + i128::from(digit - b'0'));
        let units = digits * 10_i128.pow((last - place).max(0) as u32);
        let exact = kept == self.digits.len();
        Some(FlooredDecimal { units: if self.sign < 0 { -units - i128::from(!exact) } else { units }, exact })
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

    /// The number without an exponent, whatever its size.
    pub(super) fn positional(&self) -> String {
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

    #[test]
    fn rounds_down_and_says_so() {
        let of = |text: &str, place: i64| decimal(text).floor(place).map(|floor| (floor.units, floor.exact));
        assert_eq!(of("0.3", -1), Some((3, true)));
        assert_eq!(of(" +12.50 ", -1), Some((125, true)));
        assert_eq!(of("12.59", -1), Some((125, false)));
        assert_eq!(of("-12.59", -1), Some((-126, false)));
        assert_eq!(of("-12.50", -1), Some((-125, true)));
        assert_eq!(of(".5", 0), Some((0, false)));
        assert_eq!(of("5.", -2), Some((500, true)));
        assert_eq!(of("1.5e3", 0), Some((1500, true)));
        assert_eq!(of("1E-3", -2), Some((0, false)));
        assert_eq!(of("-1E-30", -2), Some((-1, false)));
        assert_eq!(of("1e-99999999999999999999", 0), Some((0, false)));
        assert_eq!(of("9007199254740993", 0), Some((9_007_199_254_740_993, true)));
        assert_eq!((of("1e36", 0), of("1e35", 0).is_some()), (None, true));
    }

    #[test]
    fn units_are_spelled_without_idle_zeros() {
        let spell = |units: i128, place: i64| Decimal::from_parts(units, place).positional();
        assert_eq!((spell(225, -1), spell(200, -1)), ("22.5".to_owned(), "20".to_owned()));
        assert_eq!((spell(-5, -2), spell(0, -2)), ("-0.05".to_owned(), "0".to_owned()));
        assert_eq!(spell(10_i128.pow(20), 0), "100000000000000000000");
    }

    proptest! {
        #[test]
        fn order_is_that_of_numbers(a in -1_000_000_i64..1_000_000, b in -1_000_000_i64..1_000_000, e in 0_i32..9) {
            let text = |x: i64| format!("{x}e-{e}");
            prop_assert_eq!(decimal(&text(a)).cmp(&decimal(&text(b))), a.cmp(&b));
            prop_assert_eq!(decimal(&text(a)), Decimal::from_parts(a.into(), (-e).into()));
            prop_assert_eq!(decimal(&decimal(&text(a)).spell()), decimal(&text(a)));
        }

        #[test]
        fn spelling_reads_back(units in -10_i128.pow(20)..10_i128.pow(20), place in -9_i64..1) {
            let number = Decimal::from_parts(units, place);
            prop_assert_eq!(decimal(&number.positional()), number.clone());
            prop_assert_eq!(number.units(place), Some(units));
        }

        #[test]
        fn agrees_with_floating_point(x in -1e6..1e6_f64) {
            prop_assert_eq!(decimal(&x.to_string()).floor(0).unwrap().units as f64, x.floor());
        }
    }
}
