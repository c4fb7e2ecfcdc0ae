//! All nodes by their sums, found one after the other.
//!
//! Pieces are sorted by themselves and merged as they are asked for: a search that ends early never pays for the
//! rest, and may stop between two pieces.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::AT_A_TIME;
use crate::run::{Run, Stop};

/// Numbers of nodes, those of the least sums first; of equal ones the first.
pub(crate) struct NodeOrder {
    sums: Arc<[f64]>,
    /// The nodes of each piece in order.
    pieces: Vec<std::vec::IntoIter<u32>>,
    /// The next of each piece, with its sum as bits: non-negative floats sort like these.
    next: BinaryHeap<Reverse<(u64, u32, usize)>>,
}

impl NodeOrder {
    pub(super) fn new(sums: Arc<[f64]>, run: &Run<'_>) -> Result<NodeOrder, Stop> {
        let mut pieces = Vec::with_capacity(sums.len().div_ceil(AT_A_TIME));
        for first in (0..sums.len()).step_by(AT_A_TIME) {
            run.go_on()?;
            let last = sums.len().min(first + AT_A_TIME);
            let mut piece: Vec<u32> = (first as u32..last as u32).collect();
            piece.sort_unstable_by_key(|&node| (sums[node as usize].to_bits(), node));
            pieces.push(piece.into_iter());
        }
        let mut order = NodeOrder { sums, pieces, next: BinaryHeap::new() };
        (0..order.pieces.len()).for_each(|piece| order.refill(piece));
        Ok(order)
    }

    fn refill(&mut self, piece: usize) {
        let next = self.pieces[piece].next();
        self.next.extend(next.map(|node| Reverse((self.sums[node as usize].to_bits(), node, piece))));
    }
}

impl Iterator for NodeOrder {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let Reverse((_, node, piece)) = self.next.pop()?;
        self.refill(piece);
        Some(node as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::problem::Problem;
    use crate::random::Random;
    use crate::requirement::Requirement;
    use crate::run::Unobserved;
    use crate::table::Table;
    use crate::taxonomy::Taxonomy;

    #[test]
    fn pieces_come_out_as_if_all_were_sorted_at_once() {
        let flat = Taxonomy::flat(&["a", "b"]).unwrap();
        let k = Requirement::new(KAnonymity { k: 1 });
        let lm = loss::find("lm").unwrap();
        let table = Table::from_rows(1, &[[0], [1]]);
        let problem = Problem::new(table, vec![("x".into(), flat, 1.0)], k, 0, lm).unwrap();
        let run = Run::new(&problem, None, &Unobserved);
        let mut random = Random::new(3);
        let sums: Vec<f64> = (0..2 * AT_A_TIME + 5).map(|_| random.below(1_000) as f64).collect();
        let mut expected: Vec<usize> = (0..sums.len()).collect();
        expected.sort_by(|&a, &b| sums[a].total_cmp(&sums[b]));
        assert!(NodeOrder::new(sums.into(), &run).unwrap().eq(expected));
    }
}
