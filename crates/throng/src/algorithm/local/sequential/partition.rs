//! Clusters that know what they would cost without each of their pieces.

use std::sync::OnceLock;

use super::pieces::Pieces;
use crate::algorithm::local::admissible::Contents;
use crate::algorithm::local::closure::Closures;
use crate::algorithm::local::pieces::Piece;
use crate::algorithm::local::records;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Clusters that are made between two questions whether to go on.
const ASK: usize = 1 << 8;

/// A cluster; empty once it was dissolved.
#[derive(Default)]
pub(super) struct Cluster {
    pub(super) members: Vec<u32>,
    pub(super) rows: u64,
    /// The closure of its members, and d of it.
    pub(super) cover: Vec<ValueId>,
    pub(super) cost: f64,
    /// Where the closure without a member differs, member by member; d of each of them.
    differences: Vec<Difference>,
    starts: Vec<u32>,
    pub(super) rest_costs: Vec<f64>,
    /// The most that d falls without one member.
    pub(super) gain: f64,
    /// When it was last changed.
    pub(super) changed: u64,
    /// What it holds, once that was asked for.
    pub(super) held: OnceLock<Contents>,
}

impl Cluster {
    /// What its rows lose together.
    pub(super) fn loss(&self) -> f64 {
        self.rows as f64 * self.cost
    }

    /// The closure without a member; there must be another.
    pub(super) fn rest(&self, slot: usize) -> Vec<ValueId> {
        let mut rest = self.cover.clone();
        self.differences(slot).iter().for_each(|difference| rest[difference.attribute] = difference.value);
        rest
    }

    /// Where the closure without a member is another than with it.
    #[inline]
    pub(super) fn differences(&self, slot: usize) -> &[Difference] {
        &self.differences[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }
}

/// A value of a closure that is another without some member.
#[derive(Clone, Copy)]
pub(super) struct Difference {
    pub(super) attribute: usize,
    pub(super) value: ValueId,
}

/// Rows of a piece that go to a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowMove {
    pub(super) piece: u32,
    pub(super) rows: u64,
    pub(super) to: u32,
}

/// A partition of a table's rows.
pub(super) struct Partition<'p> {
    closures: &'p Closures,
    /// The records of the tuples, one after the other.
    records: Vec<ValueId>,
    clusters: Vec<Cluster>,
    pieces: Pieces,
    /// Of each tuple, a cluster that had no other once.
    homes: Vec<u32>,
    clock: u64,
}

