//! (1,k)-anonymiser, which makes a (k,1)-anonymous release (k,k)-anonymous.
//!
//! **Citation.** A. Gionis, A. Mazza, T. Tassa, *k-Anonymization Revisited*, ICDE 2008,
//! Algorithm 5.
//!
//! **Idea.** Go through the original records. Where fewer than k released records are consistent
//! with one, generalise those released records further that reach it at the least extra cost.
//! Generalising never makes a record inconsistent, so what was (k,1)-anonymous stays so.
//!
//! **Guarantee.** (1,k)-anonymity.
//!
//! **Complexity.** O(n²) for n distinct records in the worst case: the counts of consistent
//! records are kept up to date by listing what each change covers, and the cheapest changes
//! are found in [trees](super::search) of the released records, which are made anew in part as
//! records change. O(n) memory.
//!
//! **Deviations.** With `variant = "printed"`, which goes record by record, only ties, which the paper leaves
//! open: they go to the first record. With `variant = "improved"` identical records that are released alike
//! are one piece with a number of rows. As many of these are generalised as are needed, which then are a
//! piece of their own: the paper's text, with ties that go to the first piece, those of whole tuples in their
//! order before those that were taken from others. Beside that all is done once more by whole tuples, and
//! what costs less is kept: rows that are generalised though they were not needed reach records that come
//! later, which may be worth more (0.6 % of lm on Adult at k = 20). A tuple of more rows than are needed is
//! then the dearer, and of those chosen the dearest are left out without which there are enough. Where crowds
//! must have different values ([`super::diversity`]), which is ours, it goes by whole tuples.

use super::diversity::{Newest, Seen};
use super::originals::{Cheapest, Originals, ReleasedPieces};
use super::price::Growing;
use super::search::{Candidate, Finder, Priced, RecordForest, search_grove};
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Generalises released records until each original one is consistent with k of them.
pub(super) fn reach_all(
    originals: &Originals<'_>,
    released: &mut ReleasedPieces,
    run: &Run<'_>,
) -> Result<(), Stop> {
    let reached = count(originals, released, run)?;
    if originals.diversity.is_asked() {
        return reach_each(originals, released, reached, Taking::Tuples, run);
    }
    if released.rows().iter().all(|&rows| rows == 1) {
        return reach_each(originals, released, reached, Taking::Rows, run);
    }
    let mut by_tuples = released.clone();
    let (rows, tuples) = rayon::join(
        || reach_each(originals, released, reached.clone(), Taking::Rows, run),
        || reach_each(originals, &mut by_tuples, reached.clone(), Taking::Tuples, run),
    );
    rows.and(tuples)?;
    if by_tuples.price(&originals.prices) < released.price(&originals.prices) {
        *released = by_tuples;
    }
    Ok(())
}

/// What is generalised together.
#[derive(Clone, Copy)]
enum Taking {
    /// As many rows as are needed.
    Rows,
    /// All rows of a tuple.
    Tuples,
}

/// What is consistent with each tuple: ℓ of the paper, the number of released rows, and the values that they have.
#[derive(Clone)]
struct Neighbours {
    rows: Vec<u64>,
    seen: Vec<Seen>,
}

impl Neighbours {
    fn add(&mut self, originals: &Originals<'_>, at: usize, released: &ReleasedPieces, piece: usize) {
        self.rows[at] += u64::from(released.rows()[piece]);
        originals.diversity.see(&mut self.seen[at], released.tuple(piece));
    }

    /// Whether a tuple has a crowd.
    fn suffice(&self, originals: &Originals<'_>, tuple: usize) -> bool {
        self.rows[tuple] >= originals.k && originals.diversity.lacking(&self.seen[tuple]).is_none()
    }
}

/// What is consistent with each tuple of a release.
fn count(originals: &Originals<'_>, released: &ReleasedPieces, run: &Run<'_>) -> Result<Neighbours, Stop> {
    let (tuples, none) = (originals.len(), originals.diversity.none_seen());
    let mut neighbours = Neighbours { rows: vec![0; tuples], seen: vec![none; tuples] };
    released.each_covered(originals, run, |piece, covered| {
        covered.iter().for_each(|&at| neighbours.add(originals, at as usize, released, piece));
    })?;
    Ok(neighbours)
}

/// Algorithm 5, given what is consistent with each tuple.
fn reach_each(
    originals: &Originals<'_>,
    released: &mut ReleasedPieces,
    reached: Neighbours,
    taking: Taking,
    run: &Run<'_>,
) -> Result<(), Stop> {
    let source = Priced { prices: &originals.prices, records: released.values() };
    let pieces = released.rows().len();
    let index = RecordForest::new(&source, (0..pieces as u32).collect(), pieces, run)?;
    let mut reach = Reached { originals, released, neighbours: reached, index };
    let before = originals.len() as u64 * 2;
    for tuple in 0..originals.len() {
        if !reach.neighbours.suffice(originals, tuple) {
            run.go_on()?;
            reach.complete(tuple, taking, run)?;
            run.advance_to(before + tuple as u64);
        }
    }
    Ok(())
}

