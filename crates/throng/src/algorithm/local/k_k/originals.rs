//! The original records as algorithms that go record by record see them.

use rayon::prelude::*;

use super::diversity::Diversity;
use super::price::{Joining, Prices};
use super::search::{Candidate, Finder, Priced, RecordTree, WORST, search};
use crate::problem::Problem;
use crate::recoding::{Local, Parts};
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Records between two stop tests: about a millisecond's work.
const BATCH: usize = 128;

/// Original records with their prices and an index of them.
pub(super) struct Originals<'p> {
    pub(super) prices: Prices,
    pub(super) k: u64,
    pub(super) diversity: Diversity,
    records: Vec<ValueId>,
    weights: &'p [u32],
    attributes: usize,
    tree: RecordTree,
}

impl<'p> Originals<'p> {
    /// The records of a problem; none if they are fewer than k, or have fewer values than crowds must have.
    pub(super) fn new(problem: &'p Problem, run: &Run<'_>) -> Result<Option<Originals<'p>>, Stop> {
        let (table, k) = (problem.table(), problem.requirements.k());
        let diversity = Diversity::from_problem(problem);
        if table.rows() < k || !diversity.can_be_had() {
            return Ok(None);
        }
        let prices = Prices::new(problem);
        let records = prices.records(problem);
        run.go_on()?;
        let ids = (0..table.tuples() as u32).collect();
        let tree = RecordTree::new(&Priced { prices: &prices, records: &records }, ids, run)?;
        let (weights, attributes) = (table.weights(), table.attributes());
        Ok(Some(Originals { prices, k, diversity, records, weights, attributes, tree }))
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

