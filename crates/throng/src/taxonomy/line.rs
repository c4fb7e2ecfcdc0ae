//! Where the leaves of an attribute lie on a line: how far each is from the least.
//!
//! Distances are taken exactly and rounded once, so that long numbers close to each other, and times a
//! microsecond apart, are not thrown together.

use super::decimal::Decimal;
use super::notation::{Notation, Number};
use super::{ANY, dates};

/// The line on which leaves lie by what they look like: that of numbers or of time; a leaf without a
/// place has none, and if the leaves are anything else, none has.
///
/// Numbers with leading zeros are codes, and dates are those of ISO 8601. Missing values, and `*`,
/// may be among either. Among more numbers, `90+` and `<18` lie where 90 and 18 do.
pub(super) fn find<'a>(leaves: impl Iterator<Item = &'a str> + Clone) -> Vec<Option<f64>> {
    if let Some(line) = find_numbers(leaves.clone(), Notation::Plain) {
        return line;
    }
    let moments = leaves.clone().filter(is_known).map(|text| dates::read(text, None));
    match moments.collect::<Option<Vec<dates::Moment>>>() {
        Some(moments) => spread(leaves, from_least_moment(&dates::on_one_clock(&moments))),
        None => vec![None; leaves.count()],
    }
}

/// The line of leaves that are numbers of a notation, or missing; nothing if some are neither.
pub(super) fn find_numbers<'a>(
    leaves: impl Iterator<Item = &'a str> + Clone,
    notation: Notation,
) -> Option<Vec<Option<f64>>> {
    let read = |text: &'a str| notation.read(text).filter(|_| !is_code(text));
    let numbers: Vec<Number> = leaves.clone().filter(is_known).map(read).collect::<Option<_>>()?;
    let exact = numbers.iter().filter(|number| number.is_exact()).count();
    if 2 * exact < numbers.len() {
        return None;
    }
    let numbers: Vec<Decimal> = numbers.into_iter().map(|number| number.at).collect();
    Some(spread(leaves, from_least_number(&numbers)))
}

fn is_known(text: &&str) -> bool {
    !text.is_empty() && *text != ANY
}

/// The places of the known leaves, among all leaves.
fn spread<'a>(leaves: impl Iterator<Item = &'a str>, line: Vec<f64>) -> Vec<Option<f64>> {
    let mut line = line.into_iter();
    leaves.map(|text| if is_known(&text) { line.next() } else { None }).collect()
}

/// Whether a number begins with a zero and another digit: `007` would lose its zeros.
pub(super) fn is_code(text: &str) -> bool {
    let digits = text.trim().trim_start_matches(['+', '-']).as_bytes();
    matches!(digits, [b'0', b'0'..=b'9', ..])
}

/// The distance of each number from the least.
///
/// Numbers that together take more than 36 digits are taken as floating-point numbers.
pub(super) fn from_least_number(numbers: &[Decimal]) -> Vec<f64> {
    let place = numbers.iter().filter_map(Decimal::last_place).min().unwrap_or(0);
    let units: Option<Vec<i128>> = numbers.iter().map(|number| number.units(place)).collect();
    // No floating-point number is beyond these powers of ten.
    let power = place.clamp(-400, 400) as i32;
    let (up, down) = (10f64.powi(power.max(0)), 10f64.powi(-power.min(0)));
    let exact = units.map(|units| from_least(&units).map(|units| units as f64 * up / down).collect());
    let exact: Option<Vec<f64>> = exact.filter(|line: &Vec<f64>| line.iter().all(|x| x.is_finite()));
    exact.unwrap_or_else(|| from_least_float(&numbers.iter().map(Decimal::to_f64).collect::<Vec<f64>>()))
}

fn from_least_float(numbers: &[f64]) -> Vec<f64> {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Distances matter only in proportion to each other, so halves do as well.
    let share = if (most - least).is_finite() { 1.0 } else { 0.5 };
    numbers.iter().map(|number| number * share - least * share).collect()
}

