//! Which moves leave every cluster such that it may be released.
//!
//! Where size alone decides, whoever proposes moves has counted rows already, and nothing is left to ask.

use super::partition::RowMove;
use super::{ExchangeSearch, NEW};
use crate::algorithm::local::admissible::Contents;

impl ExchangeSearch<'_> {
    pub(super) fn by_size(&self) -> bool {
        self.admissibility.by_size().is_some()
    }

    /// Whether all clusters are ripe after moves.
    pub(super) fn allows(&self, moves: &[RowMove]) -> bool {
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
    pub(super) fn is_ripe_after(&self, cluster: u32, moves: &[RowMove]) -> bool {
        if self.by_size() {
            return true;
        }
        let of = |piece: u32, rows: u64| {
            self.admissibility.contents(self.table, self.clusters.pieces().tuple(piece), rows as u32)
        };
        let mut contents = if cluster == NEW { Contents::default() } else { self.held(cluster).clone() };
        for step in moves.iter().filter(|step| self.clusters.place(step.piece).0 == cluster) {
            contents.remove(&of(step.piece, step.rows));
        }
        for step in moves.iter().filter(|step| step.to == cluster) {
            contents.add(&of(step.piece, step.rows));
        }
        contents.rows == 0 || self.admissibility.is_ripe(&contents)
    }

    /// What a cluster holds; added up when it is first asked for after a change.
    fn held(&self, cluster: u32) -> &Contents {
        let cluster = self.clusters.get(cluster);
        cluster.held.get_or_init(|| {
            let mut contents = Contents::default();
            for &member in &cluster.members {
                let (tuple, rows) = (self.clusters.pieces().tuple(member), self.clusters.rows(member));
                contents.add(&self.admissibility.contents(self.table, tuple, rows as u32));
            }
            contents
        })
    }
}
