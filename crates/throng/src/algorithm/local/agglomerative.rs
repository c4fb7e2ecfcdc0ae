//! Agglomerative clustering.
//!
//! **Citation.** A. Gionis, A. Mazza and T. Tassa, *k-Anonymization Revisited*, ICDE 2008:
//! Algorithm 1, with `shrink` Algorithm 2; distances 1–4 (eq. 8–11) and that of M. Nergiz and
//! C. Clifton, *Thoughts on k-Anonymization*, ICDE Workshops 2006.
//!
//! **Idea.** Every record starts as a cluster; the two closest clusters are merged, again and again. A
//! cluster of k records or more is ripe and leaves the pool; with `shrink`, the records that cost it the most
//! go back to the pool until k are left. What remains in the pool at the end joins the ripe clusters that are
//! nearest.
//!
//! **Guarantee.** Every class may be released: with k-anonymity every other notion of a crowd holds, too.
//! No bound on the loss.
//!
//! **Complexity.** The pairs are those of the plain quadratic algorithm, found by O(n) searches
//! for the nearest of the older clusters in trees whose closures bound distances below. A search
//! looks at O(n) clusters at worst, at a small part of them on real tables; ranges and sets bound
//! less well than trees, because clusters that do not meet can still be near. Memory is O(n).
//!
//! **Deviations.** With `variant = "printed"` only these: ties, which the paper leaves open, go to the pair
//! whose newer cluster came to be first (of the records to remove in Algorithm 2, and of the clusters that a
//! left-over may join, to the first); of the asymmetric distance the smaller direction counts. For models
//! other than k-anonymity, which the paper does not consider, tuples stay whole and clusters that fail are
//! [mended](super::mend). What follows is of `variant = "improved"`.
//!
//! Identical records are one tuple with a count. At the start they are at
//! distance 0 under every distance and no different records are closer, so Algorithm 1 would merge
//! them first, k at a time. Here a tuple of k records or more is ripe as a whole, and what it has beyond a
//! multiple of k is not there to be merged with others: on Adult that would lose more (0.3 % of lm at
//! k = 5). Instead, such tuples [lend](super::lend) records at the end, wherever the loss falls. As in the
//! paper, a left-over joins k records of such a tuple and no more, if as many are left. `shrink` removes
//! tuples, never a part of one, and a left-over tuple joins a cluster as a whole. Last, records that a
//! cluster can spare [go back](super::peel) to the cluster of identical records.
//!
//! A cluster is ripe when it may be released: k records are what k-anonymity asks for, other models look
//! at what is in it. Clusters that a left-over spoils are [mended](super::mend).
//!
//! Ties go to the pair whose newer cluster came to be first, a tuple of several records being as
//! new as if they had been merged. Of the asymmetric distance the smaller direction counts.

mod active;
mod clusters;
mod distance;
#[cfg(test)]
mod tests;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use active::{Active, Extremes, NearestOlder};
use clusters::{ClusterHistory, Id};
use distance::{ClusterShape, Measure};
pub(in crate::algorithm) use distance::{DISTANCE, Distance, EPSILON};
use rayon::prelude::*;

use super::admissible::Admissibility;
use super::as_records::Records;
use super::closure::Closures;
use super::finish::{propose, propose_as_found};
use super::index::{ClosureForest, PairCosts};
use super::lend::lend;
use super::pieces::Piece;
use crate::algorithm::variant::Variant;
use crate::algorithm::{
    Algorithm, BLOCK_ROWS, Entry, Family, Guarantee, Serves, Setting, SettingKind, SettingValue, Settings,
    VARIANT,
};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "agglomerative",
    summary: "merges the two closest clusters until all have k records",
    citation: "Gionis, Mazza and Tassa 2008 (Algorithms 1 and 2)",
    deviations: &[
        "Treats k or more identical records as one ripe cluster; at the end these lend records wherever \
            that reduces the loss.",
        "Returns records that a cluster can spare to the cluster of identical records.",
        "With a suppression limit, leaves out rows where that reduces the loss.",
    ],
    family: Family::Local,
    serves: Serves::OfTable,
    guarantee: Guarantee::Admissible,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[VARIANT, DISTANCE, EPSILON, SHRINK, BLOCK_ROWS],
    build: |settings| {
        Box::new(Agglomerative {
            manner: Manner::from_settings(settings),
            variant: Variant::from_settings(settings),
        })
    },
};

