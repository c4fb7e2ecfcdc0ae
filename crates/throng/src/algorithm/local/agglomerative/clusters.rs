//! The clusters of a run, numbered in the order in which they came to be.

use super::distance::ClusterShape;
use crate::algorithm::local::admissible::{Admissibility, Contents};
use crate::algorithm::local::closure::Closures;
use crate::algorithm::local::pieces::Piece;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Number of a cluster; that of a piece is also that of the cluster that it begins as.
pub(super) type Id = u32;

const NONE: u32 = u32::MAX;

/// Pieces that become clusters between two questions whether to go on.
const ASK: usize = 1 << 16;

/// Every cluster that ever was.
///
/// Invariant: the pieces of a cluster are a chain from `first` to `last`; a cluster that was merged
/// or taken apart has lost its chain and is not active.
pub(super) struct ClusterHistory {
    attributes: usize,
    /// Closures, one after the other.
    records: Vec<ValueId>,
    shapes: Vec<ClusterShape>,
    active: Vec<bool>,
    ends: Vec<(Id, Id)>,
    /// The piece after each in its cluster.
    next: Vec<Id>,
    /// The tuple of each piece.
    tuples: Vec<u32>,
    /// What each cluster holds, if more than its size decides whether it is ripe.
    contents: Option<Vec<Contents>>,
}

impl ClusterHistory {
    /// One cluster a piece, none of them active.
    pub(super) fn new(
        problem: &Problem,
        pieces: &[Piece],
        closures: &Closures,
        admissibility: &Admissibility,
        run: &Run<'_>,
    ) -> Result<ClusterHistory, Stop> {
        let (table, attributes) = (problem.table(), closures.attributes());
        let mut clusters = ClusterHistory {
            attributes,
            records: Vec::with_capacity(pieces.len() * attributes),
            shapes: Vec::with_capacity(pieces.len()),
            active: Vec::new(),
            ends: Vec::new(),
            next: Vec::new(),
            tuples: Vec::new(),
            contents: admissibility.by_size().is_none().then(Vec::new),
        };
        let mut record = vec![0; attributes];
        for (at, piece) in pieces.iter().enumerate() {
            if at % ASK == 0 {
                run.go_on()?;
            }
            (0..attributes).for_each(|a| record[a] = table.column(a)[piece.tuple as usize]);
            let shape = ClusterShape { size: piece.rows, cost: closures.cost(&record) };
            clusters.push_piece(&record, shape, piece.tuple);
            if let Some(contents) = &mut clusters.contents {
                contents.push(admissibility.contents(table, piece.tuple, piece.rows));
            }
        }
        Ok(clusters)
    }

    fn push_piece(&mut self, record: &[ValueId], shape: ClusterShape, tuple: u32) -> Id {
        let id = self.len() as Id;
        self.push(record, shape, (id, id));
        self.tuples[id as usize] = tuple;
        id
    }

    fn push(&mut self, record: &[ValueId], shape: ClusterShape, ends: (Id, Id)) -> Id {
        self.records.extend_from_slice(record);
        self.shapes.push(shape);
        self.active.push(false);
        self.ends.push(ends);
        self.next.push(NONE);
        self.tuples.push(NONE);
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
        if let Some(contents) = &mut self.contents {
            let mut union = std::mem::take(&mut contents[a as usize]);
            union.add(&contents[b as usize]);
            contents.push(union);
        }
        self.push(&record, ClusterShape { size, cost: closures.cost(&record) }, (head.0, tail.1))
    }

    /// A new cluster of one piece, which must be in no other.
    pub(super) fn begin(&mut self, piece: Id) -> Id {
        self.next[piece as usize] = NONE;
        let record = self.record(piece).to_vec();
        if let Some(contents) = &mut self.contents {
            contents.push(contents[piece as usize].clone());
        }
        self.push(&record, self.shape(piece), (piece, piece))
    }

    /// A new piece, and the cluster that it begins as, of some rows of another. Size alone must decide
    /// what is ripe.
    pub(super) fn divide(&mut self, piece: Id, rows: u32) -> Id {
        let shape = self.shape(piece);
        self.shapes[piece as usize].size -= rows;
        let record = self.record(piece).to_vec();
        self.push_piece(&record, ClusterShape { size: rows, ..shape }, self.tuples[piece as usize])
    }

    /// Gives a cluster other pieces.
    pub(super) fn set_pieces(&mut self, cluster: Id, pieces: &[Id], closures: &Closures) {
        for pair in pieces.windows(2) {
            self.next[pair[0] as usize] = pair[1];
        }
        let (first, last) = (pieces[0], pieces[pieces.len() - 1]);
        self.next[last as usize] = NONE;
        let mut record = self.record(first).to_vec();
        pieces.iter().for_each(|&piece| closures.extend(&mut record, self.record(piece)));
        let size = pieces.iter().map(|&piece| self.shape(piece).size).sum();
        self.shapes[cluster as usize] = ClusterShape { size, cost: closures.cost(&record) };
        let start = cluster as usize * self.attributes;
        self.records[start..start + self.attributes].copy_from_slice(&record);
        self.ends[cluster as usize] = (first, last);
        if self.contents.is_some() {
            let together = self.contents_of(pieces.iter().copied());
            self.contents.iter_mut().for_each(|all| all[cluster as usize] = together.clone());
        }
    }

    /// The pieces of a cluster, in ascending order.
    pub(super) fn pieces(&self, cluster: Id) -> Vec<Id> {
        let mut pieces = Vec::new();
        let (mut at, last) = self.ends[cluster as usize];
        while at != last {
            pieces.push(at);
            at = self.next[at as usize];
        }
        pieces.push(last);
        pieces.sort_unstable();
        pieces
    }

    /// A piece as rows of its tuple.
    pub(super) fn piece(&self, piece: Id) -> Piece {
        Piece { tuple: self.tuples[piece as usize], rows: self.shape(piece).size }
    }

    /// The piece that a cluster is, if it is one.
    pub(super) fn only_piece(&self, cluster: Id) -> Option<Id> {
        let (first, last) = self.ends[cluster as usize];
        (first == last).then_some(first)
    }

    /// Whether a cluster may be released.
    #[inline]
    pub(super) fn is_ripe(&self, cluster: Id, admissibility: &Admissibility) -> bool {
        match &self.contents {
            None => u64::from(self.shape(cluster).size) >= admissibility.least_rows(),
            Some(contents) => admissibility.is_ripe(&contents[cluster as usize]),
        }
    }

    /// What some clusters hold together.
    pub(super) fn contents_of(&self, clusters: impl Iterator<Item = Id>) -> Contents {
        let mut together = Contents::default();
        clusters.for_each(|cluster| match &self.contents {
            None => together.rows += u64::from(self.shape(cluster).size),
            Some(contents) => together.add(&contents[cluster as usize]),
        });
        together
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
