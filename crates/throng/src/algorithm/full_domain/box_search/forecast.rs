//! What steps upwards are likely to do to the rows that are suppressed, learnt from looks.
//!
//! It decides only which nodes are asked for, never what is said of them.

use super::prices::Prices;
use crate::lattice::Level;

/// By this share of its error a forecast becomes better at each look.
const LEARNT: f64 = 0.25;

/// How much each step takes from the log-odds of a row's being suppressed: on that scale it is much the same wherever
/// the other attributes are.
pub(super) struct Forecast {
    /// `drops[attribute][level]`: of the step to the next level.
    drops: Vec<Vec<f64>>,
    rows: f64,
}

/// What was seen of two nodes, the second above the first.
pub(super) struct Lesson {
    pub(super) from: Vec<Level>,
    pub(super) to: Vec<Level>,
    /// What the steps between them took.
    pub(super) drop: f64,
}

impl Forecast {
    pub(super) fn new(prices: &Prices, rows: u64) -> Forecast {
        let steps = |a: usize| vec![0.0; usize::from(prices.height(a))];
        Forecast { drops: (0..prices.attributes() - 1).map(steps).collect(), rows: rows as f64 }
    }

    /// Log-odds of so many suppressed rows.
    pub(super) fn odds(&self, suppressed_rows: f64) -> f64 {
        let suppressed = suppressed_rows.clamp(0.5, (self.rows - 0.5).max(0.5));
        (suppressed / (self.rows - suppressed).max(0.5)).ln()
    }

    pub(super) fn drop(&self, attribute: usize, level: Level) -> f64 {
        self.drops[attribute][usize::from(level)]
    }

    pub(super) fn learn(&mut self, lesson: &Lesson) {
        let between = |a: usize| usize::from(lesson.from[a])..usize::from(lesson.to[a]);
        let all = 0..self.drops.len();
        let (steps, expected) = all.clone().fold((0, 0.0), |(steps, expected), a| {
            (steps + between(a).len(), expected + self.drops[a][between(a)].iter().sum::<f64>())
        });
        let change = LEARNT * (lesson.drop - expected) / steps.max(1) as f64;
        for a in all {
            self.drops[a][between(a)].iter_mut().for_each(|drop| *drop = (*drop + change).max(0.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steps_take_is_learnt_from_several_at_once() {
        let mut forecast = Forecast { drops: vec![vec![0.0; 2], vec![0.0; 1]], rows: 1000.0 };
        let lesson =
            |from: [Level; 2], to: [Level; 2], drop| Lesson { from: from.to_vec(), to: to.to_vec(), drop };
        for _ in 0..200 {
            forecast.learn(&lesson([0, 0], [2, 0], 3.0));
            forecast.learn(&lesson([0, 0], [1, 1], 1.5));
            forecast.learn(&lesson([1, 0], [2, 1], 2.5));
        }
        for (drop, expected) in
            [(forecast.drop(0, 0), 1.0), (forecast.drop(0, 1), 2.0), (forecast.drop(1, 0), 0.5)]
        {
            assert!((drop - expected).abs() < 0.01, "{drop} is not {expected}");
        }
    }

    #[test]
    fn odds_rise_with_rows_and_are_finite_at_both_ends() {
        let forecast = Forecast { drops: Vec::new(), rows: 1000.0 };
        let odds = [0.0, 1.0, 50.0, 500.0, 999.0, 1000.0].map(|rows| forecast.odds(rows));
        assert!(odds.is_sorted() && odds.iter().all(|odds| odds.is_finite()), "{odds:?}");
        assert!(odds[3].abs() < 1e-12);
    }
}
