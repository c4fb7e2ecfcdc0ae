//! The search for a core: a node as high as possible that still closes the lower node of a box.

use super::boxes::NodeBox;
use super::facts::Facts;
use super::prices::Prices;
use crate::lattice::Level;

/// What was found of a node.
pub(super) struct Finding {
    pub(super) levels: Vec<Level>,
    /// What suppression adds at least to it and all below, as a level of the last attribute; none if they may not be
    /// released.
    pub(super) payment: Option<Level>,
    /// Whether it may be better than the best.
    pub(super) is_promising: bool,
}

/// A way upwards from the lower node of a box, bisected again and again: where it ends, the attribute that ended it
/// stays as it is, and the way goes on by the others.
pub(super) struct Path {
    pub(super) node_box: NodeBox,
    /// Where it starts: the lower node of the box, or another of its nodes.
    pub(super) from: Vec<Level>,
    /// What suppression must add to close that.
    need: Level,
    /// The highest node that closes the lower one, as far as is known; none if not even that closes itself.
    top: Option<Vec<Level>>,
    /// Attributes that can rise no more.
    ended: Vec<bool>,
    /// Attributes in the order in which they rise, from `top` on.
    steps: Vec<usize>,
    /// So many of the steps still close; from `high` on they do not.
    low: usize,
    high: usize,
    /// How far the next question goes, once something closes: near the border most steps do not.
    reach: usize,
    /// What was found of nodes that it asked for.
    findings: Vec<Finding>,
    pub(super) looks: u64,
}

impl Path {
    pub(super) fn new(prices: &Prices, node_box: NodeBox, from: &[Level], need: Level) -> Path {
        let attributes = prices.attributes() - 1;
        let from = from[..attributes].to_vec();
        let mut path = Path {
            node_box,
            from,
            need,
            top: None,
            ended: vec![false; attributes],
            steps: Vec::new(),
            low: 0,
            high: 1,
            reach: 1,
            findings: Vec::new(),
            looks: 0,
        };
        path.extend(prices);
        path
    }

    /// The node after so many steps.
    fn node(&self, steps: usize) -> Vec<Level> {
        let from = self.top.as_deref().unwrap_or(&self.from);
        let mut levels = from.to_vec();
        self.steps[..steps].iter().for_each(|&a| levels[a] += 1);
        levels
    }

    /// Steps upwards, the cheapest first.
    fn extend(&mut self, prices: &Prices) {
        let mut at = self.node(0);
        self.steps.clear();
        loop {
            let open = (0..at.len()).filter(|&a| !self.ended[a] && at[a] < prices.height(a));
            let Some(a) = open.min_by_key(|&a| (prices.step(a, at[a]), a)) else { break };
            at[a] += 1;
            self.steps.push(a);
        }
        // The lower node itself is asked for only as long as nothing above it closes it.
        self.low = 0;
        self.reach = 1;
        self.high = self.steps.len() + usize::from(self.top.is_none());
    }

    /// The next node to check, if there is one.
    pub(super) fn next(&mut self, prices: &Prices, facts: &Facts) -> Option<Vec<Level>> {
        loop {
            while self.low < self.high {
                let node = self.node(self.asked());
                match facts.reaches(&node, self.need) {
                    Some(closes) => self.note(closes),
                    None => return Some(node),
                }
            }
            if !self.end_here(prices) {
                return None;
            }
        }
    }

    /// Steps of the node that is asked for. Numbers between `low` and `high` are steps more than those that close,
    /// or, before any does, steps.
    fn asked(&self) -> usize {
        self.middle() + usize::from(self.top.is_some())
    }

    fn middle(&self) -> usize {
        let middle = (self.low + self.high) / 2;
        if self.top.is_some() { middle.min(self.low + self.reach - 1) } else { middle }
    }

    /// Takes note of what was found of the node that was asked for. Of those that close the start, only the highest
    /// is kept: it says most. Whether it does.
    pub(super) fn find(&mut self, finding: Finding) -> bool {
        let need = self.need;
        let closes = |payment: Option<Level>| payment.is_none_or(|payment| payment >= need);
        let closes_start = closes(finding.payment);
        if closes_start {
            self.findings.retain(|other| !closes(other.payment));
        }
        self.findings.push(finding);
        self.note(closes_start);
        self.looks += 1;
        closes_start
    }

    /// What was found, in the order of finding.
    pub(super) fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    /// Takes note of whether the node that was asked for closes the lower one.
    fn note(&mut self, closes: bool) {
        let middle = self.middle();
        if closes {
            self.low = middle + 1;
            self.reach *= 2;
        } else {
            self.high = middle;
        }
    }

    /// Goes up as far as is known to close, and ends the attribute that would be next; whether others are left.
    fn end_here(&mut self, prices: &Prices) -> bool {
        let steps = if self.top.is_some() {
            self.low
        } else {
            if self.low == 0 {
                return false;
            }
            self.low - 1
        };
        let next = self.steps.get(steps).copied();
        self.top = Some(self.node(steps));
        if let Some(a) = next {
            self.ended[a] = true;
        }
        self.extend(prices);
        !self.steps.is_empty()
    }

    /// Whether not even the node where it starts closes itself: it was found to be worth looking at.
    pub(super) fn is_start_left(&self) -> bool {
        self.top.is_none()
    }
}
