//! The lattice of full-domain generalisations.

mod walk;

use std::fmt;

/// The level of a quasi-identifier: 0 is its values as they are.
pub type Level = u16;

/// One full-domain generalisation: a level for each quasi-identifier.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(Vec<Level>);

impl Node {
    /// A node from its levels.
    pub fn new(levels: Vec<Level>) -> Node {
        Node(levels)
    }

    /// The level of each attribute.
    pub fn levels(&self) -> &[Level] {
        &self.0
    }

    /// The level of one attribute.
    pub fn level(&self, attribute: usize) -> usize {
        usize::from(self.0[attribute])
    }

    /// Sum of the levels: the papers' level of generalisation.
    pub fn height(&self) -> usize {
        self.0.iter().map(|&level| usize::from(level)).sum()
    }

    /// Whether every level is at most that of `other`.
    pub fn is_below_or_equal(&self, other: &Node) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a <= b)
    }

    /// The highest node below both.
    #[must_use]
    pub fn meet(&self, other: &Node) -> Node {
        Node(self.0.iter().zip(&other.0).map(|(&a, &b)| a.min(b)).collect())
    }

    /// The same node with one attribute at another level.
    #[must_use]
    pub fn with(&self, attribute: usize, level: usize) -> Node {
        let mut levels = self.0.clone();
        levels[attribute] = level_of(level);
        Node(levels)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let levels: Vec<String> = self.0.iter().map(Level::to_string).collect();
        write!(f, "({})", levels.join(", "))
    }
}

fn level_of(level: usize) -> Level {
    Level::try_from(level).expect("a hierarchy has fewer levels")
}

/// All nodes between the raw table and the most general one.
///
/// ```
/// use throng::lattice::Lattice;
/// let lattice = Lattice::new(&[1, 2]);
/// assert_eq!(lattice.size(), 6);
/// assert_eq!(lattice.top().levels(), [1, 2]);
/// assert_eq!(lattice.at_height(1).count(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Lattice {
    floors: Vec<Level>,
    heights: Vec<Level>,
}

impl Lattice {
    /// The lattice over hierarchies of the given heights.
    pub fn new(heights: &[usize]) -> Lattice {
        Lattice { floors: vec![0; heights.len()], heights: heights.iter().map(|&h| level_of(h)).collect() }
    }

    /// The part of it between two nodes, of which the first is below the other. Levels keep their numbers.
    ///
    /// # Panics
    /// If the nodes are not such, or not of this lattice.
    #[must_use]
    pub fn between(&self, bottom: &Node, top: &Node) -> Lattice {
        let fits = bottom.is_below_or_equal(top) && top.is_below_or_equal(&self.top());
        assert!(fits && self.bottom().is_below_or_equal(bottom), "two nodes, the first below the other");
        Lattice { floors: bottom.0.clone(), heights: top.0.clone() }
    }

