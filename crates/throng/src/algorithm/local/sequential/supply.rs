//! Rows that can be spared where others need some.
//!
//! A tuple with more than k rows in a cluster of its own is a supply: rows of it may go anywhere, and the
//! rest loses nothing. It is near no other piece as a cluster, because it would lose all that it has.

use super::chain::Origin;
use super::partition::{Partition, RowMove};
use super::{ExchangeSearch, LEAST_GAIN};
use crate::algorithm::local::admissible::Admissibility;
use crate::algorithm::local::closure::Closures;
use crate::algorithm::local::index::{ClosureSource, ClosureTree, OrderedCost, Probe, Query, Visit};
use crate::run::{Run, Stop};
use crate::table::Table;
use crate::taxonomy::ValueId;

/// The tuples that are ripe without some of their rows.
pub(super) struct SupplyIndex(ClosureTree<(), ()>);

struct Heavy<'a, 'p>(&'a Partition<'p>);

impl ClosureSource for Heavy<'_, '_> {
    type Item = ();
    type Below = ();

    fn closures(&self) -> &Closures {
        self.0.closures()
    }

    fn record(&self, tuple: u32) -> &[ValueId] {
        self.0.record_of_tuple(tuple)
    }

    fn item(&self, _: u32) {}

    fn note(&self, (): &mut (), _: &[u32]) {}
}

impl SupplyIndex {
    pub(super) fn new(
        clusters: &Partition<'_>,
        table: &Table,
        admissibility: &Admissibility,
        run: &Run<'_>,
    ) -> Result<SupplyIndex, Stop> {
        let can_spare = |&(tuple, &rows): &(u32, &u32)| {
            u64::from(rows) > admissibility.least_rows()
                && admissibility.may_divide(table, tuple)
                && admissibility.is_ripe(&admissibility.contents(table, tuple, rows - 1))
        };
        let heavy = (0..).zip(table.weights()).filter(can_spare).map(|(tuple, _)| tuple);
        Ok(SupplyIndex(ClosureTree::new(&Heavy(clusters), heavy.collect(), run)?))
    }
}

impl ExchangeSearch<'_> {
    /// The nearest tuple that can spare so many rows, and d of its union with a closure, if it is less
    /// than a limit; another than that of a piece. Some rows may be promised already.
    pub(super) fn supply(
        &self,
        probe: &Probe<'_>,
        rows: u64,
        (other, promised): (u32, Option<RowMove>),
        limit: f64,
    ) -> Option<(f64, RowMove)> {
        let pieces = self.clusters.pieces();
        let can_spare = |tuple: u32| {
            let home = self.clusters.home(tuple).filter(|_| tuple != pieces.tuple(other))?;
            let promised = promised.filter(|promised| promised.piece == home).map_or(0, |of| of.rows);
            let enough = self.clusters.rows(home) >= self.k + rows + promised;
            (enough && self.may_divide(home)).then_some(home)
        };
        let mut query = NearestSupply { probe, can_spare, limit, found: None };
        self.supplies.0.search(&mut query, &mut Vec::new());
        let (cost, tuple) = (query.limit, query.found?);
        let piece = self.clusters.home(tuple)?;
        Some((cost, RowMove { piece, rows, to: 0 }))
    }

    /// The cheapest way to bring what a chain leaves behind to k rows again, and by how much the loss falls
    /// then: from a near cluster of more than k rows, or from a supply.
    pub(super) fn refill(&self, origin: &Origin<'_>) -> Option<(f64, RowMove)> {
        let (k, need) = (self.k as f64, origin.need);
        let mut best: Option<RowMove> = None;
        let mut gain = LEAST_GAIN;
        let probe = self.costs.probe(self.clusters.record(origin.piece));
        for id in self.near(origin.piece, &probe).filter(|&id| id != origin.cluster) {
            let cluster = self.clusters.get(id);
            if cluster.rows < self.k + need {
                continue;
            }
            let left = (cluster.rows - need) as f64;
            for (slot, &piece) in cluster.members.iter().enumerate() {
                let left = match self.clusters.rows(piece) {
                    rows if rows == need => left * cluster.rest_costs[slot],
                    rows if rows > need && self.may_divide(piece) => left * cluster.cost,
                    _ => continue,
                };
                let saved = origin.loss + cluster.loss() - left;
                let record = self.clusters.record(piece);
                if let Some(cost) = origin.rest.join_below(record, (saved - gain) / k) {
                    gain = saved - k * cost;
                    best = Some(RowMove { piece, rows: need, to: origin.cluster });
                }
            }
        }
        let limit = (origin.loss - gain) / k;
        if let Some((cost, from)) = self.supply(&origin.rest, need, (origin.piece, None), limit) {
            gain = origin.loss - k * cost;
            best = Some(RowMove { to: origin.cluster, ..from });
        }
        best.map(|refill| (gain, refill))
    }
}

struct NearestSupply<'q, F> {
    probe: &'q Probe<'q>,
    /// The piece of a tuple that has enough.
    can_spare: F,
    /// Below this, or as much and from an earlier tuple.
    limit: f64,
    found: Option<u32>,
}

impl<F: Fn(u32) -> Option<u32>> Query<(), ()> for NearestSupply<'_, F> {
    type Bound = OrderedCost;

    fn bound(&self, top: &[ValueId], (): &(), _: usize) -> Option<OrderedCost> {
        self.probe.floor_below(top, self.limit).map(OrderedCost)
    }

    fn decide(&self, floor: OrderedCost, (): &(), _: usize) -> Visit {
        Visit::open_if(floor.0 < self.limit)
    }

    fn meet(&mut self, tuple: u32, (): (), record: &[ValueId]) {
        if let Some(cost) = self.probe.join_below(record, self.limit)
            && (self.can_spare)(tuple).is_some()
        {
            (self.limit, self.found) = (cost, Some(tuple));
        }
    }
}
