//! The active clusters, arranged so that the nearest to a given one is found fast.

use super::clusters::{Clusters, Id};
use super::costs::PairCosts;
use super::distance::Measure;
use super::tree::{Query, Tree};

/// Clusters that wait for a tree.
const WAITING: usize = 64;

/// Trees of growing size, and a few clusters that are in none.
///
/// A new tree takes in all that are not larger, so that a cluster is put into a tree only about as
/// often as the number of clusters can be doubled.
pub(super) struct Forest {
    trees: Vec<Option<Tree>>,
    waiting: Vec<Id>,
    places: Vec<Place>,
}

#[derive(Clone, Copy)]
enum Place {
    Waiting,
    Leaf { tree: u32, node: u32 },
}

impl Forest {
    /// A forest of the clusters that are active.
    pub(super) fn new(clusters: &Clusters, costs: &PairCosts<'_>) -> Forest {
        let mut forest =
            Forest { trees: Vec::new(), waiting: Vec::new(), places: vec![Place::Waiting; clusters.len()] };
        let active: Vec<Id> = (0..clusters.len() as Id).filter(|&id| clusters.is_active(id)).collect();
        forest.plant(active, clusters, costs);
        forest
    }

    /// All clusters, near ones near each other.
    pub(super) fn ids(&self) -> Vec<Id> {
        let leaves = self.trees.iter().flatten().flat_map(Tree::leaves);
        leaves.flat_map(|(_, ids)| ids).chain(self.waiting.iter().copied()).collect()
    }

    /// Adds a cluster, the newest of all.
    pub(super) fn insert(&mut self, id: Id, clusters: &Clusters, costs: &PairCosts<'_>) {
        self.places.resize(id as usize + 1, Place::Waiting);
        self.waiting.push(id);
        if self.waiting.len() > WAITING {
            let waiting = std::mem::take(&mut self.waiting);
            self.plant(waiting, clusters, costs);
        }
    }

    /// Removes a cluster.
    pub(super) fn remove(&mut self, id: Id, clusters: &Clusters, costs: &PairCosts<'_>) {
        match self.places[id as usize] {
            Place::Waiting => self.waiting.retain(|&other| other != id),
            Place::Leaf { tree, node } => {
                let at = tree as usize;
                let tree = self.trees[at].as_mut().expect("its clusters were not put elsewhere");
                tree.remove(id, node);
                // A tree half gone is made anew: its closures have become too wide.
                if tree.len() * 2 < tree.built() {
                    let rest = self.fell(at);
                    self.plant(rest, clusters, costs);
                }
            }
        }
    }

    /// The clusters of a tree, which is no more.
    fn fell(&mut self, at: usize) -> Vec<Id> {
        let tree = self.trees[at].take();
        tree.iter().flat_map(Tree::leaves).flat_map(|(_, ids)| ids).collect()
    }

    fn plant(&mut self, mut ids: Vec<Id>, clusters: &Clusters, costs: &PairCosts<'_>) {
        let small = |tree: &Option<Tree>, than: usize| tree.as_ref().is_some_and(|tree| tree.len() <= than);
        while let Some(at) = self.trees.iter().position(|tree| small(tree, ids.len())) {
            ids.extend(self.fell(at));
        }
        if ids.is_empty() {
            return;
        }
        let at = self.trees.iter().position(Option::is_none).unwrap_or(self.trees.len());
        if at == self.trees.len() {
            self.trees.push(None);
        }
        let tree = Tree::new(ids, clusters, costs);
        for (node, ids) in tree.leaves() {
            ids.for_each(|id| self.places[id as usize] = Place::Leaf { tree: at as u32, node });
        }
        self.trees[at] = Some(tree);
    }

    /// Distance and number of the nearest active cluster with a smaller number.
    pub(super) fn nearest_before(
        &self,
        id: Id,
        clusters: &Clusters,
        costs: &PairCosts<'_>,
        measure: &Measure,
    ) -> Option<(f64, Id)> {
        let none = (f64::INFINITY, Id::MAX);
        let mut query = Query {
            rows: costs.rows(clusters.record(id)),
            shape: clusters.shape(id),
            measure,
            before: id,
            nearest: none,
            todo: Vec::new(),
        };
        for &other in &self.waiting {
            query.meet(other, clusters.shape(other), clusters.record(other));
        }
        self.trees.iter().flatten().for_each(|tree| tree.search(&mut query));
        (query.nearest != none).then_some(query.nearest)
    }
}
