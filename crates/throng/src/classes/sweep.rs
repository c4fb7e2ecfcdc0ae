//! Every node of a lattice, each rolled up from the one just below it in a fixed order of attributes.
//!
//! Attributes of many leaves come first. A node is counted from the one in which the last attribute that it
//! raises is a level lower; for most nodes that is an attribute of few values, so that the source has hardly more
//! classes than the node. Only the path to a node is held in memory.

use rayon::prelude::*;

use super::visitor::SeenSnapshot;
use super::{ClassVisitor, Grid, Key, NodeView, PARALLEL_WORK, PIECE, Rules, Snapshot};
use crate::lattice::{Lattice, Node};
use crate::stop::GoOn;

/// Nodes of which all that was seen is held before it is handed over.
const AT_ONCE: u128 = 1 << 16;

/// A node and what was seen of it.
pub(crate) type SeenNode = (Node, NodeView);

/// Takes what was seen, in an order that does not depend on threads.
pub(crate) type TakeSeen<'a> = &'a mut dyn FnMut(Vec<SeenNode>);

pub(super) struct Sweep<'s> {
    rules: &'s Rules,
    visitor: &'s dyn ClassVisitor,
    lattice: &'s Lattice,
    /// The attributes, those of most leaves first.
    order: Vec<usize>,
    pace: Pace<'s>,
}

/// What may end a sweep.
#[derive(Clone, Copy)]
pub(crate) struct Pace<'s> {
    /// Asked before each count.
    pub(crate) next: &'s (dyn Fn() -> bool + Sync),
    /// Asked while one goes on.
    pub(crate) go_on: &'s GoOn<'s>,
}

impl<'s> Sweep<'s> {
    pub(super) fn new(
        rules: &'s Rules,
        lattice: &'s Lattice,
        visitor: &'s dyn ClassVisitor,
        pace: Pace<'s>,
    ) -> Sweep<'s> {
        let mut order: Vec<usize> = (0..lattice.attributes()).collect();
        order.sort_by_key(|&a| std::cmp::Reverse(rules.codes.values(a, 0).len()));
        Sweep { rules, visitor, lattice, order, pace }
    }

    /// Looks at all nodes, which start from the classes of the table.
    pub(super) fn run<K: Key>(&self, table: &Snapshot<K>, take: TakeSeen<'_>) {
        if let Some(bottom) = self.count(self.lattice.bottom(), table) {
            self.hand_over(bottom, 0, take);
        }
    }

    /// Looks at a node and all that raise attributes from `place` on, as many at a time as are held.
    fn hand_over<K: Key>(&self, snapshot: Snapshot<K>, place: usize, take: TakeSeen<'_>) {
        if self.nodes_from(&snapshot.node, place) <= AT_ONCE {
            return take(self.look(snapshot, place));
        }
        take(vec![self.see(&snapshot)]);
        for place in self.raisable(&snapshot.node, place) {
            if let Some(raised) = self.raise(&snapshot, place) {
                self.hand_over(raised, place, take);
            }
        }
    }

    /// The same, all at once.
    fn look<K: Key>(&self, snapshot: Snapshot<K>, place: usize) -> Vec<SeenNode> {
        let mut seen = vec![self.see(&snapshot)];
        let places = self.raisable(&snapshot.node, place);
        let above = |snapshot: Option<Snapshot<K>>, place: usize| {
            snapshot.map_or_else(Vec::new, |snapshot| self.look(snapshot, place))
        };
        // Fewer classes are not worth a task; more are grouped on all cores as it is.
        if (PARALLEL_WORK..=2 * PIECE).contains(&snapshot.classes.len()) {
            let places = places.into_par_iter();
            let parts: Vec<Vec<SeenNode>> =
                places.map(|place| above(self.raise(&snapshot, place), place)).collect();
            seen.extend(parts.into_iter().flatten());
        } else if let Some((&last, others)) = places.split_last() {
            others.iter().for_each(|&place| seen.extend(above(self.raise(&snapshot, place), place)));
            let raised = self.raise(&snapshot, last);
            // The longest paths are those that raise one attribute again and again.
            drop(snapshot);
            seen.extend(above(raised, last));
        }
        seen
    }

    /// Places from `place` on whose attributes can be raised, that one last.
    fn raisable(&self, node: &Node, place: usize) -> Vec<usize> {
        let can =
            |&place: &usize| node.levels()[self.order[place]] < self.lattice.heights()[self.order[place]];
        (place..self.order.len()).rev().filter(can).collect()
    }

    fn nodes_from(&self, node: &Node, place: usize) -> u128 {
        let left = |&a: &usize| u128::from(self.lattice.heights()[a] - node.levels()[a]) + 1;
        self.order[place..].iter().map(left).fold(1, u128::saturating_mul)
    }

    fn raise<K: Key>(&self, snapshot: &Snapshot<K>, place: usize) -> Option<Snapshot<K>> {
        let a = self.order[place];
        self.count(snapshot.node.with(a, snapshot.node.level(a) + 1), snapshot)
    }

    fn count<K: Key>(&self, node: Node, source: &Snapshot<K>) -> Option<Snapshot<K>> {
        if !(self.pace.next)() {
            return None;
        }
        self.rules.classes(&Grid::of_node(&node), source, true, self.pace.go_on).ok()
    }

    fn see<K: Key>(&self, snapshot: &Snapshot<K>) -> SeenNode {
        let grid = Grid::of_node(&snapshot.node);
        let classes = SeenSnapshot { rules: self.rules, grid: &grid, snapshot };
        (snapshot.node.clone(), self.visitor.see(&snapshot.node, &classes))
    }
}
