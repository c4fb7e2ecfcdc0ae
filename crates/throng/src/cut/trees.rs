//! The cuts of all attributes as one small set of bits, for searches that meet very many.
//!
//! A bit stands for an inner value of a tree, and is set if the cut lies at or above it. So the set is
//! closed downwards, each set stands for just one cut of every attribute, moving a value to its parent
//! adds bits, and splitting one into its children takes a bit away.
//!
//! Classes do not tell all cuts apart: a value moves to its parent without meeting another if no other
//! leaf below the parent occurs. Such values have one *code*.

use super::Cut;
use crate::lattice::Node;
use crate::problem::{Attribute, Problem};
use crate::taxonomy::{Taxonomy, ValueId};

/// Which inner values are at or below the cuts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Raised(Box<[u64]>);

impl Raised {
    fn has(&self, bit: usize) -> bool {
        self.0[bit / 64] >> (bit % 64) & 1 == 1
    }

    fn set(&mut self, bit: usize) {
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    fn clear(&mut self, bit: usize) {
        self.0[bit / 64] &= !(1 << (bit % 64));
    }

    fn join(&mut self, other: &Raised) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }
}

/// The trees of all attributes.
pub(crate) struct Trees {
    attributes: Vec<CutTree>,
    words: usize,
    bottom: Raised,
}

/// Not an inner value.
const NONE: u32 = u32::MAX;

struct CutTree {
    /// Bit of the first inner value; the others follow.
    first_bit: usize,
    /// Values that others may move to, children before parents; none above the top level.
    inner: Vec<ValueId>,
    /// Place of a value in `inner`, if it has one.
    place: Vec<u32>,
    /// By value; its own where it may not move.
    parent: Vec<ValueId>,
    /// By value.
    children: Vec<Vec<ValueId>>,
    /// For each inner value, all that are set if it is.
    below: Vec<Raised>,
    /// For each inner value of at most one child with rows, that child; in the order of `inner`.
    alone: Vec<(usize, Option<ValueId>)>,
    /// By value.
    code: Vec<u32>,
    codes: usize,
    leaves: usize,
    /// Leaves of the table's tuples.
    occurring: Vec<ValueId>,
}

impl Trees {
    pub(crate) fn new(problem: &Problem) -> Trees {
        let heights = problem.lattice().heights();
        let inner = problem.attributes().iter().zip(heights).map(|(a, &top)| inner(&a.taxonomy, top.into()));
        let inner: Vec<Vec<ValueId>> = inner.collect();
        let words = inner.iter().map(Vec::len).sum::<usize>().div_ceil(64).max(1);
        let mut first_bit = 0;
        let mut attributes = Vec::with_capacity(inner.len());
        for (a, inner) in inner.into_iter().enumerate() {
            let next = first_bit + inner.len();
            let occurring = occurring(problem, a);
            attributes.push(CutTree::new(&problem.attributes()[a], inner, occurring, first_bit, words));
            first_bit = next;
        }
        let mut trees = Trees { attributes, words, bottom: Raised(vec![0; words].into()) };
        trees.bottom = trees.at_node(problem, &problem.lattice().bottom());
        trees
    }

    /// The lowest cut: every value as it is, unless it must be generalised.
    pub(crate) fn bottom(&self) -> Raised {
        self.bottom.clone()
    }

    pub(crate) fn attributes(&self) -> usize {
        self.attributes.len()
    }

    /// Every value as it is.
    fn leaves(&self) -> Raised {
        Raised(vec![0; self.words].into())
    }

    /// Every value at its top level.
    pub(crate) fn top(&self) -> Raised {
        let mut top = self.leaves();
        let bits = self.attributes.iter().flat_map(|tree| tree.first_bit..tree.first_bit + tree.inner.len());
        bits.for_each(|bit| top.set(bit));
        top
    }

    /// Every value at the level of a node.
    pub(crate) fn at_node(&self, problem: &Problem, node: &Node) -> Raised {
        let mut cut = self.leaves();
        for (a, tree) in self.attributes.iter().enumerate() {
            let values = problem.attributes()[a].taxonomy.level_values(node.level(a));
            for &value in values.iter().filter(|&&value| tree.place[value as usize] != NONE) {
                self.raise(&mut cut, a, value);
            }
        }
        cut
    }

    /// The value of a leaf.
    pub(crate) fn value(&self, cut: &Raised, attribute: usize, leaf: ValueId) -> ValueId {
        let tree = &self.attributes[attribute];
        let mut value = leaf;
        loop {
            let parent = tree.parent[value as usize];
            if parent == value || !tree.is_set(cut, parent) {
                return value;
            }
            value = parent;
        }
    }

