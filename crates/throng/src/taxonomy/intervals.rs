//! Number ranges: 23 → 20-24 → 20-29 → *.

use super::decimal::{Decimal, FlooredDecimal};
use super::notation::{Notation, Side};
use super::{ANY, Taxonomy, TaxonomyError, TreeBuilder, line};

/// Number ranges of growing width, then `*`.
///
/// Level `i` groups the numbers `x` by `floor((x - origin) / widths[i - 1])`, in exact decimal
/// arithmetic. When all numbers involved are whole, labels are closed ranges (`20-24`, or
/// `-10..-6` when some bound is negative), otherwise half-open ones (`[20, 22.5)`). Leaves are
/// sorted by number; the empty value (missing) is last, and by itself below the top.
///
/// Widths are positive and each is a whole multiple of the one before it; no width at all gives
/// leaves and `*`.
///
/// A value such as `90+` or `>=90` is in the topmost range, which is open then: at every level, all
/// from the range with 90 on are together (`90+`, then `80+`). So are all below `<18`. Both lie where
/// 90 and 18 do.
pub fn intervals<S: AsRef<str>>(
    values: &[S],
    widths: &[f64],
    origin: f64,
) -> Result<Taxonomy, TaxonomyError> {
    intervals_in(values, widths, origin, Notation::Plain)
}

/// As [`intervals`], of numbers in another notation, in which labels are spelled, too (`[20; 22,5)`).
pub fn intervals_in<S: AsRef<str>>(
    values: &[S],
    widths: &[f64],
    origin: f64,
    notation: Notation,
) -> Result<Taxonomy, TaxonomyError> {
    intervals_as(values, widths, origin, notation, false)
}

/// As [`intervals_in`], in which closed ranges are spelled with a word (`5 to 9`), which no spreadsheet takes for a date.
pub fn intervals_in_words<S: AsRef<str>>(
    values: &[S],
    widths: &[f64],
    origin: f64,
    notation: Notation,
) -> Result<Taxonomy, TaxonomyError> {
    intervals_as(values, widths, origin, notation, true)
}

fn intervals_as<S: AsRef<str>>(
    values: &[S],
    widths: &[f64],
    origin: f64,
    notation: Notation,
    in_words: bool,
) -> Result<Taxonomy, TaxonomyError> {
    let grid = Grid::new(widths, origin)?;
    let leaves = place(values, grid.place, notation)?;
    if leaves.is_empty() {
        return Err(TaxonomyError::Empty);
    }
    let spelling = match Spelling::suiting(&grid, &leaves) {
        Spelling::Closed { .. } if in_words => Spelling::Closed { between: " to " },
        usual => usual,
    };
    let ends = Ends::new(&leaves);
    let mut tree = TreeBuilder::leaves(leaves.iter().map(|leaf| leaf.text));
    for &width in &grid.widths {
        let labels: Vec<String> = leaves
            .iter()
            .map(|leaf| {
                let label = |x| ends.label(&grid, x, width, notation);
                let closed = |x| spelling.label(&grid, x, width, notation);
                leaf.number.map_or(String::new(), |x| label(x).unwrap_or_else(|| closed(x)))
            })
            .collect();
        tree.push_level(labels.iter().map(String::as_str))?;
    }
    tree.push_top();
    // Numbers, even if some have leading zeros.
    let numbers: Vec<Decimal> = leaves.iter().filter_map(|leaf| leaf.at.clone()).collect();
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

    fn show(&self, units: i128, notation: Notation) -> String {
        notation.write(Decimal::from_parts(units, self.place).positional())
    }

    /// The lower bound of the range that holds a number.
    fn low(&self, number: FlooredDecimal, width: i128) -> i128 {
        number.units - (number.units - self.origin).rem_euclid(width)
    }
}

/// Where the open ranges begin, if values such as `90+` or `<18` make them open.
struct Ends {
    /// The least number that some value means with all above it.
    from: Option<FlooredDecimal>,
    /// The largest that some value means with all below it.
    up_to: Option<FlooredDecimal>,
}

impl Ends {
    fn new(leaves: &[Leaf<'_>]) -> Ends {
        let of = |side: fn(Side) -> bool| {
            leaves.iter().filter(move |leaf| side(leaf.side)).filter_map(|leaf| leaf.number)
        };
        Ends {
            from: of(|side| side == Side::From).min_by_key(|x| x.units),
            up_to: of(|side| matches!(side, Side::UpTo | Side::Below)).max_by_key(|x| x.units),
        }
    }

    /// The label of the range with a number, if that is open. Ranges that are open on both sides are one.
    fn label(&self, grid: &Grid, number: FlooredDecimal, width: i128, notation: Notation) -> Option<String> {
        let low = grid.low(number, width);
        let from = self.from.map(|x| grid.low(x, width));
        let up_to = self.up_to.map(|x| grid.low(x, width));
        let above = from.filter(|&from| low >= from);
        let below = up_to.filter(|&up_to| low <= up_to);
        let overlap = from.zip(up_to).is_some_and(|(from, up_to)| from <= up_to);
        match (above, below) {
            (None, None) => None,
            _ if overlap => Some(ANY.to_owned()),
            (Some(from), _) => Some(format!("{}+", grid.show(from, notation))),
            (_, Some(up_to)) => Some(format!("<{}", grid.show(up_to + width, notation))),
        }
    }
}

fn bad_widths(problem: &str) -> TaxonomyError {
    TaxonomyError::Builder(
        (
            format!("interval widths: {problem}"),
            "each width must be positive and a larger, whole multiple of the one before it, such as 5, \
             10, 50",
        )
            .into(),
    )
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

    fn label(self, grid: &Grid, number: FlooredDecimal, width: i128, notation: Notation) -> String {
        let low = grid.low(number, width);
        let show = |units| grid.show(units, notation);
        match self {
            Spelling::Closed { .. } if width == 1 => show(low),
            Spelling::Closed { between } => {
                format!("{}{between}{}", show(low), show(low + width - 1))
            }
            Spelling::HalfOpen => format!("[{}{}{})", show(low), notation.between(), show(low + width)),
        }
    }
}

struct Leaf<'a> {
    text: &'a str,
    /// `None` for the missing value.
    number: Option<FlooredDecimal>,
    at: Option<Decimal>,
    side: Side,
}

