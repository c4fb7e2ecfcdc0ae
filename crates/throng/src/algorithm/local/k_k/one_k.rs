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
//! **Deviations.** With `variant = "printed"`, which goes record by record, none but for ties, which the text leaves
//! open: they go to the first record. With `variant = "improved"` identical records that are released alike are one piece with a number of rows. As many
//! of these are generalised as are needed, which then are a piece of their own: the paper's text, with
//! ties that go to the first piece, those of whole tuples in their order before those that were taken from
//! others. Beside that all is done once more by whole tuples, and what costs less is kept: rows that are
//! generalised though they were not needed reach records that come later, which may be worth more (0.6 %
//! of lm on Adult at k = 20). A tuple of more rows than are needed is then the dearer, and of those
//! chosen the dearest are left out without which there are enough.

use super::originals::{Cheapest, Originals, Released};
use super::price::Growing;
use super::search::{Candidate, Finder, Priced, RecordGrove, search_grove};
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Generalises released records until each original one is consistent with k of them.
pub(super) fn reach_all(
    originals: &Originals<'_>,
    released: &mut Released,
    run: &Run<'_>,
) -> Result<(), Stop> {
    let reached = count(originals, released, run)?;
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

/// How many released rows are consistent with each tuple.
fn count(originals: &Originals<'_>, released: &Released, run: &Run<'_>) -> Result<Vec<u64>, Stop> {
    let mut rows = vec![0; originals.len()];
    released.each_covered(originals, run, |piece, covered| {
        let of_piece = u64::from(released.rows()[piece]);
        covered.iter().for_each(|&at| rows[at as usize] += of_piece);
    })?;
    Ok(rows)
}

/// Algorithm 5, given how many rows are consistent with each tuple.
fn reach_each(
    originals: &Originals<'_>,
    released: &mut Released,
    reached: Vec<u64>,
    taking: Taking,
    run: &Run<'_>,
) -> Result<(), Stop> {
    let source = Priced { prices: &originals.prices, records: released.values() };
    let pieces = released.rows().len();
    let index = RecordGrove::new(&source, (0..pieces as u32).collect(), pieces, run)?;
    let mut reach = Reached { originals, released, rows: reached, index };
    let before = reach.rows.len() as u64 * 2;
    for tuple in 0..originals.len() {
        if reach.rows[tuple] < originals.k {
            run.go_on()?;
            reach.complete(tuple, taking, run)?;
            run.advance_to(before + tuple as u64);
        }
    }
    Ok(())
}

/// The released records, and how many are consistent with each original one.
struct Reached<'a, 'p> {
    originals: &'a Originals<'p>,
    released: &'a mut Released,
    /// ℓ of the paper, by original tuple.
    rows: Vec<u64>,
    index: RecordGrove,
}

impl Reached<'_, '_> {
    /// Generalises the cheapest released records until enough are consistent with a tuple.
    fn complete(&mut self, tuple: usize, taking: Taking, run: &Run<'_>) -> Result<(), Stop> {
        let record = self.originals.record(tuple);
        for (piece, rows) in self.cheapest(record, self.originals.k - self.rows[tuple], taking) {
            self.generalise(piece, rows, record, run)?;
        }
        Ok(())
    }

    /// Pieces of so many rows together that reach a record at the least cost, and how many of each.
    fn cheapest(&self, record: &[ValueId], need: u64, taking: Taking) -> Vec<(usize, u32)> {
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
                let mut whole = Whole { rows, need, cheapest };
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
                self.rows[at as usize] += u64::from(rows);
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
struct Whole<'a> {
    rows: &'a [u32],
    need: u64,
    cheapest: Cheapest<'a>,
}

impl Whole<'_> {
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

impl Finder for Whole<'_> {
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
