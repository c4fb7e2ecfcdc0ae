//! A tree over closures that finds the best of them without looking at all.
//!
//! Each node knows the closure of what is below it: its top. What a join with anything below costs
//! at least follows from the top alone: in an attribute where the top does not cover the value
//! asked for, all joins are the same; of ranges and sets, none reaches less far than the nearest.
//! So most nodes are never opened.
//!
//! What is asked is up to the [`Query`]. It is shown nodes with the least bound first, depth first:
//! that takes no more memory than the way down, and queries know a good candidate soon.

use std::ops::Range;

use crate::algorithm::local::closure::Closures;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Most parts of a node, if it can be split that way.
const WIDE: usize = 64;

/// Closures that are sorted between two questions whether to go on.
const ASK: usize = 1 << 14;

/// A tree over some closures; they may be removed, but none added.
///
/// Beside its closure each has a number and an item `I`; `B` has what is known of those below each node.
pub(in crate::algorithm::local) struct ClosureTree<I, B> {
    attributes: usize,
    /// Children follow one another, after their parent.
    nodes: Vec<Junction>,
    /// The closure of each node.
    tops: Vec<ValueId>,
    below: B,
    /// For each bundle the closure of what is below it, but for its own attribute, in which it has the first value.
    bundled: Vec<ValueId>,
    /// The closures by leaf; those of a leaf that were removed come last in it.
    ids: Vec<u32>,
    items: Vec<I>,
    records: Vec<ValueId>,
}

struct Junction {
    parent: u32,
    /// Where its closures begin; how many are still there.
    first: u32,
    present: u32,
    /// None of a leaf.
    children: (u32, u32),
    bundle: Option<Bundle>,
}

/// What a node has of its parent in one attribute, if that has too many values next below its own: some of them, all
/// leaves. A join of any with a leaf that is not among them is the same.
#[derive(Clone, Copy)]
struct Bundle {
    attribute: u32,
    /// The least and the greatest value.
    first: ValueId,
    last: ValueId,
    /// Where its closure is among those of bundles.
    at: u32,
}

/// Where a tree gets its closures from, by number.
pub(in crate::algorithm::local) trait ClosureSource {
    /// What goes with a closure.
    type Item: Copy;
    /// What is known of the closures below each node, node by node.
    type Below: Default;

    /// Closures of a node that is not split.
    const LEAF: usize = 8;

    /// Whether very many parts of a node are put together in bundles, which only a query that says its
    /// [value](Query::value) makes use of.
    const BUNDLES: bool = false;

    /// What the closures are made with.
    fn closures(&self) -> &Closures;

    /// A closure.
    fn record(&self, id: u32) -> &[ValueId];

    /// What goes with it.
    fn item(&self, id: u32) -> Self::Item;

    /// Takes note of the closures below the next node, of which there is one.
    fn note(&self, below: &mut Self::Below, ids: &[u32]);

    /// Closures of different kinds are parted before all others.
    fn kind(&self, _id: u32) -> u32 {
        0
    }

    /// The greater, the sooner a node is split by an attribute: about what it costs to join values
    /// of different parts.
    fn crossing(&self, attribute: usize, top: ValueId) -> f64 {
        self.closures().crossing(attribute, top)
    }
}

/// A search in trees.
pub(in crate::algorithm::local) trait Query<I, B> {
    /// The less, the sooner a node is opened.
    type Bound: Copy + Ord;

    /// What is known of a node; none if nothing below it can matter.
    fn bound(&self, top: &[ValueId], below: &B, node: usize) -> Option<Self::Bound>;

    /// The leaf that is asked for in an attribute, if it is one.
    fn value(&self, _attribute: usize) -> Option<ValueId> {
        None
    }

    /// What to do with a node, after others were opened.
    fn decide(&self, bound: Self::Bound, below: &B, node: usize) -> Visit;

    /// Looks at one closure.
    fn meet(&mut self, id: u32, item: I, record: &[ValueId]);

