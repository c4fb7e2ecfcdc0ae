//! Partition that know what they would cost without each of their tuples.

use crate::algorithm::local::closure::Closures;
use crate::algorithm::local::records;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Partition that are made between two questions whether to go on.
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

/// A partition of a table's tuples.
pub(super) struct Partition<'p> {
    closures: &'p Closures,
    weights: &'p [u32],
    /// The records of the tuples, one after the other.
    records: Vec<ValueId>,
    clusters: Vec<Cluster>,
    /// Of each tuple, its cluster and its place there.
    places: Vec<(u32, u32)>,
    clock: u64,
}

impl<'p> Partition<'p> {
    pub(super) fn new(
        problem: &'p Problem,
        closures: &'p Closures,
        start: Vec<Vec<u32>>,
        run: &Run<'_>,
    ) -> Result<Partition<'p>, Stop> {
        let table = problem.table();
        let mut clusters = Partition {
            closures,
            weights: table.weights(),
            records: records(problem, 0..table.attributes()),
            clusters: Vec::new(),
            places: vec![(0, 0); table.tuples()],
            clock: 0,
        };
        for (at, members) in start.into_iter().enumerate() {
            if at % ASK == 0 {
                run.go_on()?;
            }
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

    /// The cluster of a tuple, and the tuple's place there.
    pub(super) fn place(&self, tuple: u32) -> (u32, usize) {
        let (cluster, slot) = self.places[tuple as usize];
        (cluster, slot as usize)
    }

    pub(super) fn record(&self, tuple: u32) -> &[ValueId] {
        let width = self.closures.attributes();
        &self.records[tuple as usize * width..][..width]
    }

    pub(super) fn weight(&self, tuple: u32) -> u64 {
        u64::from(self.weights[tuple as usize])
    }

    /// The time of the last change.
    pub(super) fn clock(&self) -> u64 {
        self.clock
    }

    /// The members of all clusters that have some.
    pub(super) fn classes(&self) -> Vec<Vec<u32>> {
        let used = self.clusters.iter().filter(|cluster| !cluster.members.is_empty());
        used.map(|cluster| cluster.members.clone()).collect()
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

    /// Moves each tuple to a cluster.
    pub(super) fn relocate(&mut self, steps: &[(u32, u32)]) {
        let sources = steps.iter().map(|&(tuple, _)| self.place(tuple).0);
        let mut touched: Vec<u32> = sources.chain(steps.iter().map(|step| step.1)).collect();
        touched.sort_unstable();
        touched.dedup();
        for cluster in touched {
            let mut members = std::mem::take(&mut self.clusters[cluster as usize].members);
            members.retain(|&member| steps.iter().all(|&(tuple, _)| tuple != member));
            members.extend(steps.iter().filter(|step| step.1 == cluster).map(|step| step.0));
            self.set(cluster, members);
        }
    }

    /// Gives a cluster other members.
    pub(super) fn set(&mut self, id: u32, members: Vec<u32>) {
        for (slot, &tuple) in members.iter().enumerate() {
            self.places[tuple as usize] = (id, slot as u32);
        }
        let mut cluster = std::mem::take(&mut self.clusters[id as usize]);
        self.clock += 1;
        cluster.changed = self.clock;
        cluster.rows = members.iter().map(|&tuple| self.weight(tuple)).sum();
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
        for &tuple in others {
            rests.extend_from_slice(cover);
            self.closures.extend(cover, self.record(tuple));
        }
        *cost = self.closures.cost(cover);
        // So far each rest is what comes before the member; for the first there is nothing.
        let mut after: Vec<ValueId> = Vec::with_capacity(width);
        for (slot, &tuple) in members.iter().enumerate().rev() {
            let rest = &mut rests[slot * width..][..width];
            match (slot, after.is_empty()) {
                (_, true) => after.extend_from_slice(self.record(tuple)),
                (0, false) => rest.copy_from_slice(&after),
                (_, false) => {
                    self.closures.extend(rest, &after);
                    self.closures.extend(&mut after, self.record(tuple));
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