/// The released records, and what is consistent with each original one.
struct Reached<'a, 'p> {
    originals: &'a Originals<'p>,
    released: &'a mut ReleasedPieces,
    neighbours: Neighbours,
    index: RecordForest,
}

impl Reached<'_, '_> {
    /// Generalises the cheapest released records until enough are consistent with a tuple.
    fn complete(&mut self, tuple: usize, taking: Taking, run: &Run<'_>) -> Result<(), Stop> {
        let record = self.originals.record(tuple);
        while let Some(column) = self.originals.diversity.lacking(&self.neighbours.seen[tuple]) {
            let piece = self.cheapest_with_new_value(record, tuple, column);
            self.generalise(piece, self.released.rows()[piece], record, run)?;
        }
        let need = self.originals.k.saturating_sub(self.neighbours.rows[tuple]);
        for (piece, rows) in self.cheapest(record, need, taking) {
            self.generalise(piece, rows, record, run)?;
        }
        Ok(())
    }

    /// The piece with a value that a tuple's neighbours lack which reaches the tuple at the least cost.
    fn cheapest_with_new_value(&self, record: &[ValueId], tuple: usize, column: usize) -> usize {
        let Reached { originals, released, neighbours, .. } = self;
        let mut newest = Newest::new(&originals.diversity, &neighbours.seen[tuple], column, released);
        let probe = Growing { prices: &originals.prices, record };
        search_grove(&self.index, &self.source(), &probe, &mut newest);
        newest.piece()
    }

    /// Pieces of so many rows together that reach a record at the least cost, and how many of each.
    fn cheapest(&self, record: &[ValueId], need: u64, taking: Taking) -> Vec<(usize, u32)> {
        if need == 0 {
            return Vec::new();
        }
        let (originals, rows) = (self.originals, self.released.rows());
        let probe = Growing { prices: &originals.prices, record };
        let mut cheapest = Cheapest::new(rows, need);
        match taking {
            Taking::Rows => {
                search_grove(&self.index, &self.source(), &probe, &mut cheapest);
                let mut left = need;
                let take = |piece: usize| {
                    let taken = u64::from(rows[piece]).min(left);
                    left -= taken;
                    (piece, taken as u32)
                };
                cheapest.into_ids().map(take).collect()
            }
            Taking::Tuples => {
                let mut whole = CheapestTuples { rows, need, cheapest };
                search_grove(&self.index, &self.source(), &probe, &mut whole);
                whole.into_ids().into_iter().map(|tuple| (tuple, rows[tuple])).collect()
            }
        }
    }

    /// Generalises some rows of a piece until they cover a record.
    fn generalise(&mut self, from: usize, rows: u32, record: &[ValueId], run: &Run<'_>) -> Result<(), Stop> {
        let originals = self.originals;
        let piece = self.released.take(from, rows);
        let before = self.released.extend(&originals.prices, piece, record);
        for at in originals.covered_by(self.released.record(piece)) {
            if !originals.prices.covers(&before, originals.record(at as usize)) {
                self.neighbours.add(originals, at as usize, self.released, piece);
            }
        }
        let source = Priced { prices: &originals.prices, records: self.released.values() };
        match piece == from {
            true => self.index.renew(&source, piece as u32, run),
            false => self.index.insert(&source, piece as u32, run),
        }
    }

    fn source(&self) -> Priced<'_> {
        Priced { prices: &self.originals.prices, records: self.released.values() }
    }
}

/// The cheapest tuples, all rows of a tuple being paid for and no more than are needed counted.
struct CheapestTuples<'a> {
    rows: &'a [u32],
    need: u64,
    cheapest: Cheapest<'a>,
}

impl CheapestTuples<'_> {
    /// The tuples, cheapest first, without those that are not needed.
    fn into_ids(self) -> Vec<usize> {
        let mut tuples: Vec<usize> = self.cheapest.into_ids().collect();
        let mut rows: u64 = tuples.iter().map(|&tuple| u64::from(self.rows[tuple])).sum();
        for at in (0..tuples.len()).rev() {
            let without = rows - u64::from(self.rows[tuples[at]]);
            if without >= self.need {
                rows = without;
                tuples.remove(at);
            }
        }
        tuples
    }
}

impl Finder for CheapestTuples<'_> {
    fn limit(&self) -> Candidate {
        self.cheapest.limit()
    }

    fn consistent(&mut self, _: u32) {}

    fn candidate(&mut self, (price, tuple): Candidate) {
        let rows = u64::from(self.rows[tuple as usize]);
        // What costs nothing, or less, stays as it is: prices may only rise above what was pruned by.
        if rows <= self.need || price <= 0 {
            return self.cheapest.candidate((price, tuple));
        }
        let paid = i128::from(price) * i128::from(rows) / i128::from(self.need);
        self.cheapest.candidate((i64::try_from(paid).unwrap_or(i64::MAX), tuple));
    }
}
