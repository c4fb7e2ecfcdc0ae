//! The clusters in which a tuple makes the loss grow least.

use super::partition::Partition;
use crate::algorithm::local::closure::Closures;
use crate::algorithm::local::index::{ClosureSource, ClosureTree, OrderedCost, Probe, Query, Visit};
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Most clusters that a search finds.
pub(super) const NEAR: usize = 7;

/// Clusters that are near a tuple, nearest first.
pub(super) type Near = [Option<u32>; NEAR];

/// The clusters as they were when the index was made.
pub(super) struct NearIndex(ClosureTree<Weighed, LeastRows>);

/// Rows and d of a cluster.
#[derive(Clone, Copy)]
struct Weighed {
    rows: f64,
    cost: f64,
}

/// Fewest rows of a cluster below each node.
#[derive(Default)]
struct LeastRows(Vec<f64>);

struct Started<'a, 'p>(&'a Partition<'p>);

impl ClosureSource for Started<'_, '_> {
    type Item = Weighed;
    type Below = LeastRows;

    const LEAF: usize = 16;

    fn closures(&self) -> &Closures {
        self.0.closures()
    }

    fn record(&self, id: u32) -> &[ValueId] {
        &self.0.get(id).cover
    }

    fn item(&self, id: u32) -> Weighed {
        let cluster = self.0.get(id);
        Weighed { rows: cluster.rows as f64, cost: cluster.cost }
    }

    fn note(&self, below: &mut LeastRows, ids: &[u32]) {
        let least = ids.iter().map(|&id| self.0.get(id).rows).min().expect("a node has a cluster");
        below.0.push(least as f64);
    }

    /// Of clusters in which the loss grows by as much, the first that are met are found: what is split
    /// first decides. So far that went by the cost of the top, also of sets.
    fn crossing(&self, attribute: usize, top: ValueId) -> f64 {
        self.closures().cell_cost(attribute, top)
    }
}

impl NearIndex {
    /// All clusters that have members.
    pub(super) fn new(clusters: &Partition<'_>, run: &Run<'_>) -> Result<NearIndex, Stop> {
        let is_used = |&id: &u32| !clusters.get(id).members.is_empty();
        let ids = (0..clusters.len() as u32).filter(is_used).collect();
        Ok(NearIndex(ClosureTree::new(&Started(clusters), ids, run)?))
    }

    /// The clusters in which a tuple of some rows makes the loss grow least.
    pub(super) fn nearest(&self, probe: &Probe<'_>, rows: u64) -> Near {
        let mut query = LeastGrowth { probe, rows: rows as f64, found: Vec::with_capacity(NEAR + 1) };
        self.0.search(&mut query, &mut Vec::new());
        let mut near = [None; NEAR];
        near.iter_mut().zip(query.found).for_each(|(near, (_, cluster))| *near = Some(cluster));
        near
    }
}

struct LeastGrowth<'q> {
    probe: &'q Probe<'q>,
    rows: f64,
    /// Growth and number of the nearest so far.
    found: Vec<(f64, u32)>,
}

impl LeastGrowth<'_> {
    #[inline]
    fn limit(&self) -> f64 {
        self.found.get(NEAR - 1).map_or(f64::INFINITY, |found| found.0)
    }
}

impl Query<Weighed, LeastRows> for LeastGrowth<'_> {
    type Bound = OrderedCost;

    #[inline]
    fn bound(&self, top: &[ValueId], below: &LeastRows, node: usize) -> Option<OrderedCost> {
        let floor = self.probe.floor_and_rise(top);
        let growth = self.rows * floor.cost + below.0[node] * floor.rise;
        (growth < self.limit()).then_some(OrderedCost(growth))
    }

    #[inline]
    fn decide(&self, growth: OrderedCost, _: &LeastRows, _: usize) -> Visit {
        Visit::open_if(growth.0 < self.limit())
    }

    #[inline]
    fn meet(&mut self, cluster: u32, Weighed { rows, cost }: Weighed, cover: &[ValueId]) {
        let growth = (rows + self.rows) * self.probe.join(cover) - rows * cost;
        if growth < self.limit() {
            let at = self.found.partition_point(|found| found.0 <= growth);
            self.found.insert(at, (growth, cluster));
            self.found.truncate(NEAR);
        }
    }
}
