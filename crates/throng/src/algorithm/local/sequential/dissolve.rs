//! Clusters whose pieces are better off elsewhere.

use super::partition::RowMove;
use super::{ExchangeSearch, LEAST_GAIN};
use crate::algorithm::local::index::Probe;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Where the pieces of a cluster would go, and by how much the loss falls.
pub(super) struct Dissolution {
    pub(super) gain: f64,
    pub(super) moves: Vec<RowMove>,
}

/// A cluster as it would be with pieces of a dissolved one.
struct Grown {
    cluster: u32,
    cover: Vec<ValueId>,
    rows: u64,
    cost: f64,
}

impl ExchangeSearch<'_> {
    /// Dissolves clusters for which that lowers the loss, those first that promise most.
    pub(super) fn dissolve_all(&mut self, run: &Run<'_>) -> Result<(), Stop> {
        for cluster in self.by_gain(run, |cluster| self.dissolution(cluster).map(|found| found.gain))? {
            run.go_on()?;
            if let Some(dissolution) = self.dissolution(cluster) {
                self.make(&dissolution.moves);
            }
        }
        Ok(())
    }

    /// The pieces of a cluster go, one after the other, to where the loss grows least; none if it
    /// grows by as much as the cluster loses now.
    pub(super) fn dissolution(&self, cluster: u32) -> Option<Dissolution> {
        let mut gain = self.clusters.get(cluster).loss();
        let mut grown: Vec<Grown> = Vec::new();
        let mut moves = Vec::new();
        for &piece in &self.clusters.get(cluster).members {
            let probe = self.costs.probe(self.clusters.record(piece));
            let targets = self.targets(piece, &probe).filter(|&other| other != cluster);
            let (growth, to) = self.least_growth((piece, &probe), targets, &grown, gain - LEAST_GAIN)?;
            gain -= growth;
            self.grow(&mut grown, to, piece);
            moves.push(RowMove { piece, rows: self.clusters.rows(piece), to });
        }
        (!moves.is_empty() && self.allows(&moves)).then_some(Dissolution { gain, moves })
    }

    /// The cluster in which a piece makes the loss grow least, and by how much, if it is less than
    /// a limit.
    fn least_growth(
        &self,
        (piece, probe): (u32, &Probe<'_>),
        targets: impl Iterator<Item = u32>,
        grown: &[Grown],
        limit: f64,
    ) -> Option<(f64, u32)> {
        let of_piece = self.clusters.rows(piece);
        let mut best: Option<(f64, u32)> = None;
        for id in targets {
            let cluster = self.clusters.get(id);
            let (cover, rows, cost) = match grown.iter().find(|grown| grown.cluster == id) {
                Some(grown) => (&grown.cover, grown.rows, grown.cost),
                None => (&cluster.cover, cluster.rows, cluster.cost),
            };
            let growth = (rows + of_piece) as f64 * probe.join(cover) - rows as f64 * cost;
            if growth < best.map_or(limit, |best| best.0) {
                best = Some((growth, id));
            }
        }
        best
    }

    fn grow(&self, grown: &mut Vec<Grown>, id: u32, piece: u32) {
        let at = grown.iter().position(|grown| grown.cluster == id).unwrap_or_else(|| {
            let cluster = self.clusters.get(id);
            let cover = cluster.cover.clone();
            grown.push(Grown { cluster: id, cover, rows: cluster.rows, cost: cluster.cost });
            grown.len() - 1
        });
        let closures = self.clusters.closures();
        closures.extend(&mut grown[at].cover, self.clusters.record(piece));
        grown[at].cost = closures.cost(&grown[at].cover);
        grown[at].rows += self.clusters.rows(piece);
    }
}
