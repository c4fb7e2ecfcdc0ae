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
//! **Deviations.** Identical records are one tuple with a weight. The rows of a released tuple
//! count, and are generalised, together, where the paper's text may take some of them only. A tuple
//! of more rows than are needed is therefore the dearer, and of those chosen the dearest are left
//! out without which there are enough. With single records all this is the paper's. Ties go to the
//! first tuple.

use super::originals::{Cheapest, Originals, Released};
use super::price::Growing;
use super::search::{Candidate, Finder, Priced, RecordGrove, search_grove};
use crate::run::{Run, Stop};

/// Generalises released records until each original one is consistent with k of them.
pub(super) fn reach_all(
    originals: &Originals<'_>,
    released: &mut Released,
    run: &Run<'_>,
) -> Result<(), Stop> {
    let mut reach = Reached::new(originals, released, run)?;
    let before = reach.rows.len() as u64 * 2;
    for tuple in 0..originals.len() {
        if reach.rows[tuple] < originals.k {
            run.go_on()?;
            reach.complete(tuple, run)?;
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

impl<'a, 'p> Reached<'a, 'p> {
    fn new(originals: &'a Originals<'p>, released: &'a mut Released, run: &Run<'_>) -> Result<Self, Stop> {
        let mut rows = vec![0; originals.len()];
        let covered = |tuple: usize| originals.covered_by(released.record(tuple));
        originals.each(run, covered, |tuple, covered| {
            covered.iter().for_each(|&at| rows[at as usize] += originals.weight(tuple));
        })?;
        let source = Priced { prices: &originals.prices, records: released.values() };
        let ids = (0..originals.len() as u32).collect();
        let index = RecordGrove::new(&source, ids, originals.len(), run)?;
        Ok(Reached { originals, released, rows, index })
    }

    /// Generalises the cheapest released records until enough are consistent with a tuple.
    fn complete(&mut self, tuple: usize, run: &Run<'_>) -> Result<(), Stop> {
        let originals = self.originals;
        let record = originals.record(tuple);
        let need = originals.k - self.rows[tuple];
        let probe = Growing { prices: &originals.prices, record };
        let mut whole = Whole { originals, need, cheapest: Cheapest::new(originals, need) };
        search_grove(&self.index, &self.source(), &probe, &mut whole);
        for other in whole.into_tuples() {
            let before = self.released.extend(&originals.prices, other, record);
            let after = self.released.record(other);
            for at in originals.covered_by(after) {
                if !originals.prices.covers(&before, originals.record(at as usize)) {
                    self.rows[at as usize] += originals.weight(other);
                }
            }
            let source = Priced { prices: &originals.prices, records: self.released.values() };
            self.index.renew(&source, other as u32, run)?;
        }
        Ok(())
    }

    fn source(&self) -> Priced<'_> {
        Priced { prices: &self.originals.prices, records: self.released.values() }
    }
}

/// The cheapest tuples, all rows of a tuple being paid for and no more than are needed counted.
struct Whole<'a, 'p> {
    originals: &'a Originals<'p>,
    need: u64,
    cheapest: Cheapest<'a>,
}

impl Whole<'_, '_> {
    /// The tuples, cheapest first, without those that are not needed.
    fn into_tuples(self) -> Vec<usize> {
        let mut tuples: Vec<usize> = self.cheapest.into_tuples().collect();
        let mut rows: u64 = tuples.iter().map(|&tuple| self.originals.weight(tuple)).sum();
        for at in (0..tuples.len()).rev() {
            let without = rows - self.originals.weight(tuples[at]);
            if without >= self.need {
                rows = without;
                tuples.remove(at);
            }
        }
        tuples
    }
}

impl Finder for Whole<'_, '_> {
    fn limit(&self) -> Candidate {
        self.cheapest.limit()
    }

    fn consistent(&mut self, _: u32) {}

    fn candidate(&mut self, (price, tuple): Candidate) {
        let weight = self.originals.weight(tuple as usize);
        // What costs nothing, or less, stays as it is: prices may only rise above what was pruned by.
        if weight <= self.need || price <= 0 {
            return self.cheapest.candidate((price, tuple));
        }
        let paid = i128::from(price) * i128::from(weight) / i128::from(self.need);
        self.cheapest.candidate((i64::try_from(paid).unwrap_or(i64::MAX), tuple));
    }
}
