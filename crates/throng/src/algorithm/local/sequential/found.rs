//! New clusters of rows that others can spare.

use super::partition::RowMove;
use super::{ExchangeSearch, LEAST_GAIN, NEW};
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// What would make a cluster, and by how much the loss falls.
pub(super) struct Founding {
    pub(super) gain: f64,
    pub(super) moves: Vec<RowMove>,
}

/// A cluster that may give rows away.
struct DonorCluster {
    cluster: u32,
    /// Rows that it can still spare.
    spare: u64,
}

/// A piece of a donor.
struct Offer {
    piece: u32,
    donor: usize,
    /// Rows that were taken.
    taken: u64,
}

impl ExchangeSearch<'_> {
    /// Founds clusters while that lowers the loss, those first that promise most.
    pub(super) fn found_all(&mut self, run: &Run<'_>) -> Result<(), Stop> {
        for cluster in self.by_gain(run, |cluster| self.founding(cluster).map(|found| found.gain))? {
            run.go_on()?;
            if let Some(founding) = self.founding(cluster) {
                self.make(&founding.moves);
            }
        }
        Ok(())
    }

    /// The piece without which a cluster is cheapest, and pieces that it and near clusters can
    /// spare, one after the other those that cost least, until they have k rows.
    pub(super) fn founding(&self, cluster: u32) -> Option<Founding> {
        let of = self.clusters.get(cluster);
        if of.members.len() < 2 || of.rows <= self.k {
            return None;
        }
        let slots = 0..of.members.len();
        let slot = slots.reduce(|a, b| if of.rest_costs[b] < of.rest_costs[a] { b } else { a })?;
        let mut donors = self.donors(cluster, of.members[slot]);
        if donors.iter().map(|donor| donor.spare).sum::<u64>() < self.k {
            return None;
        }
        let mut offers = self.offers(&donors);
        let (mut next, mut rows) = (slot, 0);
        let mut cover: Vec<ValueId> = self.clusters.record(of.members[slot]).to_vec();
        loop {
            let Offer { piece, donor, .. } = offers[next];
            let taken = self.spared(piece, donors[donor].spare, self.wanted(rows))?;
            donors[donor].spare -= taken;
            offers[next].taken = taken;
            self.clusters.closures().extend(&mut cover, self.clusters.record(piece));
            rows += taken;
            if rows >= self.k && self.is_ripe_after(NEW, &moves_to_new(&offers)) {
                break;
            }
            next = self.cheapest(&cover, self.wanted(rows), &donors, &offers)?;
        }
        let change = rows as f64 * self.clusters.closures().cost(&cover) + self.change(&donors, &offers);
        let moves = moves_to_new(&offers);
        (change < -LEAST_GAIN && self.allows(&moves)).then_some(Founding { gain: -change, moves })
    }

    /// How many more rows a new cluster needs: if those are enough and it is still not ripe, one more.
    fn wanted(&self, rows: u64) -> u64 {
        self.k.saturating_sub(rows).max(1)
    }

    /// Rows of a piece that its cluster can spare: all, or as many of those that are wanted.
    fn spared(&self, piece: u32, spare: u64, wanted: u64) -> Option<u64> {
        let rows = self.clusters.rows(piece);
        if rows <= spare {
            return Some(rows);
        }
        (spare > 0 && self.may_divide(piece)).then(|| spare.min(wanted))
    }

    /// The cluster of a piece, and those near it that have rows to spare.
    fn donors(&self, own: u32, piece: u32) -> Vec<DonorCluster> {
        let probe = self.costs.probe(self.clusters.record(piece));
        let near = self.targets(piece, &probe).filter(|&other| other != own);
        let spare = |cluster: u32| self.clusters.get(cluster).rows - self.k;
        let donors =
            [own].into_iter().chain(near).map(|cluster| DonorCluster { cluster, spare: spare(cluster) });
        donors.filter(|donor| donor.spare > 0).collect()
    }

    /// All pieces of the donors, those of the first first.
    fn offers(&self, donors: &[DonorCluster]) -> Vec<Offer> {
        let members = |donor: &DonorCluster| &self.clusters.get(donor.cluster).members;
        let all =
            donors.iter().enumerate().flat_map(|(at, donor)| members(donor).iter().map(move |m| (at, m)));
        all.map(|(donor, &piece)| Offer { piece, donor, taken: 0 }).collect()
    }

    /// The offer that raises the loss least, of those that can be spared.
    fn cheapest(
        &self,
        cover: &[ValueId],
        wanted: u64,
        donors: &[DonorCluster],
        offers: &[Offer],
    ) -> Option<usize> {
        let probe = self.costs.probe(cover);
        let mut best: Option<(f64, usize)> = None;
        for (at, offer) in offers.iter().enumerate().filter(|(_, offer)| offer.taken == 0) {
            let donor = &donors[offer.donor];
            let Some(rows) = self.spared(offer.piece, donor.spare, wanted) else { continue };
            let saved = rows as f64 * self.clusters.get(donor.cluster).cost;
            let rise = self.k as f64 * probe.join(self.clusters.record(offer.piece)) - saved;
            if best.is_none_or(|best| rise < best.0) {
                best = Some((rise, at));
            }
        }
        best.map(|best| best.1)
    }

    /// By how much the loss of the donors changes without what was taken.
    fn change(&self, donors: &[DonorCluster], offers: &[Offer]) -> f64 {
        let closures = self.clusters.closures();
        let by_donor = offers.chunk_by(|a, b| a.donor == b.donor);
        let changes = donors.iter().zip(by_donor).filter(|(_, of)| of.iter().any(|offer| offer.taken > 0));
        let is_left = |offer: &&Offer| offer.taken < self.clusters.rows(offer.piece);
        let change = |(donor, offers): (&DonorCluster, &[Offer])| {
            let mut left = offers.iter().filter(is_left).map(|offer| offer.piece);
            let first = left.next().expect("k rows are left");
            let mut cover = self.clusters.record(first).to_vec();
            left.for_each(|piece| closures.extend(&mut cover, self.clusters.record(piece)));
            (self.k + donor.spare) as f64 * closures.cost(&cover) - self.clusters.get(donor.cluster).loss()
        };
        changes.map(change).sum()
    }
}

/// What was taken, on its way to a new cluster.
fn moves_to_new(offers: &[Offer]) -> Vec<RowMove> {
    let taken = offers.iter().filter(|offer| offer.taken > 0);
    taken.map(|offer| RowMove { piece: offer.piece, rows: offer.taken, to: NEW }).collect()
}
