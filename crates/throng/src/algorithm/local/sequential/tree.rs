//! A tree over clusters that finds those in which a tuple makes the loss grow least.
//!
//! Each node knows the closure of the clusters below it, and from that closure follows by how much
//! the loss grows at least in any of them: most nodes are never opened.

use std::ops::Range;

use super::clusters::Clusters;
use super::pairs::Probe;
use crate::algorithm::local::index::branch::{branch, first_parts};
use crate::problem::Problem;
use crate::taxonomy::ValueId;

/// Clusters of a node that is not split.
const LEAF: usize = 16;

/// Most clusters that a search finds.
pub(super) const NEAR: usize = 7;

/// Clusters that are near a tuple, nearest first.
pub(super) type Near = [Option<u32>; NEAR];

/// The clusters as they were when the tree was made.
pub(super) struct Tree {
    width: usize,
    /// Children follow one another, after their parent.
    nodes: Vec<Node>,
    /// The closure of each node, one after the other.
    tops: Vec<ValueId>,
    /// The clusters by leaf, and their closures.
    items: Vec<Item>,
    covers: Vec<ValueId>,
}

struct Node {
    items: Range<usize>,
    /// None in a leaf.
    children: Range<usize>,
    least_rows: u64,
}

struct Item {
    cluster: u32,
    rows: f64,
    cost: f64,
}

impl Tree {
    /// A tree over all clusters that have members.
    pub(super) fn new(problem: &Problem, clusters: &Clusters<'_>) -> Tree {
        let is_used = |&id: &u32| !clusters.get(id).members.is_empty();
        let mut ids: Vec<u32> = (0..clusters.len() as u32).filter(is_used).collect();
        let width = clusters.closures().attributes();
        let mut tree =
            Tree { width, nodes: Vec::new(), tops: Vec::new(), items: Vec::new(), covers: Vec::new() };
        tree.push(0..ids.len(), &ids, clusters);
        let mut at = 0;
        while at < tree.nodes.len() {
            let Range { mut start, end } = tree.nodes[at].items.clone();
            let first = tree.nodes.len();
            for size in tree.split(at, &mut ids[start..end], problem, clusters) {
                tree.push(start..start + size, &ids, clusters);
                start += size;
            }
            tree.nodes[at].children = first..tree.nodes.len();
            at += 1;
        }
        for &id in &ids {
            let cluster = clusters.get(id);
            tree.items.push(Item { cluster: id, rows: cluster.rows as f64, cost: cluster.cost });
            tree.covers.extend_from_slice(&cluster.cover);
        }
        tree
    }

    fn push(&mut self, items: Range<usize>, ids: &[u32], clusters: &Clusters<'_>) {
        let below = || ids[items.clone()].iter().map(|&id| clusters.get(id));
        let start = self.tops.len();
        for cluster in below() {
            match self.tops.len() == start {
                true => self.tops.extend_from_slice(&cluster.cover),
                false => clusters.closures().extend(&mut self.tops[start..], &cluster.cover),
            }
        }
        let least_rows = below().map(|cluster| cluster.rows).min().unwrap_or(0);
        self.nodes.push(Node { items, children: 0..0, least_rows });
    }

    /// Sorts the clusters of a node by the attribute that costs most of those that part them, one of
    /// very many parts last, and gives the sizes of the parts; none if the node stays a leaf.
    fn split(&self, node: usize, ids: &mut [u32], problem: &Problem, clusters: &Clusters<'_>) -> Vec<usize> {
        if ids.len() <= LEAF {
            return Vec::new();
        }
        let (top, closures) = (self.top(node), clusters.closures());
        let varies = |&a: &usize| ids.iter().any(|&id| clusters.get(id).cover[a] != top[a]);
        let mut attributes: Vec<usize> = (0..self.width).filter(varies).collect();
        let cost = |a: usize| closures.cell_cost(a, top[a]);
        attributes.sort_by(|&a, &b| cost(b).total_cmp(&cost(a)));
        let split_by = |a: usize| {
            let values = problem.attributes()[a].taxonomy.values();
            let parent = |value: ValueId| values[value as usize].parent;
            let part = |id: u32| {
                let (open, value) = (closures.open(a), clusters.get(id).cover[a]);
                open.map_or_else(|| branch(top[a], value, parent), |open| open.branch(top[a], value))
            };
            ids.sort_by_cached_key(|&id| (part(id), id));
            ids.chunk_by(|&x, &y| part(x) == part(y)).map(<[u32]>::len).collect::<Vec<usize>>()
        };
        first_parts(&attributes, split_by, Vec::len).unwrap_or_default()
    }

    fn top(&self, node: usize) -> &[ValueId] {
        &self.tops[node * self.width..][..self.width]
    }

    /// The clusters in which a tuple of some rows makes the loss grow least.
    pub(super) fn nearest(&self, probe: &Probe<'_>, rows: u64) -> Near {
        let found = Vec::with_capacity(NEAR + 1);
        let mut query = Query { probe, rows: rows as f64, found, todo: Vec::new() };
        self.visit(0, &mut query);
        let mut near = [None; NEAR];
        near.iter_mut().zip(query.found).for_each(|(near, (_, cluster))| *near = Some(cluster));
        near
    }

    fn visit(&self, at: usize, query: &mut Query<'_>) {
        let node = &self.nodes[at];
        if node.children.is_empty() {
            for at in node.items.clone() {
                let Item { cluster, rows, cost } = self.items[at];
                let union = query.probe.join(&self.covers[at * self.width..][..self.width]);
                query.offer((rows + query.rows) * union - rows * cost, cluster);
            }
            return;
        }
        let start = query.todo.len();
        for child in node.children.clone() {
            let floor = query.probe.floor(self.top(child));
            let growth = query.rows * floor.cost + self.nodes[child].least_rows as f64 * floor.rise;
            if growth < query.limit() {
                query.todo.push((growth, child as u32));
            }
        }
        // Nearest last, where it is taken from.
        query.todo[start..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        while query.todo.len() > start {
            let (growth, child) = query.todo.pop().expect("longer than at the start");
            if growth < query.limit() {
                self.visit(child as usize, query);
            }
        }
    }
}

struct Query<'q> {
    probe: &'q Probe<'q>,
    rows: f64,
    /// Growth and number of the nearest so far.
    found: Vec<(f64, u32)>,
    /// Nodes to visit, by the depth of the search.
    todo: Vec<(f64, u32)>,
}

impl Query<'_> {
    #[inline]
    fn limit(&self) -> f64 {
        self.found.get(NEAR - 1).map_or(f64::INFINITY, |found| found.0)
    }

    #[inline]
    fn offer(&mut self, growth: f64, cluster: u32) {
        if growth < self.limit() {
            let at = self.found.partition_point(|found| found.0 <= growth);
            self.found.insert(at, (growth, cluster));
            self.found.truncate(NEAR);
        }
    }
}
