//! A tree over clusters that finds the nearest one without looking at all.
//!
//! Each node knows the closure of the clusters below it. What a union with any of them costs at
//! least follows from that closure alone: in an attribute where it does not meet the record
//! asked for, all unions cost the same.

use std::ops::Range;

use super::clusters::{Clusters, Id};
use super::costs::{PairCosts, Rows};
use super::distance::{Measure, Shape, ShapeRange};
use crate::algorithm::local::index::branch::first_parts;
use crate::taxonomy::ValueId;

/// Clusters of a node that is not split.
const LEAF: usize = 8;

/// A tree over some clusters; they may be removed, but none added.
pub(super) struct Tree {
    attributes: usize,
    /// Children follow one another, after their parent.
    nodes: Vec<Node>,
    /// The closure of each node.
    tops: Vec<ValueId>,
    /// The clusters by leaf; those of a leaf that were removed come last in it.
    items: Vec<Item>,
    records: Vec<ValueId>,
}

struct Item {
    id: Id,
    shape: Shape,
}

struct Node {
    parent: u32,
    /// Children or, in a leaf, items.
    first: u32,
    /// Number of children; 0 in a leaf.
    children: u32,
    /// Clusters below that are still there.
    present: u32,
    /// A bound for the numbers of clusters below.
    least_id: Id,
    shapes: ShapeRange,
}

/// A search for the cluster nearest to a given one.
pub(super) struct Query<'q, 'p> {
    pub(super) rows: Rows<'q, 'p>,
    pub(super) shape: Shape,
    pub(super) measure: &'q Measure,
    /// Only clusters with smaller numbers count.
    pub(super) before: Id,
    /// Distance and number of the nearest so far.
    pub(super) nearest: (f64, Id),
    /// Nodes to visit, by the depth of the search.
    pub(super) todo: Vec<(f64, u32)>,
}

impl Query<'_, '_> {
    /// Looks at one cluster.
    #[inline]
    pub(super) fn meet(&mut self, id: Id, shape: Shape, record: &[ValueId]) {
        if id >= self.before {
            return;
        }
        let distance = self.measure.between(self.shape, shape, self.rows.join(record));
        if distance < self.nearest.0 || (distance == self.nearest.0 && id < self.nearest.1) {
            self.nearest = (distance, id);
        }
    }

    /// Whether clusters no nearer than `floor` and with no smaller number than `least` may matter.
    #[inline]
    fn wants(&self, floor: f64, least: Id) -> bool {
        floor < self.nearest.0 || (floor == self.nearest.0 && least < self.nearest.1)
    }
}

impl Tree {
    /// A tree over some clusters, at least one.
    pub(super) fn new(mut ids: Vec<Id>, clusters: &Clusters, costs: &PairCosts<'_>) -> Tree {
        let attributes = costs.closures().attributes();
        let mut tree =
            Tree { attributes, nodes: Vec::new(), tops: Vec::new(), items: Vec::new(), records: Vec::new() };
        tree.push_node(0, 0..ids.len(), &ids, clusters, costs);
        let mut at = 0;
        while at < tree.nodes.len() {
            let start = tree.nodes[at].first as usize;
            let range = start..start + tree.nodes[at].present as usize;
            let parts = tree.split(at, &mut ids[range], clusters, costs);
            if !parts.is_empty() {
                tree.nodes[at].first = tree.nodes.len() as u32;
                tree.nodes[at].children = parts.len() as u32;
            }
            for part in parts {
                tree.push_node(at, start + part.start..start + part.end, &ids, clusters, costs);
            }
            at += 1;
        }
        tree.items = ids.iter().map(|&id| Item { id, shape: clusters.shape(id) }).collect();
        tree.records = ids.iter().flat_map(|&id| clusters.record(id)).copied().collect();
        tree
    }

    fn push_node(
        &mut self,
        parent: usize,
        range: Range<usize>,
        ids: &[Id],
        clusters: &Clusters,
        costs: &PairCosts<'_>,
    ) {
        let below = &ids[range.clone()];
        let start = self.tops.len();
        self.tops.extend_from_slice(clusters.record(below[0]));
        for &id in below {
            costs.closures().extend(&mut self.tops[start..], clusters.record(id));
        }
        self.nodes.push(Node {
            parent: parent as u32,
            first: range.start as u32,
            children: 0,
            present: below.len() as u32,
            least_id: below.iter().copied().min().expect("a node has a cluster"),
            shapes: ShapeRange::of(below.iter().map(|&id| clusters.shape(id))),
        });
    }

