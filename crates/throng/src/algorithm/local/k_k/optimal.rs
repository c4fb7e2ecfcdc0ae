//! Optimal (k,1)-anonymity.
//!
//! **Citation.** A. Gionis, A. Mazza, T. Tassa, *k-Anonymization Revisited*, ICDE 2008, section V-B.1: the optimum that
//! Algorithms 3 and 4 approximate.
//!
//! **Idea.** How one record is released does not affect the others. So each gets the cheapest of all
//! generalised records that cover it and at least k rows.
//!
//! **Guarantee.** No (k,1)-anonymous release loses less.
//!
//! **Complexity.** For each record the product, over attributes, of the values that cover it, each with a look at the rows
//! that are covered so far; what costs more than the cheapest yet is left out. Where that product is above 2²⁰ the table
//! is refused: hierarchies stay far below, sets of many values do not.
//!
//! **Deviations.** The text looks at all sets of k − 1 other records, O(nᵏ) of them. Closures of sets are among the
//! generalised records here, of which there are far fewer.

use super::originals::{Originals, ReleasedPieces};
use super::price::Prices;
use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "optimal-k1",
    summary: "gives each record the cheapest generalisation that covers k; for tables with few values per \
        column",
    citation: "Gionis, Mazza and Tassa 2008",
    deviations: &[
        "Considers all generalised records instead of all sets of k - 1 others; the optimum is the same.",
    ],
    family: Family::Local,
    serves: Serves::Crowd,
    guarantee: Guarantee::LeastLoss,
    notions: &[Notion::KOne],
    settings: &[],
    build: |_| Box::new(Optimal),
};

/// Most generalised records of one record.
const MOST: usize = 1 << 20;

struct Optimal;

impl Algorithm for Optimal {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        run.expect(problem.table().tuples() as u64);
        let Some(originals) = Originals::new(problem, run)? else { return Ok(()) };
        let Some(covers) = Covers::find(&originals) else { return Err(Stop::TableTooLarge) };
        let released =
            ReleasedPieces::new(&originals, run, |tuple| CheapestCover::find(&originals, &covers, tuple))?;
        run.propose(released.into_local(&originals.prices, run)?);
        Ok(())
    }
}

/// For each attribute and leaf the values that cover it, the cheapest first.
struct Covers(Vec<Vec<Vec<ValueId>>>);

impl Covers {
    /// None if a record has too many generalisations.
    fn find(originals: &Originals<'_>) -> Option<Covers> {
        let width = originals.record(0).len();
        let leaves = |a: usize| {
            let mut leaves: Vec<ValueId> =
                (0..originals.len()).map(|tuple| originals.record(tuple)[a]).collect();
            leaves.sort_unstable();
            leaves.dedup();
            leaves
        };
        let mut all = Vec::with_capacity(width);
        for a in 0..width {
            let leaves = leaves(a);
            let mut of_leaf = vec![Vec::new(); leaves.last().map_or(0, |&last| last as usize + 1)];
            for &leaf in &leaves {
                of_leaf[leaf as usize] = above(&originals.prices, a, leaf, &leaves)?;
            }
            all.push(of_leaf);
        }
        let covers = Covers(all);
        let count = |tuple: usize| -> Option<usize> {
            let of = |(a, &leaf): (usize, &ValueId)| covers.0[a][leaf as usize].len();
            originals.record(tuple).iter().enumerate().map(of).try_fold(1usize, usize::checked_mul)
        };
        let are_few = (0..originals.len()).all(|tuple| count(tuple).is_some_and(|count| count <= MOST));
        are_few.then_some(covers)
    }
}

/// The values that are joins of a leaf with others, the cheapest first; none if there are too many.
fn above(prices: &Prices, attribute: usize, leaf: ValueId, leaves: &[ValueId]) -> Option<Vec<ValueId>> {
    let mut found = vec![leaf];
    let mut next = 0;
    while let Some(&value) = found.get(next) {
        for &other in leaves {
            let join = prices.join(attribute, value, other);
            if !found.contains(&join) {
                found.push(join);
            }
        }
        if found.len() > MOST.isqrt() {
            return None;
        }
        next += 1;
    }
    // Of those that cost the same the first found: numbers of ranges and sets are chance.
    found.sort_by_key(|&value| prices.cell(attribute, value));
    Some(found)
}

/// The search for one record.
struct CheapestCover<'a> {
    originals: &'a Originals<'a>,
    /// By attribute, the values that cover the record.
    covers: Vec<&'a [ValueId]>,
    /// What the attributes from each on cost at least.
    least: Vec<i64>,
    best: Option<(i64, Vec<ValueId>)>,
}

impl<'a> CheapestCover<'a> {
    fn find(originals: &'a Originals<'a>, covers: &'a Covers, tuple: usize) -> Vec<ValueId> {
        let record = originals.record(tuple).iter().enumerate();
        let covers: Vec<&[ValueId]> = record.map(|(a, &leaf)| &covers.0[a][leaf as usize][..]).collect();
        let mut least = vec![0; covers.len() + 1];
        for a in (0..covers.len()).rev() {
            least[a] = least[a + 1] + originals.prices.cell(a, covers[a][0]);
        }
        let mut search = CheapestCover { originals, covers, least, best: None };
        search.extend(&mut Vec::new(), 0, &(0..originals.len() as u32).collect::<Vec<_>>());
        search.best.expect("the table has k rows").1
    }

    /// Tries the values of the next attribute, given those of the attributes before it, what these cost and the tuples
    /// that they cover.
    fn extend(&mut self, chosen: &mut Vec<ValueId>, price: i64, covered: &[u32]) {
        let a = chosen.len();
        if a == self.covers.len() {
            self.best = Some((price, chosen.clone()));
            return;
        }
        let originals = self.originals;
        for &value in self.covers[a] {
            let with = price + originals.prices.cell(a, value);
            if self.best.as_ref().is_some_and(|best| with + self.least[a + 1] >= best.0) {
                break;
            }
            let covers = |&&tuple: &&u32| {
                originals.prices.join(a, value, originals.record(tuple as usize)[a]) == value
            };
            let left: Vec<u32> = covered.iter().filter(covers).copied().collect();
            if left.iter().map(|&tuple| originals.weight(tuple as usize)).sum::<u64>() >= originals.k {
                chosen.push(value);
                self.extend(chosen, with, &left);
                chosen.pop();
            }
        }
    }
}
