//! Walks from a node to all above or below it.

use super::{Index, Level, Node};

/// Where a walk goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WalkDirection {
    Up,
    Down,
}

impl Index {
    /// Visits a node and those below it, by their numbers. Where `visit` says no, it goes no further, as all below
    /// were visited before.
    ///
    /// # Errors
    /// What `visit` stops with.
    pub(crate) fn walk_below<E>(
        &self,
        node: &Node,
        mut visit: impl FnMut(usize) -> Result<bool, E>,
    ) -> Result<(), E> {
        let left = node.0.iter().zip(&self.floors).map(|(level, floor)| level - floor);
        self.walk(self.index(node), &mut left.collect::<Vec<_>>(), 0, WalkDirection::Down, &mut visit)
    }

    /// As [`walk_below`](Self::walk_below), of those above.
    ///
    /// # Errors
    /// What `visit` stops with.
    pub(crate) fn walk_above<E>(
        &self,
        node: &Node,
        mut visit: impl FnMut(usize) -> Result<bool, E>,
    ) -> Result<(), E> {
        let left = (0..node.0.len()).map(|a| self.height(a) - node.0[a]);
        self.walk(self.index(node), &mut left.collect::<Vec<_>>(), 0, WalkDirection::Up, &mut visit)
    }

    /// Goes on from a node with `left` levels of each attribute to go, and changes none before `from`: so every node
    /// is reached on one way only.
    fn walk<E>(
        &self,
        at: usize,
        left: &mut [Level],
        from: usize,
        way: WalkDirection,
        visit: &mut impl FnMut(usize) -> Result<bool, E>,
    ) -> Result<(), E> {
        if !visit(at)? {
            return Ok(());
        }
        for a in from..left.len() {
            if left[a] > 0 {
                let stride = self.stride(a);
                let next = if way == WalkDirection::Up { at + stride } else { at - stride };
                left[a] -= 1;
                self.walk(next, left, a, way, visit)?;
                left[a] += 1;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Lattice;

    fn visited(index: &Index, node: &Node, way: WalkDirection) -> Vec<usize> {
        let mut all = Vec::new();
        let visit = |at: usize| {
            all.push(at);
            Ok::<bool, ()>(true)
        };
        match way {
            WalkDirection::Up => index.walk_above(node, visit).unwrap(),
            WalkDirection::Down => index.walk_below(node, visit).unwrap(),
        }
        all
    }

    #[test]
    fn all_above_and_below_are_visited_once() {
        let whole = Lattice::new(&[2, 0, 4, 2]);
        let lattice = whole.between(&Node::new(vec![0, 0, 1, 1]), &whole.top());
        let index = Index::new(&lattice).unwrap();
        for node in lattice.nodes() {
            let is_below = |a: &Node, b: &Node| a.0.iter().zip(&b.0).all(|(a, b)| a <= b);
            for way in [WalkDirection::Up, WalkDirection::Down] {
                let fits = |other: &Node| match way {
                    WalkDirection::Up => is_below(&node, other),
                    WalkDirection::Down => is_below(other, &node),
                };
                let mut found = visited(&index, &node, way);
                found.sort_unstable();
                let expected: Vec<usize> =
                    lattice.nodes().filter(fits).map(|node| index.index(&node)).collect();
                assert_eq!(found, expected, "{node:?}");
            }
        }
    }

    #[test]
    fn a_walk_goes_on_from_no_node_that_it_is_told_to_leave() {
        let lattice = Lattice::new(&[3, 3]);
        let index = Index::new(&lattice).unwrap();
        let mut visits = 0;
        let stop_at_once = index.walk_below(&lattice.top(), |_| {
            visits += 1;
            Ok::<bool, ()>(false)
        });
        assert_eq!((stop_at_once, visits), (Ok(()), 1));
        assert_eq!(index.walk_above(&lattice.bottom(), |at| if at < 2 { Ok(true) } else { Err(at) }), Err(4));
    }
}
