//! A trie of records, searched for the cheapest by branch and bound.
//!
//! Records that share the values of the first attributes share the work on them, and a branch is
//! left out as soon as its values alone, with the least that the other attributes can add, are
//! too costly. What a search finds does not depend on the order in which it visits branches.

use std::ops::Range;

use super::price::Probe;
use crate::taxonomy::ValueId;

/// Records that are not worth a branch of their own.
const BUCKET: usize = 4;

/// A price and the number of a record: ties go to the smaller number.
pub(super) type Candidate = (i64, u32);

/// No candidate is worse.
pub(super) const WORST: Candidate = (i64::MAX, u32::MAX);

/// Takes what a search meets.
pub(super) trait Sink {
    /// Candidates that are not less are of no use any more; never rises.
    fn limit(&self) -> Candidate;

    /// A record that is consistent with the probe; these come whatever the limit is.
    fn consistent(&mut self, id: u32);

    /// Any other record; some that are not below the limit may come, too.
    fn candidate(&mut self, candidate: Candidate);

    /// Whether nothing else is needed.
    fn is_done(&self) -> bool {
        false
    }
}

/// Records sorted by their values, and the tree of their common beginnings.
pub(super) struct Trie {
    /// The attribute of each depth.
    order: Vec<usize>,
    levels: Vec<Vec<Node>>,
    rows: Rows,
}

/// Records with their values in the order of a trie.
#[derive(Default)]
pub(super) struct Rows {
    values: Vec<ValueId>,
    ids: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Node {
    value: ValueId,
    /// Least number of a record below.
    least: u32,
    children: (u32, u32),
    rows: (u32, u32),
}

impl Trie {
    /// A trie of records, which are `records[i * order.len()..][..order.len()]`.
    pub(super) fn new(records: &[ValueId], order: &[usize]) -> Trie {
        let width = order.len();
        let mut ids: Vec<u32> = (0..(records.len() / width) as u32).collect();
        let record = |id: u32| &records[id as usize * width..][..width];
        let key = |id: u32| order.iter().map(move |&a| record(id)[a]);
        ids.sort_unstable_by(|&a, &b| key(a).cmp(key(b)).then(a.cmp(&b)));
        let mut rows = Rows::default();
        ids.iter().for_each(|&id| rows.push(order, id, record(id)));
        let mut trie = Trie { order: order.to_vec(), levels: Vec::new(), rows };
        trie.grow();
        trie
    }

    fn grow(&mut self) {
        let root = Node { value: 0, least: 0, children: (0, 0), rows: (0, self.rows.ids.len() as u32) };
        self.levels.push(vec![root]);
        for depth in 0..self.order.len() {
            let (above, rows) = (&mut self.levels[depth], &self.rows);
            let mut level = Vec::new();
            for node in above.iter_mut().filter(|node| range(node.rows).len() > BUCKET) {
                let first = level.len() as u32;
                split(rows, self.order.len(), depth, range(node.rows), &mut level);
                node.children = (first, level.len() as u32);
            }
            self.levels.push(level);
        }
    }

    /// The attribute of each depth.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    /// Shows the sink all records that are consistent with the probe, and all others below its
    /// limit.
    pub(super) fn search<P: Probe, S: Sink>(&self, probe: &P, sink: &mut S) {
        let mut walk = Walk::new(&self.order, probe, sink);
        let least: i64 = walk.floors.iter().sum();
        walk.enter(self, 0, &self.levels[0][0], least, true);
    }
}

/// Appends the parts of a range of rows that have one value at a depth.
fn split(rows: &Rows, width: usize, depth: usize, range: Range<usize>, level: &mut Vec<Node>) {
    let value = |at: usize| rows.values[at * width + depth];
    let mut start = range.start;
    while start < range.end {
        let end = (start..range.end).find(|&at| value(at) != value(start)).unwrap_or(range.end);
        let least = *rows.ids[start..end].iter().min().expect("parts are not empty");
        level.push(Node { value: value(start), least, children: (0, 0), rows: (start as u32, end as u32) });
        start = end;
    }
}

impl Rows {
    /// Adds a record, whose values are in the order of the attributes.
    pub(super) fn push(&mut self, order: &[usize], id: u32, record: &[ValueId]) {
        self.values.extend(order.iter().map(|&a| record[a]));
        self.ids.push(id);
    }

