//! Sequential clustering: agglomerative clusters whose records then change places.
//!
//! **Citation.** Our own, beyond *k-Anonymization Revisited*. That records of a clustering move
//! one after the other while the loss falls is the idea of J. Goldberger and T. Tassa, *Efficient
//! Anonymizations with Enhanced Utility*, Transactions on Data Privacy 3(2), 2010.
//!
//! **Idea.** The clusters of [`agglomerative`](super::agglomerative) are the start. From each
//! tuple of which its cluster would gladly be rid, the best of the shortest chains of moves is made
//! that lowers the loss: to another cluster; in exchange for a tuple of that; in exchange by way of
//! one or two more. Clusters whose tuples are better off in others are dissolved.
//!
//! **Guarantee.** k-anonymity, and with it every other notion; never more loss than the start.
//! The result is one from which none of these chains between near clusters promises much.
//!
//! **Complexity.** Beside the start, one search for some tens of near tuples each (see
//! [`neighbours`](super::neighbours)), and at most 20 passes. A pass looks only at tuples near
//! which something has changed, and at the members of O(k) clusters for each. Memory is linear.
//!
//! **Deviations.** From Goldberger and Tassa: they start from random clusters, let clusters fall
//! below k records on the way and join those in the end; here every state is k-anonymous, and
//! exchanges take the place of the detour. Identical records are one tuple with a count and move
//! together. Candidates are the clusters of near tuples, not all. A batch of tuples is looked at
//! against the same clusters, on all cores; chains that an earlier one of the batch has outdated
//! are looked for again, so that the result does not depend on the number of threads.

mod chain;
mod clusters;
mod dissolve;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use super::neighbours::Neighbours;
use super::{agglomerative, closures, recode};
use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Parameters};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use chain::{Chain, MAX_DEPTH};
use clusters::Clusters;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "sequential",
    summary: "lets the records of agglomerative clusters change places while the loss falls",
    citation: "our own, after Goldberger and Tassa 2010",
    family: Family::Local,
    guarantee: Guarantee::Admissible,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    build: |parameters| Box::new(Sequential { parameters: parameters.clone() }),
};

/// Tuples looked at together, against the same clusters.
const BATCH: usize = 256;

/// Most passes over all tuples.
const MAX_PASSES: usize = 20;

/// Share of the loss below which a pass of short chains has not brought enough for another, and
/// the same for a pass of long ones.
const ENOUGH: [f64; 2] = [0.01, 0.003];

/// What counts as less: more than sums can be rounded by.
const LEAST_GAIN: f64 = 1e-9;

/// Least and most rows of the tuples that are near one.
const NEAR_ROWS: (u64, u64) = (12, 40);

/// Tuples looked at to find the near ones.
const EFFORT: usize = 200;

struct Sequential {
    parameters: Parameters,
}

impl Algorithm for Sequential {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let closures = closures(problem);
        let start = agglomerative::cluster(problem, &closures, &self.parameters, run)?;
        if start.is_empty() {
            return Ok(());
        }
        run.propose(recode(problem, &closures, &start));
        let k = problem.requirement.k();
        let rows = (2 * k).clamp(NEAR_ROWS.0, NEAR_ROWS.1);
        let near = Neighbours::new(problem, &closures).lists(|_| rows, EFFORT, run)?;
        let clusters = Clusters::new(problem, &closures, start);
        let mut search = Search { k, looked: vec![0; near.len()], near, clusters };
        let mut depth = 1;
        for _ in 0..MAX_PASSES {
            let before = search.clusters.loss();
            search.pass(depth, run)?;
            search.dissolve_all();
            run.propose(recode(problem, &closures, &search.clusters.classes()));
            let gained = before - search.clusters.loss();
            if gained >= ENOUGH[usize::from(depth > 1)] * before && gained > 0.0 {
                continue;
            }
            if depth > 1 {
                break;
            }
            depth = MAX_DEPTH;
            search.looked.fill(0);
        }
        Ok(())
    }
}

/// The state of a search.
struct Search<'p> {
    k: u64,
    /// Of each tuple those that are near.
    near: Vec<Box<[u32]>>,
    clusters: Clusters<'p>,
    /// When chains from each tuple were last looked for.
    looked: Vec<u64>,
}

impl Search<'_> {
    /// Makes the chains that lower the loss, of at most a depth, tuple by tuple.
    fn pass(&mut self, depth: usize, run: &Run<'_>) -> Result<(), Stop> {
        let tuples: Vec<u32> = (0..self.near.len() as u32).collect();
        for batch in tuples.chunks(BATCH) {
            run.go_on()?;
            let clock = self.clusters.clock();
            let due: Vec<u32> = batch.iter().copied().filter(|&tuple| self.is_due(tuple)).collect();
            let found: Vec<Option<Chain>> = due.par_iter().map(|&tuple| self.chain(tuple, depth)).collect();
            for (&tuple, found) in due.iter().zip(found) {
                self.looked[tuple as usize] = clock;
                let valid = |chain: &Chain| self.is_valid(chain, clock);
                let chain =
                    found.and_then(|chain| if valid(&chain) { found } else { self.chain(tuple, depth) });
                if let Some(chain) = chain {
                    self.clusters.relocate(chain.moves());
                }
            }
        }
        Ok(())
    }

    /// Whether something near a tuple has changed since it was last looked at.
    fn is_due(&self, tuple: u32) -> bool {
        let looked = self.looked[tuple as usize];
        let changed = |other: u32| self.clusters.get(self.clusters.place(other).0).changed > looked;
        changed(tuple) || self.near[tuple as usize].iter().any(|&other| changed(other))
    }

    /// Whether the clusters of a chain are what they were at a time.
    fn is_valid(&self, chain: &Chain, clock: u64) -> bool {
        let unchanged = |cluster: u32| self.clusters.get(cluster).changed <= clock;
        chain.moves().iter().all(|&(tuple, to)| unchanged(to) && unchanged(self.clusters.place(tuple).0))
    }

    /// The clusters of the tuples that are near a tuple, nearest first.
    fn near_clusters(&self, tuple: u32, found: &mut Vec<u32>) {
        found.clear();
        for &other in &self.near[tuple as usize] {
            let cluster = self.clusters.place(other).0;
            if !found.contains(&cluster) {
                found.push(cluster);
            }
        }
    }
}
