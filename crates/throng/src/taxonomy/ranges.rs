//! Ranges: numbers or dates from the least to the greatest of a class, 25~35.

use super::decimal::Decimal;
use super::notation::{Notation, Side};
use super::{ANY, Coding, Places, Scheme, Taxonomy, TaxonomyError, dates, line, usual};

/// Leaves in the order of their numbers or dates; some together become a range in a local recoding.
///
/// Values are finite numbers, or dates or date-times of ISO 8601 or another usual spelling; with a format of `strptime`, dates
/// of that form. What most values are all must be. A range is shown by its ends as they are
/// spelled, `25~35`, and contains both. Numbers are compared digit by digit, so those too long for
/// floating point are still in order. Times are in the order of their instants if all have an offset
/// from UTC, else as they are written. Equal ones that are spelled differently (`25` and `25.0`) are
/// leaves of their own, the shortest first, at one place: a range that has one has all, and together
/// they are shown as the first. The empty value (missing) is last, and with any other becomes `*`.
///
/// Values such as `90+` are above all numbers and `<18` below all, so that a range with one is open
/// (`85~90+`); they lie as far from the others as the outermost number or their own does.
pub fn ranges<S: AsRef<str>>(values: &[S], format: Option<&str>) -> Result<Taxonomy, TaxonomyError> {
    ranges_in(values, format, Notation::Plain)
}

/// As [`ranges`], of numbers in another notation.
pub fn ranges_in<S: AsRef<str>>(
    values: &[S],
    format: Option<&str>,
    notation: Notation,
) -> Result<Taxonomy, TaxonomyError> {
    if values.is_empty() {
        return Err(TaxonomyError::Empty);
    }
    let usual = if format.is_none() { usual::find(values)? } else { None };
    let placed = match format.or(usual.as_deref()) {
        None if are_numbers(values, notation) => place_numbers(values, notation)?,
        format => place_dates(values, format)?,
    };
    taxonomy_of(values, &placed)
}

/// As [`ranges`], of numbers only, of which those beyond the bounds of a coding are spelled by its labels.
pub fn coded_ranges<S: AsRef<str>>(values: &[S], coding: &Coding) -> Result<Taxonomy, TaxonomyError> {
    if values.is_empty() {
        return Err(TaxonomyError::Empty);
    }
    taxonomy_of(values, &place_numbers(values, coding.notation())?)
}

fn taxonomy_of<S: AsRef<str>>(values: &[S], placed: &PlacedLeaves<'_>) -> Result<Taxonomy, TaxonomyError> {
    let missing = values.iter().any(|value| value.as_ref().is_empty()).then_some("");
    let rows: Vec<[&str; 2]> = placed.texts.iter().copied().chain(missing).map(|leaf| [leaf, ANY]).collect();
    let positions = placed.positions.iter().map(|&position| Some(position));
    let positions: Vec<Option<f64>> = positions.chain(missing.map(|_| None)).collect();
    let taxonomy = Taxonomy::from_rows(&rows)?.with_positions(&positions).with_scheme(Scheme::Ranges);
    Ok(taxonomy.with_places(Places::new(placed.places.clone())))
}

/// Whether at least as many values are numbers as are dates.
fn are_numbers<S: AsRef<str>>(values: &[S], notation: Notation) -> bool {
    let count = |fits: &dyn Fn(&str) -> bool| values.iter().filter(|value| fits(value.as_ref())).count();
    count(&|text| notation.read(text).is_some()) >= count(&|text| dates::read(text, None).is_some())
}

/// The leaves in order, but for the missing one.
struct PlacedLeaves<'a> {
    texts: Vec<&'a str>,
    positions: Vec<f64>,
    /// Equal numbers have the same.
    places: Vec<u32>,
}

