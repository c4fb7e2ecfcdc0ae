//! Chains of moves that lower the loss.

use super::partition::{Cluster, Difference, RowMove};
use super::{ExchangeSearch, LEAST_GAIN, NEW};
use crate::algorithm::local::index::Probe;

/// Most clusters that a chain enters before it returns to where it began.
pub(super) const MAX_DEPTH: usize = 3;

/// Most chains of each length that are tried further, and rows of the clusters that they may
/// enter together: where clusters are large, one chain tries many pieces.
const BREADTH: (u64, u64) = (5, 24);

/// Pieces that move, each to a cluster, and by how much the loss changes.
#[derive(Clone, Copy)]
pub(super) struct Chain {
    pub(super) change: f64,
    moves: [RowMove; MAX_DEPTH + 1],
    len: usize,
}

impl Chain {
    const EMPTY: Chain =
        Chain { change: 0.0, moves: [RowMove { piece: 0, rows: 0, to: 0 }; MAX_DEPTH + 1], len: 0 };

    pub(super) fn moves(&self) -> &[RowMove] {
        &self.moves[..self.len]
    }

    fn with(mut self, change: f64, next: RowMove) -> Chain {
        self.moves[self.len] = next;
        Chain { change, len: self.len + 1, ..self }
    }

    fn enters(&self, cluster: u32) -> bool {
        self.moves().iter().any(|step| step.to == cluster)
    }
}

/// A piece on its way.
struct Entrant<'s> {
    piece: u32,
    rows: u64,
    probe: Probe<'s>,
}

/// The cluster that a chain leaves from, without the piece that leaves.
pub(super) struct Origin<'s> {
    pub(super) cluster: u32,
    pub(super) piece: u32,
    /// Rows that are left.
    rows: u64,
    /// How many fewer than k they are.
    pub(super) need: u64,
    pub(super) rest: Probe<'s>,
    /// What it loses now.
    pub(super) loss: f64,
    /// By how much the loss falls if nothing comes back: k rows are left, or others come.
    pub(super) open: Option<f64>,
    /// Those others.
    pub(super) refill: Option<RowMove>,
    /// Rows of the piece that can be spared, where it cannot as a whole.
    pub(super) spare: u64,
    /// The most that the loss can fall by.
    most: f64,
}

