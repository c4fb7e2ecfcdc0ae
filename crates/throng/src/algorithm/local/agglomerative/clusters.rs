//! The clusters of a run, numbered in the order in which they came to be.

use super::distance::ClusterShape;
use crate::algorithm::local::closure::Closures;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Number of a cluster; that of a tuple is also that of the cluster that it begins as.
pub(super) type Id = u32;

const NONE: u32 = u32::MAX;

/// Tuples that become clusters between two questions whether to go on.
const ASK: usize = 1 << 16;

/// Every cluster that ever was.
///
/// Invariant: the tuples of a cluster are a chain from `first` to `last`; a cluster that was merged
/// or taken apart has lost its chain and is not active.
pub(super) struct Clusters {
    attributes: usize,
    /// Closures, one after the other.
    records: Vec<ValueId>,
    shapes: Vec<ClusterShape>,
    active: Vec<bool>,
    ends: Vec<(u32, u32)>,
    /// The tuple after each in its cluster.
    next: Vec<u32>,
}

impl Clusters {
    /// One cluster a tuple, none of them active.
    pub(super) fn new(problem: &Problem, closures: &Closures, run: &Run<'_>) -> Result<Clusters, Stop> {
        let (table, attributes) = (problem.table(), closures.attributes());
        let mut clusters = Clusters {
            attributes,
            records: Vec::with_capacity(table.tuples() * attributes),
            shapes: Vec::with_capacity(table.tuples()),
            active: Vec::new(),
            ends: Vec::new(),
            next: vec![NONE; table.tuples()],
        };
        let mut record = vec![0; attributes];
        for (tuple, &size) in table.weights().iter().enumerate() {
            if tuple % ASK == 0 {
                run.go_on()?;
            }
            (0..attributes).for_each(|a| record[a] = table.column(a)[tuple]);
            let shape = ClusterShape { size, cost: closures.cost(&record) };
            clusters.push(&record, shape, (tuple as u32, tuple as u32));
        }
        Ok(clusters)
    }

    fn push(&mut self, record: &[ValueId], shape: ClusterShape, ends: (u32, u32)) -> Id {
        self.records.extend_from_slice(record);
        self.shapes.push(shape);
        self.active.push(false);
        self.ends.push(ends);
        (self.shapes.len() - 1) as Id
    }

    /// The union of two clusters, which end.
    pub(super) fn merge(&mut self, a: Id, b: Id, closures: &Closures) -> Id {
        let mut record = self.record(a).to_vec();
        closures.extend(&mut record, self.record(b));
        let size = self.shape(a).size + self.shape(b).size;
        let (head, tail) = (self.ends[a as usize], self.ends[b as usize]);
        self.next[head.1 as usize] = tail.0;
        self.end(a);
        self.end(b);
        self.push(&record, ClusterShape { size, cost: closures.cost(&record) }, (head.0, tail.1))
    }

    /// A new cluster of one tuple, which must be in no other.
    pub(super) fn begin(&mut self, tuple: u32) -> Id {
        self.next[tuple as usize] = NONE;
        let record = self.record(tuple).to_vec();
        self.push(&record, self.shape(tuple), (tuple, tuple))
    }

    /// Gives a cluster other tuples.
    pub(super) fn set_tuples(&mut self, cluster: Id, tuples: &[u32], closures: &Closures) {
        for pair in tuples.windows(2) {
            self.next[pair[0] as usize] = pair[1];
        }
        let (first, last) = (tuples[0], tuples[tuples.len() - 1]);
        self.next[last as usize] = NONE;
        let mut record = self.record(first).to_vec();
        tuples.iter().for_each(|&tuple| closures.extend(&mut record, self.record(tuple)));
        let size = tuples.iter().map(|&tuple| self.shape(tuple).size).sum();
        self.shapes[cluster as usize] = ClusterShape { size, cost: closures.cost(&record) };
        let start = cluster as usize * self.attributes;
        self.records[start..start + self.attributes].copy_from_slice(&record);
        self.ends[cluster as usize] = (first, last);
    }

    /// The tuples of a cluster, in ascending order.
    pub(super) fn tuples(&self, cluster: Id) -> Vec<u32> {
        let mut tuples = Vec::new();
        let (mut at, last) = self.ends[cluster as usize];
        while at != last {
            tuples.push(at);
            at = self.next[at as usize];
        }
        tuples.push(last);
        tuples.sort_unstable();
        tuples
    }

    /// The closure of a cluster.
    #[inline]
    pub(super) fn record(&self, cluster: Id) -> &[ValueId] {
        let start = cluster as usize * self.attributes;
        &self.records[start..start + self.attributes]
    }

    /// Size and cost of a cluster.
    #[inline]
    pub(super) fn shape(&self, cluster: Id) -> ClusterShape {
        self.shapes[cluster as usize]
    }

    /// Whether a cluster may still be merged: it is in γ̂ of the paper.
    #[inline]
    pub(super) fn is_active(&self, cluster: Id) -> bool {
        self.active[cluster as usize]
    }

    /// Adds a cluster to γ̂.
    pub(super) fn activate(&mut self, cluster: Id) {
        self.active[cluster as usize] = true;
    }

    /// Takes a cluster from γ̂.
    pub(super) fn end(&mut self, cluster: Id) {
        self.active[cluster as usize] = false;
    }

    /// Number of clusters that ever were.
    pub(super) fn len(&self) -> usize {
        self.shapes.len()
    }
}
