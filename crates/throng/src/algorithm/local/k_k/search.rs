//! Searches for the cheapest records, and for those that are consistent with one.
//!
//! Beside a lower bound of the price, a branch of the [tree](ClosureTree) has a [`Reach`]: of one whose
//! records are all consistent all are shown at once, and one that has some is opened at any price.
//! What a search finds does not depend on the order in which it visits branches.

use super::price::{Prices, Pricing, Reach};
use crate::algorithm::local::closure::Closures;
use crate::algorithm::local::index::{ClosureForest, ClosureSource, ClosureTree, Query, Visit};
use crate::taxonomy::ValueId;

/// A price and the number of a record: ties go to the smaller number.
pub(super) type Candidate = (i64, u32);

/// No candidate is worse.
pub(super) const WORST: Candidate = (i64::MAX, u32::MAX);

/// Takes what a search meets.
pub(super) trait Finder {
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

/// Records that stay as they are.
pub(super) type RecordTree = ClosureTree<(), Dearest>;

/// Records that change.
pub(super) type RecordForest = ClosureForest<(), Dearest>;

/// Records as an index sees them.
pub(super) struct Priced<'a> {
    pub(super) prices: &'a Prices,
    /// One after the other.
    pub(super) records: &'a [ValueId],
}

/// Of each node, the first of its records, and by attribute the price of the dearest value.
#[derive(Default)]
pub(super) struct Dearest {
    least: Vec<u32>,
    most: Vec<i64>,
}

impl ClosureSource for Priced<'_> {
    type Item = ();
    type Below = Dearest;

    fn closures(&self) -> &Closures {
        self.prices.closures()
    }

    #[inline]
    fn record(&self, id: u32) -> &[ValueId] {
        let width = self.closures().attributes();
        &self.records[id as usize * width..][..width]
    }

    fn item(&self, _: u32) {}

    fn note(&self, below: &mut Dearest, ids: &[u32]) {
        below.least.push(*ids.iter().min().expect("a node has a record"));
        let first = below.most.len();
        below.most.resize(first + self.closures().attributes(), i64::MIN);
        for &id in ids {
            for (a, (most, &value)) in below.most[first..].iter_mut().zip(self.record(id)).enumerate() {
                *most = self.prices.cell(a, value).max(*most);
            }
        }
    }
}

/// Shows the sink all records of a tree that are consistent with the probe, and all others below its
/// limit.
pub(super) fn search<P: Pricing, S: Finder>(tree: &RecordTree, attributes: usize, probe: &P, sink: &mut S) {
    tree.search(&mut PriceWalk::new(attributes, probe, sink), &mut Vec::new());
}

/// As [`search`], among records that change.
pub(super) fn search_grove<P: Pricing, S: Finder>(
    forest: &RecordForest,
    source: &Priced<'_>,
    probe: &P,
    sink: &mut S,
) {
    forest.search(source, &mut PriceWalk::new(source.closures().attributes(), probe, sink));
}

struct PriceWalk<'a, P, S> {
    probe: &'a P,
    sink: &'a mut S,
    /// Least price of each attribute, and of all.
    floors: Vec<i64>,
    floor: i64,
}

impl<'a, P: Pricing, S: Finder> PriceWalk<'a, P, S> {
    fn new(attributes: usize, probe: &'a P, sink: &'a mut S) -> PriceWalk<'a, P, S> {
        let floors: Vec<i64> = (0..attributes).map(|a| probe.floor(a)).collect();
        let floor = floors.iter().sum();
        PriceWalk { probe, sink, floors, floor }
    }

    /// Price of a record, unless it is too costly.
    #[inline]
    fn weigh(&self, record: &[ValueId]) -> Option<(i64, bool)> {
        let limit = self.sink.limit().0;
        let (mut price, mut consistent) = (self.floor, true);
        for (a, (&floor, &value)) in self.floors.iter().zip(record).enumerate() {
            let (of_value, agrees) = self.probe.step(a, value);
            price += of_value - floor;
            consistent &= agrees;
            if !consistent && price > limit {
                return None;
            }
        }
        Some((price, consistent))
    }
}

impl<P: Pricing, S: Finder> Query<(), Dearest> for PriceWalk<'_, P, S> {
    /// No record below costs less; which are consistent with the probe.
    type Bound = (i64, Reach);

    #[inline]
    fn bound(&self, top: &[ValueId], below: &Dearest, node: usize) -> Option<(i64, Reach)> {
        let limit = self.sink.limit();
        let (mut bound, mut consistent) = (self.floor, Reach::All);
        let most = &below.most[node * top.len()..][..top.len()];
        for (a, ((&floor, &cover), &most)) in self.floors.iter().zip(top).zip(most).enumerate() {
            let (price, reach) = self.probe.bound(a, cover, most);
            bound += price - floor;
            consistent = consistent.and(reach);
            if consistent == Reach::None && bound > limit.0 {
                return None;
            }
        }
        let useful = consistent != Reach::None || (bound, below.least[node]) < limit;
        useful.then_some((bound, consistent))
    }

    #[inline]
    fn decide(&self, (bound, consistent): (i64, Reach), below: &Dearest, node: usize) -> Visit {
        match consistent {
            _ if self.sink.is_done() => Visit::Leave,
            Reach::All => Visit::Take,
            Reach::Some => Visit::Open,
            Reach::None => Visit::open_if((bound, below.least[node]) < self.sink.limit()),
        }
    }

    fn take(&mut self, ids: &[u32]) {
        ids.iter().for_each(|&id| self.sink.consistent(id));
    }

    #[inline]
    fn meet(&mut self, id: u32, _: (), record: &[ValueId]) {
        match self.weigh(record) {
            Some((_, true)) => self.sink.consistent(id),
            Some((price, false)) => self.sink.candidate((price, id)),
            None => {}
        }
    }
}