    /// Levels of each attribute above its lowest.
    fn spans(&self) -> impl DoubleEndedIterator<Item = Level> + ExactSizeIterator + '_ {
        self.heights.iter().zip(&self.floors).map(|(height, floor)| height - floor)
    }

    /// Number of nodes: the product of the numbers of levels, (height + 1) in eq. 1 of the Improved Greedy paper.
    pub fn size(&self) -> u128 {
        self.spans().fold(1u128, |size, span| size.saturating_mul(u128::from(span) + 1))
    }

    /// The most nodes of one height, which the middle one has: polynomials 1 + x + … + xʰ, multiplied.
    pub fn widest(&self) -> u128 {
        let mut of_height = vec![1u128];
        for levels in self.spans() {
            let mut next = vec![0u128; of_height.len() + usize::from(levels)];
            for (height, &nodes) in of_height.iter().enumerate() {
                next[height..=height + usize::from(levels)]
                    .iter_mut()
                    .for_each(|of| *of = of.saturating_add(nodes));
            }
            of_height = next;
        }
        of_height.into_iter().max().unwrap_or(1)
    }

    /// The highest level of each attribute: the height of its hierarchy, unless it may not go so high.
    pub fn heights(&self) -> &[Level] {
        &self.heights
    }

    /// The lowest level of each attribute: 0, unless it must be generalised.
    pub fn floors(&self) -> &[Level] {
        &self.floors
    }

    /// Number of attributes.
    pub fn attributes(&self) -> usize {
        self.heights.len()
    }

    /// The table as it is, which need not be one of the nodes.
    pub fn raw(&self) -> Node {
        Node(vec![0; self.heights.len()])
    }

    /// The least general node: the raw table, unless an attribute must be generalised.
    pub fn bottom(&self) -> Node {
        Node(self.floors.clone())
    }

    /// The most general node.
    pub fn top(&self) -> Node {
        Node(self.heights.clone())
    }

    /// Nodes with one attribute one level higher, in attribute order.
    pub fn successors<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = Node> + 'a {
        (0..self.heights.len())
            .filter(|&a| node.0[a] < self.heights[a])
            .map(|a| node.with(a, node.level(a) + 1))
    }

    /// Nodes with one attribute one level lower or higher, in attribute order.
    pub fn neighbours<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = Node> + 'a {
        let around = move |a: usize| {
            let (level, height) = (node.level(a), usize::from(self.heights[a]));
            let lower = (level > usize::from(self.floors[a])).then(|| level - 1);
            lower
                .into_iter()
                .chain((level < height).then_some(level + 1))
                .map(move |level| node.with(a, level))
        };
        (0..self.heights.len()).flat_map(around)
    }

    /// Every node whose levels sum to `height`, in lexicographic order.
    pub fn at_height(&self, height: usize) -> impl Iterator<Item = Node> + '_ {
        let spans: Vec<Level> = self.spans().collect();
        // What the attributes from `a` on can still contribute.
        let mut room: Vec<usize> = vec![0; spans.len() + 1];
        for a in (0..spans.len()).rev() {
            room[a] = room[a + 1] + usize::from(spans[a]);
        }
        // Counted from the lowest levels.
        let above = height.checked_sub(self.bottom().height());
        let mut next = above.and_then(|above| first_at_height(&spans, &room, 0, above, Vec::new()));
        std::iter::from_fn(move || {
            let current = next.take()?;
            next = next_at_height(&spans, &room, &current);
            Some(Node(current.iter().zip(&self.floors).map(|(level, floor)| level + floor).collect()))
        })
    }

    /// Every node, in lexicographic order (so by [`Index`] order).
    pub fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        let mut next = Some(self.bottom());
        std::iter::from_fn(move || {
            let current = next.take()?;
            let mut levels = current.0.clone();
            for a in (0..levels.len()).rev() {
                if levels[a] < self.heights[a] {
                    levels[a] += 1;
                    levels[a + 1..].copy_from_slice(&self.floors[a + 1..]);
                    next = Some(Node(levels));
                    break;
                }
            }
            Some(current)
        })
    }
}

/// The lexicographic successor among nodes of the same height.
fn next_at_height(heights: &[Level], room: &[usize], current: &[Level]) -> Option<Vec<Level>> {
    let mut rest = 0usize;
    for a in (0..current.len()).rev() {
        if rest >= 1 && current[a] < heights[a] {
            let mut prefix = current[..a].to_vec();
            prefix.push(current[a] + 1);
            return first_at_height(heights, room, a + 1, rest - 1, prefix);
        }
        rest += usize::from(current[a]);
    }
    None
}

/// Extends `prefix` to the lexicographically first node whose remaining levels sum to `rest`.
fn first_at_height(
    heights: &[Level],
    room: &[usize],
    from: usize,
    mut rest: usize,
    mut prefix: Vec<Level>,
) -> Option<Vec<Level>> {
    for a in from..heights.len() {
        let level = rest.saturating_sub(room[a + 1]);
        if level > usize::from(heights[a]) {
            return None;
        }
        prefix.push(level_of(level));
        rest -= level;
    }
    (rest == 0).then_some(prefix)
}

/// Numbers the nodes of a lattice from 0, lexicographically, for tables with an entry a node.
#[derive(Clone, Debug)]
pub struct Index {
    floors: Vec<Level>,
    strides: Vec<usize>,
    len: usize,
}

impl Index {
    /// Memory that the tables of an indexed search may take, which have an entry a node.
    pub const MAX_BYTES: usize = Index::MAX_NODES * Index::NODE_BYTES;

    /// What a node takes in these tables together.
    const NODE_BYTES: usize = 25;

    /// Most nodes that an indexed search takes on, for the sake of that memory.
    pub const MAX_NODES: usize = 1 << 25;

