//! The original records as algorithms that go record by record see them.

use rayon::prelude::*;

use super::price::{Joining, Prices};
use super::search::{Candidate, Finder, Priced, RecordTree, WORST, search};
use crate::problem::Problem;
use crate::recoding::Local;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Records between two stop tests: about a millisecond's work.
const BATCH: usize = 128;

/// Original records with their prices and an index of them.
pub(super) struct Originals<'p> {
    pub(super) prices: Prices,
    pub(super) k: u64,
    records: Vec<ValueId>,
    weights: &'p [u32],
    attributes: usize,
    tree: RecordTree,
}

impl<'p> Originals<'p> {
    /// The records of a problem; none if they are fewer than k.
    pub(super) fn new(problem: &'p Problem, run: &Run<'_>) -> Result<Option<Originals<'p>>, Stop> {
        let (table, k) = (problem.table(), problem.requirements.k());
        if table.rows() < k {
            return Ok(None);
        }
        let prices = Prices::new(problem);
        let records = prices.records(problem);
        run.go_on()?;
        let ids = (0..table.tuples() as u32).collect();
        let tree = RecordTree::new(&Priced { prices: &prices, records: &records }, ids, run)?;
        let (weights, attributes) = (table.weights(), table.attributes());
        Ok(Some(Originals { prices, k, records, weights, attributes, tree }))
    }

    /// Number of distinct records.
    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    /// A record.
    pub(super) fn record(&self, tuple: usize) -> &[ValueId] {
        &self.records[tuple * self.attributes..][..self.attributes]
    }

    /// How many rows have the record.
    pub(super) fn weight(&self, tuple: usize) -> u64 {
        u64::from(self.weights[tuple])
    }

    /// Shows a sink the records by the price of their closure with `record`.
    pub(super) fn search<S: Finder>(&self, record: &[ValueId], sink: &mut S) {
        search(&self.tree, self.attributes, &Joining { prices: &self.prices, record }, sink);
    }

    /// The tuples that a generalised record is consistent with.
    pub(super) fn covered_by(&self, record: &[ValueId]) -> Vec<u32> {
        let mut sink = Consistent(Vec::new());
        self.search(record, &mut sink);
        sink.0
    }

    /// Works out something for every tuple, on all cores, and takes the results one by one, always
    /// in the same order: that of the index, in which neighbours have much of a search in common.
    pub(super) fn each<T: Send>(
        &self,
        run: &Run<'_>,
        of: impl Fn(usize) -> T + Sync,
        mut take: impl FnMut(usize, T),
    ) -> Result<(), Stop> {
        for batch in self.tree.ids().chunks(BATCH) {
            run.go_on()?;
            let found: Vec<T> = batch.par_iter().map(|&tuple| of(tuple as usize)).collect();
            batch.iter().zip(found).for_each(|(&tuple, found)| take(tuple as usize, found));
            run.advance(batch.len() as u64);
        }
        Ok(())
    }
}

/// A generalised record for each original one.
pub(super) struct Released {
    records: Vec<ValueId>,
    attributes: usize,
}

impl Released {
    /// What `generalise` makes of each tuple.
    pub(super) fn new(
        originals: &Originals<'_>,
        run: &Run<'_>,
        generalise: impl Fn(usize) -> Vec<ValueId> + Sync,
    ) -> Result<Released, Stop> {
        let attributes = originals.attributes;
        let mut records = vec![0; originals.records.len()];
        originals.each(run, generalise, |tuple, record| {
            records[tuple * attributes..][..attributes].copy_from_slice(&record);
        })?;
        Ok(Released { records, attributes })
    }

    /// The generalisation of a tuple.
    pub(super) fn record(&self, tuple: usize) -> &[ValueId] {
        &self.records[tuple * self.attributes..][..self.attributes]
    }

    /// Generalises a tuple's record further, until it covers `other`; what it was before.
    pub(super) fn extend(&mut self, prices: &Prices, tuple: usize, other: &[ValueId]) -> Vec<ValueId> {
        let record = &mut self.records[tuple * self.attributes..][..self.attributes];
        let before = record.to_vec();
        prices.extend(record, other);
        before
    }

    /// All values, record by record.
    pub(super) fn values(&self) -> &[ValueId] {
        &self.records
    }

    /// The recoding that releases these records.
    pub(super) fn into_local(self, prices: &Prices, run: &Run<'_>) -> Result<Local, Stop> {
        prices.local(&self.records, &|| run.unless_cancelled())
    }
}

/// Keeps what is consistent and nothing else.
struct Consistent(Vec<u32>);

impl Finder for Consistent {
    fn limit(&self) -> Candidate {
        (i64::MIN, 0)
    }

    fn consistent(&mut self, id: u32) {
        self.0.push(id);
    }

    fn candidate(&mut self, _: Candidate) {}
}

/// Keeps the cheapest candidates that together have enough rows.
pub(super) struct Cheapest<'a> {
    weights: &'a [u32],
    need: u64,
    rows: u64,
    /// The costliest on top.
    kept: std::collections::BinaryHeap<Candidate>,
}

impl<'a> Cheapest<'a> {
    /// None yet, of at least `need` rows.
    pub(super) fn new(originals: &'a Originals<'_>, need: u64) -> Cheapest<'a> {
        Cheapest { weights: originals.weights, need, rows: 0, kept: Default::default() }
    }

    /// The tuples, cheapest first.
    pub(super) fn into_tuples(self) -> impl Iterator<Item = usize> {
        self.kept.into_sorted_vec().into_iter().map(|(_, tuple)| tuple as usize)
    }
}

impl Finder for Cheapest<'_> {
    fn limit(&self) -> Candidate {
        match self.kept.peek() {
            Some(&costliest) if self.rows >= self.need => costliest,
            _ => WORST,
        }
    }

    fn consistent(&mut self, _: u32) {}

    fn candidate(&mut self, candidate: Candidate) {
        if candidate >= self.limit() {
            return;
        }
        self.kept.push(candidate);
        self.rows += u64::from(self.weights[candidate.1 as usize]);
        while let Some(&(_, costliest)) = self.kept.peek() {
            let without = self.rows - u64::from(self.weights[costliest as usize]);
            if without < self.need {
                break;
            }
            self.kept.pop();
            self.rows = without;
        }
    }
}