/// Whether ripe clusters shrink to k (Algorithm 2).
const SHRINK: Setting = Setting {
    name: "shrink",
    help: "Shrinks ripe clusters to k records (sequential always does)",
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
    fn from_settings(settings: &Settings) -> Manner {
        Manner { distance: Distance::from_settings(settings), shrink: settings.flag(&SHRINK) }
    }
}

struct Agglomerative {
    manner: Manner,
    variant: Variant,
}

impl Algorithm for Agglomerative {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let (closures, admissibility) = (super::closures(problem), Admissibility::new(problem));
        if self.variant == Variant::Printed {
            let records = Records::of_admissibility(problem, &admissibility);
            let clustering = Clustering::find(&records.problem, &closures, self.manner, false, run)?;
            let classes = records.in_tuples(clustering.into_classes());
            return propose_as_found(problem, &closures, &admissibility, classes, run);
        }
        let classes = Clustering::find(problem, &closures, self.manner, true, run)?.into_classes();
        if classes.is_empty() {
            return Ok(());
        }
        let classes = lend(problem, &closures, &admissibility, classes, run)?;
        propose(problem, &closures, &admissibility, classes, run)
    }
}

/// The tuples of each cluster that the algorithm ends with where left-overs join all rows of a tuple; none
/// if not even all rows together are ripe.
pub(super) fn cluster(
    problem: &Problem,
    closures: &Closures,
    manner: Manner,
    run: &Run<'_>,
) -> Result<Vec<Vec<u32>>, Stop> {
    let classes = Clustering::find(problem, closures, manner, false, run)?.into_classes();
    Ok(classes.into_iter().map(|class| class.into_iter().map(|piece| piece.tuple).collect()).collect())
}

