//! Boxes of nodes, divided in order of their lower bounds.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::facts::NodeFacts;
use super::path::{Finding, Path, RisingOrder};
use super::prices::Prices;
use super::relaxation::{KnownBound, Relaxation};
use crate::algorithm::open_boxes::OpenBoxes;
use crate::lattice::{Level, Node};
use crate::run::{Run, Stop};

/// Memory for open boxes, in bytes; beyond it boxes are divided to the end one by one.
const ROOM: usize = 1 << 30;

/// Paths that are bisected side by side.
const PATHS: usize = 8;

/// Candidates of a box without success after which it is divided.
const TRIES: u8 = 10;

/// All nodes between two, with what suppression may add to them as one more level.
#[derive(Clone)]
pub(super) struct NodeBox {
    pub(super) low: Vec<Level>,
    pub(super) high: Vec<Level>,
    /// What every node of the box costs at least, where the objective is one of class sizes.
    floor: Option<i128>,
    /// Candidates since its bound rose last.
    tries: u8,
}

pub(super) struct Boxes<'s> {
    prices: &'s Prices,
    facts: NodeFacts,
    open: OpenBoxes<NodeBox>,
    most_open: usize,
    is_monotone: bool,
}

impl<'s> Boxes<'s> {
    /// The box of all nodes.
    pub(super) fn new(prices: &'s Prices, run: &Run<'_>) -> Boxes<'s> {
        let attributes = prices.attributes();
        let mut boxes = Boxes {
            prices,
            facts: NodeFacts::new(prices, run),
            open: OpenBoxes::new(),
            most_open: OpenBoxes::<NodeBox>::fitting(ROOM, 2 * attributes * size_of::<Level>()),
            is_monotone: run.is_monotone(),
        };
        let high = (0..attributes).map(|a| prices.height(a)).collect();
        let low = run.problem().lattice().floors().iter().copied().chain([0]).collect();
        boxes.push_all(vec![NodeBox { low, high, floor: None, tries: 0 }], run);
        boxes
    }

    /// Divides boxes with about so many checks; whether none is left.
    pub(super) fn divide(&mut self, checks: u64, run: &mut Run<'_>) -> Result<bool, Stop> {
        let end = run.checked_nodes() + checks;
        while run.checked_nodes() < end {
            if let Some(bound) = self.open.least_bound() {
                run.note_bound(bound);
            }
            let paths = self.next_paths(run)?;
            if paths.is_empty() {
                return Ok(true);
            }
            let left = self.follow(paths, run)?;
            self.push_all(left, run);
        }
        Ok(self.open.is_empty())
    }

    /// The open boxes of the least bounds, each with a path through it; boxes that are covered are divided on the
    /// way.
    fn next_paths(&mut self, run: &mut Run<'_>) -> Result<Vec<Path>, Stop> {
        let mut paths = Vec::with_capacity(PATHS);
        while paths.len() < PATHS {
            let Some((bound, mut node_box)) = self.open.pop() else { break };
            if run.least_cost().is_some_and(|least| bound > least) {
                self.open.clear();
                break;
            }
            run.go_on()?;
            match self.look(&mut node_box, run) {
                KnownBound::Closed => {}
                KnownBound::Open { .. } => paths.push(self.path(node_box, None, None, run)),
                // Dearer than it seemed.
                KnownBound::Covered { bound: higher, .. } if self.cost(higher, &node_box) > bound => {
                    node_box.tries = 0;
                    self.open.push(self.cost(higher, &node_box), node_box)
                }
                KnownBound::Covered { candidate, ranks, .. }
                    if node_box.tries < TRIES && self.is_cheap(&candidate, run) =>
                {
                    node_box.tries += 1;
                    paths.push(self.path(node_box, Some(&candidate), Some(ranks), run));
                }
                KnownBound::Covered { core, .. } => {
                    let parts = self.without(&node_box, self.facts.cores().levels(core));
                    self.push_or_end(parts, run)?;
                }
            }
        }
        Ok(paths)
    }

    fn push_or_end(&mut self, parts: Vec<NodeBox>, run: &mut Run<'_>) -> Result<(), Stop> {
        if self.open.len() < self.most_open {
            self.push_all(parts, run);
            return Ok(());
        }
        // No room: to the end with these, one after the other.
        let mut stack = parts;
        while let Some(mut node_box) = stack.pop() {
            run.go_on()?;
            match self.look(&mut node_box, run) {
                KnownBound::Closed => {}
                KnownBound::Covered { core, .. } => {
                    stack.extend(self.without(&node_box, self.facts.cores().levels(core)))
                }
                KnownBound::Open { .. } => {
                    let path = self.path(node_box, None, None, run);
                    stack.extend(self.follow(vec![path], run)?);
                }
            }
        }
        Ok(())
    }

    /// The nodes of a box that are not below a core, as boxes without common nodes.
    fn without(&self, node_box: &NodeBox, core: &[Level]) -> Vec<NodeBox> {
        let mut ways: Vec<usize> = (0..core.len()).filter(|&a| core[a] < node_box.high[a]).collect();
        // Where little is added, most is excluded.
        let step = |a: usize| self.prices.at(a, core[a] + 1) - self.prices.at(a, node_box.low[a]);
        ways.sort_by_key(|&a| Reverse((step(a), a)));
        let mut rest = node_box.clone();
        let mut parts = Vec::with_capacity(ways.len());
        for a in ways {
            let mut part = rest.clone();
            part.low[a] = core[a] + 1;
            part.tries = 0;
            parts.push(part);
            rest.high[a] = core[a];
        }
        parts
    }

    fn look(&self, node_box: &mut NodeBox, run: &Run<'_>) -> KnownBound {
        self.look_knowing(&mut Relaxation::new(self.prices), node_box, run.least_cost())
    }

    /// The same, with what the best costs.
    fn look_knowing(
        &self,
        relaxation: &mut Relaxation,
        node_box: &mut NodeBox,
        least: Option<i128>,
    ) -> KnownBound {
        let is_dear = least.zip(node_box.floor).is_some_and(|(least, floor)| floor > least);
        if is_dear {
            return KnownBound::Closed;
        }
        let to_reach = least.map_or(i64::MAX, |least| self.to_reach(least));
        relaxation.look(node_box, self.facts.cores(), self.prices, to_reach)
    }

    /// The sum that closes a box: more than the best, so that ties are decided by what the run keeps.
    fn to_reach(&self, least: i128) -> i64 {
        if self.prices.are_bounds() { self.prices.to_reach(least + 1) } else { i64::MAX }
    }

    /// A sum as a bound of the objective.
    fn cost(&self, sum: i64, node_box: &NodeBox) -> i128 {
        if self.prices.are_bounds() { self.prices.to_cost(sum) } else { node_box.floor.unwrap_or(i128::MIN) }
    }

    /// Looks at boxes, on all cores, and opens those that may have something better.
    fn push_all(&mut self, mut boxes: Vec<NodeBox>, run: &Run<'_>) {
        let least = run.least_cost();
        let look = |relaxation: &mut Relaxation, node_box: &mut NodeBox| match self
            .look_knowing(relaxation, node_box, least)
        {
            KnownBound::Closed => None,
            KnownBound::Covered { bound, .. } | KnownBound::Open { bound } => {
                Some(self.cost(bound, node_box))
            }
        };
        let bounds: Vec<Option<i128>> =
            boxes.par_iter_mut().map_init(|| Relaxation::new(self.prices), look).collect();
        for (bound, node_box) in bounds.into_iter().zip(boxes) {
            if let Some(bound) = bound {
                self.open.push(bound, node_box);
            }
        }
    }

    /// Looks for cores above nodes of boxes, side by side; the boxes that are left.
    fn follow(&mut self, paths: Vec<Path>, run: &mut Run<'_>) -> Result<Vec<NodeBox>, Stop> {
        let paths = self.follow_outlooks(paths, run)?;
        let mut left = Vec::new();
        for mut path in paths {
            let findings = path.take_findings();
            path.lessons.iter().for_each(|lesson| self.facts.study(lesson));
            run.note_looks(path.looks);
            self.check_promising(&findings, run)?;
            // What suppression adds to nodes that are left says little before it could close one.
            let may_pay = path.need <= self.prices.height(self.prices.attributes() - 1);
            for finding in findings.iter().filter(|finding| finding.closes || may_pay) {
                self.facts.learn(&finding.levels, finding.payment);
            }
            left.extend(self.rest(path, run)?);
        }
        Ok(left)
    }

    fn follow_outlooks(&mut self, paths: Vec<Path>, run: &mut Run<'_>) -> Result<Vec<Path>, Stop> {
        let (facts, prices) = (&self.facts, self.prices);
        let most = run.problem().max_suppressed_rows;
        let to_reach = run.least_cost().map_or(i64::MAX, |least| self.to_reach(least));
        let from: Vec<Node> = paths.iter().map(|path| Node::new(path.from.clone())).collect();
        let starts = from.iter().zip(paths).collect();
        let (mut paths, has_looked) = run.look_up(starts, |path: &mut Path, upward_bounds, go_on| {
            loop {
                let Some(levels) = path.next(prices, facts) else { return Ok(()) };
                let node = Node::new(levels.clone());
                let at_least = upward_bounds.at_least(&node, go_on)?;
                let payment = facts.payment_of(&at_least, most, prices);
                let reached = |payment| prices.sum(&levels) + prices.last(payment);
                let is_promising = payment.is_some_and(|payment| reached(payment) < to_reach);
                // All that it asks for from now on is above a node that closes.
                let suppressed_rows = Some(at_least.suppressed_rows);
                let found = Finding { levels, payment, suppressed_rows, is_promising, closes: false };
                if path.find(found, prices, facts) && at_least.is_far {
                    upward_bounds.rise(&node, go_on)?;
                }
            }
        })?;
        if !has_looked {
            self.follow_checks(&mut paths, run)?;
        }
        Ok(paths)
    }

    /// The same by checks, where it takes more than the sizes of classes.
    fn follow_checks(&mut self, paths: &mut [Path], run: &mut Run<'_>) -> Result<(), Stop> {
        loop {
            let (mut nodes, mut going) = (Vec::new(), Vec::new());
            for path in &mut *paths {
                if let Some(levels) = path.next(self.prices, &self.facts) {
                    nodes.push(Node::new(levels));
                    going.push(path);
                }
            }
            if nodes.is_empty() {
                return Ok(());
            }
            for ((node, check), path) in nodes.iter().zip(run.check_all(&nodes)?).zip(going) {
                if self.is_monotone && path.node_box.low.starts_with(node.levels()) {
                    path.node_box.floor = path.node_box.floor.max(check.floor);
                }
                let payment = self.facts.payment(&check, self.prices);
                let found = Finding {
                    levels: node.levels().to_vec(),
                    payment,
                    suppressed_rows: None,
                    is_promising: false,
                    closes: false,
                };
                path.find(found, self.prices, &self.facts);
            }
        }
    }

    /// Checks the nodes that may be better than the best.
    fn check_promising(&self, findings: &[Finding], run: &mut Run<'_>) -> Result<(), Stop> {
        for finding in findings.iter().filter(|finding| finding.is_promising) {
            run.check(&Node::new(finding.levels.clone()))?;
        }
        Ok(())
    }

    /// What is left of the box of a path.
    fn rest(&self, mut path: Path, run: &mut Run<'_>) -> Result<Vec<NodeBox>, Stop> {
        if path.is_start_left {
            run.check(&Node::new(path.from.clone()))?;
            if path.node_box.low.starts_with(&path.from) {
                return Ok(self.without(&path.node_box, &path.node_box.low));
            }
            path.node_box.tries = u8::MAX;
        }
        Ok(vec![path.node_box])
    }

    /// The search for a core above a node of a box; its lower one if no other is given.
    fn path(
        &self,
        node_box: NodeBox,
        from: Option<&[Level]>,
        ranks: Option<Vec<i64>>,
        run: &Run<'_>,
    ) -> Path {
        let from = from.unwrap_or(&node_box.low).to_vec();
        let need = self.need(&from, run);
        let order = RisingOrder { ranks, start: self.prices.starts() };
        Path::new(self.prices.attributes() - 1, node_box, &from, need, order)
    }

    fn is_cheap(&self, candidate: &[Level], run: &Run<'_>) -> bool {
        run.least_cost().is_none_or(|least| self.prices.sum(candidate) < self.to_reach(least))
    }

    /// What suppression must add to a node so that it is not better than the best: a level of the last attribute,
    /// or one more than there are.
    fn need(&self, levels: &[Level], run: &Run<'_>) -> Level {
        let last = self.prices.attributes() - 1;
        let Some(least) = run.least_cost().filter(|_| self.prices.are_bounds()) else {
            return self.prices.height(last) + 1;
        };
        let left = self.to_reach(least) - self.prices.sum(&levels[..last]);
        let dear = |&level: &Level| self.prices.at(last, level) >= left;
        (0..=self.prices.height(last)).find(dear).unwrap_or(self.prices.height(last) + 1)
    }
}
