//! Sequential clustering: agglomerative clusters whose records then change places.
//!
//! **Citation.** Our own, beyond *k-Anonymization Revisited*. That records of a clustering move
//! one after the other while the loss falls is the idea of J. Goldberger and T. Tassa, *Efficient
//! Anonymizations with Enhanced Utility*, Transactions on Data Privacy 3(2), 2010.
//!
//! **Idea.** The clusters of [`agglomerative`](super::agglomerative), shrunk to k, are the start; a
//! table of many rows is [cut into blocks](super::blocks) for it, which are clustered side by side.
//! From each tuple of which its cluster would gladly be rid, the best of the shortest chains of
//! moves is made that lowers the loss: to another cluster; in exchange for a tuple of that; in
//! exchange by way of one or two more. Partition whose tuples are better off in others are
//! dissolved, and clusters are founded of tuples that others can spare.
//!
//! **Guarantee.** k-anonymity, and with it every other notion; never more loss than the start.
//! The result is one from which none of these changes between near clusters promises much.
//!
//! **Complexity.** Beside the start, one search a tuple for the few clusters near it in a
//! [tree](super::index) of all, which looks at O(n/k) clusters at worst and at some tens on real tables; and
//! as many passes as `passes` allows. A pass looks only at tuples next to which something has changed, and at the
//! O(k) members of a few clusters for each. Memory is linear.
//!
//! **Deviations.** From Goldberger and Tassa: they start from random clusters, let clusters fall
//! below k records on the way and join those in the end; here every state is k-anonymous, and
//! exchanges take the place of the detour. Identical records are one tuple with a count and move
//! together. Candidates are the clusters in which a tuple made the loss grow least at the start,
//! not all. The start always shrinks, whatever `shrink` says. A batch of tuples is looked at
//! against the same clusters, on all cores; chains that an earlier one of the batch has outdated
//! are looked for again, so that the result does not depend on the number of threads.

mod chain;
mod dissolve;
mod found;
mod near;
mod partition;
mod start;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use rayon::prelude::*;

use super::agglomerative::{self, DISTANCE, Distance, EPSILON};
use super::closure::Closures;
use super::index::{PairCosts, Probe};
use super::{closures, recode};
use crate::algorithm::{
    Algorithm, BLOCK_ROWS, Entry, Family, Guarantee, Least, Serves, Setting, SettingKind, SettingValue,
};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop, Work};
use chain::Chain;
use near::{Near, NearIndex};
use partition::Partition;
use start::start;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "sequential",
    summary: "lets the records of agglomerative clusters change places while the loss falls",
    citation: "our own, after Goldberger and Tassa 2010",
    family: Family::Local,
    serves: Serves::Crowd,
    guarantee: Guarantee::Admissible,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[DISTANCE, EPSILON, BLOCK_ROWS, PASSES],
    build: |settings| {
        Box::new(Sequential { distance: Distance::of(settings), passes: settings.count(&PASSES) })
    },
};

/// Most passes over all tuples: fewer for less time, none for the start with its worst clusters
/// dissolved.
const PASSES: Setting = Setting {
    name: "passes",
    help: "Stops after so many passes over all records, also while the loss still falls",
    kind: SettingKind::Count { of: "passes", least: Least::Fixed(0) },
    default: Some(SettingValue::Count(20)),
    only_with: None,
};

/// Tuples or clusters looked at together, against the same clusters.
const BATCH: usize = 256;

/// Of the clusters near a tuple, how many make it worth another look when they have changed.
const WATCHED: usize = 2;

/// Share of the loss below which a pass has not brought enough for another.
const ENOUGH: f64 = 0.005;

/// What counts as less: more than sums can be rounded by.
const LEAST_GAIN: f64 = 1e-9;

struct Sequential {
    distance: Distance,
    /// Most passes over all tuples.
    passes: u64,
}

impl Algorithm for Sequential {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let closures = closures(problem);
        let tuples = problem.table().tuples() as u64;
        run.expect(3 * tuples);
        let start = start(problem, self.distance, run)?;
        if start.is_empty() {
            return Ok(());
        }
        let mut search = Exchange::new(problem, &closures, start, run)?;
        let ended = search.improve(self.passes, run);
        // Every state on the way is k-anonymous, and none loses more than the one before: also what a
        // search has that was stopped.
        let go_on = || if ended.is_ok() { run.unless_cancelled() } else { Ok(()) };
        run.propose(recode(problem, &search.clusters.classes(), &go_on)?);
        ended
    }
}

