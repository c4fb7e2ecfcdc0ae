//! How a part is cut at the children of a value, though some of them have too few rows.

use super::axis::CutAxis;
use super::cut::{RegionCut, Scratch, rows_of};
use super::records::Region;
use super::{Cutting, part_tuple};
use crate::taxonomy::ValueId;

/// The children of a value as intervals of ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Children<'a> {
    /// Ranks of the value: the first, and the one after the last.
    pub(super) span: (u32, u32),
    /// The first rank of each child but the first.
    pub(super) starts: &'a [u32],
}

impl Children<'_> {
    /// The number of the child that has a rank; ranks of other values have the number after the last.
    pub(super) fn child(&self, rank: u32) -> u32 {
        if (self.span.0..self.span.1).contains(&rank) {
            self.starts.partition_point(|&start| start <= rank) as u32
        } else {
            self.others()
        }
    }

    /// What records that the value does not cover have in place of a child.
    fn others(&self) -> u32 {
        self.starts.len() as u32 + 1
    }

    /// The first rank of a child.
    pub(super) fn first_rank(&self, child: u32) -> u32 {
        (child as usize).checked_sub(1).map_or(self.span.0, |before| self.starts[before])
    }
}

/// What goes together in one piece where every other child is a piece of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pool {
    /// Sorted.
    children: Vec<u32>,
    /// Another child, of which the tuples up to this one go with them.
    lender: Option<(u32, u32)>,
}

impl Pool {
    /// Some children.
    pub(super) fn new(mut children: Vec<u32>) -> Pool {
        children.sort_unstable();
        Pool { children, lender: None }
    }

    /// Whether every child is a piece of its own.
    pub(super) fn is_empty(&self) -> bool {
        self.children.is_empty()
    }

    pub(super) fn contains(&self, child: u32, tuple: u32) -> bool {
        let lent = self.lender.is_some_and(|(lender, last)| child == lender && tuple <= last);
        lent || self.children.binary_search(&child).is_ok()
    }
}

/// Whether every piece can have k rows, if some children go together.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ChildPieces {
    /// If these do.
    Allowable(Pool),
    /// No: all others lack rows even together.
    Only(u32),
    /// No: there is no child with k rows.
    None,
}

/// The pieces of a part that has these children, as (rows, child).
///
/// Children with fewer than k rows go together, with the smallest other if they still lack rows.
fn pieces(children: &mut [(u32, u32)], k: u64) -> ChildPieces {
    children.sort_unstable();
    let small = children.partition_point(|&(rows, _)| u64::from(rows) < k);
    let rows: u64 = children[..small].iter().map(|&(rows, _)| u64::from(rows)).sum();
    let pooled = small + usize::from(small > 0 && rows < k);
    match &children[small..] {
        [_, ..] if pooled < children.len() => ChildPieces::Allowable(Pool::new(numbers(&children[..pooled]))),
        [(_, only)] => ChildPieces::Only(*only),
        _ => ChildPieces::None,
    }
}

fn numbers(children: &[(u32, u32)]) -> Vec<u32> {
    children.iter().map(|&(_, child)| child).collect()
}

impl Scratch {
    /// The cut at the children of the value that covers a part.
    pub(super) fn cut_children(
        &mut self,
        part: &Region<'_>,
        axis: usize,
        node: ValueId,
        search: &Cutting<'_, '_>,
    ) -> Option<RegionCut> {
        let children = search.axes[axis].children(node);
        let pool = match self.pieces(part, axis, children, search) {
            ChildPieces::Allowable(pool) => pool,
            ChildPieces::None => return None,
            ChildPieces::Only(only) => {
                self.blocked.push((axis, node, only));
                let may_lend = search.relaxed && search.admissibility.by_size().is_some();
                may_lend.then(|| self.borrow(part, axis, children, search.k))??
            }
        };
        Some(RegionCut::Children { axis, node, pool })
    }

