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
//! are found in a [trie](super::trie) of the released records, next to a short list of those that
//! changed since it was made. O(n) memory.
//!
//! **Deviations.** Identical records are one tuple with a weight. The rows of a released tuple
//! count, and are generalised, together, where the paper's text may take some of them only.
//! Ties go to the first tuple.

use super::originals::{Cheapest, Originals, Released};
use super::price::Growing;
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
    index: Index,
}

impl<'a, 'p> Reach<'a, 'p> {
    fn new(originals: &'a Originals<'p>, released: &'a mut Released, run: &Run<'_>) -> Result<Self, Stop> {
        let mut rows = vec![0; originals.len()];
        let covered = |tuple: usize| originals.covered_by(released.record(tuple));
        originals.each(run, covered, |tuple, covered| {
            covered.iter().for_each(|&at| rows[at as usize] += originals.weight(tuple));
        })?;
        let index = Index::new(released, originals.order());
        Ok(Reach { originals, released, rows, index })
    }

    /// Generalises the cheapest released records until enough are consistent with a tuple.
    fn complete(&mut self, tuple: usize) {
        let originals = self.originals;
        let record = originals.record(tuple);
        let need = originals.k - self.rows[tuple];
        let probe = Growing { prices: &originals.prices, record };
        let mut cheapest = Cheapest::new(originals, need);
        self.index.search(&probe, &mut cheapest);
        for other in cheapest.into_tuples() {
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

/// Released records, searched while they change.
struct Index {
    trie: Trie,
    /// Records that are no longer as in the trie.
    changed: Rows,
    /// Where each tuple is among the changed.
    place: Vec<u32>,
}

const UNCHANGED: u32 = u32::MAX;

impl Index {
    fn new(released: &Released, order: &[usize]) -> Index {
        let trie = Trie::new(released.values(), order);
        let tuples = released.values().len() / order.len();
        Index { trie, changed: Rows::default(), place: vec![UNCHANGED; tuples] }
    }

    fn search(&self, probe: &Growing<'_>, sink: &mut Cheapest<'_>) {
        self.trie.search(probe, &mut Unchanged { place: &self.place, sink });
        self.changed.search(self.trie.order(), probe, sink);
    }

    /// Takes note of a record that was generalised.
    fn set(&mut self, released: &Released, tuple: usize) {
        let record = released.record(tuple);
        let place = self.place[tuple];
        if place != UNCHANGED {
            return self.changed.set(self.trie.order(), place as usize, record);
        }
        self.place[tuple] = self.changed.len() as u32;
        self.changed.push(self.trie.order(), tuple as u32, record);
        // Sorting n records takes as long as looking through some hundred times √n.
        if self.changed.len().pow(2) > 200 * self.place.len() {
            *self = Index::new(released, self.trie.order());
        }
    }
}

/// Passes on what is still as in the trie.
struct Unchanged<'a, 'b> {
    place: &'a [u32],
    sink: &'a mut Cheapest<'b>,
}

impl Sink for Unchanged<'_, '_> {
    fn limit(&self) -> Candidate {
        self.sink.limit()
    }

    fn consistent(&mut self, _: u32) {}

    fn candidate(&mut self, candidate: Candidate) {
        if self.place[candidate.1 as usize] == UNCHANGED {
            self.sink.candidate(candidate);
        }
    }
}
