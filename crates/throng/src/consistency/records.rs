//! The two sides of the graph: original tuples and distinct released records, sorted.

use rayon::prelude::*;

use super::labels::LeafLabels;
use super::trie::{Trie, Walk, shared_prefix};

/// Tuples that one piece of work looks up; fixed, so that results do not depend on threads.
const PIECE: usize = 1024;

/// Fixed-width rows of numbers.
struct Matrix {
    width: usize,
    cells: Vec<u32>,
}

impl Matrix {
    fn new(rows: usize, order: &[usize], cell: impl Fn(usize, usize) -> u32) -> Matrix {
        let cells = (0..rows).flat_map(|row| order.iter().map(move |&a| (row, a)));
        Matrix { width: order.len(), cells: cells.map(|(row, a)| cell(row, a)).collect() }
    }

    fn row(&self, row: u32) -> &[u32] {
        &self.cells[row as usize * self.width..][..self.width]
    }

    /// Row numbers in lexicographic order.
    fn sorted(&self) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..(self.cells.len() / self.width) as u32).collect();
        rows.par_sort_unstable_by(|&a, &b| self.row(a).cmp(self.row(b)).then(a.cmp(&b)));
        rows
    }
}

/// What is released, as an index.
pub(super) struct Records {
    labels: Vec<LeafLabels>,
    /// The attributes, those that tell most records from a tuple first.
    order: Vec<usize>,
    trie: Trie,
    /// The record of each released part, in the order given.
    pub(super) of_part: Vec<u32>,
    /// Rows of each record.
    pub(super) rows: Vec<u64>,
}

impl Records {
    /// The distinct records of some released places: `label` says what each shows of an attribute, `rows`
    /// how many rows it has. `order` is that of the attributes.
    pub(super) fn new(
        labels: Vec<LeafLabels>,
        order: Vec<usize>,
        places: usize,
        label: impl Fn(&[LeafLabels], usize, usize) -> u32,
        rows_of: impl Fn(usize) -> u64,
    ) -> Records {
        let matrix = Matrix::new(places, &order, |place, a| label(&labels, place, a));
        let sorted = matrix.sorted();
        let groups = || sorted.chunk_by(|&a, &b| matrix.row(a) == matrix.row(b));
        let trie = Trie::new(order.len(), groups().map(|group| matrix.row(group[0])));
        let (mut of_part, mut rows) = (vec![0; places], Vec::new());
        for group in groups() {
            group.iter().for_each(|&place| of_part[place as usize] = rows.len() as u32);
            rows.push(group.iter().map(|&place| rows_of(place as usize)).sum());
        }
        Records { labels, order, trie, of_part, rows }
    }

    /// For each of so many tuples the records that are consistent with it, ascending; `leaf` says what
    /// each has of an attribute.
    pub(super) fn consistent(&self, tuples: usize, leaf: impl Fn(usize, usize) -> u32) -> Lists {
        let matrix = Matrix::new(tuples, &self.order, leaf);
        let sorted = matrix.sorted();
        let pieces = sorted.par_chunks(PIECE).map(|piece| self.look_up(&matrix, piece)).collect();
        let mut place_of = vec![0; tuples];
        sorted.iter().zip(0..).for_each(|(&tuple, place)| place_of[tuple as usize] = place);
        Lists { place_of, pieces }
    }

    fn look_up(&self, tuples: &Matrix, piece: &[u32]) -> Piece {
        let mut walk = Walk::new(&self.trie);
        let mut last: Option<&[u32]> = None;
        let mut found = Piece { starts: vec![0], records: Vec::new() };
        for &tuple in piece {
            let leaves = tuples.row(tuple);
            let shared = last.map_or(0, |last| shared_prefix(last, leaves));
            let records = walk.next(shared, |depth| self.labels[self.order[depth]].of_leaf(leaves[depth]));
            found.records.extend_from_slice(records);
            found.starts.push(found.records.len());
            last = Some(leaves);
        }
        found.records.shrink_to_fit();
        found
    }
}

/// The attributes by the number of pairs of an original and a released tuple that are consistent in them.
pub(super) fn by_selectivity<L, R>(
    labels: &[LeafLabels],
    leaves: impl Fn(usize) -> L,
    released: impl Fn(usize) -> R,
) -> Vec<usize>
where
    L: Iterator<Item = u32>,
    R: Iterator<Item = u32>,
{
    let pairs = |a: usize| -> u64 {
        let covered = labels[a].count(leaves(a));
        released(a).map(|label| covered[label as usize]).sum()
    };
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by_cached_key(|&a| (pairs(a), a));
    order
}

/// A list of records for each tuple.
pub(super) struct Lists {
    place_of: Vec<u32>,
    pieces: Vec<Piece>,
}

struct Piece {
    starts: Vec<usize>,
    records: Vec<u32>,
}

impl Lists {
    pub(super) fn list(&self, tuple: usize) -> &[u32] {
        let place = self.place_of[tuple] as usize;
        let (piece, place) = (&self.pieces[place / PIECE], place % PIECE);
        &piece.records[piece.starts[place]..piece.starts[place + 1]]
    }
}