/// The distance of each moment from the first, in days.
pub(super) fn from_least_moment(nanoseconds: &[i128]) -> Vec<f64> {
    from_least(nanoseconds).map(|nanoseconds| nanoseconds as f64 / dates::NANOSECONDS_OF_DAY as f64).collect()
}

fn from_least(units: &[i128]) -> impl Iterator<Item = i128> {
    let least = units.iter().copied().min().unwrap_or(0);
    units.iter().map(move |units| units - least)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(leaves: &[&str]) -> Vec<Option<f64>> {
        find(leaves.iter().copied())
    }

    #[test]
    fn numbers_lie_apart_from_the_least() {
        assert_eq!(line(&["30", "-10", "", "2.5"]), [Some(40.0), Some(0.0), None, Some(12.5)]);
        assert_eq!(line(&["1e3", "*", "1"]), [Some(999.0), None, Some(0.0)]);
        assert_eq!(line(&["0", "0.5", "-0"]), [Some(0.0), Some(0.5), Some(0.0)]);
    }

    #[test]
    fn long_numbers_are_told_apart() {
        let first = 1_i128 << 62;
        let texts: Vec<String> = (0..4).map(|i| (first + i).to_string()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(line(&texts), [Some(0.0), Some(1.0), Some(2.0), Some(3.0)]);
        let close = line(&["123456789.000001", "123456789.000002", "123456789.000005"]);
        assert_eq!(close, [Some(0.0), Some(1e-6), Some(4e-6)]);
    }

    #[test]
    fn numbers_of_all_sizes_have_finite_distances() {
        assert_eq!(line(&["-1.7e308", "0", "1.7e308"]), [Some(0.0), Some(0.85e308), Some(1.7e308)]);
        assert_eq!(line(&["1e-300", "5"]), [Some(0.0), Some(5.0)]);
        assert_eq!(line(&["1e-400", "1e-401"]), [Some(0.0), Some(0.0)], "too small for a distance");
    }

    #[test]
    fn open_ends_lie_at_their_bound() {
        assert_eq!(line(&["<18", "18", "88", "90+"]), [Some(0.0), Some(0.0), Some(70.0), Some(72.0)]);
        assert!(line(&["<50", ">=50", "7"]).iter().all(Option::is_none), "these are groups");
        assert_eq!(find_numbers(["1,5", "", "2"].into_iter(), Notation::Comma).unwrap()[0], Some(0.0));
    }

    #[test]
    fn codes_and_words_have_no_places() {
        for leaves in
            [&["01067", "22301"][..], &["7", "x"], &["00", "1"], &["7", "2020-01-01"], &["-007", "1"]]
        {
            assert!(line(leaves).iter().all(Option::is_none), "{leaves:?}");
        }
        assert_eq!(line(&["", "*"]), [None, None]);
        assert!(line(&[]).is_empty());
    }

    #[test]
    fn dates_lie_apart_in_days() {
        assert_eq!(line(&["2020-03-01", "", "2020-02-28T12:00"]), [Some(1.5), None, Some(0.0)]);
        assert!(line(&["01.02.2020", "2020-02-01"]).iter().all(Option::is_none), "not all of ISO 8601");
        let close = line(&["2020-03-01T10:00:00.000000001", "2020-03-01T10:00:00.000000002"]);
        assert!(close[0] == Some(0.0) && close[1] > Some(0.9e-9 / 86_400.0));
    }

    proptest! {
        #[test]
        fn distances_are_those_of_floating_point_where_that_is_exact(
            numbers in proptest::collection::vec(-1_000_000_i32..1_000_000, 1..20),
        ) {
            let texts: Vec<String> = numbers.iter().map(|x| (f64::from(*x) / 8.0).to_string()).collect();
            let least = numbers.iter().min().unwrap();
            let expected: Vec<Option<f64>> =
                numbers.iter().map(|x| Some(f64::from(*x) / 8.0 - f64::from(*least) / 8.0)).collect();
            prop_assert_eq!(find(texts.iter().map(String::as_str)), expected);
        }
    }
}