    /// Gives the record at a place other values.
    pub(super) fn set(&mut self, order: &[usize], at: usize, record: &[ValueId]) {
        let values = &mut self.values[at * order.len()..][..order.len()];
        values.iter_mut().zip(order).for_each(|(value, &a)| *value = record[a]);
    }

    /// Number of records.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// As [`Trie::search`], one record after the other.
    pub(super) fn search<P: Probe, S: Sink>(&self, order: &[usize], probe: &P, sink: &mut S) {
        let mut walk = Walk::new(order, probe, sink);
        let least = walk.floors.iter().sum();
        walk.scan(self, 0, 0..self.len(), least, true);
    }
}

struct Walk<'a, P, S> {
    order: &'a [usize],
    probe: &'a P,
    sink: &'a mut S,
    /// Least price of the attribute of each depth.
    floors: Vec<i64>,
    /// Branches still to visit, of all depths.
    open: Vec<Branch>,
}

#[derive(Clone, Copy)]
struct Branch {
    /// No record below costs less.
    bound: i64,
    node: u32,
    consistent: bool,
}

impl<'a, P: Probe, S: Sink> Walk<'a, P, S> {
    fn new(order: &'a [usize], probe: &'a P, sink: &'a mut S) -> Walk<'a, P, S> {
        let floors = order.iter().map(|&a| probe.floor(a)).collect();
        Walk { order, probe, sink, floors, open: Vec::new() }
    }

    /// Visits a node; `depth` attributes are already in the bound.
    fn enter(&mut self, trie: &Trie, depth: usize, node: &Node, bound: i64, consistent: bool) {
        if node.children.0 == node.children.1 {
            return self.scan(&trie.rows, depth, range(node.rows), bound, consistent);
        }
        let level = &trie.levels[depth + 1];
        let first = self.open.len();
        self.open_branches(level, depth, node, bound, consistent);
        self.open[first..].sort_unstable_by_key(|branch| (branch.bound, branch.node));
        for at in first..self.open.len() {
            let Branch { bound, node, consistent } = self.open[at];
            let node = &level[node as usize];
            if self.sink.is_done() {
                break;
            }
            if consistent || (bound, node.least) < self.sink.limit() {
                self.enter(trie, depth + 1, node, bound, consistent);
            }
        }
        self.open.truncate(first);
    }

    fn open_branches(&mut self, level: &[Node], depth: usize, node: &Node, bound: i64, consistent: bool) {
        let rest = bound - self.floors[depth];
        let limit = self.sink.limit();
        for child in node.children.0..node.children.1 {
            let below = &level[child as usize];
            let (price, agrees) = self.probe.step(self.order[depth], below.value);
            let branch = Branch { bound: rest + price, node: child, consistent: consistent && agrees };
            if branch.consistent || (branch.bound, below.least) < limit {
                self.open.push(branch);
            }
        }
    }

    fn scan(&mut self, rows: &Rows, depth: usize, range: Range<usize>, bound: i64, consistent: bool) {
        for at in range {
            let end = (at + 1) * self.order.len();
            let values = &rows.values[end - self.order.len() + depth..end];
            if let Some((price, consistent)) = self.weigh(values, depth, bound, consistent) {
                match consistent {
                    true => self.sink.consistent(rows.ids[at]),
                    false => self.sink.candidate((price, rows.ids[at])),
                }
            }
        }
    }

    /// Price of a record whose last values these are, unless it is too costly.
    #[inline]
    fn weigh(&self, values: &[ValueId], depth: usize, bound: i64, consistent: bool) -> Option<(i64, bool)> {
        let limit = self.sink.limit().0;
        let (mut bound, mut consistent) = (bound, consistent);
        for (at, &value) in (depth..).zip(values) {
            let (price, agrees) = self.probe.step(self.order[at], value);
            bound += price - self.floors[at];
            consistent &= agrees;
            if !consistent && bound > limit {
                return None;
            }
        }
        Some((bound, consistent))
    }
}

fn range((start, end): (u32, u32)) -> Range<usize> {
    start as usize..end as usize
}
