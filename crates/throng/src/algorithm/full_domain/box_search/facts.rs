//! What checks say about the nodes below and above the checked ones.

use super::cores::Cores;
use super::forecast::{Forecast, Lesson};
use super::prices::Prices;
use crate::classes::AtLeast;
use crate::evaluation::Evaluation;
use crate::lattice::Level;
use crate::run::Run;

pub(super) struct NodeFacts {
    /// Nodes, and as the last level one less than what suppression adds at least to all below.
    cores: Cores,
    /// Nodes that may be released, upside down, and what suppression adds at most to all above.
    witnesses: Cores,
    heights: Vec<Level>,
    /// Whether a node that may not be released says so of all below it.
    is_monotone: bool,
    /// Whether what suppression adds to a node it adds to all below it.
    penalty_falls: bool,
    forecast: Forecast,
    rows: u64,
    max_suppressed_rows: u64,
}

impl NodeFacts {
    pub(super) fn new(prices: &Prices, run: &Run<'_>) -> NodeFacts {
        let heights: Vec<Level> = (0..prices.attributes()).map(|a| prices.height(a)).collect();
        let is_monotone = run.is_monotone();
        NodeFacts {
            cores: Cores::new(heights.iter().copied()),
            witnesses: Cores::new(heights.iter().copied()),
            heights,
            is_monotone,
            forecast: Forecast::new(prices, run.problem().table().rows()),
            rows: run.problem().table().rows(),
            max_suppressed_rows: run.problem().max_suppressed_rows,
            penalty_falls: is_monotone && prices.are_bounds() && run.costs().penalty_falls(),
        }
    }

    pub(super) fn cores(&self) -> &Cores {
        &self.cores
    }

    pub(super) fn forecast(&self) -> &Forecast {
        &self.forecast
    }

    /// Makes forecasts better.
    pub(super) fn study(&mut self, lesson: &Lesson) {
        self.forecast.learn(lesson);
    }

    /// Log-odds of being suppressed from which on a node is likely to close one that needs so much.
    pub(super) fn enough(&self, levels: &[Level], need: Level, prices: &Prices) -> f64 {
        let too_many = self.max_suppressed_rows as f64 + 1.0;
        let last = prices.attributes() - 1;
        if need > prices.height(last) {
            return self.forecast.odds(too_many);
        }
        // A row that is suppressed has lost its share of what the levels cost already.
        let a_row = (prices.whole() - prices.sum(levels)).max(1) as f64 / self.rows as f64;
        self.forecast.odds((prices.last(need) as f64 / a_row).min(too_many))
    }

    /// What suppression adds at least to a checked node and all below, as a level of the last attribute; none if
    /// they may not be released.
    pub(super) fn payment(&self, check: &Evaluation, prices: &Prices) -> Option<Level> {
        if check.refutes_below || (self.is_monotone && !check.admissible) {
            return None;
        }
        let penalty = check.cost.filter(|_| self.penalty_falls).map_or(0, |cost| cost.penalty);
        Some(prices.payment(penalty))
    }

    /// What it is known to add at least without a check; `rows` are more than may be suppressed, or add so much.
    pub(super) fn payment_of(
        &self,
        at_least: &AtLeast,
        max_suppressed_rows: u64,
        prices: &Prices,
    ) -> Option<Level> {
        let penalty = if self.penalty_falls { at_least.penalty } else { 0 };
        (at_least.suppressed_rows <= max_suppressed_rows).then(|| prices.payment(penalty))
    }

    /// Takes note of what suppression adds to a node.
    pub(super) fn learn(&mut self, levels: &[Level], payment: Option<Level>) {
        let none = self.heights[levels.len()];
        match payment {
            None => self.cores.add(&with(levels, none)),
            Some(payment) if payment > 0 => self.cores.add(&with(levels, payment - 1)),
            Some(_) => {}
        }
        if let Some(payment) = payment.filter(|_| self.is_monotone) {
            let upside_down = self.upside_down(levels, payment);
            self.witnesses.add(&upside_down);
        }
    }

    /// Whether suppression is known to add so much to a node, or so little that it does not.
    pub(super) fn reaches(&self, levels: &[Level], need: Level) -> Option<bool> {
        let below_need = need.saturating_sub(1);
        if self.cores.is_below_any(&with(levels, below_need)) {
            return Some(true);
        }
        let is_above = self.witnesses.is_below_any(&self.upside_down(levels, below_need));
        is_above.then_some(false)
    }

    fn upside_down(&self, levels: &[Level], payment: Level) -> Vec<Level> {
        with(levels, payment).iter().zip(&self.heights).map(|(level, height)| height - level).collect()
    }
}

fn with(levels: &[Level], payment: Level) -> Vec<Level> {
    levels.iter().copied().chain([payment]).collect()
}