    /// The cuts, one for each attribute.
    pub(crate) fn cuts(&self, cut: &Raised) -> Vec<Cut> {
        let leaves = |a: usize| 0..self.attributes[a].leaves as ValueId;
        let of = |a: usize| Cut { values: leaves(a).map(|leaf| self.value(cut, a, leaf)).collect() };
        (0..self.attributes.len()).map(of).collect()
    }

    /// The parent of a value, if it may move.
    pub(crate) fn parent(&self, attribute: usize, value: ValueId) -> Option<ValueId> {
        Some(self.attributes[attribute].parent[value as usize]).filter(|&parent| parent != value)
    }

    /// The lowest value above one that stands for more leaves of the table, if it may move so high.
    pub(crate) fn parent_of_several(&self, attribute: usize, value: ValueId) -> Option<ValueId> {
        let code = self.code(attribute, value);
        let mut above = std::iter::successors(Some(value), |&value| self.parent(attribute, value));
        above.find(|&value| self.code(attribute, value) != code)
    }

    /// Moves all that is below an inner value to it.
    pub(crate) fn raise(&self, cut: &mut Raised, attribute: usize, to: ValueId) {
        let tree = &self.attributes[attribute];
        cut.join(&tree.below[tree.place[to as usize] as usize]);
    }

    /// Whether a value of a cut may be split.
    pub(crate) fn may_split(&self, attribute: usize, value: ValueId) -> bool {
        !self.attributes[attribute].is_set(&self.bottom, value)
    }

    /// Splits a value of the cut into its children.
    pub(crate) fn split(&self, cut: &mut Raised, attribute: usize, value: ValueId) {
        let tree = &self.attributes[attribute];
        cut.clear(tree.first_bit + tree.place[value as usize] as usize);
    }

    /// Values that others may move to, children before parents.
    pub(crate) fn inner(&self, attribute: usize) -> &[ValueId] {
        &self.attributes[attribute].inner
    }

    /// The values that move to one; none for a leaf.
    pub(crate) fn children(&self, attribute: usize, value: ValueId) -> &[ValueId] {
        &self.attributes[attribute].children[value as usize]
    }

    /// Whether an inner value is at or below the cut.
    pub(crate) fn is_raised(&self, cut: &Raised, attribute: usize, value: ValueId) -> bool {
        self.attributes[attribute].is_set(cut, value)
    }

    /// Whether a value is one of the cut's.
    pub(crate) fn is_value(&self, cut: &Raised, attribute: usize, value: ValueId) -> bool {
        let tree = &self.attributes[attribute];
        let (is_leaf, parent) = (tree.place[value as usize] == NONE, tree.parent[value as usize]);
        (is_leaf || tree.is_set(cut, value)) && (parent == value || !tree.is_set(cut, parent))
    }

    /// The values of a cut, also those of which no leaf occurs.
    pub(crate) fn values<'a>(
        &'a self,
        cut: &'a Raised,
        attribute: usize,
    ) -> impl Iterator<Item = ValueId> + 'a {
        self.attributes[attribute].all().filter(move |&value| self.is_value(cut, attribute, value))
    }

    /// Adds what leaves have to all values above them.
    pub(crate) fn add_up(&self, attribute: usize, of_values: &mut [i128]) {
        let tree = &self.attributes[attribute];
        for value in tree.all() {
            let parent = tree.parent[value as usize];
            if parent != value {
                of_values[parent as usize] += of_values[value as usize];
            }
        }
    }

    /// The least sum over the values of any cut of an attribute that is between two.
    pub(crate) fn least_between(
        &self,
        attribute: usize,
        low: &Raised,
        high: &Raised,
        of_values: &[i128],
    ) -> i128 {
        let tree = &self.attributes[attribute];
        let mut below = vec![0; of_values.len()];
        let mut sum = 0;
        for value in tree.all() {
            let (own, split) = (of_values[value as usize], below[value as usize]);
            let is_leaf = tree.place[value as usize] == NONE;
            let least = match () {
                () if is_leaf || tree.is_set(low, value) => own,
                () if tree.is_set(high, value) => own.min(split),
                () => split,
            };
            let parent = tree.parent[value as usize];
            if parent == value {
                sum += least;
            } else {
                below[parent as usize] += least;
            }
        }
        sum
    }

    /// The code of a value: the same for two values just if no tuple tells them apart.
    pub(crate) fn code(&self, attribute: usize, value: ValueId) -> u32 {
        self.attributes[attribute].code[value as usize]
    }

    /// How many codes there are.
    pub(crate) fn codes(&self, attribute: usize) -> usize {
        self.attributes[attribute].codes
    }

    /// Leaves that a tuple has.
    pub(crate) fn occurring(&self, attribute: usize) -> &[ValueId] {
        &self.attributes[attribute].occurring
    }

    /// The highest cut with the same classes.
    pub(crate) fn highest_alike(&self, cut: &Raised) -> Raised {
        let mut highest = cut.clone();
        for tree in &self.attributes {
            for &(place, child) in &tree.alone {
                let is_leaf = |child: ValueId| tree.place[child as usize] == NONE;
                if child.is_none_or(|child| is_leaf(child) || tree.is_set(&highest, child)) {
                    highest.set(tree.first_bit + place);
                }
            }
        }
        highest
    }
}

