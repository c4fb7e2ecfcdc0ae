//! Agglomerative clustering.
//!
//! **Citation.** A. Gionis, A. Mazza and T. Tassa, *k-Anonymization Revisited*, ICDE 2008:
//! Algorithm 1, with `shrink` Algorithm 2; distances 1–4 (eq. 8–11) and that of M. Nergiz and
//! C. Clifton, *Thoughts on k-Anonymization*, ICDE Workshops 2006.
//!
//! **Idea.** Every record is a cluster; the two closest clusters are merged, again and again. A
//! cluster of k records or more is ripe and leaves the pool; with `shrink`, the records that cost
//! it most go back to the pool until k are left. What remains in the pool at the end joins the
//! ripe clusters that are nearest.
//!
//! **Guarantee.** k-anonymity, and with it every other notion; no bound of the loss.
//!
//! **Complexity.** The pairs are those of the plain quadratic algorithm, found by O(n) searches
//! for the nearest of the older clusters in trees whose closures bound distances below. A search
//! looks at O(n) clusters at worst, at a small part of them on real tables; ranges and sets bound
//! less well than trees, because clusters that do not meet can still be near. Memory is O(n).
//!
//! **Deviations.** Identical records are one tuple with a count. At the start they are at
//! distance 0 under every distance and no different records are closer, so Algorithm 1 would merge
//! them first; it would stop at k of them, where here all stay together: a tuple of k records or
//! more is ripe from the start, at no loss. For the same reason `shrink` removes tuples, never a
//! part of one, and so may keep more than k records; and a left-over tuple joins a cluster as a
//! whole. Ties go to the pair whose newer cluster came to be first, a tuple of several records being as
//! new as if they had been merged. Of the asymmetric distance the lesser
//! direction counts.

mod active;
mod clusters;
mod distance;
#[cfg(test)]
mod tests;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use active::{Active, Extremes, NearestOlder};
use clusters::{Clusters, Id};
use distance::{ClusterShape, Measure};
pub(in crate::algorithm) use distance::{DISTANCE, Distance, EPSILON};
use rayon::prelude::*;

use super::closure::Closures;
use super::index::{Grove, PairCosts};
use crate::algorithm::{
    Algorithm, BLOCK_ROWS, Entry, Family, Guarantee, Serves, Setting, SettingKind, SettingValue, Settings,
};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "agglomerative",
    summary: "merges the two closest clusters until all have k records",
    citation: "Gionis, Mazza and Tassa 2008 (Algorithms 1 and 2)",
    family: Family::Local,
    serves: Serves::Crowd,
    guarantee: Guarantee::Admissible,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[DISTANCE, EPSILON, SHRINK, BLOCK_ROWS],
    build: |settings| Box::new(Agglomerative { manner: Manner::of(settings) }),
};

/// Whether ripe clusters shrink to k (Algorithm 2).
const SHRINK: Setting = Setting {
    name: "shrink",
    help: "Shrinks ripe clusters to K (sequential always does)",
    kind: SettingKind::Flag,
    default: Some(SettingValue::Flag(false)),
    only_with: None,
};

/// How clusters are merged.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    /// By which distance.
    pub(super) distance: Distance,
    /// Whether ripe clusters shrink to k.
    pub(super) shrink: bool,
}

impl Manner {
    fn of(settings: &Settings) -> Manner {
        Manner { distance: Distance::of(settings), shrink: settings.flag(&SHRINK) }
    }
}

struct Agglomerative {
    manner: Manner,
}

impl Algorithm for Agglomerative {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let classes = cluster(problem, &super::closures(problem), self.manner, run)?;
        if !classes.is_empty() {
            run.propose(super::recode(problem, &classes, &|| run.unless_cancelled())?);
        }
        Ok(())
    }
}

/// The tuples of each cluster that the algorithm ends with; none if the table has fewer than k
/// records.
pub(super) fn cluster(
    problem: &Problem,
    closures: &Closures,
    manner: Manner,
    run: &Run<'_>,
) -> Result<Vec<Vec<u32>>, Stop> {
    run.go_on()?;
    let oldest_first = by_age(problem);
    let clustering = Clustering::find(&problem.part(&oldest_first), closures, manner, run)?;
    let in_table = |tuple: u32| oldest_first[tuple as usize];
    let tuples = |&ripe: &Id| clustering.clusters.tuples(ripe).into_iter().map(in_table).collect();
    Ok(clustering.ripe.iter().map(tuples).collect())
}

/// The tuples in the order in which Algorithm 1 would have merged their records: single records are
/// there from the start, pairs come before threes.
fn by_age(problem: &Problem) -> Vec<u32> {
    let weights = problem.table().weights();
    let mut tuples: Vec<u32> = (0..weights.len() as u32).collect();
    tuples.sort_by_key(|&tuple| weights[tuple as usize]);
    tuples
}

/// Searches at once between two questions whether to go on.
const BATCH: usize = 256;

