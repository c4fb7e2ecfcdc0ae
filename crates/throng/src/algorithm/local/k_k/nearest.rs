//! (k,1)-anonymity by nearest neighbours.
//!
//! **Citation.** A. Gionis, A. Mazza, T. Tassa, *k-Anonymization Revisited*, ICDE 2008,
//! Algorithm 3.
//!
//! **Idea.** The distance of two records is the cost of their closure. Each record is released
//! as the closure of itself and its k − 1 nearest. For stronger notions Algorithms 5 and 6
//! generalise the result further.
//!
//! **Guarantee.** (k,1)-anonymity at no more than k − 1 times the least cost (Proposition 5.1,
//! for costs that do not fall when a record is generalised); with Algorithm 5 (k,k)-anonymity,
//! with Algorithm 6 global (1,k)-anonymity, without a bound.
//!
//! **Complexity.** O(n²) for n distinct records in the worst case; a [tree](super::search) leaves
//! out what cannot be among the nearest. O(n) memory.
//!
//! **Deviations.** With `variant = "printed"` only ties, which the paper leaves open: they go to the first
//! record. With `variant = "improved"` identical records are one tuple with a weight: neighbours are taken
//! until their weights reach k. Identical records are nearest to each other, so this releases the same as the
//! paper's text. Ties go to the first tuple.

use super::by_record::{ByRecord, DEVIATIONS, NOTIONS};
use super::originals::{Cheapest, Originals};
use super::search::{Candidate, Finder};
use crate::algorithm::variant::Variant;
use crate::algorithm::{BLOCK_ROWS, Entry, Family, Guarantee, Serves, VARIANT};
use crate::taxonomy::ValueId;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "nearest",
    summary: "generalises each record until it covers its nearest neighbours",
    citation: "Gionis, Mazza and Tassa 2008",
    deviations: DEVIATIONS,
    family: Family::Local,
    serves: Serves::Crowd,
    guarantee: Guarantee::Admissible,
    notions: NOTIONS,
    settings: &[VARIANT, BLOCK_ROWS],
    build: |settings| {
        Box::new(ByRecord { generalise: join_nearest, variant: Variant::from_settings(settings) })
    },
};

/// The closure of a record and its nearest, of k rows together.
fn join_nearest(originals: &Originals<'_>, tuple: usize) -> Vec<ValueId> {
    let record = originals.record(tuple);
    let mut closure = record.to_vec();
    let weight = originals.weight(tuple);
    if weight >= originals.k {
        return closure;
    }
    let cheapest = Cheapest::new(originals.weights(), originals.k - weight);
    let mut nearest = Nearest { originals, alike: 0, cheapest };
    originals.search(record, &mut nearest);
    let mut rows = nearest.alike;
    for other in nearest.cheapest.into_ids() {
        if rows >= originals.k {
            break;
        }
        originals.prices.extend(&mut closure, originals.record(other));
        rows += originals.weight(other);
    }
    closure
}

/// The nearest of a record.
struct Nearest<'a> {
    originals: &'a Originals<'a>,
    /// Rows that are identical to it, itself among them: nearest of all.
    alike: u64,
    /// The nearest of the others.
    cheapest: Cheapest<'a>,
}

impl Finder for Nearest<'_> {
    fn limit(&self) -> Candidate {
        self.cheapest.limit()
    }

    fn consistent(&mut self, id: u32) {
        self.alike += self.originals.weight(id as usize);
    }

    fn candidate(&mut self, candidate: Candidate) {
        self.cheapest.candidate(candidate);
    }
}