impl<'a> PlacedLeaves<'a> {
    /// The leaves from the number or moment of each value, in any order, and repeated.
    fn new<T: Ord>(mut leaves: Vec<(T, &'a str)>, positions: impl Fn(&[T]) -> Vec<f64>) -> PlacedLeaves<'a> {
        leaves.sort_unstable_by(|(x, a), (y, b)| x.cmp(y).then_with(|| (a.len(), a).cmp(&(b.len(), b))));
        leaves.dedup_by(|a, b| a.1 == b.1);
        let (numbers, texts): (Vec<T>, Vec<&str>) = leaves.into_iter().unzip();
        let mut place = 0;
        let steps = numbers.windows(2).map(|pair| {
            place += u32::from(pair[0] < pair[1]);
            place
        });
        let places = numbers.first().map(|_| 0).into_iter().chain(steps).collect();
        PlacedLeaves { positions: positions(&numbers), texts, places }
    }
}

fn place_numbers<S: AsRef<str>>(values: &[S], notation: Notation) -> Result<PlacedLeaves<'_>, TaxonomyError> {
    let mut numbers: Vec<((i8, Decimal), &str)> = Vec::with_capacity(values.len());
    for (index, value) in values.iter().enumerate() {
        let text = value.as_ref();
        match notation.read(text) {
            Some(number) => {
                let end = match number.side {
                    Side::Below | Side::UpTo => -1,
                    Side::At => 0,
                    Side::From => 1,
                };
                numbers.push(((end, number.at), text));
            }
            None if text.is_empty() => {}
            None => {
                let expected =
                    (
                    "a finite number",
                    "ranges need numbers only, or dates of one form only: empty the other cells, or use intervals with \
                     unknown = \"top\"",
                )
                    .to_owned();
                return Err(TaxonomyError::Unfit { index, expected: expected.into() });
            }
        }
    }
    Ok(PlacedLeaves::new(numbers, |numbers| line::from_least_number(&in_order(numbers))))
}

/// The numbers of sorted leaves, none less than one before it: an open end is no nearer than the
/// numbers that it is beyond.
fn in_order(numbers: &[(i8, Decimal)]) -> Vec<Decimal> {
    let exact = || numbers.iter().filter(|(end, _)| *end == 0).map(|(_, at)| at);
    let (least, most) = (exact().min(), exact().max());
    let place = |(end, at): &(i8, Decimal)| match *end {
        -1 => least.map_or(at, |least| at.min(least)).clone(),
        0 => at.clone(),
        _ => most.map_or(at, |most| at.max(most)).clone(),
    };
    numbers.iter().map(place).collect()
}

fn place_dates<'a, S: AsRef<str>>(
    values: &'a [S],
    format: Option<&str>,
) -> Result<PlacedLeaves<'a>, TaxonomyError> {
    format.map_or(Ok(()), dates::check_format)?;
    let (mut moments, mut texts) = (Vec::with_capacity(values.len()), Vec::with_capacity(values.len()));
    for (index, value) in values.iter().enumerate() {
        if let Some(moment) = dates::read_or_missing(value.as_ref(), index, format)? {
            moments.push(moment);
            texts.push(value.as_ref());
        }
    }
    let leaves = dates::on_one_clock(&moments).into_iter().zip(texts).collect();
    Ok(PlacedLeaves::new(leaves, line::from_least_moment))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::taxonomy::tests::{assert_topped, leaf_labels, made};
    use crate::taxonomy::{Closure, Leaves, ValueId};

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
        let expected = ["0", "-0", "3", "+3", "3.0", "9007199254740992", "9007199254740993"];
        assert_eq!(leaf_labels(&long), expected);
        assert_eq!((0..7).map(|leaf| long.place(leaf)).collect::<Vec<_>>(), [0, 0, 1, 1, 1, 2, 3]);
    }

    /// 2^62 + 0, 1, 2, 40: all the same to floating point.
    #[test]
    fn long_numbers_have_distances() {
        let values: Vec<String> = [0, 1, 2, 40].map(|i| ((1_i128 << 62) + i).to_string()).to_vec();
        let long = ranges(&values, None).unwrap();
        let Closure::Made(leaves) = long.close([1, 2].into_iter()) else { panic!("two leaves") };
        assert_eq!(
            (long.extent().unwrap().span(), long.describe(&leaves).extent.unwrap().span()),
            (40.0, 1.0)
        );
    }

    #[test]
    fn coded_numbers_are_at_their_bounds() {
        let coding = Coding::new(Some(18.0), Some(90.0)).unwrap();
        let ages = coded_ranges(&["90+", "42", "≤18", ""], &coding).unwrap();
        assert_eq!(leaf_labels(&ages), ["≤18", "42", "90+", ""]);
        assert_eq!((made(&ages, &[1, 2]), made(&ages, &[0, 1])), ("42~90+".into(), "≤18~42".into()));
        assert!(matches!(coded_ranges(&["1", "x"], &coding), Err(TaxonomyError::Unfit { index: 1, .. })));
    }

    #[test]
    fn equal_numbers_are_in_a_range_together() {
        let ages = ranges(&["25", "25.0", "40", "+40", "60"], None).unwrap();
        assert_eq!(leaf_labels(&ages), ["25", "25.0", "40", "+40", "60"]);
        assert_eq!((made(&ages, &[1]), made(&ages, &[0, 1])), ("25.0".into(), "25".into()));
        assert_eq!((made(&ages, &[1, 2]), made(&ages, &[3, 4])), ("25~40".into(), "40~60".into()));
        let find = |text: &str| (0..5).find(|&leaf| ages.label(leaf) == text);
        let Some(Closure::Made(range)) = ages.read("25.0~40", 0, find) else { panic!("25 is covered") };
        assert_eq!(range, Leaves::Range { first: 0, last: 3 });
        for (label, leaf) in [("25", 0), ("25", 1), ("25.0", 0)] {
            let both = Closure::Made(Leaves::Range { first: 0, last: 1 });
            assert_eq!(ages.read(label, leaf, find), Some(both), "a number is all of its spellings");
        }
        assert_eq!(ages.read("60", 4, find), Some(Closure::Value(4)));
        assert_eq!(ages.read("40", 1, find), None);
        assert_eq!(ages.read("60", 3, find), None);
    }

    #[test]
    fn times_are_in_the_order_of_their_instants() {
        let values = ["2024-03-17T10:00+02:00", "2024-03-17T09:00Z", "2024-03-17T11:00+02:00"];
        let times = ranges(&values, None).unwrap();
        assert_eq!(leaf_labels(&times), [values[0], values[1], values[2]]);
        assert_eq!(made(&times, &[1, 2]), values[1], "the same instant");
        assert_eq!(times.extent().unwrap().span(), 1.0 / 24.0);
        // Without the offset of one of them, all go by the clock.
        let values = ["2024-03-17T10:00+02:00", "2024-03-17T09:00", "2024-03-17T11:00+02:00"];
        let times = ranges(&values, None).unwrap();
        assert_eq!(leaf_labels(&times), [values[1], values[0], values[2]]);
        assert_eq!(times.extent().unwrap().span(), 1.0 / 12.0);
    }

    #[test]
    fn dates_keep_their_format() {
        let iso = ranges(&["2020-02-01", "2020-01-05", "2019-12-31T10:00"], None).unwrap();
        assert_eq!(made(&iso, &[1, 2]), "2020-01-05~2020-02-01");
        assert_eq!(iso.values()[2].extent.unwrap().min, 31.0 + 14.0 / 24.0);
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
            let equal = (0..leaves as ValueId)
                .filter(|&leaf| pair[0] == pair[1] && taxonomy.place(leaf) == taxonomy.place(pair[0]));
            let closure = taxonomy.close(pair.into_iter().chain(equal));
            prop_assert_eq!(taxonomy.read(&made(&taxonomy, &pair), pair[0], find), Some(closure));
        }
    }
}
