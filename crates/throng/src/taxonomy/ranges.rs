//! Ranges: numbers or dates from the least to the greatest of a class, 25~35.

use std::cmp::Ordering;

use super::{ANY, Scheme, Taxonomy, TaxonomyError, dates, parse_number};

/// Leaves in the order of their numbers or dates; some together become a range in a local recoding.
///
/// Values are finite numbers, or ISO 8601 dates or date-times; with a format of `strptime`, dates
/// of that form. What most values are all must be. A range is shown by its ends as they are
/// spelled, `25~35`, and contains both. Numbers are compared digit by digit, so those too long for
/// floating point are still in order; equal ones that are spelled differently are leaves of their
/// own. The empty value (missing) is last, and with any other becomes `*`.
pub fn ranges<S: AsRef<str>>(values: &[S], format: Option<&str>) -> Result<Taxonomy, TaxonomyError> {
    let leaves = match format {
        None if are_numbers(values) => place_numbers(values)?,
        _ => place_dates(values, format)?,
    };
    if leaves.is_empty() {
        return Err(TaxonomyError::Empty);
    }
    let rows: Vec<[&str; 2]> = leaves.iter().map(|(text, _)| [*text, ANY]).collect();
    let positions: Vec<Option<f64>> = leaves.iter().map(|(_, position)| *position).collect();
    Ok(Taxonomy::from_rows(&rows)?.with_positions(&positions).with_scheme(Scheme::Ranges))
}

/// Whether at least as many values are numbers as are dates.
fn are_numbers<S: AsRef<str>>(values: &[S]) -> bool {
    let count = |fits: &dyn Fn(&str) -> bool| values.iter().filter(|value| fits(value.as_ref())).count();
    count(&|text| parse_number(text).is_some()) >= count(&|text| dates::position(text, None).is_some())
}

/// Leaves in order, with their positions; the missing one has none.
type Placed<'a> = Vec<(&'a str, Option<f64>)>;

fn place_numbers<S: AsRef<str>>(values: &[S]) -> Result<Placed<'_>, TaxonomyError> {
    let mut numbers: Vec<Number<'_>> = Vec::with_capacity(values.len());
    let mut missing = None;
    for (index, value) in values.iter().enumerate() {
        let text = value.as_ref();
        match Number::read(text) {
            Some(number) => numbers.push(number),
            None if text.is_empty() => missing = Some((text, None)),
            None => {
                let expected =
                    "a finite number; ranges need numbers only, or dates of one form only".to_owned();
                return Err(TaxonomyError::Unfit { index, expected });
            }
        }
    }
    numbers.sort_unstable_by(|a, b| a.cmp(b).then_with(|| a.text.cmp(b.text)));
    numbers.dedup_by(|a, b| a.text == b.text);
    let placed = numbers.iter().map(|number| (number.text, parse_number(number.text)));
    Ok(placed.chain(missing).collect())
}

fn place_dates<'a, S: AsRef<str>>(
    values: &'a [S],
    format: Option<&str>,
) -> Result<Placed<'a>, TaxonomyError> {
    let leaves = dates::in_order(values, format)?;
    let of = |text: &'a str| if text.is_empty() { None } else { dates::position(text, format) };
    Ok(leaves.into_iter().map(|text| (text, of(text))).collect())
}

/// A decimal number as spelled: `0.d₁d₂… · 10^magnitude`, with d₁ not 0.
struct Number<'a> {
    text: &'a str,
    negative: bool,
    magnitude: i64,
    /// Without zeros at either end; none for 0.
    digits: String,
}

