//! What the cores that a box has nodes below cost it at least.
//!
//! Each core asks that some attribute rises above it. Every core may collect a fee, as long as no level pays more
//! in all than it costs: then the fees together are a lower bound of what satisfying all cores costs (they are a
//! solution of the dual linear program), and a level that is more expensive than its fees by what is left to the best
//! is out of the question.

use super::boxes::NodeBox;
use super::cores::Cores;
use super::prices::Prices;
use crate::lattice::Level;

/// Cores whose fees are collected, at most.
const MOST_FEES: usize = 512;

/// Times that a box is looked at again after it became smaller.
const MOST_ROUNDS: usize = 4;

/// What is known of a box.
pub(super) enum KnownBound {
    /// Nothing in it is better than the best.
    Closed,
    /// Its lower node is below this core; what is left costs at least the bound. The candidate is above no core.
    Covered { core: usize, bound: i64, candidate: Vec<Level>, ranks: Vec<i64> },
    /// Its lower node may be the best.
    Open { bound: i64 },
}

/// Looks at boxes; keeps its room from one to the next.
pub(super) struct Relaxation {
    /// What levels cost above the lower node, less the fees: `slack[start[attribute] + level]`.
    slack: Vec<i64>,
    start: Vec<usize>,
    covering: Vec<Covering>,
}

/// A core above the lower node of a box.
#[derive(Clone, Copy)]
struct Covering {
    core: usize,
    ways: usize,
    /// The cheapest way out.
    step: i64,
}

impl Relaxation {
    pub(super) fn new(prices: &Prices) -> Relaxation {
        let start = prices.starts();
        Relaxation { slack: vec![0; *start.last().expect("one more")], start, covering: Vec::new() }
    }

    /// Makes a box smaller by what is known, and says what is left of it; `to_reach` closes it.
    pub(super) fn look(
        &mut self,
        node_box: &mut NodeBox,
        cores: &Cores,
        prices: &Prices,
        to_reach: i64,
    ) -> KnownBound {
        let mut known = KnownBound::Closed;
        for _ in 0..MOST_ROUNDS {
            if !self.raise(node_box, cores, prices, to_reach) {
                return KnownBound::Closed;
            }
            let bound = prices.sum(&node_box.low) + self.collect(node_box, cores, prices);
            if bound >= to_reach {
                return KnownBound::Closed;
            }
            let chosen = self.covering.iter().max_by_key(|of| (std::cmp::Reverse(of.ways), of.step));
            known = match chosen {
                None => KnownBound::Open { bound },
                Some(&Covering { core, .. }) => KnownBound::Covered {
                    core,
                    bound,
                    candidate: self.candidate(node_box, cores, prices),
                    ranks: self.ranks(node_box),
                },
            };
            if !self.lower(node_box, to_reach - bound) {
                break;
            }
        }
        known
    }

    /// Raises the lower node as long as a core leaves only one way out; whether there may be something left.
    fn raise(&mut self, node_box: &mut NodeBox, cores: &Cores, prices: &Prices, to_reach: i64) -> bool {
        'raised: loop {
            if prices.sum(&node_box.low) >= to_reach {
                return false;
            }
            self.covering.clear();
            for core in cores.above(&node_box.low) {
                let levels = cores.levels(core);
                let (mut ways, mut step, mut way) = (0, i64::MAX, 0);
                for (a, (&level, &high)) in levels.iter().zip(&node_box.high).enumerate() {
                    if level < high {
                        (ways, way) = (ways + 1, a);
                        step = step.min(prices.at(a, level + 1) - prices.at(a, node_box.low[a]));
                    }
                }
                match ways {
                    0 => return false,
                    1 => {
                        node_box.low[way] = levels[way] + 1;
                        continue 'raised;
                    }
                    _ => self.covering.push(Covering { core, ways, step }),
                }
            }
            return true;
        }
    }

    /// The fees of the covering cores together.
    fn collect(&mut self, node_box: &NodeBox, cores: &Cores, prices: &Prices) -> i64 {
        for (a, (&low, &high)) in node_box.low.iter().zip(&node_box.high).enumerate() {
            for level in low..=high {
                self.slack[self.start[a] + usize::from(level)] = prices.at(a, level) - prices.at(a, low);
            }
        }
        self.covering.sort_unstable_by_key(|of| (of.ways, std::cmp::Reverse(of.step), of.core));
        let mut all = 0;
        for at in 0..self.covering.len().min(MOST_FEES) {
            let levels = cores.levels(self.covering[at].core);
            all += self.fee(levels, node_box);
        }
        all
    }

    /// The most that a core can still collect, and collects.
    fn fee(&mut self, levels: &[Level], node_box: &NodeBox) -> i64 {
        let mut fee = i64::MAX;
        for (a, (&level, &high)) in levels.iter().zip(&node_box.high).enumerate() {
            for above in level + 1..=high {
                fee = fee.min(self.slack[self.start[a] + usize::from(above)]);
            }
            if fee == 0 {
                return 0;
            }
        }
        for (a, (&level, &high)) in levels.iter().zip(&node_box.high).enumerate() {
            for above in level + 1..=high {
                self.slack[self.start[a] + usize::from(above)] -= fee;
            }
        }
        fee
    }

    /// For each attribute and level, what rising that far or further costs beyond the fees.
    fn ranks(&self, node_box: &NodeBox) -> Vec<i64> {
        let mut ranks = vec![i64::MAX; self.slack.len()];
        for (a, (&low, &high)) in node_box.low.iter().zip(&node_box.high).enumerate() {
            let mut least = i64::MAX;
            for level in (low..=high).rev() {
                let at = self.start[a] + usize::from(level);
                least = least.min(self.slack[at]);
                ranks[at] = least;
            }
        }
        ranks
    }

    /// A cheap node of the box that is below none of the covering cores: one after the other, it rises above each
    /// where that costs least beyond the fees.
    fn candidate(&self, node_box: &NodeBox, cores: &Cores, prices: &Prices) -> Vec<Level> {
        let mut levels = node_box.low.clone();
        for covering in &self.covering {
            let core = cores.levels(covering.core);
            if levels.iter().zip(core).any(|(level, of)| level > of) {
                continue;
            }
            let ways = (0..core.len()).filter(|&a| core[a] < node_box.high[a]);
            let dear = |a: usize| {
                let above = core[a] + 1;
                (
                    self.slack[self.start[a] + usize::from(above)],
                    prices.at(a, above) - prices.at(a, levels[a]),
                    a,
                )
            };
            let a = ways.min_by_key(|&a| dear(a)).expect("several");
            levels[a] = core[a] + 1;
        }
        levels
    }

    /// Lowers the upper node by levels that cost too much; whether it did.
    fn lower(&self, node_box: &mut NodeBox, left: i64) -> bool {
        let mut is_smaller = false;
        for (a, (&low, high)) in node_box.low.iter().zip(&mut node_box.high).enumerate() {
            while *high > low && self.slack[self.start[a] + usize::from(*high)] >= left {
                *high -= 1;
                is_smaller = true;
            }
        }
        is_smaller
    }
}
