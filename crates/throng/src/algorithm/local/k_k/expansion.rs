//! (k,1)-anonymity by expansion.
//!
//! **Citation.** A. Gionis, A. Mazza, T. Tassa, *k-Anonymization Revisited*, ICDE 2008,
//! Algorithm 4.
//!
//! **Idea.** Each record starts a set of its own. The record that adds least to the cost of the
//! set's closure joins it, until there are k; the closure is released. For stronger notions
//! Algorithms 5 and 6 generalise the result further.
//!
//! **Guarantee.** (k,1)-anonymity; with Algorithm 5 (k,k)-anonymity, with Algorithm 6 global
//! (1,k)-anonymity. No bound on the loss, but in the paper and here less than `nearest`.
//!
//! **Complexity.** O(k·n²) for n distinct records in the worst case; a [tree](super::search) leaves
//! out what cannot be the next to join. O(n) memory.
//!
//! **Deviations.** With `variant = "printed"` only ties, which the paper leaves open: they go to a record
//! that the closure covers already, then to the first. With `variant = "improved"` identical records are one
//! tuple with a weight and join together. A record that the closure covers already adds nothing, so all such
//! records join at once; among records that add the same, covered ones come first, then the first tuple.
//! Where generalising never lowers the cost this releases the same as the paper's text. By entropy it can:
//! then a record that lowers the cost joins before the covered ones, as in the paper, but with its copies.

use super::by_record::{ByRecord, DEVIATIONS, NOTIONS};
use super::originals::Originals;
use super::search::{Candidate, Finder, WORST};
use crate::algorithm::variant::Variant;
use crate::algorithm::{BLOCK_ROWS, Entry, Family, Guarantee, Serves, VARIANT};
use crate::taxonomy::ValueId;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "expansion",
    summary: "extends each record by the cheapest further record until it covers k",
    citation: "Gionis, Mazza and Tassa 2008",
    deviations: DEVIATIONS,
    family: Family::Local,
    serves: Serves::Crowd,
    guarantee: Guarantee::Admissible,
    notions: NOTIONS,
    settings: &[VARIANT, BLOCK_ROWS],
    build: |settings| Box::new(ByRecord { generalise: expand, variant: Variant::from_settings(settings) }),
};

/// The closure of a set of at least k rows that grows from a record.
fn expand(originals: &Originals<'_>, tuple: usize) -> Vec<ValueId> {
    let mut closure = originals.record(tuple).to_vec();
    let mut rows = originals.weight(tuple);
    while rows < originals.k {
        let next = Next::find(originals, &closure);
        let (price, joining) = next.best;
        if price >= originals.prices.price(&closure) {
            rows = next.covered;
            if rows >= originals.k {
                break;
            }
        }
        // The table has k rows, so one that is not covered is left.
        originals.prices.extend(&mut closure, originals.record(joining as usize));
        rows += originals.weight(joining as usize);
    }
    closure
}

/// What can join a set next.
struct Next<'a> {
    originals: &'a Originals<'a>,
    /// Rows that the closure covers.
    covered: u64,
    /// The record whose joining costs least.
    best: Candidate,
}

impl<'a> Next<'a> {
    fn find(originals: &'a Originals<'a>, closure: &[ValueId]) -> Next<'a> {
        let mut next = Next { originals, covered: 0, best: WORST };
        originals.search(closure, &mut next);
        next
    }
}

impl Finder for Next<'_> {
    fn limit(&self) -> Candidate {
        self.best
    }

    fn consistent(&mut self, id: u32) {
        self.covered += self.originals.weight(id as usize);
    }

    fn candidate(&mut self, candidate: Candidate) {
        self.best = self.best.min(candidate);
    }

    /// The covered rows suffice, and nothing can be better than to take them.
    fn is_done(&self) -> bool {
        self.covered >= self.originals.k && self.originals.prices.is_monotone()
    }
}
