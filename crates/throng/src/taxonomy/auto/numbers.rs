//! Numbers: ranges that hold about as many rows each, between round numbers.
//!
//! The range of all numbers is halved again and again, each time at the roundest number near the
//! median: the rounder, the farther off it may be. Ages of adults are cut at 40, then
//! at 30 and 50, then at 25, 35, 45 and 60. So cuts of a level are cuts of every finer one.

use super::ladder::{Ladder, LeafPartition, choose};
use super::round::roundest;
use crate::taxonomy::decimal::Decimal;
use crate::taxonomy::line::is_code;
use crate::taxonomy::notation::{Notation, Number, Side};

/// At most 2⁶ ranges at the finest level.
const MAX_DEPTH: u32 = 6;

/// How far from a half the share of rows below a cut may be for the sake of roundness; what is
/// nearer is looked at, too.
const NEAR_MEDIAN: [f64; 4] = [0.25, 0.1875, 0.125, 0.0625];

/// How much rounder, in decimal orders, a cut must be to lie by a whole farther off the median.
const ORDERS: f64 = 5.0;

/// A value's number, the rows that have it, and the value.
struct NumberPoint {
    number: Decimal,
    rows: u64,
    value: usize,
}

/// A number at which ranges start, and how often the whole was halved to get there.
struct RangeStart {
    at: Decimal,
    depth: u32,
}

/// The strand of numbers among `known`, and the values that are none.
pub(super) fn range(
    values: &[&str],
    rows: &[u64],
    known: Vec<usize>,
    max_levels: usize,
    notation: Notation,
) -> (Ladder, Vec<usize>) {
    let mut points = Vec::new();
    let mut rest = Vec::new();
    for value in known {
        match notation.read(values[value]).filter(|_| !is_code(values[value])) {
            Some(number) => points.push((number, value)),
            None => rest.push(value),
        }
    }
    let mut points = clamp(points, rows);
    points.sort_by(|a, b| a.number.cmp(&b.number).then_with(|| values[a.value].cmp(values[b.value])));
    let cuts = halve(&points);
    // At most half as many ranges as numbers, else the leaves are as good a level.
    let deepest = distinct(&points).saturating_sub(1).max(1).ilog2().min(MAX_DEPTH);
    let depths: Vec<u32> = (1..=deepest).rev().collect();
    let sizes: Vec<usize> =
        depths.iter().map(|&depth| 1 + cuts.iter().filter(|cut| cut.depth <= depth).count()).collect();
    let spelling = Spelling::suiting(&points);
    let levels = choose(&sizes, distinct(&points), max_levels).into_iter();
    let levels = levels.map(|at| spelling.level(&points, &cuts, depths[at], notation)).collect();
    (Ladder { leaves: points.iter().map(|point| point.value).collect(), levels, positions: None }, rest)
}

/// The numbers as they are grouped: all from the least `90+` on are 90, so that no cut parts them, and
/// all up to the largest `<18` are 18.
fn clamp(numbers: Vec<(Number, usize)>, rows: &[u64]) -> Vec<NumberPoint> {
    let ends = |is_end: fn(Side) -> bool| {
        let ends = numbers.iter().filter(move |(number, _)| is_end(number.side));
        ends.map(|(number, _)| &number.at)
    };
    let from = ends(|side| side == Side::From).min().cloned();
    let up_to = ends(|side| matches!(side, Side::Below | Side::UpTo)).max().cloned();
    let point = |(number, value): (Number, usize)| {
        let low = up_to.iter().fold(number.at, |at, up_to| at.max(up_to.clone()));
        let number = from.iter().fold(low, |at, from| at.min(from.clone()));
        NumberPoint { number, rows: rows[value], value }
    };
    numbers.into_iter().map(point).collect()
}

fn distinct(points: &[NumberPoint]) -> usize {
    points.chunk_by(|a, b| a.number == b.number).count()
}

/// The cuts in ascending order.
fn halve(points: &[NumberPoint]) -> Vec<RangeStart> {
    let mut sums = vec![0u64];
    // Equal numbers stay together, so only the first of them can start a range.
    let mut starts: Vec<usize> = Vec::new();
    for (at, point) in points.iter().enumerate() {
        if at == 0 || points[at - 1].number != point.number {
            starts.push(at);
        }
        // A value that occurs in no row still takes its place.
        sums.push(sums[at] + point.rows.max(1));
    }
    let mut halving = Halving { points, sums, starts, cuts: Vec::new() };
    let runs = halving.starts.len();
    halving.split(0, runs, 1);
    halving.cuts.sort_by(|a, b| a.at.cmp(&b.at));
    halving.cuts
}

struct Halving<'a> {
    points: &'a [NumberPoint],
    /// Rows before each point.
    sums: Vec<u64>,
    /// The first point of each distinct number.
    starts: Vec<usize>,
    cuts: Vec<RangeStart>,
}

