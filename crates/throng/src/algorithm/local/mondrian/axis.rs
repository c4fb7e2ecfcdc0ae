//! An attribute as an axis on which parts are intervals.

use std::cmp::Reverse;

use super::children::Children;
use crate::problem::Attribute;
use crate::taxonomy::{Scheme, Taxonomy, ValueId};

/// The leaves of an attribute in an order, and what an interval of them means.
///
/// On a line the order is that of the numbers, with missing ones before all; in a set it is that
/// of the rows, most first; in a tree the leaves of each value are neighbours.
pub(super) struct CutAxis {
    /// The place of each leaf.
    ranks: Vec<u32>,
    shape: AxisShape,
}

enum AxisShape {
    /// Where each rank lies, as a share of the whole range; none for a missing number.
    Line(Vec<Option<f64>>),
    /// The number of values that occur.
    Set(u32),
    Tree(LeafOrder),
}

/// The values of a taxonomy as intervals of ranks.
struct LeafOrder {
    /// The leaf of each rank.
    leaves: Vec<ValueId>,
    parents: Vec<ValueId>,
    /// By value: its first rank and the one after its last.
    spans: Vec<(u32, u32)>,
    /// By value: the first rank of each child but the first.
    starts: Vec<Box<[u32]>>,
}

/// How an axis is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AxisCut {
    /// Between two ranks; missing numbers, if any occur, have the first rank.
    Between {
        /// Whether rank 0 is a missing number.
        missing: bool,
    },
    /// At the children of the value that covers the part.
    Children(ValueId),
}

impl CutAxis {
    pub(super) fn new(attribute: &Attribute) -> CutAxis {
        let taxonomy = &attribute.taxonomy;
        match taxonomy.scheme() {
            Scheme::Tree => CutAxis::tree(taxonomy),
            Scheme::Ranges => CutAxis::line(&places(taxonomy)),
            Scheme::Sets { .. } => CutAxis::set(attribute.leaf_rows()),
        }
    }

    /// The axis of an attribute whose values lie one after the other: numbers on their line, and values of a set as
    /// codes in their own order; where trees are codes, too, those of a tree in the order in which the leaves of each
    /// value are neighbours. Other trees are as they are.
    pub(super) fn in_order(attribute: &Attribute, trees_are_codes: bool) -> CutAxis {
        let taxonomy = &attribute.taxonomy;
        let codes = |rank: &dyn Fn(ValueId) -> u32| {
            let leaves = 0..taxonomy.leaf_total() as ValueId;
            CutAxis::line(&leaves.map(|leaf| Some((rank(leaf), f64::from(rank(leaf))))).collect::<Vec<_>>())
        };
        match taxonomy.scheme() {
            Scheme::Ranges => CutAxis::line(&places(taxonomy)),
            Scheme::Sets { .. } => codes(&|leaf| leaf),
            Scheme::Tree => {
                let tree = CutAxis::tree(taxonomy);
                if trees_are_codes { codes(&|leaf| tree.rank(leaf)) } else { tree }
            }
        }
    }

    /// The axis of numbers that generalise to ranges, from the place and the position of each leaf; one
    /// without is missing.
    fn line(leaves: &[Option<(u32, f64)>]) -> CutAxis {
        // Places are in the order of the numbers, also of those that are too close for positions.
        let mut line: Vec<Option<(u32, f64)>> = leaves.to_vec();
        line.sort_unstable_by_key(|leaf| leaf.map(|(place, _)| place));
        line.dedup_by_key(|leaf| leaf.map(|(place, _)| place));
        let missing = u32::from(line[0].is_none());
        let rank = |leaf: &Option<(u32, f64)>| leaf.map_or(0, |(place, _)| place + missing);
        let ranks = leaves.iter().map(rank).collect();
        let positions = || line.iter().map(|leaf| leaf.map(|(_, position)| position));
        let first = positions().flatten().next().unwrap_or(0.0);
        let last = positions().next_back().flatten().unwrap_or(first);
        let range = if last > first { last - first } else { 1.0 };
        let shares = positions().map(|position| position.map(|x| (x - first) / range));
        CutAxis { ranks, shape: AxisShape::Line(shares.collect()) }
    }

