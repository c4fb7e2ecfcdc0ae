//! Sequential clustering: agglomerative clusters whose records then change places.
//!
//! **Citation.** Our own, beyond *k-Anonymization Revisited*. That records of a clustering move
//! one after the other while the loss falls is the idea of J. Goldberger and T. Tassa, *Efficient
//! Anonymizations with Enhanced Utility*, Transactions on Data Privacy 3(2), 2010.
//!
//! **Idea.** The clusters of [`agglomerative`](super::agglomerative), shrunk to k, are the start; a
//! table of many rows is [cut into blocks](super::blocks) for it, which are clustered side by side.
//! What moves is a piece: the rows of a tuple that are in one cluster, at first all. For each piece that its
//! cluster would be better off without, the best of the shortest chains of moves that lower the loss is
//! carried out: to another cluster; in exchange for a piece of that, or as much of one as is needed; in
//! exchange by way of one or two more. What a chain leaves behind may be made up from clusters that have rows
//! to spare, and a piece may begin a cluster of its own with such rows: a tuple of many rows supplies the
//! others. Clusters whose pieces are better off in others are dissolved, and clusters are founded of rows
//! that others can spare. If it is given more time, the result is [improved](improve) until that time is up:
//! by turns with chains between clusters that are then near each other, and with annealing in small regions.
//!
//! **Guarantee.** Every class may be released; with k-anonymity every other notion of a crowd holds, too.
//! Never more loss than the start. The result is one from which none of these changes between near
//! clusters promises much. On small random tables it is within 2 % of the best partition of the records on
//! average (`tests/it/records.rs`). Improving never makes it worse; its steps are the same for the same problem, whatever
//! the number of threads, and the clock alone decides after which of them it ends.
//!
//! **Complexity.** Besides the start, one search per tuple for the few clusters near it in a
//! [tree](super::index) of all, which looks at O(n/k) clusters at worst and at some tens on real tables; one
//! for the nearest supply where a chain needs rows; and as many passes as `passes` allows. A pass looks only
//! at pieces next to which something has changed, and at the O(k) members of a few clusters for each. A tuple
//! is divided only where that pays, so that there are hardly more pieces than tuples. Memory is linear.
//! Improving takes the seconds it is given, within the time limit, or ends when several rounds in a row have
//! gained nothing.
//!
//! **Deviations.** From Goldberger and Tassa: they start from random clusters, let clusters fall
//! below k records on the way and join those in the end; here every state may be released, and
//! exchanges take the place of the detour. Candidates are the clusters in which a tuple made the loss grow
//! least at the start, and those that have other rows of it, not all. The start always shrinks, whatever
//! `shrink` says. A batch of pieces is looked at against the same clusters, on all cores; chains that an
//! earlier one of the batch has outdated are looked for again, so that the result does not depend on the
//! number of threads. Models other than k-anonymity allow a change if they allow every cluster that it
//! leaves; clusters of the start that they refuse are [mended](super::mend).

mod allow;
mod chain;
mod dissolve;
mod found;
mod improve;
mod near;
mod partition;
mod pieces;
mod start;
mod supply;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;
use std::time::Duration;

use rayon::prelude::*;

use super::admissible::Admissibility;
use super::agglomerative::{self, DISTANCE, Distance, EPSILON};
use super::closure::Closures;
use super::closures;
use super::finish::finish;
use super::index::{PairCosts, Probe};
use super::lend::lend;
use super::mend::mend;
use super::pieces::Piece;
use crate::algorithm::{
    Algorithm, BLOCK_ROWS, Entry, Family, Guarantee, Least, Serves, Setting, SettingKind, SettingValue,
};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop, Work};
use crate::table::Table;
use chain::Chain;
use improve::improve;
use near::{Near, NearIndex};
use partition::{Partition, RowMove};
use start::start;
use supply::SupplyIndex;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "sequential",
    summary: "moves records between agglomerative clusters for as long as the loss falls",
    citation: "our own, after Goldberger and Tassa 2010",
    deviations: &[
        "No paper describes it in this form. It starts from Algorithms 1 and 2 of Gionis, Mazza and Tassa \
            2008, in blocks.",
    ],
    family: Family::Local,
    serves: Serves::OfTable,
    guarantee: Guarantee::Admissible,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[DISTANCE, EPSILON, BLOCK_ROWS, PASSES, IMPROVE_SECONDS],
    build: |settings| {
        Box::new(Sequential {
            distance: Distance::from_settings(settings),
            passes: settings.count(&PASSES),
            improve_time: settings.optional_number(&IMPROVE_SECONDS).map(seconds),
        })
    },
};

/// For how long the result is improved after the search.
pub const IMPROVE_SECONDS: Setting = Setting {
    name: "improve_seconds",
    help: "Keeps improving the result for this many seconds, or until the time limit",
    kind: SettingKind::Number { above: 0.0 },
    default: None,
    only_with: None,
};