    /// The cut at the children of the only child that has k rows, or of its only child that has, and so
    /// on; what these do not cover goes together with those of them that have too few.
    ///
    /// If there is none, no value of the taxonomy divides the part into two that have k rows each.
    pub(super) fn cut_below(
        &mut self,
        part: &Region<'_>,
        (axis, mut node, mut only): (usize, ValueId, u32),
        search: &Cutting<'_, '_>,
    ) -> Option<RegionCut> {
        loop {
            node = inner_child(&search.axes[axis], node, only)?;
            match self.pieces(part, axis, search.axes[axis].children(node), search) {
                ChildPieces::Allowable(pool) => return Some(RegionCut::Children { axis, node, pool }),
                ChildPieces::Only(next) => only = next,
                ChildPieces::None => return None,
            }
        }
    }

    fn pieces(
        &mut self,
        part: &Region<'_>,
        axis: usize,
        children: Children<'_>,
        search: &Cutting<'_, '_>,
    ) -> ChildPieces {
        if search.admissibility.by_size().is_none() {
            return search.pieces(part, |record| children.child(record[axis]));
        }
        self.count_children(part, axis, children);
        pieces(&mut self.sorted, search.k)
    }

    fn count_children(&mut self, part: &Region<'_>, axis: usize, children: Children<'_>) {
        let (least, most) = self.bounds[axis];
        let (first, last) = (children.child(least), children.child(most));
        let others = children.others();
        let range = if first == others || last == others { (0, others) } else { (first, last) };
        self.count(part, range, |record| children.child(record[axis]));
        self.sorted.iter_mut().for_each(|(child, rows)| std::mem::swap(child, rows));
    }

    /// All children but the last counted, which has k rows, and as many tuples of that one as they lack
    /// rows.
    fn borrow(&mut self, part: &Region<'_>, axis: usize, children: Children<'_>, k: u64) -> Option<Pool> {
        let (&(rows, lender), small) = self.sorted.split_last().expect("a child with k rows");
        let mut pool = numbers(small);
        pool.sort_unstable();
        let mut lacking = k + u64::from(rows) - self.rows;
        let mut spare = u64::from(rows) - k;
        let of_lender = part.records().filter(|record| children.child(record[axis]) == lender);
        self.sorted.clear();
        self.sorted.extend(of_lender.map(|record| (part_tuple(record), rows_of(record))));
        self.sorted.sort_unstable();
        for &(tuple, rows) in &self.sorted {
            spare = spare.checked_sub(u64::from(rows))?;
            lacking = lacking.saturating_sub(u64::from(rows));
            if lacking == 0 {
                return Some(Pool { children: pool, lender: Some((lender, tuple)) });
            }
        }
        None
    }
}

/// A child that has children.
fn inner_child(axis: &CutAxis, node: ValueId, child: u32) -> Option<ValueId> {
    let value = axis.child(node, axis.children(node).first_rank(child));
    let (first, end) = axis.children(value).span;
    (end - first > 1).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_children_go_together() {
        let of = |children: &[(u32, u32)]| pieces(&mut children.to_vec(), 5);
        let pool =
            |children: &[u32]| ChildPieces::Allowable(Pool { children: children.to_vec(), lender: None });
        assert_eq!(of(&[(9, 0), (5, 1)]), pool(&[]));
        assert_eq!(of(&[(9, 0), (3, 1), (6, 2), (2, 3)]), pool(&[1, 3]));
        assert_eq!(of(&[(9, 0), (3, 1), (6, 2)]), pool(&[1, 2]), "three rows need more");
        assert_eq!(of(&[(9, 0), (3, 1)]), ChildPieces::Only(0));
        assert_eq!(of(&[(3, 0), (3, 1)]), ChildPieces::None);
        assert_eq!(of(&[(1, 0), (1, 1)]), ChildPieces::None);
    }

    #[test]
    fn ranks_have_children() {
        let children = Children { span: (2, 9), starts: &[4, 5] };
        assert_eq!([1, 2, 3, 4, 5, 8, 9].map(|rank| children.child(rank)), [3, 0, 0, 1, 2, 2, 3]);
        assert_eq!([0, 1, 2].map(|child| children.first_rank(child)), [2, 4, 5]);
    }

    #[test]
    fn a_pool_has_children_and_tuples_of_another() {
        let pool = Pool { children: vec![1, 4], lender: Some((2, 70)) };
        assert!(pool.contains(4, 99) && pool.contains(2, 70));
        assert!(!pool.contains(2, 71) && !pool.contains(3, 0));
    }
}
