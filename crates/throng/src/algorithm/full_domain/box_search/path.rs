//! The search for a core: a node as high as possible that still closes a node of a box.

use super::boxes::NodeBox;
use super::facts::NodeFacts;
use super::forecast::Lesson;
use super::prices::Prices;
use crate::lattice::Level;

/// What was found of a node.
pub(super) struct Finding {
    pub(super) levels: Vec<Level>,
    /// What suppression adds at least to it and all below, as a level of the last attribute; none if they may not be
    /// released.
    pub(super) payment: Option<Level>,
    /// If they are known.
    pub(super) suppressed_rows: Option<u64>,
    /// Whether it may be better than the best.
    pub(super) is_promising: bool,
    /// Whether it closes the start of the path; the path says so.
    pub(super) closes: bool,
}

/// Log-odds by which a step must be forecast to close: a look that finds that it does not is lost.
const SURE: f64 = 0.1;

/// A way upwards from a node of a box: as far as it closes, then on by other attributes.
///
/// Where it is likely to end is forecast, if suppressed rows are known; else it is bisected.
pub(super) struct Path {
    pub(super) node_box: NodeBox,
    /// Where it starts: the lower node of the box, or another of its nodes.
    pub(super) from: Vec<Level>,
    /// What suppression must add to close that.
    pub(super) need: Level,
    /// The highest node that closes the start, as far as is known; none before the start itself was asked for.
    top: Option<Top>,
    /// Whether not even the start closes itself: it was found to be worth looking at.
    pub(super) is_start_left: bool,
    /// Attributes that can rise no more.
    ended: Vec<bool>,
    /// Attributes in the order in which they rise, from `top` on, and the odds that are forecast.
    steps: Vec<(usize, Option<f64>)>,
    /// So many of the steps close; and the fewest that do not, with the odds there.
    closing: usize,
    failing: Option<(usize, Option<f64>)>,
    /// How far the next question goes where nothing is forecast: near the border most steps do not close.
    reach: usize,
    /// Odds after the steps that close, and whether they were seen.
    seen: (Option<f64>, bool),
    order: RisingOrder,
    /// What was found of nodes that it asked for.
    findings: Vec<Finding>,
    pub(super) lessons: Vec<Lesson>,
    pub(super) looks: u64,
}

struct Top {
    levels: Vec<Level>,
    /// Log-odds of being suppressed there.
    odds: Option<f64>,
    /// Whether these were seen, and not forecast.
    is_seen: bool,
}

/// In what order attributes rise: first those that cost least beyond what is known to be due. A way out of the core that
/// costs nothing more would make it worthless.
pub(super) struct RisingOrder {
    /// For each level of each attribute, one attribute after the other; none where only prices count.
    pub(super) ranks: Option<Vec<i64>>,
    pub(super) start: Vec<usize>,
}

impl RisingOrder {
    fn key(&self, a: usize, level: Level, prices: &Prices) -> (i64, i64, usize) {
        let rank = self.ranks.as_ref().map_or(0, |ranks| ranks[self.start[a] + usize::from(level) + 1]);
        (rank, prices.step(a, level), a)
    }
}

impl Path {
    pub(super) fn new(
        attributes: usize,
        node_box: NodeBox,
        from: &[Level],
        need: Level,
        order: RisingOrder,
    ) -> Path {
        Path {
            node_box,
            from: from[..attributes].to_vec(),
            need,
            top: None,
            is_start_left: false,
            ended: vec![false; attributes],
            steps: Vec::new(),
            closing: 0,
            failing: None,
            reach: 1,
            seen: (None, false),
            order,
            findings: Vec::new(),
            lessons: Vec::new(),
            looks: 0,
        }
    }

    /// The node after so many steps.
    fn node(&self, steps: usize) -> Vec<Level> {
        let mut levels = self.top.as_ref().map_or(&self.from, |top| &top.levels).clone();
        self.steps[..steps].iter().for_each(|&(a, _)| levels[a] += 1);
        levels
    }

    /// Steps upwards from the top, in order; those that are forecast to end it are left out.
    fn extend(&mut self, prices: &Prices, facts: &NodeFacts) {
        let mut at = self.node(0);
        let mut odds = self.top.as_ref().and_then(|top| top.odds);
        let mut open: Vec<usize> = (0..at.len()).filter(|&a| !self.ended[a]).collect();
        self.steps.clear();
        loop {
            open.retain(|&a| at[a] < prices.height(a));
            let Some(&a) = open.iter().min_by_key(|&&a| self.order.key(a, at[a], prices)) else { break };
            let next = odds.map(|odds| odds - facts.forecast().drop(a, at[a]));
            at[a] += 1;
            if next.is_some_and(|next| next < facts.enough(&at, self.need, prices) + SURE) {
                at[a] -= 1;
                open.retain(|&other| other != a);
                continue;
            }
            odds = next;
            self.steps.push((a, odds));
        }
        (self.closing, self.failing, self.reach) = (0, None, 1);
    }

