//! Local search: raises a few attributes of a good node, then lowers others while that is allowed and pays.

use super::prices::Prices;
use crate::lattice::Node;
use crate::problem::Problem;
use crate::random::Random;
use crate::run::{Run, Stop};

/// Nodes that are tried at a time.
const AT_A_TIME: usize = 8;

/// Rounds without success after which the search returns to its best.
const PATIENCE: u32 = 12;

/// A node that is not the best may be worse than it by this share and still be gone on from.
const SLACK: i128 = 200;

pub(super) struct Descent<'s> {
    prices: &'s Prices,
    random: Random,
    /// The best node, and where the search is.
    best: Option<(i128, Node)>,
    current: Option<(i128, Node)>,
    failures: u32,
}

impl<'s> Descent<'s> {
    pub(super) fn new(prices: &'s Prices) -> Descent<'s> {
        Descent { prices, random: Random::new(1), best: None, current: None, failures: 0 }
    }

    /// Descends from the most general node; whether it may be released at all, as far as that is known.
    pub(super) fn start(&mut self, problem: &Problem, run: &mut Run<'_>) -> Result<bool, Stop> {
        let top = problem.lattice().top();
        let check = run.check(&top)?;
        let Some(cost) = check.cost() else { return Ok(!(run.is_monotone() || check.refutes_below)) };
        let reached = self.descend(cost, top, &[], run)?;
        run.check(&reached.1)?;
        self.best = Some(reached.clone());
        self.current = Some(reached);
        Ok(true)
    }

    /// Tries other nodes near the best, with about so many checks; whether one of them is better.
    pub(super) fn improve(&mut self, checks: u64, run: &mut Run<'_>) -> Result<bool, Stop> {
        let before = run.least_cost();
        let end = run.checked_nodes() + checks;
        while run.checked_nodes() < end {
            let Some((_, node)) = self.current.clone() else { return Ok(false) };
            let Some((raised, which)) = self.raise(&node, run) else { return Ok(false) };
            if let Some(cost) = run.estimate_all(std::slice::from_ref(&raised))?[0] {
                let (cost, node) = self.descend(cost, raised, &which, run)?;
                if run.least_cost().is_none_or(|least| cost < least) {
                    run.check(&node)?;
                }
                self.settle(cost, node);
            }
        }
        Ok(run.least_cost() < before)
    }

    /// Goes on from a node that is better or hardly worse.
    fn settle(&mut self, cost: i128, node: Node) {
        let (best, current) = (self.best.as_ref().expect("started"), self.current.as_ref().expect("started"));
        if cost < best.0 {
            self.best = Some((cost, node.clone()));
            self.failures = 0;
        } else {
            self.failures += 1;
        }
        let best = self.best.as_ref().expect("started");
        if self.failures > PATIENCE {
            self.failures = 0;
            self.current = self.best.clone();
        } else if cost <= current.0.max(best.0 + best.0 / SLACK) {
            self.current = Some((cost, node));
        }
    }

    /// The node with one to three attributes higher, and which.
    fn raise(&mut self, node: &Node, run: &Run<'_>) -> Option<(Node, Vec<usize>)> {
        let heights = run.problem().lattice().heights();
        let mut open: Vec<usize> =
            (0..heights.len()).filter(|&a| node.level(a) < usize::from(heights[a])).collect();
        let mut raised = node.clone();
        let mut which = Vec::new();
        for _ in 0..=self.random.skewed_index(3) {
            if open.is_empty() {
                break;
            }
            let a = open.swap_remove(self.random.index(open.len()));
            let room = usize::from(heights[a]) - node.level(a);
            raised = raised.with(a, node.level(a) + 1 + self.random.index(room));
            which.push(a);
        }
        (!which.is_empty()).then_some((raised, which))
    }

    /// Lowers attributes one after the other, those of most savings first and `last` only when nothing else can
    /// be, as long as the objective falls.
    fn descend(
        &mut self,
        cost: i128,
        node: Node,
        last: &[usize],
        run: &mut Run<'_>,
    ) -> Result<(i128, Node), Stop> {
        let mut at = (cost, node);
        for may_all in [false, true] {
            // An attribute that could not be lowered here cannot be further down.
            let mut open: Vec<usize> =
                (0..at.1.levels().len()).filter(|a| may_all || !last.contains(a)).collect();
            loop {
                open.retain(|&a| at.1.level(a) > 0);
                let Some(next) = self.step(&at, &mut open, run)? else { break };
                at = next;
            }
        }
        Ok(at)
    }

    /// One attribute lower, if that pays; attributes that were tried in vain are no longer open.
    fn step(
        &mut self,
        at: &(i128, Node),
        open: &mut Vec<usize>,
        run: &mut Run<'_>,
    ) -> Result<Option<(i128, Node)>, Stop> {
        let saving = |a: usize| {
            let level = at.1.levels()[a];
            self.prices.step(a, level - 1)
        };
        // Chance decides a little, so that rounds differ.
        let mut weighed: Vec<(i128, usize)> = open
            .iter()
            .map(|&a| (i128::from(saving(a)) * i128::from(64 + self.random.below(64)), a))
            .collect();
        weighed.sort_by(|a, b| b.cmp(a));
        for some in weighed.chunks(AT_A_TIME) {
            let nodes: Vec<Node> = some.iter().map(|&(_, a)| at.1.with(a, at.1.level(a) - 1)).collect();
            let costs = run.estimate_all(&nodes)?;
            let mut best: Option<(i128, Node)> = None;
            for ((node, cost), &(_, a)) in nodes.into_iter().zip(costs).zip(some) {
                match cost.filter(|&cost| cost < at.0) {
                    Some(cost) if best.as_ref().is_none_or(|best| cost < best.0) => best = Some((cost, node)),
                    Some(_) => {}
                    None => open.retain(|&other| other != a),
                }
            }
            if best.is_some() {
                return Ok(best);
            }
        }
        Ok(None)
    }
}