/// The distinct values in the order of the leaves.
fn place<S: AsRef<str>>(
    values: &[S],
    place: i64,
    notation: Notation,
) -> Result<Vec<Leaf<'_>>, TaxonomyError> {
    let mut leaves = Vec::with_capacity(values.len());
    for (index, value) in values.iter().enumerate() {
        let text = value.as_ref();
        let read = notation.read(text);
        let number = read.as_ref().and_then(|number| number.at.floor(place));
        // Below a bound of the grid is in the range before it.
        let before = read.as_ref().is_some_and(|number| number.side == Side::Below);
        let number = number.map(|x| FlooredDecimal { units: x.units - i128::from(before && x.exact), ..x });
        if number.is_none() && !text.is_empty() {
            let expected = "a finite number of at most 36 digits".to_owned();
            return Err(TaxonomyError::Unfit { index, expected: expected.into() });
        }
        let side = read.as_ref().map_or(Side::At, |number| number.side);
        leaves.push(Leaf { text, number, at: read.map(|number| number.at), side });
    }
    leaves.sort_by(|a, b| {
        let order = rank(a).cmp(&rank(b)).then_with(|| a.at.cmp(&b.at));
        order.then(a.side.cmp(&b.side)).then(a.text.cmp(b.text))
    });
    leaves.dedup_by(|a, b| a.text == b.text);
    Ok(leaves)
}

/// Numbers by their place on the grid, then the missing value.
fn rank(leaf: &Leaf<'_>) -> (bool, Option<i128>) {
    (leaf.number.is_none(), leaf.number.map(|x| x.units))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::taxonomy::tests::{assert_topped, leaf_labels, level_labels};

    #[test]
    fn words_take_the_place_of_signs() {
        let labels = |values: &[&str]| {
            let built = intervals_in_words(values, &[5.0, 10.0], 0.0, Notation::Plain).unwrap();
            (built.label(built.generalise(0, 1)).to_owned(), built.label(built.generalise(0, 2)).to_owned())
        };
        assert_eq!(labels(&["7", "12"]), ("5 to 9".to_owned(), "0 to 9".to_owned()));
        assert_eq!(labels(&["-7", "12"]), ("-10 to -6".to_owned(), "-10 to -1".to_owned()));
        assert_eq!(labels(&["7.5", "12"]), ("[5, 10)".to_owned(), "[0, 10)".to_owned()));
    }

    #[test]
    fn open_ends_are_in_open_ranges() {
        let ages = intervals(&["17", "<18", "18", "88", "90+", "90", "97"], &[5.0, 20.0], 0.0).unwrap();
        assert_topped(&ages);
        assert_eq!(leaf_labels(&ages), ["17", "<18", "18", "88", "90", "90+", "97"]);
        assert_eq!(level_labels(&ages, 1), ["<20", "<20", "<20", "85-89", "90+", "90+", "90+"]);
        assert_eq!(level_labels(&ages, 2), ["<20", "<20", "<20", "80+", "80+", "80+", "80+"]);
        let at = |leaf: usize| ages.values()[leaf].extent.unwrap().min;
        assert_eq!((at(4), at(5)), (73.0, 73.0), "as if it were its bound");
        let bound = intervals(&["3", "<20", "20"], &[5.0], 0.0).unwrap();
        assert_eq!(level_labels(&bound, 1), ["<20", "<20", "20-24"]);
        let wide = intervals(&["3", "<20", "7+", "30"], &[5.0], 0.0).unwrap();
        assert_eq!(level_labels(&wide, 1), ["*"; 4], "nothing tells these apart");
    }

    #[test]
    fn commas_are_read_and_written() {
        let values = ["1.234,5", "1234,50", "20", "22,5", ""];
        let costs = intervals_in(&values, &[2.5, 1000.0], 0.0, Notation::Comma).unwrap();
        assert_topped(&costs);
        assert_eq!(leaf_labels(&costs), ["20", "22,5", "1.234,5", "1234,50", ""]);
        let labels = ["[20; 22,5)", "[22,5; 25)", "[1232,5; 1235)", "[1232,5; 1235)", ""];
        assert_eq!(level_labels(&costs, 1), labels);
        assert_eq!(costs.extent().unwrap().span(), 1214.5);
    }

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
