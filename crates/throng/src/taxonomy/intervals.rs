//! Number ranges: 23 → 20-24 → 20-29 → *.

use super::decimal::{Decimal, Floor};
use super::{Taxonomy, TaxonomyError, Tree, line};

/// Number ranges of growing width, then `*`.
///
/// Level `i` groups the numbers `x` by `floor((x - origin) / widths[i - 1])`, in exact decimal
/// arithmetic. When all numbers involved are whole, labels are closed ranges (`20-24`, or
/// `-10..-6` when some bound is negative), otherwise half-open ones (`[20, 22.5)`). Leaves are
/// sorted by number; the empty value (missing) is last, and by itself below the top.
///
/// Widths are positive and each is a whole multiple of the one before it; no width at all gives
/// leaves and `*`.
pub fn intervals<S: AsRef<str>>(
    values: &[S],
    widths: &[f64],
    origin: f64,
) -> Result<Taxonomy, TaxonomyError> {
    let grid = Grid::new(widths, origin)?;
    let leaves = place(values, grid.place)?;
    if leaves.is_empty() {
        return Err(TaxonomyError::Empty);
    }
    let spelling = Spelling::suiting(&grid, &leaves);
    let mut tree = Tree::leaves(leaves.iter().map(|leaf| leaf.text));
    for &width in &grid.widths {
        let labels: Vec<String> = leaves
            .iter()
            .map(|leaf| leaf.number.map_or(String::new(), |x| spelling.label(&grid, x, width)))
            .collect();
        tree.push_level(labels.iter().map(String::as_str))?;
    }
    tree.push_top();
    // Numbers, even if some have leading zeros.
    let numbers: Vec<Decimal> = leaves.iter().filter_map(|leaf| Decimal::parse(leaf.text)).collect();
    let mut line = line::from_least_number(&numbers).into_iter();
    let positions: Vec<Option<f64>> =
        leaves.iter().map(|leaf| leaf.number.and_then(|_| line.next())).collect();
    Ok(tree.finish().with_positions(&positions))
}

/// The bounds of all levels, in units of `10^place`.
struct Grid {
    place: i64,
    origin: i128,
    widths: Vec<i128>,
}

impl Grid {
    fn new(widths: &[f64], origin: f64) -> Result<Grid, TaxonomyError> {
        if !origin.is_finite() {
            return Err(TaxonomyError::Builder("the origin of intervals must be a finite number".into()));
        }
        if !widths.iter().all(|width| width.is_finite() && *width > 0.0) {
            return Err(bad_widths("some width is not a positive number"));
        }
        let decimal = |x: f64| Decimal::parse(&x.to_string());
        let last_places = widths.iter().chain([&origin]).filter_map(|&x| decimal(x)?.last_place());
        let place = last_places.min().unwrap_or(0).min(0);
        let exact = |x: f64| decimal(x)?.units(place);
        let too_long = || bad_widths("the widths and the origin together have more than 36 digits");
        let origin = exact(origin).ok_or_else(too_long)?;
        let units: Option<Vec<i128>> = widths.iter().map(|&width| exact(width)).collect();
        let units = units.ok_or_else(too_long)?;
        if let Some(i) = (1..units.len()).find(|&i| units[i] <= units[i - 1] || units[i] % units[i - 1] != 0)
        {
            return Err(bad_widths(&format!("{} does not fit after {}", widths[i], widths[i - 1])));
        }
        Ok(Grid { place, origin, widths: units })
    }

    /// The lower bound of the range that holds a number.
    fn low(&self, number: Floor, width: i128) -> i128 {
        number.units - (number.units - self.origin).rem_euclid(width)
    }
}

fn bad_widths(problem: &str) -> TaxonomyError {
    TaxonomyError::Builder(format!(
        "interval widths: {problem}; each width must be positive and a larger, whole multiple of the \
         one before it, such as 5, 10, 50"
    ))
}

