//! From (k,k)- to global (1,k)-anonymity.
//!
//! **Citation.** A. Gionis, A. Mazza, T. Tassa, *k-Anonymization Revisited*, ICDE 2008,
//! Algorithm 6.
//!
//! **Idea.** A released record is a match of an original one if the two can be linked while all
//! others are linked, too (Definition 4.6). Where an original record has fewer than k matches,
//! its released record is generalised until it covers the cheapest record whose released record
//! is a neighbour but no match: the two can then swap places. This is repeated until there are k.
//!
//! **Guarantee.** Global (1,k)-anonymity.
//!
//! **Complexity.** O(n + m) for n distinct records and m pairs of consistent ones, and for each
//! generalisation a search among the components that are left, in place of a perfect matching
//! for each pair. O(n + m) memory.
//!
//! **Deviations.** Draw an edge from i to j where R̄_j is consistent with R_i. Linking each
//! record with its own released one is a perfect matching, and another pair (i, j) is in some
//! perfect matching just when the edge lies on a cycle, along which all can move on: when
//! i and j are [strongly connected](Components). Generalising R̄_i adds edges to i only.
//! Identical records are one tuple with a weight: they reach each other, so that a tuple's
//! matches are the rows of its neighbours in the same component, and a released tuple is
//! generalised with all its rows. Ties go to the first tuple.

use super::originals::{Originals, Released};
use crate::algorithm::local::index::Components;
use crate::run::{Run, Stop};

/// Tuples between two stop tests.
const BATCH: usize = 256;

/// Generalises released records until each original one has k matches.
pub(super) fn match_all(
    originals: &Originals<'_>,
    released: &mut Released,
    run: &Run<'_>,
) -> Result<(), Stop> {
    let mut matching = Matching::new(originals, released, run)?;
    let before = originals.len() as u64 * 4;
    for tuple in 0..originals.len() {
        if tuple % BATCH == 0 {
            run.go_on()?;
            run.advance_to(before + tuple as u64);
        }
        while let Some(other) = matching.missing(tuple) {
            run.go_on()?;
            matching.generalise(tuple, other);
        }
    }
    Ok(())
}

/// The consistency graph over the tuples.
struct Matching<'a, 'p> {
    originals: &'a Originals<'p>,
    released: &'a mut Released,
    /// By original tuple: the released ones that are consistent with it.
    neighbours: Vec<Vec<u32>>,
    components: Components,
}

impl<'a, 'p> Matching<'a, 'p> {
    fn new(originals: &'a Originals<'p>, released: &'a mut Released, run: &Run<'_>) -> Result<Self, Stop> {
        let mut neighbours = vec![Vec::new(); originals.len()];
        let covered = |tuple: usize| originals.covered_by(released.record(tuple));
        originals.each(run, covered, |tuple, covered| {
            covered.iter().for_each(|&at| neighbours[at as usize].push(tuple as u32));
        })?;
        let components = Components::new(&neighbours, &|| run.go_on())?;
        Ok(Matching { originals, released, neighbours, components })
    }

    /// The neighbour that a tuple needs as a match, if its matches are fewer than k rows: the
    /// one whose original record is the cheapest to cover.
    fn missing(&mut self, tuple: usize) -> Option<u32> {
        let own = self.components.find(tuple as u32);
        let (mut rows, mut cheapest) = (0, None);
        for &other in &self.neighbours[tuple] {
            if self.components.find(other) == own {
                rows += self.originals.weight(other as usize);
                continue;
            }
            let record = self.originals.record(other as usize);
            let price = self.originals.prices.of_join(self.released.record(tuple), record);
            let candidate = Some((price, other));
            cheapest = cheapest.min(candidate).or(candidate);
        }
        cheapest.filter(|_| rows < self.originals.k).map(|(_, other)| other)
    }

    /// Generalises a tuple's released record until it covers another original one.
    fn generalise(&mut self, tuple: usize, other: u32) {
        let originals = self.originals;
        let before = self.released.extend(&originals.prices, tuple, originals.record(other as usize));
        let mut reached = originals.covered_by(self.released.record(tuple));
        reached.retain(|&at| !originals.prices.covers(&before, originals.record(at as usize)));
        reached.iter().for_each(|&at| self.neighbours[at as usize].push(tuple as u32));
        self.components.add_all(&reached, tuple as u32);
    }
}
