//! Clusters whose tuples are better off elsewhere.

use super::{LEAST_GAIN, Search};
use crate::taxonomy::ValueId;

/// A cluster as it would be with tuples of a dissolved one.
struct Grown {
    cluster: u32,
    cover: Vec<ValueId>,
    rows: u64,
    cost: f64,
}

impl Search<'_> {
    /// Dissolves every cluster for which that lowers the loss.
    pub(super) fn dissolve_all(&mut self) {
        for cluster in 0..self.clusters.len() as u32 {
            if let Some(moves) = self.dissolution(cluster) {
                self.clusters.relocate(&moves);
            }
        }
    }

    /// Where the tuples of a cluster would go, one after the other to where the loss grows least;
    /// none if it grows by as much as the cluster loses now.
    fn dissolution(&self, cluster: u32) -> Option<Vec<(u32, u32)>> {
        let mut left = self.clusters.get(cluster).loss() - LEAST_GAIN;
        let mut grown: Vec<Grown> = Vec::new();
        let mut near = Vec::new();
        let mut moves = Vec::new();
        for &tuple in &self.clusters.get(cluster).members {
            self.near_clusters(tuple, &mut near);
            near.retain(|&other| other != cluster);
            let (growth, to) = self.least_growth(tuple, &near, &grown, left)?;
            left -= growth;
            self.grow(&mut grown, to, tuple);
            moves.push((tuple, to));
        }
        (!moves.is_empty()).then_some(moves)
    }

    /// The cluster in which a tuple makes the loss grow least, and by how much, if it is less than
    /// a limit.
    fn least_growth(&self, tuple: u32, near: &[u32], grown: &[Grown], limit: f64) -> Option<(f64, u32)> {
        let (record, weight) = (self.clusters.record(tuple), self.clusters.weight(tuple));
        let mut best: Option<(f64, u32)> = None;
        for &id in near {
            let cluster = self.clusters.get(id);
            let (cover, rows, cost) = match grown.iter().find(|grown| grown.cluster == id) {
                Some(grown) => (&grown.cover, grown.rows, grown.cost),
                None => (&cluster.cover, cluster.rows, cluster.cost),
            };
            let (loss, after) = (rows as f64 * cost, (rows + weight) as f64);
            let limit = best.map_or(limit, |best| best.0);
            if let Some(union) = self.clusters.join_below(cover, record, (limit + loss) / after) {
                best = Some((after * union - loss, id));
            }
        }
        best
    }

    fn grow(&self, grown: &mut Vec<Grown>, id: u32, tuple: u32) {
        let at = grown.iter().position(|grown| grown.cluster == id).unwrap_or_else(|| {
            let cluster = self.clusters.get(id);
            let cover = cluster.cover.clone();
            grown.push(Grown { cluster: id, cover, rows: cluster.rows, cost: cluster.cost });
            grown.len() - 1
        });
        let closures = self.clusters.closures();
        closures.extend(&mut grown[at].cover, self.clusters.record(tuple));
        grown[at].cost = closures.cost(&grown[at].cover);
        grown[at].rows += self.clusters.weight(tuple);
    }
}