    /// An index, unless the lattice has more than [`Index::MAX_NODES`] nodes.
    pub fn new(lattice: &Lattice) -> Option<Index> {
        let len = usize::try_from(lattice.size()).ok().filter(|&n| n <= Index::MAX_NODES)?;
        let mut strides = vec![1usize; lattice.attributes()];
        for a in (0..lattice.attributes().saturating_sub(1)).rev() {
            strides[a] = strides[a + 1] * (usize::from(lattice.heights[a + 1] - lattice.floors[a + 1]) + 1);
        }
        Some(Index { floors: lattice.floors.clone(), strides, len })
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no node; never so.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How far apart two nodes are that differ by one level of an attribute.
    pub fn stride(&self, attribute: usize) -> usize {
        self.strides[attribute]
    }

    /// The level of an attribute at a numbered node.
    pub fn level(&self, index: usize, attribute: usize) -> usize {
        index % self.stride_above(attribute) / self.strides[attribute] + usize::from(self.floors[attribute])
    }

    /// The highest level of an attribute.
    fn height(&self, attribute: usize) -> Level {
        level_of(self.stride_above(attribute) / self.strides[attribute] - 1) + self.floors[attribute]
    }

    /// The stride of the attribute before, or all nodes if there is none.
    fn stride_above(&self, attribute: usize) -> usize {
        if attribute == 0 { self.len } else { self.strides[attribute - 1] }
    }

    /// The number of a node.
    pub fn index(&self, node: &Node) -> usize {
        let above = node.0.iter().zip(&self.floors).map(|(level, floor)| usize::from(level - floor));
        above.zip(&self.strides).map(|(above, stride)| above * stride).sum()
    }

    /// The node of a number.
    pub fn node(&self, mut index: usize) -> Node {
        let levels = self.strides.iter().zip(&self.floors).map(|(stride, floor)| {
            let above = index / stride;
            index %= stride;
            level_of(above) + floor
        });
        Node(levels.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_is_the_product_of_heights_plus_one() {
        assert_eq!(Lattice::new(&[4, 3, 2, 2, 2, 2, 1, 1, 1]).size(), 12_960);
    }

    #[test]
    fn heights_partition_the_lattice() {
        let lattice = Lattice::new(&[2, 0, 3, 1]);
        let mut by_height: Vec<Node> = (0..=6).flat_map(|h| lattice.at_height(h)).collect();
        assert!(lattice.at_height(3).all(|node| node.height() == 3));
        assert_eq!(lattice.at_height(7).count(), 0);
        by_height.sort();
        assert_eq!(by_height, lattice.nodes().collect::<Vec<_>>());
        assert_eq!(by_height.len() as u128, lattice.size());
        let widest = (0..=6).map(|h| lattice.at_height(h).count()).max();
        assert_eq!(widest.map(|nodes| nodes as u128), Some(lattice.widest()));
    }

    #[test]
    fn index_follows_lexicographic_order() {
        let lattice = Lattice::new(&[2, 1, 3]);
        let index = Index::new(&lattice).unwrap();
        for (position, node) in lattice.nodes().enumerate() {
            assert_eq!(index.index(&node), position);
            assert_eq!(index.node(position), node);
        }
    }

    /// What is between two nodes is what the whole lattice has there, in the same order.
    #[test]
    fn a_part_of_a_lattice_is_its_nodes_between_two() {
        let whole = Lattice::new(&[3, 0, 4, 2]);
        let (bottom, top) = (Node::new(vec![1, 0, 2, 0]), Node::new(vec![2, 0, 4, 1]));
        let part = whole.between(&bottom, &top);
        let is_between = |node: &Node| bottom.is_below_or_equal(node) && node.is_below_or_equal(&top);
        let expected: Vec<Node> = whole.nodes().filter(is_between).collect();
        assert_eq!((part.nodes().collect::<Vec<_>>(), part.size()), (expected.clone(), 12));
        for height in 0..=10 {
            let of_height: Vec<Node> = whole.at_height(height).filter(is_between).collect();
            assert_eq!(part.at_height(height).collect::<Vec<_>>(), of_height, "{height}");
        }
        let widest = (0..=10).map(|height| part.at_height(height).count() as u128).max();
        assert_eq!(Some(part.widest()), widest);
        let index = Index::new(&part).unwrap();
        for (position, node) in part.nodes().enumerate() {
            assert_eq!((index.index(&node), index.node(position)), (position, node.clone()));
            assert!((0..4).all(|a| index.level(position, a) == node.level(a)));
            let near: Vec<Node> = whole.neighbours(&node).filter(is_between).collect();
            assert_eq!(part.neighbours(&node).collect::<Vec<_>>(), near);
        }
    }

    #[test]
    fn too_large_a_lattice_has_no_index() {
        assert!(Index::new(&Lattice::new(&[9; 40])).is_none());
    }
}
