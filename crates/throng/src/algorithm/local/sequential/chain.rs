//! Chains of moves that lower the loss.

use super::partition::{Cluster, Difference};
use super::{Exchange, LEAST_GAIN};
use crate::algorithm::local::index::Probe;

/// Most clusters that a chain enters before it returns to where it began.
pub(super) const MAX_DEPTH: usize = 3;

/// Most chains of each length that are tried further, and rows of the clusters that they may
/// enter together: where clusters are large, one chain tries many tuples.
const BREADTH: (u64, u64) = (5, 24);

/// Tuples that move, each to a cluster, and by how much the loss changes.
#[derive(Clone, Copy)]
pub(super) struct Chain {
    pub(super) change: f64,
    moves: [(u32, u32); MAX_DEPTH + 1],
    len: usize,
}

impl Chain {
    const EMPTY: Chain = Chain { change: 0.0, moves: [(0, 0); MAX_DEPTH + 1], len: 0 };

    pub(super) fn moves(&self) -> &[(u32, u32)] {
        &self.moves[..self.len]
    }

    fn with(mut self, change: f64, tuple: u32, cluster: u32) -> Chain {
        self.moves[self.len] = (tuple, cluster);
        Chain { change, len: self.len + 1, ..self }
    }
}

/// The cluster that a chain leaves from, without the tuple that leaves.
struct Origin<'s> {
    cluster: u32,
    rows: u64,
    rest: Probe<'s>,
    /// What it loses now.
    loss: f64,
    /// By how much the loss falls if nothing comes back, where k rows are left.
    open: Option<f64>,
    /// The most that it can fall by.
    most: f64,
}

impl Exchange<'_> {
    /// The best of the shortest chains that begin with a tuple and lower the loss.
    ///
    /// The tuple enters another cluster. That is all if its own keeps k rows; or the cluster gives
    /// a tuple back for it: a swap; or that tuple enters a third cluster, and so on. What is
    /// left to win, at most what the first cluster saves without its tuple, must exceed what the
    /// chain has cost so far.
    pub(super) fn chain(&self, tuple: u32) -> Option<Chain> {
        let origin = self.origin(tuple)?;
        let breadth = (BREADTH.1 / self.k).clamp(1, BREADTH.0) as usize;
        let mut best = Chain { change: -LEAST_GAIN, ..Chain::EMPTY };
        let mut ends = vec![(Chain::EMPTY, tuple)];
        for level in 1..=MAX_DEPTH {
            let mut next: Vec<(Chain, u32)> = Vec::new();
            for &(chain, tuple) in &ends {
                let probe = self.costs.probe(self.clusters.record(tuple));
                for cluster in self.near(tuple, &probe) {
                    if cluster == origin.cluster || chain.moves().iter().any(|step| step.1 == cluster) {
                        continue;
                    }
                    self.enter(&origin, chain, (tuple, &probe), cluster, &mut best, |longer, out| {
                        if level < MAX_DEPTH {
                            keep(&mut next, longer, out, breadth);
                        }
                    });
                }
            }
            if best.len > 0 {
                return Some(best);
            }
            ends = next;
        }
        None
    }

    /// What a chain from this tuple starts from; none if its cluster loses nothing by it.
    fn origin(&self, tuple: u32) -> Option<Origin<'_>> {
        let (id, slot) = self.clusters.place(tuple);
        let (cluster, weight) = (self.clusters.get(id), self.clusters.weight(tuple));
        if cluster.members.len() == 1 {
            return None;
        }
        let (rows, loss) = (cluster.rows - weight, cluster.loss());
        let least = |rows: u64| loss - rows as f64 * cluster.rest_costs[slot];
        let open = (rows >= self.k).then(|| least(rows));
        let most = least(rows.max(self.k));
        (most > LEAST_GAIN).then(|| Origin {
            cluster: id,
            rows,
            rest: self.costs.probe(&cluster.rest(slot)),
            loss,
            open,
            most,
        })
    }

    /// Lets a tuple enter a cluster at the end of a chain, with or without another leaving it.
    fn enter(
        &self,
        origin: &Origin<'_>,
        chain: Chain,
        (tuple, probe): (u32, &Probe<'_>),
        cluster: u32,
        best: &mut Chain,
        mut longer: impl FnMut(Chain, u32),
    ) {
        let (clusters, target) = (&self.clusters, self.clusters.get(cluster));
        let weight = clusters.weight(tuple);
        let before = chain.change - target.loss();
        let union = probe.join(&target.cover);
        // Without a member the union costs at most the cluster's gain less.
        if before + self.k as f64 * (union - target.gain) >= origin.most {
            return;
        }
        if let Some(open) = origin.open {
            let change = before + (target.rows + weight) as f64 * union - open;
            if change < best.change {
                *best = chain.with(change, tuple, cluster);
            }
        }
        for (slot, &out) in target.members.iter().enumerate() {
            let rows = target.rows + weight - clusters.weight(out);
            if rows < self.k {
                continue;
            }
            let limit = (origin.most - before) / rows as f64;
            let alone = || clusters.closures().cost(clusters.record(tuple));
            let Some(cost) = exchange(target, slot, probe, (union, alone), limit) else { continue };
            let longer_chain = chain.with(before + rows as f64 * cost, tuple, cluster);
            self.close(origin, longer_chain, out, best);
            longer(longer_chain, out);
        }
    }

    /// Lets the tuple that a chain drove out enter the cluster that the chain began in.
    fn close(&self, origin: &Origin<'_>, chain: Chain, out: u32, best: &mut Chain) {
        let rows = origin.rows + self.clusters.weight(out);
        // What is left of the cluster costs more with the tuple than without it.
        if rows < self.k || chain.change - origin.most >= best.change {
            return;
        }
        let limit = (best.change - chain.change + origin.loss) / rows as f64;
        if let Some(cost) = origin.rest.join_below(self.clusters.record(out), limit) {
            *best = chain.with(chain.change + rows as f64 * cost - origin.loss, out, origin.cluster);
        }
    }
}

/// d of a cluster with a tuple in the place of a member, given d of the union with it and of the
/// tuple alone, unless it is at or above a limit.
fn exchange(
    cluster: &Cluster,
    slot: usize,
    probe: &Probe<'_>,
    (union, alone): (f64, impl Fn() -> f64),
    limit: f64,
) -> Option<f64> {
    let saved = cluster.cost - cluster.rest_costs[slot];
    if union - saved >= limit {
        return None;
    }
    let cost = match cluster.members.len() {
        1 => alone(),
        _ if saved == 0.0 => union,
        _ => cluster.differences(slot).iter().fold(union, |cost, &Difference { attribute, value }| {
            cost - probe.saved(attribute, cluster.cover[attribute], value)
        }),
    };
    (cost < limit).then_some(cost)
}

/// Keeps the chains that cost least, and of the same cost those that came first.
fn keep(chains: &mut Vec<(Chain, u32)>, chain: Chain, out: u32, breadth: usize) {
    let at = chains.partition_point(|(other, _)| other.change <= chain.change);
    if at < breadth {
        chains.truncate(breadth - 1);
        chains.insert(at, (chain, out));
    }
}
