//! Closures that come, go and change, arranged so that the best is found fast.

use super::tree::{ClosureSource, ClosureTree, Query};
use crate::run::{Run, Stop};

/// Closures that wait for a tree.
const WAITING: usize = 64;

/// Trees of growing size, and a few closures that are in none.
///
/// A new tree takes in all that are not larger, so that a closure is put into a tree only about as
/// often as the number of closures can be doubled.
pub(in crate::algorithm::local) struct ClosureForest<I, B> {
    trees: Vec<Option<ClosureTree<I, B>>>,
    waiting: Vec<u32>,
    stands: Vec<Stand>,
}

/// Where a closure is.
#[derive(Clone, Copy)]
enum Stand {
    Waiting,
    Leaf { tree: u32, node: u32 },
}

impl<I: Copy, B: Default> ClosureForest<I, B> {
    /// A forest of some closures, all with smaller numbers than `end`.
    pub(in crate::algorithm::local) fn new<S>(
        source: &S,
        ids: Vec<u32>,
        end: usize,
        run: &Run<'_>,
    ) -> Result<ClosureForest<I, B>, Stop>
    where
        S: ClosureSource<Item = I, Below = B>,
    {
        let mut forest =
            ClosureForest { trees: Vec::new(), waiting: Vec::new(), stands: vec![Stand::Waiting; end] };
        forest.plant(source, ids, run)?;
        Ok(forest)
    }

    /// All closures, near ones near each other.
    pub(in crate::algorithm::local) fn ids(&self) -> Vec<u32> {
        let leaves = self.trees.iter().flatten().flat_map(ClosureTree::leaves);
        leaves.flat_map(|(_, ids)| ids).chain(&self.waiting).copied().collect()
    }

    /// Adds a closure.
    pub(in crate::algorithm::local) fn insert<S>(
        &mut self,
        source: &S,
        id: u32,
        run: &Run<'_>,
    ) -> Result<(), Stop>
    where
        S: ClosureSource<Item = I, Below = B>,
    {
        self.stands.resize(self.stands.len().max(id as usize + 1), Stand::Waiting);
        self.stands[id as usize] = Stand::Waiting;
        self.waiting.push(id);
        if self.waiting.len() > WAITING {
            let waiting = std::mem::take(&mut self.waiting);
            self.plant(source, waiting, run)?;
        }
        Ok(())
    }

    /// Removes a closure.
    pub(in crate::algorithm::local) fn remove<S>(
        &mut self,
        source: &S,
        id: u32,
        run: &Run<'_>,
    ) -> Result<(), Stop>
    where
        S: ClosureSource<Item = I, Below = B>,
    {
        match self.stands[id as usize] {
            Stand::Waiting => self.waiting.retain(|&other| other != id),
            Stand::Leaf { tree, node } => {
                let at = tree as usize;
                let tree = self.trees[at].as_mut().expect("its closures were not put elsewhere");
                tree.remove(id, node);
                // A tree half gone is made anew: its closures have become too wide.
                if tree.len() * 2 < tree.ids().len() {
                    let rest = self.fell(at);
                    self.plant(source, rest, run)?;
                }
            }
        }
        Ok(())
    }

    /// Takes note of a closure that has changed. Those that wait are looked up when they are asked for.
    pub(in crate::algorithm::local) fn renew<S>(
        &mut self,
        source: &S,
        id: u32,
        run: &Run<'_>,
    ) -> Result<(), Stop>
    where
        S: ClosureSource<Item = I, Below = B>,
    {
        if let Stand::Leaf { .. } = self.stands[id as usize] {
            self.remove(source, id, run)?;
            self.insert(source, id, run)?;
        }
        Ok(())
    }

    /// The closures of a tree, which is no more.
    fn fell(&mut self, at: usize) -> Vec<u32> {
        let tree = self.trees[at].take();
        tree.iter().flat_map(ClosureTree::leaves).flat_map(|(_, ids)| ids).copied().collect()
    }

    fn plant<S>(&mut self, source: &S, mut ids: Vec<u32>, run: &Run<'_>) -> Result<(), Stop>
    where
        S: ClosureSource<Item = I, Below = B>,
    {
        let small = |tree: &Option<ClosureTree<I, B>>, than: usize| {
            tree.as_ref().is_some_and(|tree| tree.len() <= than)
        };
        while let Some(at) = self.trees.iter().position(|tree| small(tree, ids.len())) {
            ids.extend(self.fell(at));
        }
        if ids.is_empty() {
            return Ok(());
        }
        let at = self.trees.iter().position(Option::is_none).unwrap_or(self.trees.len());
        if at == self.trees.len() {
            self.trees.push(None);
        }
        let tree = ClosureTree::new(source, ids, run)?;
        for (node, ids) in tree.leaves() {
            ids.iter().for_each(|&id| self.stands[id as usize] = Stand::Leaf { tree: at as u32, node });
        }
        self.trees[at] = Some(tree);
        Ok(())
    }

    /// Shows a query what it wants to see.
    pub(in crate::algorithm::local) fn search<S, Q>(&self, source: &S, query: &mut Q)
    where
        S: ClosureSource<Item = I, Below = B>,
        Q: Query<I, B>,
    {
        for &id in &self.waiting {
            query.meet(id, source.item(id), source.record(id));
        }
        let mut todo = Vec::new();
        self.trees.iter().flatten().for_each(|tree| tree.search(query, &mut todo));
    }
}