    /// Rows of each record.
    pub(super) fn weights(&self) -> &[u32] {
        self.weights
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

/// Generalised records, each for a piece of a tuple: some of its rows, which are released alike. Pieces are
/// numbered; the first of a tuple has its number.
#[derive(Clone)]
pub(super) struct ReleasedPieces {
    records: Vec<ValueId>,
    attributes: usize,
    tuples: Vec<u32>,
    rows: Vec<u32>,
    /// The next piece of the same tuple.
    next: Vec<Option<u32>>,
}

impl ReleasedPieces {
    /// What `generalise` makes of each tuple.
    pub(super) fn new(
        originals: &Originals<'_>,
        run: &Run<'_>,
        generalise: impl Fn(usize) -> Vec<ValueId> + Sync,
    ) -> Result<ReleasedPieces, Stop> {
        let attributes = originals.attributes;
        let mut records = vec![0; originals.records.len()];
        originals.each(run, generalise, |tuple, record| {
            records[tuple * attributes..][..attributes].copy_from_slice(&record);
        })?;
        let tuples = (0..originals.len() as u32).collect();
        let (rows, next) = (originals.weights.to_vec(), vec![None; originals.len()]);
        Ok(ReleasedPieces { records, attributes, tuples, rows, next })
    }

    /// A release of all rows that was made before.
    pub(super) fn from_local(originals: &Originals<'_>, problem: &Problem, local: &Local) -> ReleasedPieces {
        let tuples = match local.parts() {
            Some(parts) => parts.tuples().to_vec(),
            None => (0..originals.len() as u32).collect(),
        };
        let rows = local.parts().map_or_else(|| originals.weights.to_vec(), |parts| parts.rows().to_vec());
        // The first piece of a tuple has its number.
        let is_first = |part: &usize| *part == 0 || tuples[part - 1] != tuples[*part];
        let (first, others): (Vec<usize>, Vec<usize>) = (0..tuples.len()).partition(is_first);
        let record = |&part: &usize| originals.prices.record_of(problem, local, part);
        let mut released = ReleasedPieces {
            records: first.iter().flat_map(record).collect(),
            attributes: originals.attributes,
            tuples: first.iter().map(|&part| tuples[part]).collect(),
            rows: first.iter().map(|&part| rows[part]).collect(),
            next: vec![None; first.len()],
        };
        for part in others {
            released.push(tuples[part] as usize, rows[part], &record(&part));
        }
        released
    }

    /// Adds a piece of a tuple that has one already.
    fn push(&mut self, tuple: usize, rows: u32, record: &[ValueId]) -> usize {
        let piece = self.rows.len();
        self.records.extend_from_slice(record);
        self.rows.push(rows);
        self.tuples.push(tuple as u32);
        let second = self.next[tuple].replace(piece as u32);
        self.next.push(second);
        piece
    }

    /// Takes what each piece is consistent with.
    pub(super) fn each_covered(
        &self,
        originals: &Originals<'_>,
        run: &Run<'_>,
        mut take: impl FnMut(usize, Vec<u32>),
    ) -> Result<(), Stop> {
        let covered = |tuple: usize| -> Vec<(usize, Vec<u32>)> {
            self.pieces(tuple).map(|piece| (piece, originals.covered_by(self.record(piece)))).collect()
        };
        originals.each(run, covered, |_, pieces| pieces.into_iter().for_each(|(piece, of)| take(piece, of)))
    }

    /// The generalisation of a piece.
    pub(super) fn record(&self, piece: usize) -> &[ValueId] {
        &self.records[piece * self.attributes..][..self.attributes]
    }

    /// The tuple that a piece is of.
    pub(super) fn tuple(&self, piece: usize) -> usize {
        self.tuples[piece] as usize
    }

    /// Rows of each piece.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The pieces of a tuple.
    pub(super) fn pieces(&self, tuple: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(tuple), |&piece| self.next[piece].map(|next| next as usize))
    }

    /// Makes a piece of some rows of another; that itself if these are all.
    pub(super) fn take(&mut self, piece: usize, rows: u32) -> usize {
        if rows == self.rows[piece] {
            return piece;
        }
        self.rows[piece] -= rows;
        let record = self.record(piece).to_vec();
        self.push(self.tuple(piece), rows, &record)
    }

    /// Generalises a piece's record further, until it covers `other`; what it was before.
    pub(super) fn extend(&mut self, prices: &Prices, piece: usize, other: &[ValueId]) -> Vec<ValueId> {
        let record = &mut self.records[piece * self.attributes..][..self.attributes];
        let before = record.to_vec();
        prices.extend(record, other);
        before
    }

    /// What all rows cost together.
    pub(super) fn price(&self, prices: &Prices) -> i128 {
        let of = |piece: usize| i128::from(self.rows[piece]) * i128::from(prices.price(self.record(piece)));
        (0..self.rows.len()).map(of).sum()
    }

    /// All values, record by record.
    pub(super) fn values(&self) -> &[ValueId] {
        &self.records
    }

    /// The recoding that releases these records.
    pub(super) fn into_local(self, prices: &Prices, run: &Run<'_>) -> Result<Local, Stop> {
        let go_on = || run.unless_cancelled();
        if self.next.iter().all(Option::is_none) {
            return prices.local(&self.records, &go_on);
        }
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|&piece| self.tuples[piece]);
        let mut parts = Parts::default();
        order.iter().for_each(|&piece| parts.push(self.tuples[piece], self.rows[piece], false));
        let records: Vec<ValueId> = order.iter().flat_map(|&piece| self.record(piece)).copied().collect();
        Ok(prices.local(&records, &go_on)?.in_parts(parts))
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
    /// None yet, of at least `need` rows, given the rows of each.
    pub(super) fn new(weights: &'a [u32], need: u64) -> Cheapest<'a> {
        Cheapest { weights, need, rows: 0, kept: Default::default() }
    }

    /// Their numbers, cheapest first: all are needed, and of the last some rows.
    pub(super) fn into_ids(self) -> impl Iterator<Item = usize> {
        self.kept.into_sorted_vec().into_iter().map(|(_, id)| id as usize)
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
