//! Which moves leave every cluster such that it may be released.
//!
//! Where size alone decides, whoever proposes moves has counted rows already, and nothing is left to ask.

use super::partition::Move;
use super::{Exchange, NEW};
use crate::algorithm::local::ripe::Contents;

impl Exchange<'_> {
    pub(super) fn by_size(&self) -> bool {
        self.ripeness.by_size().is_some()
    }

    /// Whether all clusters are ripe after moves.
    pub(super) fn allows(&self, moves: &[Move]) -> bool {
        if self.by_size() {
            return true;
        }
        let sources = moves.iter().map(|step| self.clusters.place(step.piece).0);
        let mut touched: Vec<u32> = sources.chain(moves.iter().map(|step| step.to)).collect();
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().all(|cluster| self.is_ripe_after(cluster, moves))
    }

    /// Whether a cluster is ripe after moves, or empty.
    pub(super) fn is_ripe_after(&self, cluster: u32, moves: &[Move]) -> bool {
        if self.by_size() {
            return true;
        }
        let mut contents = Contents::default();
        let mut add = |piece: u32, rows: u64| {
            if rows > 0 {
                let tuple = self.clusters.pieces().tuple(piece);
                contents.add(&self.ripeness.contents(self.table, tuple, rows as u32));
            }
        };
        if cluster != NEW {
            for &member in &self.clusters.get(cluster).members {
                let gone = moves.iter().filter(|step| step.piece == member).map(|step| step.rows);
                add(member, self.clusters.rows(member) - gone.sum::<u64>());
            }
        }
        moves.iter().filter(|step| step.to == cluster).for_each(|step| add(step.piece, step.rows));
        contents.rows == 0 || self.ripeness.is_ripe(&contents)
    }
}
