//! The active clusters, and the search for the nearest of those that are older.

use super::clusters::{ClusterHistory, Id};
use super::distance::{ClusterShape, Measure, ShapeRange};
use crate::algorithm::local::closure::Closures;
use crate::algorithm::local::index::{ClosureSource, OrderedCost, Probe, Query, Visit};
use crate::taxonomy::ValueId;

/// Clusters as an index sees them.
pub(super) struct Active<'a> {
    pub(super) clusters: &'a ClusterHistory,
    pub(super) closures: &'a Closures,
}

/// Of each node, the oldest of the clusters below and what is known of their shapes.
#[derive(Default)]
pub(super) struct Extremes(Vec<(Id, ShapeRange)>);

impl ClosureSource for Active<'_> {
    type Item = ClusterShape;
    type Below = Extremes;

    fn closures(&self) -> &Closures {
        self.closures
    }

    fn record(&self, id: Id) -> &[ValueId] {
        self.clusters.record(id)
    }

    fn item(&self, id: Id) -> ClusterShape {
        self.clusters.shape(id)
    }

    fn note(&self, below: &mut Extremes, ids: &[Id]) {
        let oldest = *ids.iter().min().expect("a node has a cluster");
        below.0.push((oldest, ShapeRange::new(ids.iter().map(|&id| self.clusters.shape(id)))));
    }

    /// Distances depend on shapes.
    fn kind(&self, id: Id) -> u32 {
        let shape = self.clusters.shape(id);
        2 * shape.size.ilog2() + u32::from(shape.cost > 0.0)
    }
}

/// A search for the nearest of the older clusters; of several, the oldest.
pub(super) struct NearestOlder<'q> {
    id: Id,
    shape: ClusterShape,
    probe: Probe<'q>,
    measure: &'q Measure,
    /// Distance and number of the nearest so far.
    nearest: (f64, Id),
}

const NONE: (f64, Id) = (f64::INFINITY, Id::MAX);

impl<'q> NearestOlder<'q> {
    pub(super) fn new(
        id: Id,
        shape: ClusterShape,
        probe: Probe<'q>,
        measure: &'q Measure,
    ) -> NearestOlder<'q> {
        NearestOlder { id, shape, probe, measure, nearest: NONE }
    }

    /// Distance and number of the nearest, if there is one.
    pub(super) fn found(&self) -> Option<(f64, Id)> {
        (self.nearest != NONE).then_some(self.nearest)
    }

    /// Whether clusters no nearer than `floor` and no older than `oldest` may matter.
    #[inline]
    fn wants(&self, floor: f64, oldest: Id) -> bool {
        floor < self.nearest.0 || (floor == self.nearest.0 && oldest < self.nearest.1)
    }
}

impl Query<ClusterShape, Extremes> for NearestOlder<'_> {
    type Bound = OrderedCost;

    #[inline]
    fn bound(&self, top: &[ValueId], below: &Extremes, node: usize) -> Option<OrderedCost> {
        let (oldest, ref shapes) = below.0[node];
        if oldest >= self.id {
            return None;
        }
        let floor = self.measure.floor(self.shape, shapes, self.probe.floor(top));
        self.wants(floor, oldest).then_some(OrderedCost(floor))
    }

    #[inline]
    fn decide(&self, floor: OrderedCost, below: &Extremes, node: usize) -> Visit {
        Visit::open_if(self.wants(floor.0, below.0[node].0))
    }

    #[inline]
    fn meet(&mut self, id: Id, shape: ClusterShape, record: &[ValueId]) {
        if id >= self.id {
            return;
        }
        let distance = self.measure.between(self.shape, shape, self.probe.join(record));
        if distance < self.nearest.0 || (distance == self.nearest.0 && id < self.nearest.1) {
            self.nearest = (distance, id);
        }
    }
}
