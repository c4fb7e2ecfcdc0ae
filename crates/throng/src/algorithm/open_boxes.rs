//! Boxes of candidates that a branch and bound has still to divide.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Boxes with lower bounds; the next is that of the least bound, then the latest: it is nearest to an end.
pub(in crate::algorithm) struct OpenBoxes<B> {
    heap: BinaryHeap<OpenBox<B>>,
    /// Boxes so far.
    made: u64,
}

/// A box; the greatest is the next.
struct OpenBox<B> {
    bound: i128,
    number: u64,
    of: B,
}

impl<B> OpenBoxes<B> {
    pub(in crate::algorithm) fn new() -> OpenBoxes<B> {
        OpenBoxes { heap: BinaryHeap::new(), made: 0 }
    }

    /// How many fit into so many bytes, if each has so many of its own beside what every one takes.
    pub(in crate::algorithm) const fn fitting(bytes: usize, own_bytes: usize) -> usize {
        bytes / (size_of::<OpenBox<B>>() + own_bytes)
    }

    pub(in crate::algorithm) fn push(&mut self, bound: i128, of: B) {
        self.made += 1;
        self.heap.push(OpenBox { bound, number: self.made, of });
    }

    pub(in crate::algorithm) fn pop(&mut self) -> Option<(i128, B)> {
        self.heap.pop().map(|open| (open.bound, open.of))
    }

    /// What every open box costs at least.
    pub(in crate::algorithm) fn least_bound(&self) -> Option<i128> {
        self.heap.peek().map(|open| open.bound)
    }

    pub(in crate::algorithm) fn len(&self) -> usize {
        self.heap.len()
    }

    pub(in crate::algorithm) fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    pub(in crate::algorithm) fn clear(&mut self) {
        self.heap.clear();
    }
}

impl<B> Ord for OpenBox<B> {
    fn cmp(&self, other: &OpenBox<B>) -> Ordering {
        other.bound.cmp(&self.bound).then(self.number.cmp(&other.number))
    }
}

impl<B> PartialOrd for OpenBox<B> {
    fn partial_cmp(&self, other: &OpenBox<B>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<B> PartialEq for OpenBox<B> {
    fn eq(&self, other: &OpenBox<B>) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<B> Eq for OpenBox<B> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_bound_is_next_then_the_latest() {
        let mut open = OpenBoxes::new();
        for (bound, of) in [(3, 'a'), (1, 'b'), (2, 'c'), (1, 'd')] {
            open.push(bound, of);
        }
        assert_eq!(open.least_bound(), Some(1));
        let order: Vec<char> = std::iter::from_fn(|| open.pop()).map(|(_, of)| of).collect();
        assert_eq!(order, ['d', 'b', 'c', 'a']);
    }
}