/// How the labels of a taxonomy are spelled.
#[derive(Clone, Copy)]
enum Spelling {
    Closed { between: &'static str },
    HalfOpen,
}

impl Spelling {
    fn suiting(grid: &Grid, leaves: &[Leaf<'_>]) -> Spelling {
        let numbers = || leaves.iter().filter_map(|leaf| leaf.number);
        if grid.place < 0 || !numbers().all(|x| x.exact) {
            return Spelling::HalfOpen;
        }
        // Wider ranges contain narrower ones, so the widest reach lowest.
        let negative = |x| grid.widths.last().is_some_and(|&width| grid.low(x, width) < 0);
        Spelling::Closed { between: if numbers().any(negative) { ".." } else { "-" } }
    }

    fn label(self, grid: &Grid, number: Floor, width: i128) -> String {
        let low = grid.low(number, width);
        let show = |units| Decimal::from_parts(units, grid.place).positional();
        match self {
            Spelling::Closed { .. } if width == 1 => show(low),
            Spelling::Closed { between } => {
                format!("{}{between}{}", show(low), show(low + width - 1))
            }
            Spelling::HalfOpen => format!("[{}, {})", show(low), show(low + width)),
        }
    }
}

struct Leaf<'a> {
    text: &'a str,
    /// `None` for the missing value.
    number: Option<Floor>,
}

/// The distinct values in the order of the leaves.
fn place<S: AsRef<str>>(values: &[S], place: i64) -> Result<Vec<Leaf<'_>>, TaxonomyError> {
    let mut leaves = Vec::with_capacity(values.len());
    for (index, value) in values.iter().enumerate() {
        let text = value.as_ref();
        let number = Decimal::parse(text).and_then(|number| number.floor(place));
        if number.is_none() && !text.is_empty() {
            let expected = "a finite number of at most 36 digits".to_owned();
            return Err(TaxonomyError::Unfit { index, expected });
        }
        leaves.push(Leaf { text, number });
    }
    leaves.sort_by(|a, b| {
        rank(a).cmp(&rank(b)).then_with(|| float(a).total_cmp(&float(b))).then(a.text.cmp(b.text))
    });
    leaves.dedup_by(|a, b| a.text == b.text);
    Ok(leaves)
}

/// Numbers by their place on the grid, then the missing value.
fn rank(leaf: &Leaf<'_>) -> (bool, Option<i128>) {
    (leaf.number.is_none(), leaf.number.map(|x| x.units))
}