/// A duration; what no clock can count is the longest.
fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// Most passes over all tuples: fewer for less time, none for the start with its worst clusters
/// dissolved.
const PASSES: Setting = Setting {
    name: "passes",
    help: "Stops after this many passes over all records, even if the loss is still falling",
    kind: SettingKind::Count { of: "passes", least: Least::Fixed(0) },
    default: Some(SettingValue::Count(20)),
    only_with: None,
};

/// Pieces or clusters looked at together, against the same clusters.
const BATCH: usize = 256;

/// The same where a look is at more than sizes, and takes far longer.
const BATCH_OF_VALUES: usize = 32;

/// Of the clusters near a tuple, how many make it worth another look when they have changed.
const WATCHED: usize = 2;

/// Share of the loss below which a pass has not brought enough for another.
const ENOUGH: f64 = 0.005;

/// Of the other clusters that have rows of a tuple, how many are looked at as if they were near.
const KIN: usize = 8;

/// The number of a cluster that is still to be made.
const NEW: u32 = u32::MAX;

/// What counts as less: more than sums can be rounded by.
const LEAST_GAIN: f64 = 1e-9;

struct Sequential {
    distance: Distance,
    /// Most passes over all tuples.
    passes: u64,
    improve_time: Option<Duration>,
}

impl Algorithm for Sequential {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let closures = closures(problem);
        let tuples = problem.table().tuples() as u64;
        run.expect(3 * tuples);
        let admissibility = Admissibility::new(problem);
        let start = start(problem, self.distance, run)?;
        let start = mend(problem, &closures, &admissibility, start, &|| run.go_on())?;
        let Some(start) = start else { return Ok(()) };
        let start = lend(problem, &closures, &admissibility, start, run)?;
        let mut search = ExchangeSearch::new(problem, &closures, start, run)?;
        let ended = search.improve(self.passes, ENOUGH, run);
        // Every state on the way may be released, and none loses more than the one before: also what a
        // search has that was stopped.
        // Where values are looked at, the last step may take so long that a cancelled run must not wait for it.
        let is_short = ended.is_err() && admissibility.by_size().is_some();
        let go_on = || if is_short { Ok(()) } else { run.unless_cancelled() };
        let found = finish(problem, &closures, &admissibility, search.clusters.classes(), &go_on)?;
        found.into_iter().for_each(|local| run.propose(local));
        ended
    }

    fn improve(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        self.improve_time.map_or(Ok(()), |time| improve(problem, time, run))
    }
}

/// The state of a search.
struct ExchangeSearch<'p> {
    k: u64,
    admissibility: Admissibility,
    table: &'p Table,
    costs: PairCosts<'p>,
    clusters: Partition<'p>,
    /// The clusters of the start.
    index: NearIndex,
    supplies: SupplyIndex,
    /// Of each tuple the clusters that are near, once they were asked for.
    near: Vec<OnceLock<Near>>,
    /// When chains from each piece were last looked for.
    looked: Vec<u64>,
}