    /// The axis of values that generalise to sets, by how many rows have each.
    fn set(leaf_rows: &[u64]) -> CutAxis {
        let mut order: Vec<usize> = (0..leaf_rows.len()).collect();
        order.sort_by_key(|&leaf| Reverse(leaf_rows[leaf]));
        let mut ranks = vec![0; leaf_rows.len()];
        order.iter().enumerate().for_each(|(rank, &leaf)| ranks[leaf] = rank as u32);
        let values = leaf_rows.iter().filter(|&&rows| rows > 0).count();
        CutAxis { ranks, shape: AxisShape::Set(values as u32) }
    }

    fn tree(taxonomy: &Taxonomy) -> CutAxis {
        let tree = LeafOrder::new(taxonomy);
        let mut ranks = vec![0; taxonomy.leaf_total()];
        tree.leaves.iter().enumerate().for_each(|(rank, &leaf)| ranks[leaf as usize] = rank as u32);
        CutAxis { ranks, shape: AxisShape::Tree(tree) }
    }

    /// The place of a leaf.
    pub(super) fn rank(&self, leaf: ValueId) -> u32 {
        self.ranks[leaf as usize]
    }

    /// Whether the width of a part depends on how many values it has.
    pub(super) fn is_set(&self) -> bool {
        matches!(self.shape, AxisShape::Set(_))
    }

    /// The share of the axis that a part from `least` to `most` takes; 0 for a single rank.
    /// `values` is the number of its ranks, which matters only for sets.
    pub(super) fn width(&self, least: u32, most: u32, values: usize) -> f64 {
        if least == most {
            return 0.0;
        }
        match &self.shape {
            AxisShape::Line(places) => match (places[least as usize], places[most as usize]) {
                (Some(from), Some(to)) => to - from,
                _ => 1.0,
            },
            AxisShape::Set(all) => values as f64 / f64::from(*all),
            AxisShape::Tree(tree) => {
                let (start, end) = tree.spans[tree.cover(least, most) as usize];
                f64::from(end - start) / tree.leaves.len() as f64
            }
        }
    }

    /// How a part from `least` to `most` is cut.
    pub(super) fn way(&self, least: u32, most: u32) -> AxisCut {
        match &self.shape {
            AxisShape::Line(places) => AxisCut::Between { missing: places[0].is_none() },
            AxisShape::Set(_) => AxisCut::Between { missing: false },
            AxisShape::Tree(tree) => AxisCut::Children(tree.cover(least, most)),
        }
    }

    /// The children of a value.
    ///
    /// # Panics
    /// If the axis is no tree.
    pub(super) fn children(&self, value: ValueId) -> Children<'_> {
        let tree = self.as_tree();
        Children { span: tree.spans[value as usize], starts: &tree.starts[value as usize] }
    }

    /// The child of a value that covers a rank, which the value does.
    ///
    /// # Panics
    /// If the axis is no tree.
    pub(super) fn child(&self, value: ValueId, rank: u32) -> ValueId {
        let tree = self.as_tree();
        let mut child = tree.leaves[rank as usize];
        while tree.parents[child as usize] != value {
            child = tree.parents[child as usize];
        }
        child
    }

    fn as_tree(&self) -> &LeafOrder {
        match &self.shape {
            AxisShape::Tree(tree) => tree,
            _ => unreachable!("only values of a taxonomy have children"),
        }
    }
}

/// The place and the position of each leaf; none for a missing number.
fn places(taxonomy: &Taxonomy) -> Vec<Option<(u32, f64)>> {
    let leaves = taxonomy.values()[..taxonomy.leaf_total()].iter().enumerate();
    let place = |leaf: usize| taxonomy.place(leaf as ValueId);
    leaves.map(|(leaf, value)| value.extent.map(|extent| (place(leaf), extent.min))).collect()
}

