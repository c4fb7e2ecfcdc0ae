//! Exact decimals, so that groups do not depend on binary rounding: as floating point numbers,
//! 0.3 / 0.1 is less than 3, and 0.3 would land below the bound that its label shows.

use super::parse_number;

/// Digits that are certain to leave room for sums in an `i128`.
const MAX_DIGITS: i64 = 36;

/// A number in units of a power of ten, rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scaled {
    pub(super) units: i128,
    /// Whether rounding changed nothing.
    pub(super) exact: bool,
}

/// `number · 10^places`, rounded down; `None` when the text is not a finite number, or one of
/// more than 36 digits.
pub(super) fn scale(text: &str, places: usize) -> Option<Scaled> {
    parse_number(text)?;
    let text = text.trim();
    let negative = text.starts_with('-');
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{}{fraction}", whole.trim_start_matches(['+', '-']));
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(Scaled { units: 0, exact: true });
    }
    let exponent: i64 = exponent.parse().ok()?;
    let shift = exponent.saturating_sub(fraction.len() as i64).saturating_add(places as i64);
    let (units, exact) = shifted(digits, shift)?;
    let units = if negative { -units - i128::from(!exact) } else { units };
    Some(Scaled { units, exact })
}

/// `digits · 10^shift` cut to a whole number, and whether nothing but zeros was cut off.
fn shifted(digits: &str, shift: i64) -> Option<(i128, bool)> {
    let length = (digits.len() as i64).saturating_add(shift);
    if length > MAX_DIGITS {
        return None;
    }
    let kept = digits.len().min(length.max(0) as usize);
    let (kept, cut) = digits.split_at(kept);
    let units: i128 = if kept.is_empty() { 0 } else { kept.parse().ok()? };
    let exact = cut.bytes().all(|digit| digit == b'0');
    Some((units * 10_i128.pow(shift.max(0) as u32), exact))
}

/// Digits after the point in the shortest spelling of a number.
pub(super) fn places(number: f64) -> usize {
    let text = number.to_string();
    text.split_once('.').map_or(0, |(_, fraction)| fraction.len())
}

/// The shortest spelling of `units / 10^places`.
pub(super) fn spell(units: i128, places: usize) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let digits = format!("{:0width$}", units.unsigned_abs(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rounds_down_and_says_so() {
        let of = |text, places| scale(text, places).map(|s| (s.units, s.exact));
        assert_eq!(of("0.3", 1), Some((3, true)));
        assert_eq!(of(" +12.50 ", 1), Some((125, true)));
        assert_eq!(of("12.59", 1), Some((125, false)));
        assert_eq!(of("-12.59", 1), Some((-126, false)));
        assert_eq!(of("-12.50", 1), Some((-125, true)));
        assert_eq!(of(".5", 0), Some((0, false)));
        assert_eq!(of("5.", 2), Some((500, true)));
        assert_eq!(of("1.5e3", 0), Some((1500, true)));
        assert_eq!(of("1E-3", 2), Some((0, false)));
        assert_eq!(of("-1E-30", 2), Some((-1, false)));
        assert_eq!(of("-0", 0), Some((0, true)));
        assert_eq!(of("9007199254740993", 0), Some((9_007_199_254_740_993, true)));
    }

    #[test]
    fn refuses_what_is_no_ordinary_number() {
        for text in ["", "x", "nan", "inf", "1e999", "1e36", ".", "0x10", "1e-99999999999999999999"] {
            assert_eq!(scale(text, 0), None, "{text}");
        }
        assert!(scale("1e35", 0).is_some());
    }

    #[test]
    fn spells_without_idle_zeros() {
        assert_eq!(spell(225, 1), "22.5");
        assert_eq!(spell(200, 1), "20");
        assert_eq!(spell(-5, 2), "-0.05");
        assert_eq!(spell(0, 2), "0");
        assert_eq!((places(2.5), places(20.0), places(1e-7)), (1, 0, 7));
    }

    proptest! {
        #[test]
        fn spelling_reads_back(units in -10_i128.pow(20)..10_i128.pow(20), places in 0_usize..9) {
            let read = scale(&spell(units, places), places);
            prop_assert_eq!(read, Some(Scaled { units, exact: true }));
        }

        #[test]
        fn agrees_with_floating_point(x in -1e6..1e6_f64) {
            let read = scale(&x.to_string(), 0).unwrap();
            prop_assert_eq!(read.units as f64, x.floor());
        }
    }
}