impl Halving<'_> {
    /// Splits the distinct numbers from `low` to before `high`.
    fn split(&mut self, low: usize, high: usize, depth: u32) {
        // A pair is not worth a range for each; the leaves are the finer level.
        if high - low < 3 || depth > MAX_DEPTH {
            return;
        }
        let (at, start) = self.cut(low, high);
        self.cuts.push(RangeStart { at, depth });
        self.split(low, start, depth + 1);
        self.split(start, high, depth + 1);
    }

    /// The best cut of at least two distinct numbers, and the one that starts above it.
    fn cut(&self, low: usize, high: usize) -> (Decimal, usize) {
        let share = |at: usize| self.share(low, high, at);
        let off = |at: usize| (share(at) - 0.5).abs();
        let above = first(low + 1, high - 1, |at| share(at) >= 0.5);
        let median = if above > low + 1 && off(above - 1) <= off(above) { above - 1 } else { above };
        let mut best: Option<(f64, Decimal, usize)> = None;
        for most in NEAR_MEDIAN.into_iter().chain([0.0]) {
            let start = first(low + 1, median, |at| share(at) >= 0.5 - most);
            let last = first(median + 1, high, |at| share(at) > 0.5 + most) - 1;
            let round = roundest(self.number(start - 1), self.number(last));
            for number in round.numbers {
                let start = first(low, high, |at| *self.number(at) >= number);
                let score = round.log_step - ORDERS * off(start);
                if best.as_ref().is_none_or(|(least, ..)| score > *least) {
                    best = Some((score, number, start));
                }
            }
        }
        best.map(|(_, number, start)| (number, start)).expect("some number is the roundest")
    }

    fn number(&self, at: usize) -> &Decimal {
        &self.points[self.starts[at]].number
    }

    /// The share of rows below the distinct number `at`.
    fn share(&self, low: usize, high: usize, at: usize) -> f64 {
        let sum = |at: usize| self.sums[self.starts.get(at).copied().unwrap_or(self.points.len())];
        (sum(at) - sum(low)) as f64 / (sum(high) - sum(low)) as f64
    }
}

