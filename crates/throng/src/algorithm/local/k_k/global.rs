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
//! **Deviations.** With `variant = "printed"`, which goes record by record, only ties, which the paper leaves
//! open: they go to the first record. Matches are found in another way: draw an edge from i to j where R̄_j
//! is consistent with R_i. Linking each record with its own released one is a perfect matching, and another
//! pair (i, j) is in some perfect matching just when the edge lies on a cycle, along which all can move on:
//! when i and j are [strongly connected](Components). Generalising R̄_i adds edges to i only. With `variant =
//! "improved"` identical records are one tuple with a weight: they reach each other, so that a tuple's
//! matches are the rows of its neighbours in the same component. For the same reason all of them gain a match
//! when one is generalised; it is one of those for which that costs least, where the paper takes the first.
//! Ties go to the first tuple.

use super::originals::{Originals, ReleasedPieces};
use crate::algorithm::local::index::Components;
use crate::run::{Run, Stop};

/// Tuples between two stop tests.
const BATCH: usize = 256;

/// Generalises released records until each original one has k matches, and these the values that are asked for; how many
/// of them took one step, two and so on.
pub(super) fn match_all(
    originals: &Originals<'_>,
    released: &mut ReleasedPieces,
    run: &Run<'_>,
) -> Result<Vec<u64>, Stop> {
    let mut steps: Vec<u64> = Vec::new();
    let mut matching = ConsistencyGraph::new(originals, released, run)?;
    let before = originals.len() as u64 * 4;
    for tuple in 0..originals.len() {
        if tuple % BATCH == 0 {
            run.go_on()?;
            run.advance_to(before + tuple as u64);
        }
        let mut taken = 0;
        while let Some(step) = matching.missing(tuple) {
            run.go_on()?;
            matching.generalise(step);
            taken += 1;
        }
        if taken > 0 {
            steps.resize(steps.len().max(taken), 0);
            steps[taken - 1] += 1;
        }
    }
    Ok(steps)
}

/// The consistency graph over the tuples.
struct ConsistencyGraph<'a, 'p> {
    originals: &'a Originals<'p>,
    released: &'a mut ReleasedPieces,
    /// By original tuple: the released pieces that are consistent with it.
    neighbours: Vec<Vec<u32>>,
    components: Components,
}

/// A generalisation that gives a tuple a match: how much it costs, of which tuple the match is, and which
/// piece a row is taken from.
type Step = (i64, usize, usize);

impl<'a, 'p> ConsistencyGraph<'a, 'p> {
    fn new(
        originals: &'a Originals<'p>,
        released: &'a mut ReleasedPieces,
        run: &Run<'_>,
    ) -> Result<Self, Stop> {
        let mut neighbours = vec![Vec::new(); originals.len()];
        released.each_covered(originals, run, |piece, covered| {
            covered.iter().for_each(|&at| neighbours[at as usize].push(piece as u32));
        })?;
        let tuples = |pieces: &Vec<u32>| -> Vec<u32> {
            pieces.iter().map(|&piece| released.tuple(piece as usize) as u32).collect()
        };
        let edges: Vec<Vec<u32>> = neighbours.iter().map(tuples).collect();
        let components = Components::new(&edges, &|| run.go_on())?;
        Ok(ConsistencyGraph { originals, released, neighbours, components })
    }

    /// The cheapest step to a further match, if those of a tuple are fewer than k rows.
    fn missing(&mut self, tuple: usize) -> Option<Step> {
        let own = self.components.find(tuple as u32);
        let originals = self.originals;
        let diversity = &originals.diversity;
        let (mut rows, mut seen) = (0, diversity.none_seen());
        let mut others = Vec::new();
        for &piece in &self.neighbours[tuple] {
            let other = self.released.tuple(piece as usize);
            if self.components.find(other as u32) == own {
                rows += u64::from(self.released.rows()[piece as usize]);
                diversity.see(&mut seen, other);
            } else {
                others.push(other);
            }
        }
        match diversity.lacking(&seen) {
            Some(column) => others.retain(|&other| diversity.adds(&seen, column, other)),
            None if rows >= originals.k => return None,
            None => {}
        }
        let steps = others.into_iter().flat_map(|other| self.steps(tuple, other));
        steps.min()
    }

    /// The generalisations of a tuple's pieces that cover another original record.
    fn steps(&self, tuple: usize, other: usize) -> impl Iterator<Item = Step> {
        let prices = &self.originals.prices;
        self.released.pieces(tuple).map(move |piece| {
            let released = self.released.record(piece);
            let price = prices.of_join(released, self.originals.record(other)) - prices.price(released);
            (price, other, piece)
        })
    }

    /// Generalises one row until it covers another original record; all rows where those of a tuple stay together.
    fn generalise(&mut self, (_, other, from): Step) {
        let originals = self.originals;
        let together = originals.diversity.is_asked();
        let rows = if together { self.released.rows()[from] } else { 1 };
        let piece = self.released.take(from, rows);
        let before = self.released.extend(&originals.prices, piece, originals.record(other));
        let mut reached = originals.covered_by(self.released.record(piece));
        let is_new = |at: &u32| !originals.prices.covers(&before, originals.record(*at as usize));
        let unknown = reached.iter().filter(|at| piece != from || is_new(at));
        unknown.for_each(|&at| self.neighbours[at as usize].push(piece as u32));
        reached.retain(is_new);
        self.components.add_all(&reached, self.released.tuple(piece) as u32);
    }
}
