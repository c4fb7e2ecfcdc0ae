//! Chains of moves that lower the loss.

use super::{LEAST_GAIN, Search};
use crate::taxonomy::ValueId;

/// Most clusters that a chain enters before it returns to where it began.
pub(super) const MAX_DEPTH: usize = 3;

/// Chains of each length that are tried further.
const BREADTH: usize = 5;

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
    rest: &'s [ValueId],
    /// What it loses now.
    loss: f64,
    /// By how much the loss falls if nothing comes back, where k rows are left.
    open: Option<f64>,
    /// The most that it can fall by.
    most: f64,
}

impl Search<'_> {
    /// The best of the shortest chains that begin with a tuple and lower the loss.
    ///
    /// The tuple enters another cluster. That is all if its own keeps k rows; or the cluster gives
    /// a tuple back for it: a swap; or that tuple enters a third cluster, and so on. What is
    /// left to win, at most what the first cluster saves without its tuple, must exceed what the
    /// chain has cost so far.
    pub(super) fn chain(&self, tuple: u32, depth: usize) -> Option<Chain> {
        let origin = self.origin(tuple)?;
        let mut best = Chain { change: -LEAST_GAIN, ..Chain::EMPTY };
        let mut ends = vec![(Chain::EMPTY, tuple)];
        let mut near = Vec::new();
        for level in 1..=depth {
            let mut next: Vec<(Chain, u32)> = Vec::new();
            for &(chain, tuple) in &ends {
                self.near_clusters(tuple, &mut near);
                near.retain(|&c| c != origin.cluster && chain.moves().iter().all(|step| step.1 != c));
                for &cluster in &near {
                    self.enter(&origin, chain, tuple, cluster, &mut best, |longer, out| {
                        if level < depth {
                            keep(&mut next, longer, out);
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
        (most > LEAST_GAIN).then_some(Origin {
            cluster: id,
            rows,
            rest: cluster.rest(slot),
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
        tuple: u32,
        cluster: u32,
        best: &mut Chain,
        mut longer: impl FnMut(Chain, u32),
    ) {
        let (clusters, target) = (&self.clusters, self.clusters.get(cluster));
        let (record, weight) = (clusters.record(tuple), clusters.weight(tuple));
        let before = chain.change - target.loss();
        // Without a member the union costs at most the cluster's gain less.
        let limit = (origin.most - before) / self.k as f64 + target.gain;
        let Some(union) = clusters.join_below(&target.cover, record, limit) else { return };
        if let Some(open) = origin.open {
            let change = before + (target.rows + weight) as f64 * union - open;
            if change < best.change {
                *best = chain.with(change, tuple, cluster);
            }
        }
        for (slot, &out) in target.members.iter().enumerate() {
            let rows = target.rows + weight - clusters.weight(out);
            let saved = target.cost - target.rest_costs[slot];
            if rows < self.k || before + rows as f64 * (union - saved) >= origin.most {
                continue;
            }
            let cost = match target.members.len() {
                1 => clusters.closures().cost(record),
                _ if saved == 0.0 => union,
                _ => clusters.closures().join_cost(target.rest(slot), record),
            };
            let change = before + rows as f64 * cost;
            if change < origin.most {
                let longer_chain = chain.with(change, tuple, cluster);
                self.close(origin, longer_chain, out, best);
                longer(longer_chain, out);
            }
        }
    }

    /// Lets the tuple that a chain drove out enter the cluster that the chain began in.
    fn close(&self, origin: &Origin<'_>, chain: Chain, out: u32, best: &mut Chain) {
        let rows = origin.rows + self.clusters.weight(out);
        if rows < self.k {
            return;
        }
        let limit = (best.change - chain.change + origin.loss) / rows as f64;
        if let Some(union) = self.clusters.join_below(origin.rest, self.clusters.record(out), limit) {
            *best = chain.with(chain.change + rows as f64 * union - origin.loss, out, origin.cluster);
        }
    }
}

/// Keeps the chains that cost least, and of the same cost those that came first.
fn keep(chains: &mut Vec<(Chain, u32)>, chain: Chain, out: u32) {
    let at = chains.partition_point(|(other, _)| other.change <= chain.change);
    if at < BREADTH {
        chains.truncate(BREADTH - 1);
        chains.insert(at, (chain, out));
    }
}
