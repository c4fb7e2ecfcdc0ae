//! The nearest tuples of a tuple, by the cost of the closure of both.

use rayon::prelude::*;

use crate::algorithm::local::closure::Closures;
use crate::algorithm::local::index::{
    ClosureSource, ClosureTree, OrderedCost, PairCosts, Probe, Query, Visit,
};
use crate::algorithm::local::records;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Tuples searched between two looks at the clock.
const BATCH: usize = 256;

/// An index of a table's tuples.
pub(in crate::algorithm::local) struct Neighbours<'p> {
    weights: &'p [u32],
    costs: PairCosts<'p>,
    records: Vec<ValueId>,
    attributes: usize,
    tree: ClosureTree<(), LeastTuples>,
}

/// The first of the tuples below each node, which ties are broken by.
#[derive(Default)]
struct LeastTuples(Vec<u32>);

struct TableTuples<'a> {
    closures: &'a Closures,
    records: &'a [ValueId],
}

impl ClosureSource for TableTuples<'_> {
    type Item = ();
    type Below = LeastTuples;

    // Very many values that are equally far from each other are told apart by the first tuples.
    const BUNDLES: bool = true;

    fn closures(&self) -> &Closures {
        self.closures
    }

    fn record(&self, id: u32) -> &[ValueId] {
        let width = self.closures.attributes();
        &self.records[id as usize * width..][..width]
    }

    fn item(&self, _: u32) {}

    fn note(&self, below: &mut LeastTuples, ids: &[u32]) {
        below.0.push(*ids.iter().min().expect("a node has a tuple"));
    }
}

impl<'p> Neighbours<'p> {
    /// An index of a problem's tuples.
    pub(in crate::algorithm::local) fn new(
        problem: &'p Problem,
        closures: &'p Closures,
        run: &Run<'_>,
    ) -> Result<Neighbours<'p>, Stop> {
        Neighbours::find(problem, closures, (0..problem.table().tuples() as u32).collect(), run)
    }

    /// An index of some of them.
    pub(in crate::algorithm::local) fn find(
        problem: &'p Problem,
        closures: &'p Closures,
        ids: Vec<u32>,
        run: &Run<'_>,
    ) -> Result<Neighbours<'p>, Stop> {
        let (table, attributes) = (problem.table(), closures.attributes());
        let records = records(problem, 0..attributes);
        run.go_on()?;
        let tree = ClosureTree::new(&TableTuples { closures, records: &records }, ids, run)?;
        let costs = PairCosts::new(problem, closures);
        Ok(Neighbours { weights: table.weights(), costs, records, attributes, tree })
    }

    /// For every tuple, the shortest list of its nearest others, nearest first, that stand for as
    /// many rows as it wants; of equal distances the smaller index first.
    pub(in crate::algorithm::local) fn lists(
        &self,
        want: impl Fn(usize) -> u64 + Sync,
        run: &Run<'_>,
    ) -> Result<Vec<Box<[u32]>>, Stop> {
        let mut lists = vec![Box::default(); self.weights.len()];
        // Neighbours in the order of the tree have much of the search in common.
        for batch in self.tree.ids().chunks(BATCH) {
            run.go_on()?;
            let find = |todo: &mut Vec<_>, &tuple: &u32| self.search(tuple, want(tuple as usize), todo);
            let found: Vec<Box<[u32]>> = batch.par_iter().map_init(Vec::new, find).collect();
            batch.iter().zip(found).for_each(|(&tuple, list)| lists[tuple as usize] = list);
            run.advance(batch.len() as u64);
        }
        Ok(lists)
    }

    /// The nearest of the tuples that are acceptable; of equal distances the one with the smaller index.
    pub(in crate::algorithm::local) fn nearest(
        &self,
        tuple: u32,
        accepts: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let found = self.nearest_of(tuple, (1, f64::INFINITY), accepts, &mut Vec::new());
        found.first().map(|&(_, tuple)| tuple)
    }

    /// The nearest tuple, itself among them, and how far it is, if it is no farther than so much.
    pub(in crate::algorithm::local) fn nearest_below(&self, tuple: u32, limit: f64) -> Option<(f64, u32)> {
        self.nearest_of(tuple, (1, limit), |_| true, &mut Vec::new()).first().copied()
    }

    fn search(&self, tuple: u32, want: u64, todo: &mut Vec<(OrderedCost, u32)>) -> Box<[u32]> {
        if want == 0 {
            return Box::default();
        }
        let found = self.nearest_of(tuple, (want, f64::INFINITY), |other| other != tuple, todo);
        found.into_iter().map(|(_, tuple)| tuple).collect()
    }

    /// The nearest tuples that have as many rows as wanted, within a limit.
    fn nearest_of(
        &self,
        tuple: u32,
        (want, limit): (u64, f64),
        accepts: impl Fn(u32) -> bool,
        todo: &mut Vec<(OrderedCost, u32)>,
    ) -> Vec<(f64, u32)> {
        let record = &self.records[tuple as usize * self.attributes..][..self.attributes];
        let (probe, weights) = (self.costs.probe(record), self.weights);
        let mut list = NearList { accepts, probe, record, weights, want, limit, rows: 0, found: Vec::new() };
        self.tree.search(&mut list, todo);
        list.found
    }
}

/// The nearest so far: the shortest sorted list that has enough rows.
struct NearList<'n, F> {
    accepts: F,
    probe: Probe<'n>,
    record: &'n [ValueId],
    weights: &'n [u32],
    want: u64,
    limit: f64,
    rows: u64,
    found: Vec<(f64, u32)>,
}

impl<F: Fn(u32) -> bool> NearList<'_, F> {
    /// What a tuple must not be above to get onto the list.
    #[inline]
    fn limit(&self) -> (f64, u32) {
        let full = self.rows >= self.want;
        self.found.last().filter(|_| full).copied().unwrap_or((self.limit, u32::MAX))
    }

    fn insert(&mut self, distance: f64, tuple: u32) {
        let at = self.found.partition_point(|&other| other < (distance, tuple));
        self.found.insert(at, (distance, tuple));
        self.rows += u64::from(self.weights[tuple as usize]);
        while let Some(&(_, last)) = self.found.last() {
            let without = self.rows - u64::from(self.weights[last as usize]);
            if without < self.want {
                break;
            }
            self.found.pop();
            self.rows = without;
        }
    }
}

impl<F: Fn(u32) -> bool> Query<(), LeastTuples> for NearList<'_, F> {
    type Bound = OrderedCost;

    #[inline]
    fn bound(&self, top: &[ValueId], below: &LeastTuples, node: usize) -> Option<OrderedCost> {
        let limit = self.limit();
        let bound = self.probe.floor_below(top, limit.0.next_up())?;
        ((bound, below.0[node]) <= limit).then_some(OrderedCost(bound))
    }

    #[inline]
    fn value(&self, attribute: usize) -> Option<ValueId> {
        Some(self.record[attribute])
    }

    #[inline]
    fn decide(&self, bound: OrderedCost, below: &LeastTuples, node: usize) -> Visit {
        Visit::open_if((bound.0, below.0[node]) <= self.limit())
    }

    #[inline]
    fn meet(&mut self, tuple: u32, _: (), record: &[ValueId]) {
        let limit = self.limit();
        let Some(distance) = self.probe.join_below(record, limit.0.next_up()) else { return };
        if (distance, tuple) <= limit && (self.accepts)(tuple) {
            self.insert(distance, tuple);
        }
    }
}