/// A cluster and the nearest of those that are older.
///
/// If that one is no longer active, the distance is a lower bound: the older ones only get fewer.
/// So the first of all pairs is the closest as soon as both its clusters are active.
#[derive(Clone, Copy)]
struct Pair {
    distance: f64,
    older: Id,
    newer: Id,
}

impl Ord for Pair {
    fn cmp(&self, other: &Pair) -> Ordering {
        let by_distance = self.distance.total_cmp(&other.distance);
        // By the newer first: where all clusters are equally near, few pairs lose their older one
        // before it is their turn.
        by_distance.then((self.newer, self.older).cmp(&(other.newer, other.older)))
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Pair) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pair {
    fn eq(&self, other: &Pair) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Pair {}

/// The state of Algorithm 1.
struct Clustering<'p> {
    k: u64,
    shrink: bool,
    closures: &'p Closures,
    costs: PairCosts<'p>,
    measure: Measure,
    clusters: Clusters,
    /// γ̂: the active clusters.
    active: Grove<ClusterShape, Extremes>,
    /// How many they are.
    unripe: u64,
    /// γ: the ripe clusters.
    ripe: Vec<Id>,
    pairs: BinaryHeap<Reverse<Pair>>,
}

impl<'p> Clustering<'p> {
    /// Algorithm 1.
    fn find(
        problem: &Problem,
        closures: &'p Closures,
        manner: Manner,
        run: &Run<'_>,
    ) -> Result<Clustering<'p>, Stop> {
        let tuples = problem.table().tuples() as u64;
        run.expect(2 * tuples);
        let mut clustering = Clustering::new(problem, closures, manner, run)?;
        clustering.seed(run)?;
        while let Some((a, b)) = clustering.closest(run)? {
            clustering.merge(a, b, run)?;
            run.advance_to(2 * tuples - clustering.unripe);
        }
        clustering.place_left_overs(run)?;
        Ok(clustering)
    }