    /// Takes all closures below a node.
    fn take(&mut self, _ids: &[u32]) {
        unreachable!("a query that decides to take closures takes them");
    }
}

/// What a query does with a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::algorithm::local) enum Visit {
    /// Nothing below matters any more.
    Leave,
    /// It wants to look at what is below.
    Open,
    /// It takes all that is below without a look; from a tree that none was removed from.
    Take,
}

impl Visit {
    /// Opens a node on a condition.
    #[inline]
    pub(in crate::algorithm::local) fn open_if(condition: bool) -> Visit {
        if condition { Visit::Open } else { Visit::Leave }
    }
}

/// A cost in the order of the numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::algorithm::local) struct OrderedCost(pub(in crate::algorithm::local) f64);

impl Eq for OrderedCost {}

impl Ord for OrderedCost {
    #[inline]
    fn cmp(&self, other: &OrderedCost) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for OrderedCost {
    #[inline]
    fn partial_cmp(&self, other: &OrderedCost) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<I: Copy, B: Default> ClosureTree<I, B> {
    /// A tree over some closures.
    pub(in crate::algorithm::local) fn new<S>(
        source: &S,
        mut ids: Vec<u32>,
        run: &Run<'_>,
    ) -> Result<ClosureTree<I, B>, Stop>
    where
        S: ClosureSource<Item = I, Below = B>,
    {
        let attributes = source.closures().attributes();
        let mut tree = ClosureTree {
            attributes,
            nodes: Vec::new(),
            tops: Vec::new(),
            below: B::default(),
            bundled: Vec::new(),
            ids: Vec::new(),
            items: Vec::new(),
            records: Vec::new(),
        };
        tree.grow(source, &mut ids, run)?;
        tree.items.reserve_exact(ids.len());
        tree.records.reserve_exact(ids.len() * attributes);
        for ids in ids.chunks(ASK) {
            run.go_on()?;
            tree.items.extend(ids.iter().map(|&id| source.item(id)));
            ids.iter().for_each(|&id| tree.records.extend_from_slice(source.record(id)));
        }
        tree.ids = ids;
        Ok(tree)
    }

    /// Makes the nodes, and sorts the closures by leaf.
    fn grow<S>(&mut self, source: &S, ids: &mut [u32], run: &Run<'_>) -> Result<(), Stop>
    where
        S: ClosureSource<Item = I, Below = B>,
    {
        if !ids.is_empty() {
            self.push(source, 0, ids, 0..ids.len(), run)?;
        }
        let (mut at, mut sorted) = (0, 0);
        while at < self.nodes.len() {
            let (range, first) = (self.nodes[at].range(), self.nodes.len());
            let mut start = range.start;
            sorted += range.len();
            if sorted >= ASK {
                run.go_on()?;
                sorted = 0;
            }
            let (sizes, bundled) = self.split(source, at, &mut ids[range], run)?;
            for size in sizes {
                self.push(source, at, ids, start..start + size, run)?;
                let ends = [start, start + size - 1].map(|place| source.record(ids[place]));
                let own = bundled.map(|a| (a, ends[0][a], ends[1][a]));
                self.bundle(own, at);
                start += size;
            }
            self.nodes[at].children = (first as u32, self.nodes.len() as u32);
            at += 1;
        }
        Ok(())
    }

    fn push<S>(
        &mut self,
        source: &S,
        parent: usize,
        ids: &[u32],
        range: Range<usize>,
        run: &Run<'_>,
    ) -> Result<(), Stop>
    where
        S: ClosureSource<Item = I, Below = B>,
    {
        let below = &ids[range.clone()];
        let start = self.tops.len();
        self.tops.extend_from_slice(source.record(below[0]));
        for ids in below[1..].chunks(ASK) {
            if ids.len() == ASK {
                run.go_on()?;
            }
            for &id in ids {
                source.closures().extend(&mut self.tops[start..], source.record(id));
            }
        }
        source.note(&mut self.below, below);
        let (parent, first, present) = (parent as u32, range.start as u32, below.len() as u32);
        self.nodes.push(Junction { parent, first, present, children: (0, 0), bundle: None });
        Ok(())
    }

    /// Makes the last node a bundle of an attribute from one value to another; or of what its parent is one of, if it
    /// has as many values there.
    fn bundle(&mut self, own: Option<(usize, ValueId, ValueId)>, parent: usize) {
        let node = self.nodes.len() - 1;
        let of_parent = self.nodes[parent].bundle.map(|of| (of.attribute as usize, of.first, of.last));
        let is_kept = |&(a, ..): &(usize, ValueId, ValueId)| self.top(node)[a] == self.top(parent)[a];
        let Some((a, first, last)) = own.or(of_parent.filter(is_kept)) else { return };
        let start = self.bundled.len();
        self.bundled.extend_from_slice(&self.tops[node * self.attributes..][..self.attributes]);
        self.bundled[start + a] = first;
        let at = (start / self.attributes) as u32;
        self.nodes[node].bundle = Some(Bundle { attribute: a as u32, first, last, at });
    }

    /// Sorts the closures of a node into parts; their sizes, none if it stays a leaf, and the attribute that the parts
    /// are bundles of, if they are.
    ///
    /// By the attribute that costs most to cross. One of very many parts comes last, because to look
    /// at all of them is no better than a scan. Ranges and sets may be impossible to part.
    fn split<S>(&self, source: &S, node: usize, ids: &mut [u32], run: &Run<'_>) -> Result<PartSizes, Stop>
    where
        S: ClosureSource<Item = I, Below = B>,
    {
        if ids.len() <= S::LEAF {
            return Ok((Vec::new(), None));
        }
        if node == 0 {
            let kinds = part(ids, |id| source.kind(id));
            if kinds.len() > 1 {
                return Ok((kinds, None));
            }
        }
        let (top, closures) = (self.top(node), source.closures());
        let varies = |&a: &usize| ids.iter().any(|&id| source.record(id)[a] != top[a]);
        let mut attributes: Vec<usize> = (0..self.attributes).filter(varies).collect();
        attributes.sort_by(|&a, &b| source.crossing(b, top[b]).total_cmp(&source.crossing(a, top[a])));
        for most in [WIDE, usize::MAX] {
            for &a in &attributes {
                if ids.len() >= ASK {
                    run.go_on()?;
                }
                let parts = part(ids, |id| closures.branch(a, top[a], source.record(id)[a]));
                if (2..=most).contains(&parts.len()) {
                    let value = |id: &u32| source.record(*id)[a];
                    let is_flat =
                        |value| closures.is_leaf(a, value) && closures.branch(a, top[a], value) == value;
                    if S::BUNDLES && parts.len() > WIDE && ids.iter().map(value).all(is_flat) {
                        return Ok((bundles(&parts), Some(a)));
                    }
                    return Ok((parts, None));
                }
            }
        }
        Ok((Vec::new(), None))
    }

    /// The closures that there are or were, near ones near each other.
    pub(in crate::algorithm::local) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The leaves, with the closures that are left in each.
    pub(in crate::algorithm::local) fn leaves(&self) -> impl Iterator<Item = (u32, &[u32])> {
        let leaves = self.nodes.iter().enumerate().filter(|(_, node)| node.is_leaf());
        leaves.map(|(at, node)| (at as u32, &self.ids[node.range()]))
    }

    /// Removes a closure from its leaf.
    pub(in crate::algorithm::local) fn remove(&mut self, id: u32, leaf: u32) {
        let range = self.nodes[leaf as usize].range();
        let last = range.end - 1;
        let at = range.into_iter().find(|&at| self.ids[at] == id).expect("the closure is in its leaf");
        self.ids.swap(at, last);
        self.items.swap(at, last);
        for a in 0..self.attributes {
            self.records.swap(at * self.attributes + a, last * self.attributes + a);
        }
        let mut node = leaf as usize;
        loop {
            self.nodes[node].present -= 1;
            if node == 0 {
                break;
            }
            node = self.nodes[node].parent as usize;
        }
    }

    /// Number of closures that are left.
    pub(in crate::algorithm::local) fn len(&self) -> usize {
        self.nodes.first().map_or(0, |root| root.present as usize)
    }

    /// Shows a query what it wants to see. `todo` is where nodes wait, empty before and after.
    pub(in crate::algorithm::local) fn search<Q: Query<I, B>>(
        &self,
        query: &mut Q,
        todo: &mut Vec<(Q::Bound, u32)>,
    ) {
        if !self.nodes.is_empty() {
            self.visit(0, query, todo);
        }
    }

    fn visit<Q: Query<I, B>>(&self, at: usize, query: &mut Q, todo: &mut Vec<(Q::Bound, u32)>) {
        let node = &self.nodes[at];
        if node.is_leaf() {
            return self.meet_all(node.range(), query);
        }
        let (start, children) = (todo.len(), node.children.0 as usize..node.children.1 as usize);
        let tops = &self.tops[children.start * self.attributes..children.end * self.attributes];
        let nodes = children.clone().zip(&self.nodes[children]);
        for ((child, node), top) in nodes.zip(tops.chunks_exact(self.attributes)) {
            if node.present > 0
                && let Some(bound) = query.bound(self.top_for(query, node, top), &self.below, child)
            {
                todo.push((bound, child as u32));
            }
        }
        todo[start..].sort_unstable();
        for next in start..todo.len() {
            let (bound, child) = todo[next];
            match query.decide(bound, &self.below, child as usize) {
                Visit::Leave => {}
                Visit::Open => self.visit(child as usize, query, todo),
                Visit::Take => query.take(&self.ids[self.nodes[child as usize].range()]),
            }
        }
        todo.truncate(start);
    }

    /// The closure that bounds what a query finds below a node: that of a bundle, if it is of other values.
    #[inline]
    fn top_for<'t, Q: Query<I, B>>(
        &'t self,
        query: &Q,
        node: &Junction,
        top: &'t [ValueId],
    ) -> &'t [ValueId] {
        let Some(bundle) = node.bundle else { return top };
        match query.value(bundle.attribute as usize) {
            Some(value) if value < bundle.first || value > bundle.last => {
                &self.bundled[bundle.at as usize * self.attributes..][..self.attributes]
            }
            _ => top,
        }
    }

    #[inline]
    fn meet_all<Q: Query<I, B>>(&self, range: Range<usize>, query: &mut Q) {
        let records = &self.records[range.start * self.attributes..range.end * self.attributes];
        let named = self.ids[range.clone()].iter().zip(&self.items[range]);
        for ((&id, &item), record) in named.zip(records.chunks_exact(self.attributes)) {
            query.meet(id, item, record);
        }
    }

    fn top(&self, node: usize) -> &[ValueId] {
        &self.tops[node * self.attributes..][..self.attributes]
    }
}

impl Junction {
    fn range(&self) -> Range<usize> {
        self.first as usize..(self.first + self.present) as usize
    }

    fn is_leaf(&self) -> bool {
        self.children.0 == self.children.1
    }
}

/// How many closures are in each part of a node, and the attribute that the parts are bundles of.
type PartSizes = (Vec<usize>, Option<usize>);

/// The sizes of a few bundles of very many parts, as they follow one another.
fn bundles(parts: &[usize]) -> Vec<usize> {
    parts.chunks(parts.len().div_ceil(WIDE)).map(|bundle| bundle.iter().sum()).collect()
}

/// Sorts numbers by a key; how many are of each.
fn part(ids: &mut [u32], key: impl Fn(u32) -> u32) -> Vec<usize> {
    let mut keyed: Vec<(u32, u32)> = ids.iter().map(|&id| (key(id), id)).collect();
    keyed.sort_unstable();
    ids.iter_mut().zip(&keyed).for_each(|(id, &(_, sorted))| *id = sorted);
    keyed.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len).collect()
}