/// The first index from `low` on that has a property, as all after it do; `high` if none before has.
fn first(low: usize, high: usize, property: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low.midpoint(high);
        if property(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// How ranges are spelled.
#[derive(Clone, Copy)]
enum Spelling {
    /// Whole numbers: `20-29`, or `-10..-1` where numbers are negative.
    Closed { between: &'static str },
    /// `[2.5, 5)`
    HalfOpen,
}

impl Spelling {
    fn suiting(points: &[NumberPoint]) -> Spelling {
        let wholes: Option<Vec<i128>> = points.iter().map(|point| point.number.to_whole()).collect();
        match wholes {
            Some(wholes) if wholes.iter().any(|&x| x < 0) => Spelling::Closed { between: ".." },
            Some(_) => Spelling::Closed { between: "-" },
            None => Spelling::HalfOpen,
        }
    }

    /// The ranges between the cuts of some depth.
    fn level(
        self,
        points: &[NumberPoint],
        cuts: &[RangeStart],
        depth: u32,
        notation: Notation,
    ) -> LeafPartition {
        let cuts: Vec<&Decimal> = cuts.iter().filter(|cut| cut.depth <= depth).map(|cut| &cut.at).collect();
        let group = |point: &NumberPoint| cuts.partition_point(|&cut| *cut <= point.number) as u32;
        let labels = (0..=cuts.len()).map(|at| {
            let low = at.checked_sub(1).map(|at| cuts[at]);
            self.label(low, cuts.get(at).copied(), notation)
        });
        LeafPartition { groups: points.iter().map(group).collect(), labels: labels.collect() }
    }

    /// The label of the numbers from `low` to below `high`.
    ///
    /// The outermost ranges are open: the least and the largest number are somebody's.
    fn label(self, low: Option<&Decimal>, high: Option<&Decimal>, notation: Notation) -> String {
        let show = |number: &Decimal| notation.write(number.spell());
        match (low, high, self) {
            (None, None, _) => String::from(super::super::ANY),
            (None, Some(high), _) => format!("<{}", show(high)),
            (Some(low), None, _) => format!(">={}", show(low)),
            (Some(low), Some(high), Spelling::Closed { between }) => {
                match (low.to_whole(), high.to_whole()) {
                    (Some(low), Some(high)) if high - low == 1 => low.to_string(),
                    (Some(low), Some(high)) => format!("{low}{between}{}", high - 1),
                    _ => half_open(low, high, notation),
                }
            }
            (Some(low), Some(high), Spelling::HalfOpen) => half_open(low, high, notation),
        }
    }
}

fn half_open(low: &Decimal, high: &Decimal, notation: Notation) -> String {
    let show = |number: &Decimal| notation.write(number.spell());
    format!("[{}{}{})", show(low), notation.between(), show(high))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ladder(texts: &[&str], rows: &[u64]) -> Ladder {
        let (ladder, rest) = range(texts, rows, (0..texts.len()).collect(), 6, Notation::Plain);
        assert_eq!(rest, []);
        ladder
    }

    /// The labels of the levels, each once, from the coarsest down.
    fn ranges(texts: &[&str], rows: &[u64]) -> Vec<Vec<String>> {
        ladder(texts, rows).levels.iter().rev().map(|level| level.labels.clone()).collect()
    }

    fn texts(numbers: impl Iterator<Item = i64>) -> Vec<String> {
        numbers.map(|x| x.to_string()).collect()
    }

    #[test]
    fn cuts_are_round_and_follow_the_rows() {
        let ages = texts(17..91);
        let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
        // Most are young.
        let rows: Vec<u64> = (17..91_u64).map(|age| 100 - age).collect();
        let levels = ranges(&ages, &rows);
        assert_eq!(levels[0], ["<40", ">=40"]);
        assert_eq!(levels[1], ["<30", "30-39", "40-59", ">=60"]);
        assert_eq!(levels[2], ["<25", "25-29", "30-34", "35-39", "40-49", "50-59", "60-69", ">=70"]);
    }

    #[test]
    fn a_heavy_value_gets_a_range_of_its_own() {
        let hours = ["10", "20", "35", "40", "45", "60", "80"];
        let levels = ranges(&hours, &[1, 1, 1, 1000, 1, 1, 1]);
        assert!(levels.last().unwrap().iter().any(|label| label.starts_with("40")), "{levels:?}");
    }

    #[test]
    fn fractions_and_negative_numbers_have_their_spelling() {
        let levels = ranges(&["0.1", "0.2", "0.4", "0.8", "1.6"], &[1; 5]);
        assert_eq!(levels.last().unwrap().len(), 3, "{levels:?}");
        assert!(levels.last().unwrap()[1].starts_with('['), "{levels:?}");
        let levels = ranges(&["-30", "-20", "-10", "-5", "5", "10", "20"], &[1; 7]);
        assert!(levels.iter().flatten().any(|label| label.contains("..")), "{levels:?}");
    }

    #[test]
    fn equal_numbers_stay_together() {
        let ladder = ladder(&["3.0", "1", "3", "2", "4", "5"], &[1; 6]);
        assert_eq!(ladder.leaves, [1, 3, 2, 0, 4, 5]);
        for level in &ladder.levels {
            assert_eq!(level.groups[2], level.groups[3]);
        }
    }

    #[test]
    fn open_ends_are_in_the_outermost_ranges() {
        let mut ages = texts(20..100);
        ages.extend(["90+".to_owned(), "<25".to_owned()]);
        let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
        let ladder = ladder(&ages, &vec![1; ages.len()]);
        let place = |value: usize| ladder.leaves.iter().position(|&leaf| leaf == value).unwrap();
        for level in &ladder.levels {
            let group = |value: usize| level.groups[place(value)];
            assert!((70..=79).all(|value| group(value) == group(80)), "90 to 99, and 90+");
            assert!((0..=4).all(|value| group(value) == group(81)), "20 to 24, and <25");
        }
    }

    #[test]
    fn commas_are_kept() {
        let values = ["0,1", "0,2", "0,4", "0,8", "1,6"];
        let (ladder, rest) = range(&values, &[1; 5], (0..5).collect(), 6, Notation::Comma);
        assert!(rest.is_empty());
        let labels = &ladder.levels[0].labels;
        assert!(labels[1].starts_with("[0,") && labels[1].contains("; 0,"), "{labels:?}");
    }

    #[test]
    fn few_numbers_have_no_ranges() {
        assert!(ladder(&["1", "2"], &[5, 5]).levels.is_empty());
        assert!(ladder(&["7"], &[5]).levels.is_empty());
        assert!(ladder(&[], &[]).levels.is_empty());
    }

    #[test]
    fn what_is_no_number_is_set_aside() {
        let values = ["1", "NaN", "inf", "unknown", "1e999", "-2", "007", "0", "0.5"];
        let (ladder, rest) = range(&values, &[1; 9], (0..9).collect(), 5, Notation::Plain);
        assert_eq!((ladder.leaves, rest), (vec![5, 7, 8, 0], vec![1, 2, 3, 4, 6]));
    }

    proptest! {
        #[test]
        fn ranges_nest_and_hold_their_numbers(
            numbers in proptest::collection::btree_set(-100_000_i64..100_000, 3..80),
            scale in 0_i32..4,
        ) {
            let texts: Vec<String> = numbers.iter().map(|x| format!("{x}e-{scale}")).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let rows: Vec<u64> = (0..texts.len() as u64).map(|i| 1 + i * i % 17).collect();
            let ladder = ladder(&texts, &rows);
            prop_assert!(!ladder.levels.is_empty());
            for level in &ladder.levels {
                prop_assert!(level.groups.is_sorted());
                let last = *level.groups.last().unwrap() as usize;
                prop_assert_eq!(last + 1, level.size());
            }
            for pair in ladder.levels.windows(2) {
                for at in 1..ladder.leaves.len() {
                    let same = |level: &LeafPartition| level.groups[at] == level.groups[at - 1];
                    prop_assert!(!same(&pair[0]) || same(&pair[1]));
                }
            }
        }
    }
}