    /// Lines 1 and 2; tuples of k records are ripe.
    fn new(
        problem: &Problem,
        closures: &'p Closures,
        manner: Manner,
        run: &Run<'_>,
    ) -> Result<Clustering<'p>, Stop> {
        let k = problem.requirements.k();
        let costs = PairCosts::new(problem, closures);
        let mut clusters = Clusters::new(problem, closures, run)?;
        let tuples = 0..clusters.len() as Id;
        let (ripe, unripe): (Vec<Id>, Vec<Id>) =
            tuples.partition(|&tuple| u64::from(clusters.shape(tuple).size) >= k);
        unripe.iter().for_each(|&tuple| clusters.activate(tuple));
        let count = unripe.len() as u64;
        let active = Grove::new(&Active { clusters: &clusters, closures }, unripe, clusters.len(), run)?;
        Ok(Clustering {
            k,
            shrink: manner.shrink,
            closures,
            measure: Measure::new(manner.distance, k),
            active,
            costs,
            clusters,
            unripe: count,
            ripe,
            pairs: BinaryHeap::new(),
        })
    }

    /// Finds the nearest older cluster of every tuple, in the order of the trees: clusters that are
    /// near each other have much of a search in common.
    fn seed(&mut self, run: &Run<'_>) -> Result<(), Stop> {
        let active = self.active.ids();
        let mut pairs = Vec::with_capacity(active.len());
        for batch in active.chunks(BATCH) {
            run.go_on()?;
            let found: Vec<Option<Pair>> = batch.par_iter().map(|&id| self.nearest(id)).collect();
            pairs.extend(found.into_iter().flatten().map(Reverse));
            run.advance(batch.len() as u64);
        }
        self.pairs = BinaryHeap::from(pairs);
        Ok(())
    }

    fn nearest(&self, newer: Id) -> Option<Pair> {
        let probe = self.costs.probe(self.clusters.record(newer));
        let mut nearest = NearestOlder::new(newer, self.clusters.shape(newer), probe, &self.measure);
        self.active.search(&self.source(), &mut nearest);
        nearest.found().map(|(distance, older)| Pair { distance, older, newer })
    }

    fn source(&self) -> Active<'_> {
        Active { clusters: &self.clusters, closures: self.closures }
    }

    /// Line 4: the two closest clusters; none if there is only one.
    fn closest(&mut self, run: &Run<'_>) -> Result<Option<(Id, Id)>, Stop> {
        while let Some(Reverse(Pair { older, newer, .. })) = self.pairs.pop() {
            if !self.clusters.is_active(newer) {
                continue;
            }
            run.go_on()?;
            if self.clusters.is_active(older) {
                return Ok(Some((older, newer)));
            }
            self.pairs.extend(self.nearest(newer).map(Reverse));
        }
        Ok(None)
    }

    /// Lines 5 to 8.
    fn merge(&mut self, a: Id, b: Id, run: &Run<'_>) -> Result<(), Stop> {
        let source = Active { clusters: &self.clusters, closures: self.closures };
        self.active.remove(&source, a, run)?;
        self.active.remove(&source, b, run)?;
        self.unripe -= 2;
        let union = self.clusters.merge(a, b, self.closures);
        if u64::from(self.clusters.shape(union).size) < self.k {
            return self.activate(union, run);
        }
        self.ripe.push(union);
        if self.shrink { self.shrink(union, run) } else { Ok(()) }
    }

    fn activate(&mut self, id: Id, run: &Run<'_>) -> Result<(), Stop> {
        self.unripe += 1;
        self.clusters.activate(id);
        self.pairs.extend(self.nearest(id).map(Reverse));
        self.active.insert(&Active { clusters: &self.clusters, closures: self.closures }, id, run)
    }

    /// Algorithm 2, by tuples.
    fn shrink(&mut self, ripe: Id, run: &Run<'_>) -> Result<(), Stop> {
        let mut tuples = self.clusters.tuples(ripe);
        let mut removed = Vec::new();
        while let Some(at) = self.worst(&tuples) {
            removed.push(tuples.remove(at));
        }
        if removed.is_empty() {
            return Ok(());
        }
        self.clusters.set_tuples(ripe, &tuples, self.closures);
        for tuple in removed {
            let id = self.clusters.begin(tuple);
            self.activate(id, run)?;
        }
        Ok(())
    }

    /// Lines 2 and 3 of Algorithm 2: which of the tuples is farthest from the rest, of those
    /// without which k records are left.
    fn worst(&self, tuples: &[u32]) -> Option<usize> {
        let size: u32 = tuples.iter().map(|&tuple| self.clusters.shape(tuple).size).sum();
        let spare = u64::from(size).saturating_sub(self.k);
        let may_go = |&at: &usize| u64::from(self.clusters.shape(tuples[at]).size) <= spare;
        if spare == 0 || !(0..tuples.len()).any(|at| may_go(&at)) {
            return None;
        }
        let (rests, whole) = self.rests(tuples);
        let whole = ClusterShape { size, cost: whole };
        let distance = |at: usize| {
            let rest = ClusterShape { size: size - self.clusters.shape(tuples[at]).size, cost: rests[at] };
            self.measure.leaving(whole, rest)
        };
        // The first of the greatest.
        (0..tuples.len()).filter(may_go).rev().max_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    }

    /// What the tuples cost without each, and what they cost together; there are at least two.
    fn rests(&self, tuples: &[u32]) -> (Vec<f64>, f64) {
        let last = tuples.len() - 1;
        let fore = self.closures_along(tuples.iter().copied());
        let aft = self.closures_along(tuples.iter().copied().rev());
        let rest = |at: usize| match at {
            0 => self.closures.cost(&aft[last - 1]),
            at if at == last => self.closures.cost(&fore[last - 1]),
            at => self.closures.join_cost(&fore[at - 1], &aft[last - at - 1]),
        };
        ((0..tuples.len()).map(rest).collect(), self.closures.cost(&fore[last]))
    }

    /// The closures of the first tuple, the first two and so on.
    fn closures_along(&self, tuples: impl Iterator<Item = u32>) -> Vec<Vec<ValueId>> {
        let mut closure: Vec<ValueId> = Vec::new();
        let tuples = tuples.map(|tuple| self.clusters.record(tuple));
        tuples
            .map(|record| {
                if closure.is_empty() {
                    closure.extend_from_slice(record);
                }
                self.closures.extend(&mut closure, record);
                closure.clone()
            })
            .collect()
    }

    /// Line 10: each tuple of the cluster that stayed unripe joins the nearest ripe one.
    fn place_left_overs(&mut self, run: &Run<'_>) -> Result<(), Stop> {
        let last = (0..self.clusters.len() as Id).find(|&id| self.clusters.is_active(id));
        let Some(last) = last.filter(|_| !self.ripe.is_empty()) else { return Ok(()) };
        self.clusters.end(last);
        self.ripe.sort_unstable();
        for tuple in self.clusters.tuples(last) {
            run.go_on()?;
            let nearest = self.nearest_ripe(tuple);
            let single = self.clusters.begin(tuple);
            let union = self.clusters.merge(self.ripe[nearest], single, self.closures);
            self.ripe[nearest] = union;
        }
        Ok(())
    }

    /// Position of the ripe cluster nearest to a tuple; of several, of the oldest.
    fn nearest_ripe(&self, tuple: u32) -> usize {
        let (record, shape) = (self.clusters.record(tuple), self.clusters.shape(tuple));
        let distance = |at: usize| {
            let ripe = self.ripe[at];
            let union = self.closures.join_cost(record, self.clusters.record(ripe));
            self.measure.toward(shape, self.clusters.shape(ripe), union)
        };
        let nearest = (0..self.ripe.len()).map(|at| (distance(at), at)).min_by(|a, b| a.0.total_cmp(&b.0));
        nearest.expect("there is a ripe cluster").1
    }
}