impl<'p> Partition<'p> {
    /// From the rows of tuples in each cluster.
    pub(super) fn new(
        problem: &'p Problem,
        closures: &'p Closures,
        start: Vec<Vec<Piece>>,
        run: &Run<'_>,
    ) -> Result<Partition<'p>, Stop> {
        let table = problem.table();
        let mut clusters = Partition {
            closures,
            records: records(problem, 0..table.attributes()),
            clusters: Vec::new(),
            pieces: Pieces::new(table.weights()),
            homes: vec![0; table.tuples()],
            clock: 0,
        };
        for (at, members) in start.into_iter().enumerate() {
            if at % ASK == 0 {
                run.go_on()?;
            }
            // What is left of a tuple has its number.
            let take = |of: Piece| clusters.pieces.take(of.tuple, u64::from(of.rows));
            let members = members.into_iter().map(take).collect();
            clusters.push(members);
        }
        Ok(clusters)
    }

    pub(super) fn len(&self) -> usize {
        self.clusters.len()
    }

    pub(super) fn get(&self, cluster: u32) -> &Cluster {
        &self.clusters[cluster as usize]
    }

    pub(super) fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    /// The cluster of a piece, and its place there.
    #[inline]
    pub(super) fn place(&self, piece: u32) -> (u32, usize) {
        self.pieces.place(piece)
    }

    #[inline]
    pub(super) fn record(&self, piece: u32) -> &[ValueId] {
        self.record_of_tuple(self.pieces.tuple(piece))
    }

    pub(super) fn record_of_tuple(&self, tuple: u32) -> &[ValueId] {
        let width = self.closures.attributes();
        &self.records[tuple as usize * width..][..width]
    }

    /// Rows of a piece.
    #[inline]
    pub(super) fn rows(&self, piece: u32) -> u64 {
        self.pieces.rows(piece)
    }

    /// The piece that is a cluster by itself, if the tuple has one.
    pub(super) fn home(&self, tuple: u32) -> Option<u32> {
        match self.clusters[self.homes[tuple as usize] as usize].members[..] {
            [only] if self.pieces.tuple(only) == tuple => Some(only),
            _ => None,
        }
    }

    /// The time of the last change.
    pub(super) fn clock(&self) -> u64 {
        self.clock
    }

    /// The rows of tuples in all clusters that have some.
    pub(super) fn classes(&self) -> Vec<Vec<Piece>> {
        let piece = |&of: &u32| Piece { tuple: self.pieces.tuple(of), rows: self.rows(of) as u32 };
        let used = self.clusters.iter().filter(|cluster| !cluster.members.is_empty());
        used.map(|cluster| cluster.members.iter().map(piece).collect()).collect()
    }

    /// What all rows lose.
    pub(super) fn loss(&self) -> f64 {
        self.clusters.iter().map(Cluster::loss).sum()
    }

    pub(super) fn closures(&self) -> &'p Closures {
        self.closures
    }

    /// A new cluster.
    pub(super) fn push(&mut self, members: Vec<u32>) {
        self.clusters.push(Cluster::default());
        self.set(self.clusters.len() as u32 - 1, members);
    }

    /// Makes moves of different pieces.
    pub(super) fn relocate(&mut self, moves: &[RowMove]) {
        let sources = moves.iter().map(|of| self.place(of.piece).0);
        let mut touched: Vec<u32> = sources.chain(moves.iter().map(|of| of.to)).collect();
        touched.sort_unstable();
        touched.dedup();
        let moved: Vec<(u32, u32)> =
            moves.iter().map(|of| (self.pieces.take(of.piece, of.rows), of.to)).collect();
        for cluster in touched {
            let mut members = std::mem::take(&mut self.clusters[cluster as usize].members);
            members.retain(|&member| moved.iter().all(|&(piece, _)| piece != member));
            for &(piece, _) in moved.iter().filter(|&&(_, to)| to == cluster) {
                let kin = self.pieces.kin(piece).find(|kin| members.contains(kin));
                match kin {
                    Some(kin) => self.pieces.fuse(piece, kin),
                    None => members.push(piece),
                }
            }
            self.set(cluster, members);
        }
    }

    /// Gives a cluster other members.
    fn set(&mut self, id: u32, members: Vec<u32>) {
        for (slot, &piece) in members.iter().enumerate() {
            self.pieces.set_place(piece, id, slot);
        }
        if let [only] = members[..] {
            self.homes[self.pieces.tuple(only) as usize] = id;
        }
        let mut cluster = std::mem::take(&mut self.clusters[id as usize]);
        self.clock += 1;
        cluster.changed = self.clock;
        cluster.held = OnceLock::new();
        cluster.rows = members.iter().map(|&piece| self.rows(piece)).sum();
        cluster.members = members;
        self.cover(&mut cluster);
        self.clusters[id as usize] = cluster;
    }

    /// Brings the closures up to date: those without a member are joined from those of the members
    /// before and after it.
    fn cover(&self, cluster: &mut Cluster) {
        let Cluster { members, cover, cost, differences, starts, rest_costs, gain, .. } = cluster;
        differences.clear();
        starts.clear();
        rest_costs.clear();
        cover.clear();
        (*cost, *gain) = (0.0, 0.0);
        let Some((&first, others)) = members.split_first() else { return };
        let width = self.closures.attributes();
        cover.extend_from_slice(self.record(first));
        let mut rests = cover.clone();
        for &piece in others {
            rests.extend_from_slice(cover);
            self.closures.extend(cover, self.record(piece));
        }
        *cost = self.closures.cost(cover);
        // So far each rest is what comes before the member; for the first there is nothing.
        let mut after: Vec<ValueId> = Vec::with_capacity(width);
        for (slot, &piece) in members.iter().enumerate().rev() {
            let rest = &mut rests[slot * width..][..width];
            match (slot, after.is_empty()) {
                (_, true) => after.extend_from_slice(self.record(piece)),
                (0, false) => rest.copy_from_slice(&after),
                (_, false) => {
                    self.closures.extend(rest, &after);
                    self.closures.extend(&mut after, self.record(piece));
                }
            }
        }
        for rest in rests.chunks(width) {
            starts.push(differences.len() as u32);
            let pairs = rest.iter().zip(cover.iter()).enumerate().filter(|(_, (rest, cover))| rest != cover);
            differences.extend(pairs.map(|(attribute, (&value, _))| Difference { attribute, value }));
            rest_costs.push(self.closures.cost(rest));
        }
        starts.push(differences.len() as u32);
        *gain = rest_costs.iter().fold(0.0, |gain, rest| (*cost - rest).max(gain));
    }
}