/// The tuples in the order in which Algorithm 1 would have merged their records: single records are
/// there from the start, pairs come before threes.
fn by_age(problem: &Problem) -> Vec<Piece> {
    let weights = (0..).zip(problem.table().weights());
    let mut pieces: Vec<Piece> = weights.map(|(tuple, &rows)| Piece { tuple, rows }).collect();
    pieces.sort_by_key(|piece| piece.rows);
    pieces
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
    admissibility: Admissibility,
    /// Whether a left-over may join some rows of a tuple.
    divides: bool,
    shrink: bool,
    closures: &'p Closures,
    costs: PairCosts<'p>,
    measure: Measure,
    clusters: ClusterHistory,
    /// γ̂: the active clusters.
    active: ClosureForest<ClusterShape, Extremes>,
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
        divides: bool,
        run: &Run<'_>,
    ) -> Result<Clustering<'p>, Stop> {
        run.go_on()?;
        let tuples = problem.table().tuples() as u64;
        run.expect(2 * tuples);
        let mut clustering = Clustering::new(problem, closures, manner, divides, run)?;
        clustering.seed(run)?;
        while let Some((a, b)) = clustering.closest(run)? {
            clustering.merge(a, b, run)?;
            run.advance_to(2 * tuples - clustering.unripe);
        }
        clustering.place_left_overs(run)?;
        Ok(clustering)
    }

    /// Lines 1 and 2, and the mergers of identical records, which are the first: tuples may be ripe.
    fn new(
        problem: &Problem,
        closures: &'p Closures,
        manner: Manner,
        divides: bool,
        run: &Run<'_>,
    ) -> Result<Clustering<'p>, Stop> {
        let admissibility = Admissibility::new(problem);
        let costs = PairCosts::new(problem, closures);
        let mut clusters = ClusterHistory::new(problem, &by_age(problem), closures, &admissibility, run)?;
        let (ripe, unripe): (Vec<Id>, Vec<Id>) =
            (0..clusters.len() as Id).partition(|&piece| clusters.is_ripe(piece, &admissibility));
        unripe.iter().for_each(|&piece| clusters.activate(piece));
        let count = unripe.len() as u64;
        let active =
            ClosureForest::new(&Active { clusters: &clusters, closures }, unripe, clusters.len(), run)?;
        Ok(Clustering {
            shrink: manner.shrink,
            closures,
            measure: Measure::new(manner.distance, admissibility.least_rows()),
            active,
            costs,
            divides,
            clusters,
            unripe: count,
            ripe,
            pairs: BinaryHeap::new(),
            admissibility,
        })
    }

    /// Finds the nearest older cluster of every piece, in the order of the trees: clusters that are
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
        if !self.clusters.is_ripe(union, &self.admissibility) {
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

    /// Algorithm 2, by pieces.
    fn shrink(&mut self, ripe: Id, run: &Run<'_>) -> Result<(), Stop> {
        let mut pieces = self.clusters.pieces(ripe);
        let mut removed = Vec::new();
        while let Some(at) = self.worst(&pieces) {
            removed.push(pieces.remove(at));
        }
        if removed.is_empty() {
            return Ok(());
        }
        self.clusters.set_pieces(ripe, &pieces, self.closures);
        for piece in removed {
            let id = self.clusters.begin(piece);
            self.activate(id, run)?;
        }
        Ok(())
    }

    /// Lines 2 and 3 of Algorithm 2: which of the pieces is farthest from the rest, of those without
    /// which it is ripe.
    fn worst(&self, pieces: &[Id]) -> Option<usize> {
        let may_go = self.may_go(pieces);
        if !may_go.contains(&true) {
            return None;
        }
        let size: u32 = pieces.iter().map(|&piece| self.clusters.shape(piece).size).sum();
        let records: Vec<&[ValueId]> = pieces.iter().map(|&piece| self.clusters.record(piece)).collect();
        let (rests, whole) = self.closures.costs_without_each(&records);
        let whole = ClusterShape { size, cost: whole };
        let distance = |at: usize| {
            let rest = ClusterShape { size: size - self.clusters.shape(pieces[at]).size, cost: rests[at] };
            self.measure.leaving(whole, rest)
        };
        // The first of the greatest.
        let all = (0..pieces.len()).filter(|&at| may_go[at]);
        all.rev().max_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    }

    /// Without which pieces of a cluster the others are ripe.
    fn may_go(&self, pieces: &[Id]) -> Vec<bool> {
        if let Some(k) = self.admissibility.by_size() {
            let spare = self.clusters.contents_of(pieces.iter().copied()).rows - k;
            return pieces.iter().map(|&piece| u64::from(self.clusters.shape(piece).size) <= spare).collect();
        }
        let others = |gone: Id| pieces.iter().copied().filter(move |&piece| piece != gone);
        let is_ripe = |&gone: &Id| self.admissibility.is_ripe(&self.clusters.contents_of(others(gone)));
        pieces.iter().map(is_ripe).collect()
    }

    /// Line 10: each piece of the cluster that stayed unripe joins the nearest ripe one.
    fn place_left_overs(&mut self, run: &Run<'_>) -> Result<(), Stop> {
        let last = (0..self.clusters.len() as Id).find(|&id| self.clusters.is_active(id));
        let Some(last) = last.filter(|_| !self.ripe.is_empty()) else { return Ok(()) };
        self.clusters.end(last);
        self.ripe.sort_unstable();
        for piece in self.clusters.pieces(last) {
            run.go_on()?;
            let nearest = self.nearest_ripe(piece);
            let ripe = self.ripe[nearest];
            // Record by record, k rows of a tuple are a ripe cluster; the others are not part of it.
            if let Some(surplus) = self.surplus(ripe) {
                let others = self.clusters.divide(ripe, surplus);
                self.ripe.push(others);
            }
            let single = self.clusters.begin(piece);
            self.ripe[nearest] = self.clusters.merge(ripe, single, self.closures);
        }
        Ok(())
    }

    /// All but k rows of a ripe cluster of one tuple, if they are ripe without these.
    fn surplus(&self, ripe: Id) -> Option<u32> {
        let piece = self.clusters.only_piece(ripe).filter(|_| self.divides)?;
        let (rows, k) = (u64::from(self.clusters.shape(piece).size), self.admissibility.by_size()?);
        (rows >= k.saturating_mul(2)).then(|| (rows - k) as u32)
    }

    /// The pieces of each ripe cluster.
    fn into_classes(self) -> Vec<Vec<Piece>> {
        let pieces = |&ripe: &Id| self.clusters.pieces(ripe).into_iter().map(|id| self.clusters.piece(id));
        self.ripe.iter().map(|ripe| pieces(ripe).collect()).collect()
    }

    /// Position of the ripe cluster nearest to a piece; of several, of the oldest.
    fn nearest_ripe(&self, piece: Id) -> usize {
        let (record, shape) = (self.clusters.record(piece), self.clusters.shape(piece));
        let distance = |at: usize| {
            let ripe = self.ripe[at];
            let union = self.closures.join_cost(record, self.clusters.record(ripe));
            let mut of_ripe = self.clusters.shape(ripe);
            of_ripe.size -= self.surplus(ripe).unwrap_or(0);
            self.measure.toward(shape, of_ripe, union)
        };
        let nearest = (0..self.ripe.len()).map(|at| (distance(at), at)).min_by(|a, b| a.0.total_cmp(&b.0));
        nearest.expect("there is a ripe cluster").1
    }
}
