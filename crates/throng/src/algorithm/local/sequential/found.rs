//! New clusters of tuples that others can spare.

use super::{Exchange, LEAST_GAIN};
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Tuples that would make a cluster, and by how much the loss falls.
pub(super) struct Founding {
    pub(super) gain: f64,
    pub(super) members: Vec<u32>,
}

/// A cluster that may give tuples away.
struct Donor {
    cluster: u32,
    /// Rows that it can still spare.
    spare: u64,
}

/// A tuple of a donor.
struct Offer {
    tuple: u32,
    donor: usize,
    taken: bool,
}

impl Exchange<'_> {
    /// Founds clusters while that lowers the loss, those first that promise most.
    pub(super) fn found_all(&mut self, run: &Run<'_>) -> Result<(), Stop> {
        for cluster in self.by_gain(run, |cluster| self.founding(cluster).map(|found| found.gain))? {
            run.go_on()?;
            if let Some(founding) = self.founding(cluster) {
                self.found(&founding.members);
            }
        }
        Ok(())
    }

    /// Moves tuples to a cluster of their own; they, and those that they leave, learn of it.
    pub(super) fn found(&mut self, members: &[u32]) {
        let new = self.clusters.len() as u32;
        let mut changed: Vec<u32> = members.iter().map(|&tuple| self.clusters.place(tuple).0).collect();
        changed.push(new);
        changed.sort_unstable();
        changed.dedup();
        self.clusters.push(Vec::new());
        self.clusters.relocate(&members.iter().map(|&tuple| (tuple, new)).collect::<Vec<_>>());
        for &tuple in changed.iter().flat_map(|&cluster| &self.clusters.get(cluster).members) {
            if let Some(near) = self.near[tuple as usize].get_mut() {
                let last = near.iter().position(Option::is_none).unwrap_or(near.len() - 1);
                near[last] = Some(new);
            }
        }
    }

    /// The tuple without which a cluster is cheapest, and tuples that it and near clusters can
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
            let Offer { tuple, donor, .. } = offers[next];
            let weight = self.clusters.weight(tuple);
            donors[donor].spare = donors[donor].spare.checked_sub(weight)?;
            offers[next].taken = true;
            self.clusters.closures().extend(&mut cover, self.clusters.record(tuple));
            rows += weight;
            if rows >= self.k {
                break;
            }
            next = self.cheapest(&cover, &donors, &offers)?;
        }
        let change = rows as f64 * self.clusters.closures().cost(&cover) + self.change(&donors, &offers);
        let members = offers.iter().filter(|offer| offer.taken).map(|offer| offer.tuple).collect();
        (change < -LEAST_GAIN).then_some(Founding { gain: -change, members })
    }

    /// The cluster of a tuple, and those near it that have rows to spare.
    fn donors(&self, own: u32, tuple: u32) -> Vec<Donor> {
        let probe = self.costs.probe(self.clusters.record(tuple));
        let near = self.near(tuple, &probe).filter(|&other| other != own);
        let spare = |cluster: u32| self.clusters.get(cluster).rows - self.k;
        let donors = [own].into_iter().chain(near).map(|cluster| Donor { cluster, spare: spare(cluster) });
        donors.filter(|donor| donor.spare > 0).collect()
    }

    /// All tuples of the donors, those of the first first.
    fn offers(&self, donors: &[Donor]) -> Vec<Offer> {
        let members = |donor: &Donor| &self.clusters.get(donor.cluster).members;
        let all =
            donors.iter().enumerate().flat_map(|(at, donor)| members(donor).iter().map(move |m| (at, m)));
        all.map(|(donor, &tuple)| Offer { tuple, donor, taken: false }).collect()
    }

    /// The offer that raises the loss least, of those that can be spared.
    fn cheapest(&self, cover: &[ValueId], donors: &[Donor], offers: &[Offer]) -> Option<usize> {
        let probe = self.costs.probe(cover);
        let mut best: Option<(f64, usize)> = None;
        for (at, offer) in offers.iter().enumerate().filter(|(_, offer)| !offer.taken) {
            let (donor, weight) = (&donors[offer.donor], self.clusters.weight(offer.tuple));
            if weight > donor.spare {
                continue;
            }
            let saved = weight as f64 * self.clusters.get(donor.cluster).cost;
            let rise = self.k as f64 * probe.join(self.clusters.record(offer.tuple)) - saved;
            if best.is_none_or(|best| rise < best.0) {
                best = Some((rise, at));
            }
        }
        best.map(|best| best.1)
    }

    /// By how much the loss of the donors changes without what was taken.
    fn change(&self, donors: &[Donor], offers: &[Offer]) -> f64 {
        let closures = self.clusters.closures();
        let by_donor = offers.chunk_by(|a, b| a.donor == b.donor);
        let changes = donors.iter().zip(by_donor).filter(|(_, of)| of.iter().any(|offer| offer.taken));
        let change = |(donor, offers): (&Donor, &[Offer])| {
            let mut left = offers.iter().filter(|offer| !offer.taken).map(|offer| offer.tuple);
            let first = left.next().expect("k rows are left");
            let mut cover = self.clusters.record(first).to_vec();
            left.for_each(|tuple| closures.extend(&mut cover, self.clusters.record(tuple)));
            (self.k + donor.spare) as f64 * closures.cost(&cover) - self.clusters.get(donor.cluster).loss()
        };
        changes.map(change).sum()
    }
}