impl LeafOrder {
    fn new(taxonomy: &Taxonomy) -> LeafOrder {
        let parents: Vec<ValueId> = taxonomy.values().iter().map(|value| value.parent).collect();
        let mut children: Vec<Vec<ValueId>> = vec![Vec::new(); parents.len()];
        for (value, &parent) in parents.iter().enumerate() {
            if value as ValueId != taxonomy.root() {
                children[parent as usize].push(value as ValueId);
            }
        }
        let mut tree =
            LeafOrder { leaves: Vec::new(), spans: vec![(0, 0); parents.len()], starts: vec![], parents };
        tree.place(taxonomy.root(), &children);
        let start = |&child: &ValueId| tree.spans[child as usize].0;
        tree.starts = children.iter().map(|values| values.iter().skip(1).map(start).collect()).collect();
        tree
    }

    /// Gives ranks to the leaves of a value.
    fn place(&mut self, value: ValueId, children: &[Vec<ValueId>]) {
        let start = self.leaves.len() as u32;
        let below = &children[value as usize];
        if below.is_empty() {
            self.leaves.push(value);
        }
        below.iter().for_each(|&child| self.place(child, children));
        self.spans[value as usize] = (start, self.leaves.len() as u32);
    }

    /// The lowest value that covers all ranks from `least` to `most`.
    fn cover(&self, least: u32, most: u32) -> ValueId {
        let mut value = self.leaves[least as usize];
        while self.spans[value as usize].1 <= most {
            value = self.parents[value as usize];
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lie_in_order_with_missing_ones_first() {
        let axis = CutAxis::line(&[Some((2, 40.0)), None, Some((0, 0.0)), Some((1, 10.0)), Some((2, 40.0))]);
        assert_eq!([0, 1, 2, 3, 4].map(|leaf| axis.rank(leaf)), [3, 0, 1, 2, 3]);
        assert_eq!((axis.width(1, 3, 3), axis.width(1, 2, 2), axis.width(2, 2, 1)), (1.0, 0.25, 0.0));
        assert_eq!(axis.width(0, 1, 2), 1.0, "nothing is known of a missing number");
        assert_eq!(axis.way(1, 3), AxisCut::Between { missing: true });
        assert_eq!(CutAxis::line(&[None, None]).width(0, 0, 1), 0.0);
    }

    /// Beside a number so large, the others have no distance from each other, but an order.
    #[test]
    fn numbers_too_close_for_a_distance_have_places() {
        let numbers = crate::taxonomy::ranges(&["-1e30", "4", "5", "5.0"], None).unwrap();
        let axis = CutAxis::line(&places(&numbers));
        assert_eq!([0, 1, 2, 3].map(|leaf| axis.rank(leaf)), [0, 1, 2, 2]);
        assert_eq!((axis.width(1, 2, 2), axis.width(0, 1, 2)), (0.0, 1.0));
    }

    #[test]
    fn values_of_sets_lie_by_frequency() {
        let axis = CutAxis::set(&[2, 9, 0, 2]);
        assert_eq!([0, 1, 2, 3].map(|leaf| axis.rank(leaf)), [1, 0, 3, 2]);
        assert_eq!(axis.width(0, 2, 2), 2.0 / 3.0, "a value that does not occur does not count");
        assert_eq!(axis.width(1, 1, 1), 0.0);
    }

    #[test]
    fn the_leaves_of_a_value_are_neighbours() {
        let rows = [["a", "x", "*"], ["b", "y", "*"], ["c", "x", "*"], ["d", "d", "*"]];
        let taxonomy = Taxonomy::from_rows(&rows).unwrap();
        let axis = CutAxis::tree(&taxonomy);
        let [a, b, c, d] = [0, 1, 2, 3].map(|leaf| axis.rank(leaf));
        assert_eq!(a.abs_diff(c), 1);
        let x = taxonomy.generalise(0, 1);
        assert_eq!(axis.way(a.min(c), a.max(c)), AxisCut::Children(x));
        assert_eq!(axis.width(a.min(c), a.max(c), 2), 0.5);
        let whole = [a, b, c, d].into_iter().max().unwrap();
        assert_eq!(axis.way(0, whole), AxisCut::Children(taxonomy.root()));
        assert_eq!(axis.children(taxonomy.root()).starts.len(), 2, "x, y and d");
        assert_eq!(axis.children(x).starts, [a.max(c)]);
        assert_eq!(axis.children(x).span, (a.min(c), a.max(c) + 1));
        assert_eq!((axis.child(taxonomy.root(), a), axis.child(x, a)), (x, 0));
    }
}
