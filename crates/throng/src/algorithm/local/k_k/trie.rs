//! A trie of records, searched for the cheapest by branch and bound.
//!
//! A value is spelled by its way from the root of its taxonomy, and the attributes take turns: what
//! comes next is a step down in the attribute that still costs most. Records that begin alike
//! share the work, and a branch is left out as soon as what its records have in common is too
//! costly. What a search finds does not depend on the order in which it visits branches.

use std::ops::Range;

use super::price::{Prices, Probe, Reach};
use crate::algorithm::local::index::branch::first_parts;
use crate::taxonomy::ValueId;

/// Records that are not worth a branch of their own.
const BUCKET: usize = 8;

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

/// Records in the order of the trie, and its nodes.
pub(super) struct Trie {
    /// The attributes in the order in which they are looked at.
    order: Vec<usize>,
    /// Children follow one another, after their parent.
    nodes: Vec<Node>,
    /// Of each node and attribute, in that order.
    commons: Vec<Common>,
    rows: Rows,
}

/// What the records below a node have in common in an attribute.
#[derive(Clone, Copy)]
pub(super) struct Common {
    /// The lowest value that covers theirs.
    pub(super) cover: ValueId,
    /// The price of the dearest.
    pub(super) most: i64,
}

/// Records with their values in the order of a trie.
#[derive(Default)]
pub(super) struct Rows {
    values: Vec<ValueId>,
    ids: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Node {
    /// Least number of a record below.
    least: u32,
    /// None in a bucket.
    children: (u32, u32),
    rows: (u32, u32),
}

impl Trie {
    /// A trie of some records, each `records[id * order.len()..][..order.len()]`.
    pub(super) fn new(prices: &Prices, ids: Vec<u32>, records: &[ValueId], order: &[usize]) -> Trie {
        let mut grower = Grower { prices, records, order, ids, nodes: Vec::new(), commons: Vec::new() };
        grower.grow();
        let Grower { ids, nodes, commons, .. } = grower;
        let mut rows = Rows { values: Vec::with_capacity(ids.len() * order.len()), ids: Vec::new() };
        for &id in &ids {
            rows.push(order, id, &records[id as usize * order.len()..][..order.len()]);
        }
        Trie { order: order.to_vec(), nodes, commons, rows }
    }

    /// The attributes in the order in which they are looked at.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    /// The numbers of the records.
    pub(super) fn ids(&self) -> &[u32] {
        &self.rows.ids
    }

    /// Shows the sink all records that are consistent with the probe, and all others below its
    /// limit.
    pub(super) fn search<P: Probe, S: Sink>(&self, probe: &P, sink: &mut S) {
        if let Some(root) = self.nodes.first() {
            Walk::new(&self.order, probe, sink).enter(self, root);
        }
    }

    fn commons(&self, node: usize) -> &[Common] {
        &self.commons[node * self.order.len()..][..self.order.len()]
    }
}

/// A trie while it grows.
struct Grower<'a> {
    prices: &'a Prices,
    records: &'a [ValueId],
    order: &'a [usize],
    ids: Vec<u32>,
    nodes: Vec<Node>,
    commons: Vec<Common>,
}

impl Grower<'_> {
    fn grow(&mut self) {
        if self.ids.is_empty() {
            return;
        }
        self.push(0..self.ids.len());
        let mut at = 0;
        while at < self.nodes.len() {
            let rows = range(self.nodes[at].rows);
            let first = self.nodes.len() as u32;
            let mut start = rows.start;
            for size in self.split(at) {
                self.push(start..start + size);
                start += size;
            }
            self.nodes[at].children = (first, self.nodes.len() as u32);
            at += 1;
        }
    }

    fn value(&self, id: u32, attribute: usize) -> ValueId {
        self.records[id as usize * self.order.len() + attribute]
    }

    fn push(&mut self, rows: Range<usize>) {
        let below = &self.ids[rows.clone()];
        let least = *below.iter().min().expect("no node is empty");
        for &a in self.order {
            let values = below.iter().map(|&id| self.value(id, a));
            let cover = values.clone().reduce(|x, y| self.prices.join(a, x, y)).expect("no node is empty");
            let most = values.map(|value| self.prices.cell(a, value)).max().expect("no node is empty");
            self.commons.push(Common { cover, most });
        }
        self.nodes.push(Node { least, children: (0, 0), rows: (rows.start as u32, rows.end as u32) });
    }

    /// Sorts the records of a node into its branches; their sizes, or none if it is a bucket.
    ///
    /// By the attribute that costs most, one with very many branches last.
    fn split(&mut self, node: usize) -> Vec<usize> {
        let rows = range(self.nodes[node].rows);
        if rows.len() <= BUCKET {
            return Vec::new();
        }
        let commons = &self.commons[node * self.order.len()..][..self.order.len()];
        let varies =
            |a: usize, cover: ValueId| self.ids[rows.clone()].iter().any(|&id| self.value(id, a) != cover);
        let attributes = self.order.iter().zip(commons).map(|(&a, common)| (a, common.cover));
        let mut attributes: Vec<(usize, ValueId)> =
            attributes.filter(|&(a, cover)| varies(a, cover)).collect();
        attributes.sort_by_key(|&(a, cover)| std::cmp::Reverse(self.prices.crossing(a, cover)));
        let branches = |(a, cover)| self.branches(&self.ids[rows.clone()], a, cover);
        let Some((ids, sizes)) = first_parts(&attributes, branches, |(_, sizes)| sizes.len()) else {
            return Vec::new();
        };
        self.ids[rows].copy_from_slice(&ids);
        sizes
    }

    /// Records sorted by the value below the cover that theirs is under, and how many are under
    /// each.
    fn branches(&self, ids: &[u32], attribute: usize, cover: ValueId) -> (Vec<u32>, Vec<usize>) {
        let branch = |id: u32| self.prices.branch(attribute, cover, self.value(id, attribute));
        let mut keyed: Vec<(ValueId, u32)> = ids.iter().map(|&id| (branch(id), id)).collect();
        keyed.sort_unstable();
        let sizes = keyed.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len).collect();
        (keyed.into_iter().map(|(_, id)| id).collect(), sizes)
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

    /// The numbers of the records.
    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// As [`Trie::search`], one record after the other.
    pub(super) fn search<P: Probe, S: Sink>(&self, order: &[usize], probe: &P, sink: &mut S) {
        Walk::new(order, probe, sink).scan(self, 0..self.ids.len());
    }
}

