//! Simulated annealing: chains of nodes that change by a step up, a step down or both, and may become dearer by less and
//! less.

use rustc_hash::FxHashMap;

use super::prices::Prices;
use crate::lattice::Node;
use crate::random::Random;
use crate::run::{Run, Stop};

/// Chains that go on side by side.
const CHAINS: usize = 4;

/// How much dearer a node may become at first and at last, as a share of what the best costs by attribute.
const HOT: f64 = 0.6;
const COLD: f64 = 0.02;

/// Steps for each look that a cycle may take: most are known to be too dear, or were looked at before.
const STEPS_A_LOOK: u64 = 64;

/// Nodes that are remembered.
const MOST_SEEN: usize = 1 << 20;

pub(super) struct Annealing<'s> {
    prices: &'s Prices,
    random: Random,
    chains: Vec<AnnealingChain>,
    /// What nodes cost; none if they may not be released.
    seen: FxHashMap<Node, Option<i128>>,
}

#[derive(Clone)]
struct AnnealingChain {
    cost: i128,
    node: Node,
}

/// A step that a chain could make: the node, and what it may cost.
struct Proposal {
    node: Node,
    most: f64,
}

impl<'s> Annealing<'s> {
    /// Chains that start at a node of so much cost.
    pub(super) fn new(prices: &'s Prices, cost: i128, node: Node) -> Annealing<'s> {
        let chain = AnnealingChain { cost, node };
        Annealing { prices, random: Random::new(1), chains: vec![chain; CHAINS], seen: FxHashMap::default() }
    }

    /// From hot to cold, with about so many looks; whether something better than the best was found.
    pub(super) fn cool(&mut self, looks: u64, run: &mut Run<'_>) -> Result<bool, Stop> {
        let before = run.least_cost();
        let start = run.checked_nodes();
        let scale = before.unwrap_or(1) as f64 / self.chains[0].node.levels().len() as f64;
        let steps = looks.saturating_mul(STEPS_A_LOOK);
        let mut made = 0;
        loop {
            let looked = (run.checked_nodes() - start) as f64 / looks as f64;
            let done = looked.max(made as f64 / steps as f64);
            if done >= 1.0 {
                return Ok(run.least_cost() < before);
            }
            let heat = scale * HOT * (COLD / HOT).powf(done);
            made += self.step(heat, steps - made, run)?;
        }
    }

    /// Each chain makes steps until one has to be looked at, and no more than so many together; how many.
    fn step(&mut self, heat: f64, most_steps: u64, run: &mut Run<'_>) -> Result<u64, Stop> {
        let mut made = 0;
        let mut proposals: Vec<(usize, Proposal)> = Vec::with_capacity(CHAINS);
        for at in 0..CHAINS {
            while made < most_steps {
                made += 1;
                let Some(proposal) = self.propose(at, heat, run) else { continue };
                match self.seen.get(&proposal.node) {
                    None => {
                        proposals.push((at, proposal));
                        break;
                    }
                    Some(&cost) => self.settle(at, proposal, cost),
                }
            }
        }
        run.go_on()?;
        let nodes: Vec<Node> = proposals.iter().map(|(_, proposal)| proposal.node.clone()).collect();
        let costs = run.estimate_all(&nodes)?;
        for ((at, proposal), mut cost) in proposals.into_iter().zip(costs) {
            if cost.is_some_and(|cost| run.least_cost().is_none_or(|least| cost < least)) {
                cost = run.check(&proposal.node)?.cost();
            }
            self.remember(&proposal.node, cost);
            self.settle(at, proposal, cost);
        }
        Ok(made)
    }

    /// A step of a chain, unless it leads nowhere or its levels alone cost too much.
    fn propose(&mut self, at: usize, heat: f64, run: &Run<'_>) -> Option<Proposal> {
        let lattice = run.problem().lattice();
        let (floors, heights) = (lattice.floors(), lattice.heights());
        let AnnealingChain { cost, node } = &self.chains[at];
        let (lower, higher) = (self.random.index(heights.len()), self.random.index(heights.len()));
        let (goes_down, goes_up) =
            [(true, false), (false, true), (true, true), (true, true)][self.random.index(4)];
        let mut levels = node.levels().to_vec();
        if goes_down {
            levels[lower] = (levels[lower] > floors[lower]).then(|| levels[lower] - 1)?;
        }
        if goes_up {
            levels[higher] += 1;
        }
        let is_step = levels != node.levels() && levels[higher] <= heights[higher];
        let most = *cost as f64 - heat * (1.0 - self.random.unit()).ln();
        let is_cheap = is_step && (self.prices.to_cost(self.prices.sum(&levels)) as f64) <= most;
        is_cheap.then(|| Proposal { node: Node::new(levels), most })
    }

    /// Makes a step if what it costs allows.
    fn settle(&mut self, at: usize, proposal: Proposal, cost: Option<i128>) {
        if let Some(cost) = cost.filter(|&cost| cost as f64 <= proposal.most) {
            self.chains[at] = AnnealingChain { cost, node: proposal.node };
        }
    }

    fn remember(&mut self, node: &Node, cost: Option<i128>) {
        if self.seen.len() >= MOST_SEEN {
            self.seen.clear();
        }
        self.seen.insert(node.clone(), cost);
    }
}