impl ExchangeSearch<'_> {
    /// The best of the shortest chains that begin with a piece and lower the loss.
    ///
    /// The piece enters another cluster, or begins one. That is all if its own keeps k rows, or gets them
    /// from where rows can be spared; or the cluster gives a piece back for it, or as much of one as is
    /// needed: a swap; or that piece enters a third cluster, and so on. What is left to win, at most
    /// what the first cluster saves without its piece, must exceed what the chain has cost so far.
    pub(super) fn chain(&self, piece: u32) -> Option<Chain> {
        let origin = self.origin(piece)?;
        let breadth = (BREADTH.1 / self.k).clamp(1, BREADTH.0) as usize;
        let mut best = Chain { change: -LEAST_GAIN, ..Chain::EMPTY };
        let mut ends = vec![(Chain::EMPTY, piece)];
        for level in 1..=MAX_DEPTH {
            let mut next: Vec<(Chain, u32)> = Vec::new();
            for &(chain, piece) in &ends {
                let probe = self.costs.probe(self.clusters.record(piece));
                let entrant = Entrant { piece, rows: self.clusters.rows(piece), probe };
                for cluster in self.targets(piece, &entrant.probe) {
                    if cluster == origin.cluster || chain.enters(cluster) {
                        continue;
                    }
                    self.enter(&origin, chain, &entrant, cluster, &mut best, |longer, out| {
                        if level < MAX_DEPTH {
                            keep(&mut next, longer, out, breadth);
                        }
                    });
                }
                if level == 1 {
                    self.divide(&origin, &entrant, &mut best);
                    self.begin(&origin, &entrant, &mut best);
                }
            }
            if best.len > 0 {
                return Some(best);
            }
            ends = next;
        }
        None
    }

    /// What a chain from this piece starts from; none if its cluster loses nothing by it.
    fn origin(&self, piece: u32) -> Option<Origin<'_>> {
        let (id, slot) = self.clusters.place(piece);
        let (cluster, of_piece) = (self.clusters.get(id), self.clusters.rows(piece));
        if cluster.members.len() == 1 {
            return None;
        }
        let (rows, loss) = (cluster.rows - of_piece, cluster.loss());
        let least = |rows: u64| loss - rows as f64 * cluster.rest_costs[slot];
        let (need, most) = (self.k.saturating_sub(rows), least(rows.max(self.k)));
        let spare = if need > 0 && self.may_divide(piece) { cluster.rows - self.k } else { 0 };
        if most <= LEAST_GAIN && spare as f64 * cluster.cost <= LEAST_GAIN {
            return None;
        }
        let rest = self.costs.probe(&cluster.rest(slot));
        let (open, refill) = (None, None);
        let mut origin = Origin { cluster: id, piece, rows, need, rest, loss, open, refill, spare, most };
        if need == 0 {
            origin.open = Some(least(rows));
        } else if let Some((gain, refill)) = self.refill(&origin) {
            (origin.open, origin.refill) = (Some(gain), Some(refill));
            origin.most = most.max(gain);
        }
        Some(origin)
    }

    /// Lets a piece enter a cluster at the end of a chain, with or without another leaving it.
    fn enter(
        &self,
        origin: &Origin<'_>,
        chain: Chain,
        entrant: &Entrant<'_>,
        cluster: u32,
        best: &mut Chain,
        mut longer: impl FnMut(Chain, u32),
    ) {
        let (clusters, target, probe) = (&self.clusters, self.clusters.get(cluster), &entrant.probe);
        let before = chain.change - target.loss();
        let union = probe.join(&target.cover);
        // Without a member the union costs at most the cluster's gain less.
        if before + self.k as f64 * (union - target.gain) >= origin.most {
            return;
        }
        let rows = target.rows + entrant.rows;
        let entered = |change: f64| {
            chain.with(change, RowMove { piece: entrant.piece, rows: entrant.rows, to: cluster })
        };
        let is_partial =
            |of_out: u64| origin.need > 0 && of_out > origin.need && rows >= self.k + origin.need;
        if let Some(open) = origin.open {
            self.end(origin, entered(before + rows as f64 * union - open), best);
        }
        for (slot, &out) in target.members.iter().enumerate() {
            let of_out = clusters.rows(out);
            if is_partial(of_out) && self.may_divide(out) {
                let part = RowMove { piece: out, rows: origin.need, to: origin.cluster };
                self.close(origin, entered(before + (rows - origin.need) as f64 * union), part, best);
            }
            let rows = rows - of_out;
            if rows < self.k {
                continue;
            }
            let limit = (origin.most - before) / rows as f64;
            let alone = || clusters.closures().cost(clusters.record(entrant.piece));
            let Some(cost) = exchange(target, slot, probe, (union, alone), limit) else { continue };
            let entered = entered(before + rows as f64 * cost);
            self.close(origin, entered, RowMove { piece: out, rows: of_out, to: origin.cluster }, best);
            let gone = || entered.with(entered.change, RowMove { piece: out, rows: of_out, to: NEW });
            if self.by_size() || self.is_ripe_after(cluster, gone().moves()) {
                longer(entered, out);
            }
        }
    }

    /// Ends a chain without a return to where it began.
    fn end(&self, origin: &Origin<'_>, chain: Chain, best: &mut Chain) {
        match origin.refill {
            None => self.prefer(chain, best),
            Some(refill) if chain.enters(self.clusters.place(refill.piece).0) => {}
            Some(refill) => self.prefer(chain.with(chain.change, refill), best),
        }
    }

    /// Takes a chain as the best if it is and its moves are allowed.
    fn prefer(&self, chain: Chain, best: &mut Chain) {
        if chain.change < best.change && self.allows(chain.moves()) {
            *best = chain;
        }
    }

    /// Lets what a chain drove out enter the cluster that the chain began in.
    fn close(&self, origin: &Origin<'_>, chain: Chain, back: RowMove, best: &mut Chain) {
        let rows = origin.rows + back.rows;
        // What is left of the cluster costs more with the piece than without it.
        if rows < self.k || chain.change - origin.most >= best.change {
            return;
        }
        let limit = (best.change - chain.change + origin.loss) / rows as f64;
        if let Some(cost) = origin.rest.join_below(self.clusters.record(back.piece), limit) {
            self.prefer(chain.with(chain.change + rows as f64 * cost - origin.loss, back), best);
        }
    }

    /// Lets the rows of a piece that can be spared enter another cluster.
    fn divide(&self, origin: &Origin<'_>, entrant: &Entrant<'_>, best: &mut Chain) {
        if origin.spare == 0 {
            return;
        }
        let rows = origin.spare;
        let saved = rows as f64 * self.clusters.get(origin.cluster).cost;
        for cluster in self.targets(entrant.piece, &entrant.probe).filter(|&to| to != origin.cluster) {
            let target = self.clusters.get(cluster);
            let union = entrant.probe.join(&target.cover);
            let change = (target.rows + rows) as f64 * union - target.loss() - saved;
            self.prefer(Chain::EMPTY.with(change, RowMove { piece: entrant.piece, rows, to: cluster }), best);
        }
    }

    /// Lets a piece, or the rows of it that can be spared, begin a cluster: alone if they are k, else with
    /// what the nearest tuple can spare.
    fn begin(&self, origin: &Origin<'_>, entrant: &Entrant<'_>, best: &mut Chain) {
        let (piece, to) = (entrant.piece, NEW);
        let spared = origin.spare as f64 * self.clusters.get(origin.cluster).cost;
        let ways = [(entrant.rows, origin.open, origin.refill), (origin.spare, Some(spared), None)];
        for (rows, gain, refill) in ways {
            let Some(gain) = gain.filter(|&gain| rows > 0 && -gain < best.change) else { continue };
            let alone = Chain::EMPTY.with(-gain, RowMove { piece, rows, to });
            let begun = if rows >= self.k {
                let cost = self.clusters.closures().cost(self.clusters.record(piece));
                Some(Chain { change: rows as f64 * cost - gain, ..alone })
            } else {
                let limit = (gain + best.change) / self.k as f64;
                let supplied = self.supply(&entrant.probe, self.k - rows, (piece, refill), limit);
                supplied.map(|(cost, from)| alone.with(self.k as f64 * cost - gain, RowMove { to, ..from }))
            };
            if let Some(chain) = begun {
                self.prefer(refill.map_or(chain, |refill| chain.with(chain.change, refill)), best);
            }
        }
    }
}

/// d of a cluster with a piece in the place of a member, given d of the union with it and of the
/// piece alone, unless it is at or above a limit.
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