impl CutTree {
    fn new(
        attribute: &Attribute,
        inner: Vec<ValueId>,
        occurring: Vec<ValueId>,
        first_bit: usize,
        words: usize,
    ) -> CutTree {
        let taxonomy = &attribute.taxonomy;
        let values = taxonomy.values().len();
        let mut place = vec![NONE; values];
        inner.iter().zip(0..).for_each(|(&value, at)| place[value as usize] = at);
        let may_move = |value: usize| {
            let parent = taxonomy.values()[value].parent;
            if place[parent as usize] == NONE { value as ValueId } else { parent }
        };
        let parent: Vec<ValueId> = (0..values).map(may_move).collect();
        let mut tree = CutTree {
            first_bit,
            place,
            parent,
            below: vec![Raised(vec![0; words].into()); inner.len()],
            children: vec![Vec::new(); values],
            alone: Vec::new(),
            code: Vec::new(),
            codes: 0,
            leaves: taxonomy.leaf_total(),
            occurring,
            inner,
        };
        for at in 0..tree.inner.len() {
            let value = tree.inner[at];
            tree.below[at].set(first_bit + at);
            let parent = tree.parent[value as usize];
            if parent != value {
                let below = tree.below[at].clone();
                tree.below[tree.place[parent as usize] as usize].join(&below);
            }
        }
        let moving: Vec<ValueId> = tree.all().filter(|&value| tree.parent[value as usize] != value).collect();
        for value in moving {
            tree.children[tree.parent[value as usize] as usize].push(value);
        }
        tree.number_codes(values);
        tree
    }

    /// All values that a cut can have, children before parents.
    fn all(&self) -> impl Iterator<Item = ValueId> + '_ {
        (0..self.leaves as ValueId).chain(self.inner.iter().copied())
    }

    fn is_set(&self, cut: &Raised, value: ValueId) -> bool {
        cut.has(self.first_bit + self.place[value as usize] as usize)
    }

    /// Gives a code to each occurring leaf and to each inner value above several children that occur.
    fn number_codes(&mut self, values: usize) {
        let mut occurs = vec![false; values];
        self.occurring.iter().for_each(|&leaf| occurs[leaf as usize] = true);
        for &value in &self.inner {
            occurs[value as usize] =
                self.children[value as usize].iter().any(|&child| occurs[child as usize]);
        }
        self.code = vec![0; values];
        for &leaf in &self.occurring {
            self.code[leaf as usize] = self.codes as u32;
            self.codes += 1;
        }
        for (at, &value) in self.inner.iter().enumerate() {
            let children = self.children[value as usize].iter().copied();
            let children: Vec<ValueId> = children.filter(|&child| occurs[child as usize]).collect();
            match children[..] {
                [] => self.alone.push((at, None)),
                [child] => {
                    self.alone.push((at, Some(child)));
                    self.code[value as usize] = self.code[child as usize];
                }
                _ => {
                    self.code[value as usize] = self.codes as u32;
                    self.codes += 1;
                }
            }
        }
    }
}

/// The values at levels above the leaves, up to the highest, children before parents.
fn inner(taxonomy: &Taxonomy, highest: usize) -> Vec<ValueId> {
    let above = (1..=highest).flat_map(|level| taxonomy.level_values(level));
    let mut inner: Vec<ValueId> =
        above.copied().filter(|&value| value as usize >= taxonomy.leaf_total()).collect();
    inner.sort_unstable_by_key(|&value| (taxonomy.values()[value as usize].level, value));
    inner.dedup();
    inner
}

/// The leaves that a tuple of the table has, ascending.
fn occurring(problem: &Problem, attribute: usize) -> Vec<ValueId> {
    let mut leaves = problem.table().column(attribute).to_vec();
    leaves.sort_unstable();
    leaves.dedup();
    leaves
}
