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
//! are found in [tries](super::trie) of the released records, which are made anew in part as
//! records change. O(n) memory.
//!
//! **Deviations.** Identical records are one tuple with a weight. The rows of a released tuple
//! count, and are generalised, together, where the paper's text may take some of them only. A tuple
//! of more rows than are needed is therefore the dearer, and of those chosen the dearest are left
//! out without which there are enough. With single records all this is the paper's. Ties go to the
//! first tuple.

use super::originals::{Cheapest, Originals, Released};
use super::price::{Growing, Prices};
use super::trie::{Candidate, Rows, Sink, Trie};
use crate::run::{Run, Stop};

/// Generalises released records until each original one is consistent with k of them.
pub(super) fn reach_all(
    originals: &Originals<'_>,
    released: &mut Released,
    run: &Run<'_>,
) -> Result<(), Stop> {
    let mut reach = Reach::new(originals, released, run)?;
    for tuple in 0..originals.len() {
        if reach.rows[tuple] < originals.k {
            run.go_on()?;
            reach.complete(tuple);
        }
    }
    Ok(())
}

/// The released records, and how many are consistent with each original one.
struct Reach<'a, 'p> {
    originals: &'a Originals<'p>,
    released: &'a mut Released,
    /// ℓ of the paper, by original tuple.
    rows: Vec<u64>,
    index: Index<'a>,
}

impl<'a, 'p> Reach<'a, 'p> {
    fn new(originals: &'a Originals<'p>, released: &'a mut Released, run: &Run<'_>) -> Result<Self, Stop> {
        let mut rows = vec![0; originals.len()];
        let covered = |tuple: usize| originals.covered_by(released.record(tuple));
        originals.each(run, covered, |tuple, covered| {
            covered.iter().for_each(|&at| rows[at as usize] += originals.weight(tuple));
        })?;
        let index = Index::new(originals, released);
        Ok(Reach { originals, released, rows, index })
    }

    /// Generalises the cheapest released records until enough are consistent with a tuple.
    fn complete(&mut self, tuple: usize) {
        let originals = self.originals;
        let record = originals.record(tuple);
        let need = originals.k - self.rows[tuple];
        let probe = Growing { prices: &originals.prices, record };
        let mut whole = Whole { originals, need, cheapest: Cheapest::new(originals, need) };
        self.index.search(&probe, &mut whole);
        for other in whole.into_tuples() {
            let before = self.released.extend(&originals.prices, other, record);
            let after = self.released.record(other);
            for at in originals.covered_by(after) {
                if !originals.prices.covers(&before, originals.record(at as usize)) {
                    self.rows[at as usize] += originals.weight(other);
                }
            }
            self.index.set(self.released, other);
        }
    }
}

/// Records that wait for a trie.
const WAITING: usize = 64;

/// Released records, searched while they change: tries of growing size, and a few records that
/// are in none.
///
/// A new trie takes in all that are not larger, so that a record is put into a trie only about as
/// often as the number of records can be doubled, beside the times that it changes.
struct Index<'a> {
    prices: &'a Prices,
    order: &'a [usize],
    /// With the number of records in each that have not changed since.
    tries: Vec<Option<(Trie, usize)>>,
    waiting: Rows,
    places: Vec<Place>,
}

/// Where the present record of a tuple is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Trie(u32),
    Waiting(u32),
}

impl<'a> Index<'a> {
    fn new(originals: &'a Originals<'_>, released: &Released) -> Index<'a> {
        let (prices, order) = (&originals.prices, originals.order());
        let places = vec![Place::Trie(0); originals.len()];
        let mut index = Index { prices, order, tries: Vec::new(), waiting: Rows::default(), places };
        index.plant((0..originals.len() as u32).collect(), released);
        index
    }

    fn search(&self, probe: &Growing<'_>, sink: &mut impl Sink) {
        for (at, trie) in self.tries.iter().enumerate() {
            if let Some((trie, _)) = trie {
                trie.search(
                    probe,
                    &mut Unchanged { place: Place::Trie(at as u32), places: &self.places, sink },
                );
            }
        }
        self.waiting.search(self.order, probe, sink);
    }

    /// Takes note of a record that was generalised.
    fn set(&mut self, released: &Released, tuple: usize) {
        let record = released.record(tuple);
        match self.places[tuple] {
            Place::Waiting(at) => self.waiting.set(self.order, at as usize, record),
            Place::Trie(trie) => {
                if let Some((_, unchanged)) = &mut self.tries[trie as usize] {
                    *unchanged -= 1;
                }
                self.places[tuple] = Place::Waiting(self.waiting.ids().len() as u32);
                self.waiting.push(self.order, tuple as u32, record);
            }
        }
        if self.waiting.ids().len() > WAITING {
            let waiting = std::mem::take(&mut self.waiting);
            self.plant(waiting.ids().to_vec(), released);
        }
    }

    /// Makes a trie of some records and of those in tries that are no larger, or half gone.
    fn plant(&mut self, mut ids: Vec<u32>, released: &Released) {
        for at in 0..self.tries.len() {
            let is_due = |(trie, unchanged): &mut (Trie, usize)| {
                *unchanged <= ids.len() || *unchanged * 2 < trie.ids().len()
            };
            if let Some((trie, _)) = self.tries[at].take_if(is_due) {
                let place = Place::Trie(at as u32);
                ids.extend(trie.ids().iter().filter(|&&id| self.places[id as usize] == place));
            }
        }
        let at = self.tries.iter().position(Option::is_none).unwrap_or(self.tries.len());
        if at == self.tries.len() {
            self.tries.push(None);
        }
        ids.iter().for_each(|&id| self.places[id as usize] = Place::Trie(at as u32));
        let count = ids.len();
        self.tries[at] = Some((Trie::new(self.prices, ids, released.values(), self.order), count));
    }
}

/// Passes on what is still as in the trie.
struct Unchanged<'a, S> {
    place: Place,
    places: &'a [Place],
    sink: &'a mut S,
}

impl<S: Sink> Sink for Unchanged<'_, S> {
    fn limit(&self) -> Candidate {
        self.sink.limit()
    }

    fn consistent(&mut self, _: u32) {}

    fn candidate(&mut self, candidate: Candidate) {
        if self.places[candidate.1 as usize] == self.place {
            self.sink.candidate(candidate);
        }
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

impl Sink for Whole<'_, '_> {
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