fn float(leaf: &Leaf<'_>) -> f64 {
    super::parse_number(leaf.text).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::taxonomy::tests::{assert_topped, leaf_labels, level_labels};

    #[test]
    fn whole_numbers_get_closed_ranges() {
        let ages = intervals(&["31", "9", "23", "24", "20"], &[5.0, 10.0], 0.0).unwrap();
        assert_topped(&ages);
        assert_eq!(leaf_labels(&ages), ["9", "20", "23", "24", "31"]);
        assert_eq!(level_labels(&ages, 1), ["5-9", "20-24", "20-24", "20-24", "30-34"]);
        assert_eq!(level_labels(&ages, 2), ["0-9", "20-29", "20-29", "20-29", "30-39"]);
        assert_eq!(level_labels(&ages, 3), ["*"; 5]);
        let twenties = ages.values()[ages.generalise(1, 2) as usize].extent.unwrap();
        assert_eq!((twenties.min, twenties.max), (11.0, 15.0), "from the least, 9");
    }

    #[test]
    fn negative_bounds_use_dots() {
        let cold = intervals(&["-7", "-10", "0", "3"], &[5.0], 0.0).unwrap();
        assert_eq!(level_labels(&cold, 1), ["-10..-6", "-10..-6", "0..4", "0..4"]);
    }

    #[test]
    fn the_origin_moves_the_bounds() {
        let ages = intervals(&["17", "18", "27", "28"], &[10.0], 18.0).unwrap();
        assert_eq!(level_labels(&ages, 1), ["8-17", "18-27", "18-27", "28-37"]);
    }

    #[test]
    fn a_width_of_one_shows_the_number() {
        let ones = intervals(&["3", "3.0", "4"], &[1.0, 2.0], 0.0).unwrap();
        assert_topped(&ones);
        assert_eq!(leaf_labels(&ones), ["3", "3.0", "4"]);
        assert_eq!(level_labels(&ones, 1), ["3", "3", "4"]);
        assert_eq!(ones.generalise(2, 1), 2, "a leaf that is its own range keeps its id");
    }

    #[test]
    fn fractions_get_half_open_ranges_with_exact_bounds() {
        let values = ["0.1", "0.2", "0.3", "0.30000000000000004", "0.6", "0.7"];
        let parts = intervals(&values, &[0.1, 0.3], 0.0).unwrap();
        assert_topped(&parts);
        let first = ["[0.1, 0.2)", "[0.2, 0.3)", "[0.3, 0.4)", "[0.3, 0.4)", "[0.6, 0.7)", "[0.7, 0.8)"];
        assert_eq!(level_labels(&parts, 1), first);
        let second = ["[0, 0.3)", "[0, 0.3)", "[0.3, 0.6)", "[0.3, 0.6)", "[0.6, 0.9)", "[0.6, 0.9)"];
        assert_eq!(level_labels(&parts, 2), second);
        let halves = intervals(&["20", "21"], &[2.5], 0.0).unwrap();
        assert_eq!(level_labels(&halves, 1), ["[20, 22.5)", "[20, 22.5)"]);
        let data = intervals(&["22.5", "-0.5"], &[5.0], 0.0).unwrap();
        assert_eq!(level_labels(&data, 1), ["[-5, 0)", "[20, 25)"]);
    }

    #[test]
    fn missing_is_last_and_alone_below_the_top() {
        let ages = intervals(&["", "5", "4"], &[10.0, 100.0], 0.0).unwrap();
        assert_topped(&ages);
        assert_eq!(ages.missing(), Some(2));
        assert_eq!(level_labels(&ages, 2), ["0-99", "0-99", ""]);
        assert!(ages.extent().is_some());
    }

    #[test]
    fn no_width_gives_sorted_leaves_and_the_top() {
        let plain = intervals(&["10", "9", "9"], &[], 0.0).unwrap();
        assert_topped(&plain);
        assert_eq!((leaf_labels(&plain), plain.height()), (vec!["9", "10"], 1));
    }

    #[test]
    fn values_that_are_not_numbers_are_named_by_position() {
        for bad in ["secret", "nan", "inf", " ", "1e40"] {
            let error = intervals(&["1", "", bad], &[5.0], 0.0).unwrap_err();
            assert!(matches!(error, TaxonomyError::Unfit { index: 2, .. }), "{bad}");
            assert!(!format!("{error} {error:?}").contains("secret"));
        }
        assert_eq!(intervals::<&str>(&[], &[5.0], 0.0), Err(TaxonomyError::Empty));
    }

    #[test]
    fn widths_must_nest() {
        for widths in
            [&[0.0][..], &[-5.0], &[f64::NAN], &[f64::INFINITY], &[5.0, 5.0], &[10.0, 5.0], &[10.0, 15.0]]
        {
            let error = intervals(&["1"], widths, 0.0).unwrap_err();
            assert!(error.to_string().contains("whole multiple of the one before it"), "{widths:?}: {error}");
        }
        assert!(matches!(intervals(&["1"], &[1e-20, 1e20], 0.0), Err(TaxonomyError::Builder(_))));
        assert!(matches!(intervals(&["1"], &[5.0], f64::NAN), Err(TaxonomyError::Builder(_))));
    }

    /// The bounds that a half-open label shows.
    fn bounds(label: &str) -> (f64, f64) {
        let inner = label.trim_start_matches('[').trim_end_matches(')');
        let (low, high) = inner.split_once(", ").unwrap();
        (low.parse().unwrap(), high.parse().unwrap())
    }

    proptest! {
        #[test]
        fn ranges_nest_and_hold_their_numbers(
            values in proptest::collection::vec(-5_000_i32..5_000, 1..30),
            first in 1_u32..40,
            factors in proptest::collection::vec(2_u32..5, 0..4),
            origin in -300_i32..300,
        ) {
            let values: Vec<String> = values.iter().map(|x| (f64::from(*x) / 100.0).to_string()).collect();
            let mut units = vec![first];
            factors.iter().for_each(|factor| units.push(units.last().unwrap() * factor));
            let widths: Vec<f64> = units.iter().map(|&w| f64::from(w) / 100.0).collect();
            // Not a whole number, so that labels are half-open.
            let taxonomy = intervals(&values, &widths, f64::from(origin) / 100.0 + 0.001).unwrap();
            assert_topped(&taxonomy);
            for (level, _) in widths.iter().enumerate() {
                for (leaf, label) in leaf_labels(&taxonomy).iter().zip(level_labels(&taxonomy, level + 1)) {
                    let (low, high) = bounds(label);
                    let x: f64 = leaf.parse().unwrap();
                    prop_assert!(low <= x && x < high);
                }
            }
        }

        #[test]
        fn whole_ranges_hold_their_numbers(
            values in proptest::collection::vec(0_u32..500, 1..30),
            width in 2_u32..40,
        ) {
            let texts: Vec<String> = values.iter().map(u32::to_string).collect();
            let taxonomy = intervals(&texts, &[f64::from(width), f64::from(width * 3)], 0.0).unwrap();
            assert_topped(&taxonomy);
            for (leaf, label) in leaf_labels(&taxonomy).iter().zip(level_labels(&taxonomy, 1)) {
                let (low, high) = label.split_once('-').unwrap();
                let (low, high, x): (u32, u32, u32) =
                    (low.parse().unwrap(), high.parse().unwrap(), leaf.parse().unwrap());
                prop_assert!(low <= x && x <= high && high - low + 1 == width && low % width == 0);
            }
        }
    }
}