impl<'p> ExchangeSearch<'p> {
    fn new(
        problem: &'p Problem,
        closures: &'p Closures,
        start: Vec<Vec<Piece>>,
        run: &Run<'_>,
    ) -> Result<ExchangeSearch<'p>, Stop> {
        let clusters = Partition::new(problem, closures, start, run)?;
        let (table, admissibility) = (problem.table(), Admissibility::new(problem));
        let k = admissibility.least_rows();
        Ok(ExchangeSearch {
            k,
            table,
            costs: PairCosts::new(problem, closures),
            index: NearIndex::new(&clusters, run)?,
            supplies: SupplyIndex::new(&clusters, table, &admissibility, run)?,
            near: std::iter::repeat_with(OnceLock::new).take(table.tuples()).collect(),
            looked: vec![0; clusters.pieces().len()],
            admissibility,
            clusters,
        })
    }

    /// Makes passes, no more than so many, until one has not lowered the loss by so great a share.
    fn improve(&mut self, passes: u64, enough: f64, run: &Run<'_>) -> Result<(), Stop> {
        self.dissolve_all(run)?;
        // How many passes there will be is not known: each has half of the steps that are left.
        let mut left = 2 * self.near.len() as u64;
        for _ in 0..passes {
            left = left.div_ceil(2);
            let before = self.clusters.loss();
            self.pass(&run.part(left, self.clusters.pieces().len() as u64), run)?;
            self.found_all(run)?;
            self.dissolve_all(run)?;
            if before - self.clusters.loss() <= enough * before {
                break;
            }
        }
        Ok(())
    }

    /// Makes the chains that lower the loss, piece by piece.
    fn pass(&mut self, work: &Work<'_>, run: &Run<'_>) -> Result<(), Stop> {
        let pieces: Vec<u32> = (0..self.clusters.pieces().len() as u32).collect();
        self.looked.resize(pieces.len(), 0);
        let batch = if self.by_size() { BATCH } else { BATCH_OF_VALUES };
        for batch in pieces.chunks(batch) {
            run.go_on()?;
            let clock = self.clusters.clock();
            let due: Vec<u32> = batch.iter().copied().filter(|&piece| self.is_due(piece)).collect();
            let found: Vec<Option<Chain>> = due.par_iter().map(|&piece| self.chain(piece)).collect();
            for (&piece, found) in due.iter().zip(found) {
                self.looked[piece as usize] = clock;
                let valid = |chain: &Chain| self.is_valid(chain, clock);
                let again = || if self.clusters.rows(piece) > 0 { self.chain(piece) } else { None };
                let chain = found.and_then(|chain| if valid(&chain) { found } else { again() });
                if let Some(chain) = chain {
                    self.make(chain.moves());
                }
            }
            work.advance(batch.len() as u64);
        }
        Ok(())
    }

    /// Makes moves. Those that go to a new cluster, and those that these leave, learn of it.
    fn make(&mut self, moves: &[RowMove]) {
        if moves.iter().all(|step| step.to != NEW) {
            return self.clusters.relocate(moves);
        }
        let new = self.clusters.len() as u32;
        let moves: Vec<RowMove> = moves
            .iter()
            .map(|&step| if step.to == NEW { RowMove { to: new, ..step } } else { step })
            .collect();
        let sources =
            moves.iter().filter(|step| step.to == new).map(|step| self.clusters.place(step.piece).0);
        let mut changed: Vec<u32> = sources.chain([new]).collect();
        changed.sort_unstable();
        changed.dedup();
        self.clusters.push(Vec::new());
        self.clusters.relocate(&moves);
        for &piece in changed.iter().flat_map(|&cluster| &self.clusters.get(cluster).members) {
            let tuple = self.clusters.pieces().tuple(piece);
            if let Some(near) = self.near[tuple as usize].get_mut() {
                let last = near.iter().position(Option::is_none).unwrap_or(near.len() - 1);
                near[last] = Some(new);
            }
        }
    }

    /// Whether a piece's cluster or one next to it has changed since the piece was last looked at.
    fn is_due(&self, piece: u32) -> bool {
        if self.clusters.rows(piece) == 0 {
            return false;
        }
        let looked = self.looked[piece as usize];
        let changed = |cluster: u32| self.clusters.get(cluster).changed > looked;
        let near = self.near[self.clusters.pieces().tuple(piece) as usize].get();
        changed(self.clusters.place(piece).0)
            || near.is_none_or(|near| near[..WATCHED].iter().flatten().any(|&cluster| changed(cluster)))
    }

    /// Whether the clusters of a chain are what they were at a time.
    fn is_valid(&self, chain: &Chain, clock: u64) -> bool {
        let unchanged = |cluster: u32| self.clusters.get(cluster).changed <= clock;
        chain.moves().iter().all(|step| {
            (step.to == NEW || unchanged(step.to))
                && self.clusters.rows(step.piece) > 0
                && unchanged(self.clusters.place(step.piece).0)
        })
    }

    /// Whether some rows of a piece may go without the others.
    fn may_divide(&self, piece: u32) -> bool {
        self.admissibility.may_divide(self.table, self.clusters.pieces().tuple(piece))
    }

    /// The clusters that are near a piece, nearest first; the piece's own may be among them.
    fn near(&self, piece: u32, probe: &Probe<'_>) -> impl Iterator<Item = u32> + Clone {
        let tuple = self.clusters.pieces().tuple(piece) as usize;
        let rows = u64::from(self.table.weights()[tuple]).min(self.k);
        let near = self.near[tuple].get_or_init(|| self.index.nearest(probe, rows));
        near.iter().flatten().copied().filter(|&id| !self.clusters.get(id).members.is_empty())
    }

    /// Where a piece may go: to clusters that are near, to that of its tuple alone, and to others that have
    /// rows of its tuple. Its own cluster may be among them.
    fn targets(&self, piece: u32, probe: &Probe<'_>) -> impl Iterator<Item = u32> {
        let near = self.near(piece, probe);
        let pieces = self.clusters.pieces();
        let home = self.clusters.home(pieces.tuple(piece)).filter(|&home| home != piece);
        let kin = pieces.kin(piece).take(KIN).filter(move |&kin| Some(kin) != home);
        // Each once: what a cluster can spare, it can spare once.
        let mut others: Vec<u32> = Vec::new();
        for cluster in home.into_iter().chain(kin).map(|kin| self.clusters.place(kin).0) {
            if !others.contains(&cluster) && near.clone().all(|near| near != cluster) {
                others.push(cluster);
            }
        }
        near.chain(others)
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