/// The state of a search.
struct Exchange<'p> {
    k: u64,
    costs: PairCosts<'p>,
    clusters: Partition<'p>,
    /// The clusters of the start.
    index: NearIndex,
    /// Of each tuple the clusters that are near, once they were asked for.
    near: Vec<OnceLock<Near>>,
    /// When chains from each tuple were last looked for.
    looked: Vec<u64>,
}

impl<'p> Exchange<'p> {
    fn new(
        problem: &'p Problem,
        closures: &'p Closures,
        start: Vec<Vec<u32>>,
        run: &Run<'_>,
    ) -> Result<Exchange<'p>, Stop> {
        let clusters = Partition::new(problem, closures, start, run)?;
        let tuples = problem.table().tuples();
        Ok(Exchange {
            k: problem.requirements.k(),
            costs: PairCosts::new(problem, closures),
            index: NearIndex::new(&clusters, run)?,
            clusters,
            near: std::iter::repeat_with(OnceLock::new).take(tuples).collect(),
            looked: vec![0; tuples],
        })
    }

    fn improve(&mut self, passes: u64, run: &Run<'_>) -> Result<(), Stop> {
        self.dissolve_all(run)?;
        // How many passes there will be is not known: each has half of the steps that are left.
        let mut left = 2 * self.near.len() as u64;
        for _ in 0..passes {
            left = left.div_ceil(2);
            let before = self.clusters.loss();
            self.pass(&run.part(left, self.near.len() as u64), run)?;
            self.found_all(run)?;
            self.dissolve_all(run)?;
            if before - self.clusters.loss() <= ENOUGH * before {
                break;
            }
        }
        Ok(())
    }

    /// Makes the chains that lower the loss, tuple by tuple.
    fn pass(&mut self, work: &Work<'_>, run: &Run<'_>) -> Result<(), Stop> {
        let tuples: Vec<u32> = (0..self.near.len() as u32).collect();
        for batch in tuples.chunks(BATCH) {
            run.go_on()?;
            let clock = self.clusters.clock();
            let due: Vec<u32> = batch.iter().copied().filter(|&tuple| self.is_due(tuple)).collect();
            let found: Vec<Option<Chain>> = due.par_iter().map(|&tuple| self.chain(tuple)).collect();
            for (&tuple, found) in due.iter().zip(found) {
                self.looked[tuple as usize] = clock;
                let valid = |chain: &Chain| self.is_valid(chain, clock);
                let chain = found.and_then(|chain| if valid(&chain) { found } else { self.chain(tuple) });
                if let Some(chain) = chain {
                    self.clusters.relocate(chain.moves());
                }
            }
            work.advance(batch.len() as u64);
        }
        Ok(())
    }

    /// Whether a tuple's cluster or one next to it has changed since the tuple was last looked at.
    fn is_due(&self, tuple: u32) -> bool {
        let looked = self.looked[tuple as usize];
        let changed = |cluster: u32| self.clusters.get(cluster).changed > looked;
        let near = self.near[tuple as usize].get();
        changed(self.clusters.place(tuple).0)
            || near.is_none_or(|near| near[..WATCHED].iter().flatten().any(|&cluster| changed(cluster)))
    }

    /// Whether the clusters of a chain are what they were at a time.
    fn is_valid(&self, chain: &Chain, clock: u64) -> bool {
        let unchanged = |cluster: u32| self.clusters.get(cluster).changed <= clock;
        chain.moves().iter().all(|&(tuple, to)| unchanged(to) && unchanged(self.clusters.place(tuple).0))
    }

    /// The clusters that are near a tuple, nearest first; the tuple's own may be among them.
    fn near(&self, tuple: u32, probe: &Probe<'_>) -> impl Iterator<Item = u32> {
        let search = || self.index.nearest(probe, self.clusters.weight(tuple));
        let near = self.near[tuple as usize].get_or_init(search);
        near.iter().flatten().copied().filter(|&id| !self.clusters.get(id).members.is_empty())
    }

    /// The clusters that have a gain, the greatest first.
    fn by_gain(&self, run: &Run<'_>, gain: impl Fn(u32) -> Option<f64> + Sync) -> Result<Vec<u32>, Stop> {
        let clusters: Vec<u32> = (0..self.clusters.len() as u32).collect();
        let mut gains: Vec<(f64, u32)> = Vec::new();
        for batch in clusters.chunks(BATCH) {
            run.go_on()?;
            let found: Vec<Option<f64>> = batch.par_iter().map(|&cluster| gain(cluster)).collect();
            gains.extend(found.into_iter().zip(batch).filter_map(|(gain, &cluster)| Some((gain?, cluster))));
        }
        gains.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        Ok(gains.into_iter().map(|(_, cluster)| cluster).collect())
    }
}