    /// The next node to look at, if there is one.
    pub(super) fn next(&mut self, prices: &Prices, facts: &NodeFacts) -> Option<Vec<Level>> {
        loop {
            if self.is_start_left {
                return None;
            }
            if let Some(asked) = self.asked(prices, facts) {
                let node = self.node(asked);
                let Some(closes) = facts.reaches(&node, self.need) else { return Some(node) };
                let odds = self.steps[..asked].last().and_then(|&(_, odds)| odds);
                self.note(asked, closes, odds.filter(|_| closes), false, prices, facts);
            } else if !self.end_here(prices, facts) {
                return None;
            }
        }
    }

    /// After how many steps to ask next; none if enough is known of these.
    fn asked(&self, prices: &Prices, facts: &NodeFacts) -> Option<usize> {
        let Some(top) = &self.top else { return Some(0) };
        let most = self.failing.map_or(self.steps.len(), |(failing, _)| failing - 1);
        if self.closing >= most {
            return None;
        }
        let Some(odds) = top.odds else {
            return Some((self.closing + most).div_ceil(2).min(self.closing + self.reach));
        };
        // Forecasts are asked for once; where they were wrong, in proportion.
        if self.closing > 0 {
            return None;
        }
        let Some((failing, seen)) = self.failing else { return Some(most) };
        let forecast = |steps: usize| self.steps[steps - 1].1.map_or(0.0, |forecast| odds - forecast);
        let Some(seen) = seen.filter(|_| forecast(failing) > 0.0) else { return Some(most.div_ceil(2)) };
        let wrong_by = (odds - seen) / forecast(failing);
        let closes = |&steps: &usize| {
            odds - wrong_by * forecast(steps) >= facts.enough(&self.node(steps), self.need, prices)
        };
        (1..=most).rev().find(closes)
    }

    /// Takes note of what was found of the node that was asked for. Of those that close the start, only the highest
    /// is kept: it says most. Whether it does.
    pub(super) fn find(&mut self, mut finding: Finding, prices: &Prices, facts: &NodeFacts) -> bool {
        let need = self.need;
        let closes_start = finding.payment.is_none_or(|payment| payment >= need);
        if closes_start {
            self.findings.retain(|other| !other.closes);
        }
        finding.closes = closes_start;
        let asked = self.asked(prices, facts).expect("asked for");
        let odds = finding.suppressed_rows.map(|rows| facts.forecast().odds(rows as f64));
        if let (Some(Top { levels, odds: Some(before), is_seen: true }), Some(after)) = (&self.top, odds) {
            let lesson = Lesson { from: levels.clone(), to: finding.levels.clone(), drop: before - after };
            self.lessons.push(lesson);
        }
        self.findings.push(finding);
        self.note(asked, closes_start, odds, true, prices, facts);
        self.looks += 1;
        closes_start
    }

    /// What was found, in the order of finding.
    pub(super) fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    /// Takes note of whether the node that was asked for closes the start.
    fn note(
        &mut self,
        asked: usize,
        closes: bool,
        odds: Option<f64>,
        is_seen: bool,
        prices: &Prices,
        facts: &NodeFacts,
    ) {
        if self.top.is_none() {
            self.is_start_left = !closes;
            self.top = Some(Top { levels: self.from.clone(), odds, is_seen });
            self.extend(prices, facts);
        } else if !closes {
            self.failing = Some((asked, odds));
        } else {
            self.closing = asked;
            self.seen = (odds, is_seen);
            self.reach *= 2;
        }
    }

    /// Goes up as far as is known to close, and ends the attribute that would be next; whether others are left.
    fn end_here(&mut self, prices: &Prices, facts: &NodeFacts) -> bool {
        let next = self.steps.get(self.closing).map(|&(a, _)| a);
        let levels = self.node(self.closing);
        let top = self.top.as_mut().expect("the start was asked for");
        if self.closing > 0 {
            (top.odds, top.is_seen) = self.seen;
        }
        top.levels = levels;
        if let Some(a) = next {
            self.ended[a] = true;
        }
        self.extend(prices, facts);
        !self.steps.is_empty()
    }
}