    /// Sorts the clusters of a node into parts; none if it stays a leaf.
    ///
    /// First by shape, on which distances depend; then by the attribute that costs most. One
    /// with very many values below comes last: to look at all of them is no better than a scan.
    fn split(
        &self,
        node: usize,
        ids: &mut [Id],
        clusters: &Clusters,
        costs: &PairCosts<'_>,
    ) -> Vec<Range<usize>> {
        if ids.len() <= LEAF {
            return Vec::new();
        }
        if node == 0 {
            let parts = part(ids, |id| {
                let shape = clusters.shape(id);
                2 * shape.size.ilog2() + u32::from(shape.cost > 0.0)
            });
            if parts.len() > 1 {
                return parts;
            }
        }
        let (top, closures) = (self.top(node), costs.closures());
        let varies = |&a: &usize| ids.iter().any(|&id| clusters.record(id)[a] != top[a]);
        let mut attributes: Vec<usize> = (0..self.attributes).filter(varies).collect();
        let cost = |a: usize| closures.crossing(a, top[a]);
        attributes.sort_by(|&a, &b| cost(b).total_cmp(&cost(a)));
        let split_by = |a: usize| part(ids, |id| costs.branch(a, top[a], clusters.record(id)[a]));
        first_parts(&attributes, split_by, Vec::len).unwrap_or_default()
    }

    fn top(&self, node: usize) -> &[ValueId] {
        &self.tops[node * self.attributes..(node + 1) * self.attributes]
    }

    /// The leaves, with the clusters of each.
    pub(super) fn leaves(&self) -> impl Iterator<Item = (u32, impl Iterator<Item = Id>)> {
        let leaves = self.nodes.iter().enumerate().filter(|(_, node)| node.children == 0);
        leaves.map(|(at, node)| (at as u32, self.items[node.items()].iter().map(|item| item.id)))
    }

    /// Removes a cluster from its leaf.
    pub(super) fn remove(&mut self, id: Id, leaf: u32) {
        let range = self.nodes[leaf as usize].items();
        let last = range.end - 1;
        let at = range.into_iter().find(|&at| self.items[at].id == id).expect("the cluster is in its leaf");
        self.items.swap(at, last);
        for a in 0..self.attributes {
            self.records.swap(at * self.attributes + a, last * self.attributes + a);
        }
        let mut node = leaf as usize;
        loop {
            self.nodes[node].present -= 1;
            if node == 0 {
                break;
            }
            node = self.nodes[node].parent as usize;
        }
    }

    /// Number of clusters.
    pub(super) fn len(&self) -> usize {
        self.nodes[0].present as usize
    }

    /// Number of clusters that there once were.
    pub(super) fn built(&self) -> usize {
        self.items.len()
    }

    /// Looks for the nearest cluster.
    pub(super) fn search(&self, query: &mut Query<'_, '_>) {
        self.visit(0, query);
    }

    fn visit(&self, at: usize, query: &mut Query<'_, '_>) {
        let node = &self.nodes[at];
        if node.children == 0 {
            for item in node.items() {
                let record = &self.records[item * self.attributes..(item + 1) * self.attributes];
                let Item { id, shape } = self.items[item];
                query.meet(id, shape, record);
            }
            return;
        }
        let start = query.todo.len();
        for child in node.first as usize..(node.first + node.children) as usize {
            let Node { present, least_id, ref shapes, .. } = self.nodes[child];
            if present == 0 || least_id >= query.before {
                continue;
            }
            let floor = query.measure.floor(query.shape, shapes, query.rows.floor(self.top(child)));
            if query.wants(floor, least_id) {
                query.todo.push((floor, child as u32));
            }
        }
        // Nearest last, where it is taken from.
        query.todo[start..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        while query.todo.len() > start {
            let (floor, child) = query.todo.pop().expect("longer than at the start");
            if query.wants(floor, self.nodes[child as usize].least_id) {
                self.visit(child as usize, query);
            }
        }
    }
}

impl Node {
    fn items(&self) -> Range<usize> {
        self.first as usize..(self.first + self.present) as usize
    }
}

/// Sorts clusters by a key and gives the parts of equal key.
fn part(ids: &mut [Id], key: impl Fn(Id) -> u32) -> Vec<Range<usize>> {
    let mut keyed: Vec<(u32, Id)> = ids.iter().map(|&id| (key(id), id)).collect();
    keyed.sort_unstable();
    ids.iter_mut().zip(&keyed).for_each(|(id, &(_, sorted))| *id = sorted);
    let mut parts = Vec::new();
    let mut start = 0;
    for part in keyed.chunk_by(|a, b| a.0 == b.0) {
        parts.push(start..start + part.len());
        start += part.len();
    }
    parts
}