struct Walk<'a, P, S> {
    order: &'a [usize],
    probe: &'a P,
    sink: &'a mut S,
    /// Least price of the attributes, in their order, and of all.
    floors: Vec<i64>,
    floor: i64,
    /// Branches still to visit, of all depths.
    open: Vec<Branch>,
}

#[derive(Clone, Copy)]
struct Branch {
    /// No record below costs less.
    bound: i64,
    node: u32,
    /// Which of its records are consistent with the probe.
    consistent: Reach,
}

impl<'a, P: Probe, S: Sink> Walk<'a, P, S> {
    fn new(order: &'a [usize], probe: &'a P, sink: &'a mut S) -> Walk<'a, P, S> {
        let floors: Vec<i64> = order.iter().map(|&a| probe.floor(a)).collect();
        let floor = floors.iter().sum();
        Walk { order, probe, sink, floors, floor, open: Vec::new() }
    }

    fn enter(&mut self, trie: &Trie, node: &Node) {
        if node.children.0 == node.children.1 {
            return self.scan(&trie.rows, range(node.rows));
        }
        let first = self.open.len();
        let limit = self.sink.limit();
        for child in range(node.children) {
            if let Some(branch) = self.weigh_branch(trie, child, limit) {
                self.open.push(branch);
            }
        }
        self.open[first..].sort_unstable_by_key(|branch| (branch.bound, branch.node));
        for at in first..self.open.len() {
            if self.sink.is_done() {
                break;
            }
            let Branch { bound, node, consistent } = self.open[at];
            let node = &trie.nodes[node as usize];
            match consistent {
                Reach::All => trie.rows.ids[range(node.rows)].iter().for_each(|&id| self.sink.consistent(id)),
                Reach::None if (bound, node.least) >= self.sink.limit() => {}
                _ => self.enter(trie, node),
            }
        }
        self.open.truncate(first);
    }

    /// What is known of a branch, unless it is of no use.
    #[inline]
    fn weigh_branch(&self, trie: &Trie, node: usize, limit: Candidate) -> Option<Branch> {
        let (mut bound, mut consistent) = (self.floor, Reach::All);
        for ((&a, &floor), common) in self.order.iter().zip(&self.floors).zip(trie.commons(node)) {
            let (price, reach) = self.probe.bound(a, common);
            bound += price - floor;
            consistent = consistent.and(reach);
            if consistent == Reach::None && bound > limit.0 {
                return None;
            }
        }
        let useful = consistent != Reach::None || (bound, trie.nodes[node].least) < limit;
        useful.then_some(Branch { bound, node: node as u32, consistent })
    }

    fn scan(&mut self, rows: &Rows, range: Range<usize>) {
        for at in range {
            let values = &rows.values[at * self.order.len()..][..self.order.len()];
            if let Some((price, consistent)) = self.weigh(values) {
                match consistent {
                    true => self.sink.consistent(rows.ids[at]),
                    false => self.sink.candidate((price, rows.ids[at])),
                }
            }
        }
    }

    /// Price of a record, unless it is too costly.
    #[inline]
    fn weigh(&self, values: &[ValueId]) -> Option<(i64, bool)> {
        let limit = self.sink.limit().0;
        let (mut bound, mut consistent) = (self.floor, true);
        for ((&a, &floor), &value) in self.order.iter().zip(&self.floors).zip(values) {
            let (price, agrees) = self.probe.step(a, value);
            bound += price - floor;
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
