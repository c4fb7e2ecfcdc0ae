//! What levels cost, and what suppression adds, as the steps of one more attribute.

use crate::lattice::Level;
use crate::problem::Problem;
use crate::run::Run;

/// Steps in which what suppression adds is told apart.
const PAYMENTS: usize = 64;

/// Costs stay below this, so that sums of them fit.
const MOST: i128 = 1 << 60;

/// Prices of the levels of each attribute and, as one more attribute behind them, of what suppression adds.
///
/// They are rounded down, and never by more than a unit where they are rounded at all: a sum of them is a lower bound.
pub(super) struct Prices {
    /// `of[attribute][level]`.
    of: Vec<Vec<i64>>,
    /// The order of steps where the objective has no prices: a step is a step.
    are_bounds: bool,
    /// A price is a cost without its last bits.
    dropped_bits: u32,
}

impl Prices {
    pub(super) fn new(problem: &Problem, run: &Run<'_>) -> Prices {
        let heights = problem.lattice().heights();
        let Some(mut levels) = run.costs().level_bounds(heights) else {
            let none = heights.iter().map(|&height| vec![0; usize::from(height) + 1]);
            return Prices { of: none.chain([vec![0]]).collect(), are_bounds: false, dropped_bits: 0 };
        };
        // No box has higher ones.
        levels.iter_mut().zip(heights).for_each(|(of, &height)| of.truncate(usize::from(height) + 1));
        let whole: i128 = levels.iter().filter_map(|of| of.iter().max()).sum();
        let mut dropped_bits = 0;
        while whole >> dropped_bits >= MOST {
            dropped_bits += 1;
        }
        let mut of: Vec<Vec<i64>> =
            levels.iter().map(|of| of.iter().map(|&cost| (cost >> dropped_bits) as i64).collect()).collect();
        let rows = problem.table().rows().max(1);
        let most_added = (whole >> dropped_bits) * i128::from(problem.max_suppressed_rows) / i128::from(rows);
        let steps = if most_added >= PAYMENTS as i128 { PAYMENTS as i128 } else { 0 };
        of.push((0..=steps).map(|step| (most_added * step / steps.max(1)) as i64).collect());
        Prices { of, are_bounds: true, dropped_bits }
    }

    /// What the most general node costs.
    pub(super) fn whole(&self) -> i64 {
        self.of.split_last().map_or(0, |(_, of)| of.iter().filter_map(|of| of.last()).sum())
    }

    /// Attributes, with the one for what suppression adds.
    pub(super) fn attributes(&self) -> usize {
        self.of.len()
    }

    /// Where the levels of each attribute start, one attribute after the other, and where they end.
    pub(super) fn starts(&self) -> Vec<usize> {
        let mut starts = vec![0];
        starts.extend(self.of.iter().scan(0, |sum, of| {
            *sum += of.len();
            Some(*sum)
        }));
        starts
    }

    /// Whether sums bound the objective.
    pub(super) fn are_bounds(&self) -> bool {
        self.are_bounds
    }

    pub(super) fn height(&self, attribute: usize) -> Level {
        (self.of[attribute].len() - 1) as Level
    }

    #[inline]
    pub(super) fn at(&self, attribute: usize, level: Level) -> i64 {
        self.of[attribute][usize::from(level)]
    }

    pub(super) fn sum(&self, levels: &[Level]) -> i64 {
        levels.iter().enumerate().map(|(attribute, &level)| self.at(attribute, level)).sum()
    }

    /// What a level of the last attribute costs.
    pub(super) fn last(&self, level: Level) -> i64 {
        self.at(self.of.len() - 1, level)
    }

    /// What one level more of an attribute costs; where there are no prices, one.
    pub(super) fn step(&self, attribute: usize, level: Level) -> i64 {
        if self.are_bounds { self.at(attribute, level + 1) - self.at(attribute, level) } else { 1 }
    }

    /// A cost that only a sum as large, or larger, is sure to reach.
    pub(super) fn to_reach(&self, cost: i128) -> i64 {
        let dropped = self.dropped_bits;
        i64::try_from((cost + (1 << dropped) - 1) >> dropped).unwrap_or(i64::MAX)
    }

    /// The cost that a sum is sure to reach.
    pub(super) fn to_cost(&self, sum: i64) -> i128 {
        i128::from(sum) << self.dropped_bits
    }

    /// The highest level of the last attribute that what suppression adds to a node reaches.
    pub(super) fn payment(&self, penalty: i128) -> Level {
        let penalty = penalty >> self.dropped_bits;
        let payments = self.of.last().expect("always there");
        (payments.partition_point(|&price| i128::from(price) <= penalty).max(1) - 1) as Level
    }
}