impl<'a> Number<'a> {
    fn read(text: &'a str) -> Option<Number<'a>> {
        parse_number(text)?;
        let spelled = text.trim();
        let (mantissa, exponent) = spelled.split_once(['e', 'E']).unwrap_or((spelled, "0"));
        let mantissa = mantissa.trim_start_matches(['+', '-']);
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let from_first = all.trim_start_matches('0');
        let leading = (all.len() - from_first.len()) as i64;
        let digits = from_first.trim_end_matches('0').to_owned();
        // A finite number with an exponent too long for this is about 0.
        let exponent: i64 = exponent.parse().unwrap_or(i64::MIN / 2);
        let magnitude = exponent.saturating_add(whole.len() as i64 - leading);
        let zero = digits.is_empty();
        let negative = spelled.starts_with('-') && !zero;
        Some(Number { text, negative, magnitude: if zero { 0 } else { magnitude }, digits })
    }

    fn cmp(&self, other: &Number<'_>) -> Ordering {
        let sign = |number: &Number<'_>| match (number.digits.is_empty(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let size = || (self.magnitude, &self.digits).cmp(&(other.magnitude, &other.digits));
        sign(self).cmp(&sign(other)).then_with(|| if self.negative { size().reverse() } else { size() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::taxonomy::tests::{assert_topped, leaf_labels, made};
    use crate::taxonomy::{Closure, ValueId};

    #[test]
    fn numbers_span_what_their_class_spans() {
        let ages = ranges(&["35", "25", "", "9", "40"], None).unwrap();
        assert_topped(&ages);
        assert_eq!(leaf_labels(&ages), ["9", "25", "35", "40", ""]);
        assert_eq!(made(&ages, &[2, 1]), "25~35");
        assert_eq!(made(&ages, &[0, 3]), "9~40");
        assert_eq!((made(&ages, &[2, 2]), made(&ages, &[4])), ("35".into(), String::new()));
        assert_eq!(made(&ages, &[4, 0]), "*");
    }

    #[test]
    fn negative_numbers_and_decimals_keep_their_spelling() {
        let cold = ranges(&["-1", "-5", "2.50", "0.125", "-0.5", "1e1"], None).unwrap();
        assert_eq!(leaf_labels(&cold), ["-5", "-1", "-0.5", "0.125", "2.50", "1e1"]);
        assert_eq!((made(&cold, &[0, 1]), made(&cold, &[1, 4])), ("-5~-1".into(), "-1~2.50".into()));
        let closure = cold.close([1, 4].into_iter());
        let Closure::Made(leaves) = closure else { panic!("two leaves") };
        let value = cold.describe(&leaves);
        assert_eq!((value.leaf_count, value.extent.unwrap().span(), value.level), (4, 3.5, 1));
    }

    #[test]
    fn long_numbers_and_other_spellings_are_leaves_of_their_own() {
        let long = ranges(&["9007199254740993", "9007199254740992", "3.0", "3", "+3", "-0", "0"], None);
        let long = long.unwrap();
        let expected = ["-0", "0", "+3", "3", "3.0", "9007199254740992", "9007199254740993"];
        assert_eq!(leaf_labels(&long), expected);
    }

    #[test]
    fn dates_keep_their_format() {
        let iso = ranges(&["2020-02-01", "2020-01-05", "2019-12-31T10:00"], None).unwrap();
        assert_eq!(made(&iso, &[1, 2]), "2020-01-05~2020-02-01");
        assert_eq!(iso.values()[1].extent.unwrap().min, 18_266.0);
        let ours = ranges(&["01.02.2020", "05.01.2020", ""], Some("%d.%m.%Y")).unwrap();
        assert_eq!(
            (made(&ours, &[0, 1]), made(&ours, &[1, 2])),
            ("05.01.2020~01.02.2020".into(), "*".into())
        );
    }

    #[test]
    fn what_does_not_fit_is_named_by_position() {
        for bad in ["secret", "NaN", "inf", "1e999", "2020-01-01", " "] {
            let error = ranges(&["1", "2", bad], None).unwrap_err();
            assert!(matches!(error, TaxonomyError::Unfit { index: 2, .. }), "{bad}");
            assert!(!format!("{error} {error:?}").contains("secret"));
        }
        let two_formats = ranges(&["2020-01-05", "2020-02-05", "05/01/2020"], None).unwrap_err();
        assert!(matches!(two_formats, TaxonomyError::Unfit { index: 2, .. }));
        let text = ranges(&["red", "blue"], None).unwrap_err();
        assert!(matches!(text, TaxonomyError::Unfit { index: 0, .. }));
    }

    #[test]
    fn all_missing_and_single_values_are_domains() {
        let nothing = ranges(&[""], None).unwrap();
        assert_eq!((nothing.leaf_total(), nothing.missing(), nothing.extent()), (1, Some(0), None));
        let one = ranges(&["7"], None).unwrap();
        assert_eq!((one.leaf_total(), made(&one, &[0, 0])), (1, "7".into()));
        assert_eq!(ranges::<&str>(&[], None), Err(TaxonomyError::Empty));
    }

    proptest! {
        #[test]
        fn leaves_are_in_the_order_of_their_numbers_and_labels_read_back(
            numbers in prop::collection::vec(-1e4f64..1e4, 2..12),
            places in 0usize..4,
            chosen in (0usize..12, 0usize..12),
        ) {
            let values: Vec<String> = numbers.iter().map(|x| format!("{x:.places$}")).collect();
            let taxonomy = ranges(&values, None).unwrap();
            let leaves = taxonomy.leaf_total();
            let positions: Vec<f64> =
                taxonomy.values()[..leaves].iter().map(|leaf| leaf.extent.unwrap().min).collect();
            prop_assert!(positions.is_sorted());
            let find = |text: &str| (0..leaves as ValueId).find(|&leaf| taxonomy.label(leaf) == text);
            let pair = [chosen.0 % leaves, chosen.1 % leaves].map(|leaf| leaf as ValueId);
            let closure = taxonomy.close(pair.into_iter());
            prop_assert_eq!(taxonomy.read(&made(&taxonomy, &pair), pair[0], find), Some(closure));
        }
    }
}
