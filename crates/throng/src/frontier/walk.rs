//! `front-walk`: a search for the front among the neighbours of what is on it so far.
//!
//! **Citation.** Our own, for lattices of generalisations; a Pareto local search (L. Paquete, M. Chiarandini,
//! T. Stützle, *Pareto Local Optimum Sets in the Biobjective Traveling Salesman Problem*, 2004) with leaps.
//!
//! **Idea.** It starts from bottom and top, takes the oldest node of the archive that it has not left yet, and looks
//! at all that differ from it by one step of one attribute. When it has left every node of the archive, it leaps:
//! a few random steps from a node of the archive at once, two first, more when all that near are known. No node is
//! looked at twice, so that every look is worth something.
//!
//! **Guarantee.** As PBG-EA: no node of the archive is dominated by one that was looked at, and each box has at most
//! one. When it ends before the budget does, every neighbour of the front is known, or the whole lattice.
//!
//! **Complexity.** At most as many looks as the budget has.
//!
//! **Deviations.** None: it is our own. On Adult it has more of the front than PBG-EA for as many looks in nine of
//! eleven experiments, and less in one (see `docs/experiments/pbg-ea.md`).

use std::collections::HashSet;
use std::time::Duration;

use rustc_hash::FxBuildHasher;

use super::boxes::Boxes;
use super::{Front, Objective, Search};
use crate::lattice::{Lattice, Node};
use crate::problem::Problem;
use crate::random::Random;
use crate::run::{Observer, Stop};

/// Leaps of the same length that lead to a known node before longer ones are tried.
const DRAWS: usize = 64;

/// How far the search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// Most nodes that are looked at.
    pub nodes: u64,
    /// What leaps start from.
    pub seed: u64,
}

impl Default for Walk {
    /// As many nodes as PBG-EA may look at.
    fn default() -> Walk {
        Walk { nodes: 2_500, seed: 1 }
    }
}

/// The front as far as a walk along it finds it.
pub fn front_walk(
    problem: &Problem,
    objectives: &[Objective],
    boxes: Boxes,
    walk: Walk,
    time_limit: Option<Duration>,
    observer: &dyn Observer,
) -> Front {
    let mut walker = Walker {
        search: Search::new(problem, objectives, boxes, time_limit, observer),
        lattice: problem.lattice(),
        known: HashSet::default(),
        left: HashSet::default(),
        random: Random::new(walk.seed),
        nodes: walk.nodes,
    };
    let stopped = walker.walk().err();
    walker.search.finish(stopped)
}

struct Walker<'p> {
    search: Search<'p>,
    lattice: &'p Lattice,
    /// Every node that was looked at.
    known: HashSet<Node, FxBuildHasher>,
    /// Those whose neighbours were, too.
    left: HashSet<Node, FxBuildHasher>,
    random: Random,
    nodes: u64,
}

impl Walker<'_> {
    fn walk(&mut self) -> Result<(), Stop> {
        self.look(vec![self.lattice.bottom(), self.lattice.top()])?;
        while self.search.evaluated_nodes < self.nodes {
            if let Some(node) = self.oldest() {
                let neighbours = self.lattice.neighbours(&node).collect();
                self.left.insert(node);
                self.look(neighbours)?;
            } else if let Some(node) = self.leap() {
                self.look(vec![node])?;
            } else {
                break;
            }
        }
        Ok(())
    }

    /// Looks at those that are new, as far as the budget goes.
    fn look(&mut self, mut nodes: Vec<Node>) -> Result<(), Stop> {
        nodes.retain(|node| self.known.insert(node.clone()));
        let room = self.nodes.saturating_sub(self.search.evaluated_nodes);
        nodes.truncate(usize::try_from(room).unwrap_or(usize::MAX));
        self.search.look(&nodes).map(drop)
    }

    /// The node that is longest in the archive of those that were not left.
    fn oldest(&self) -> Option<Node> {
        let mut nodes = self.search.archive.points().map(|point| &point.node);
        nodes.find(|node| !self.left.contains(*node)).cloned()
    }

    /// A new node a few steps from one of the archive; none if none is found.
    fn leap(&mut self) -> Option<Node> {
        let archive: Vec<Node> = self.search.archive.points().map(|point| point.node.clone()).collect();
        let steps = self.lattice.top().height() - self.lattice.bottom().height();
        for steps in 2..=steps.max(2) {
            for _ in 0..DRAWS {
                let mut node = archive[self.random.index(archive.len())].clone();
                (0..steps).for_each(|_| node = self.step(&node));
                if !self.known.contains(&node) {
                    return Some(node);
                }
            }
        }
        None
    }

    /// One level up or down in one attribute, or none where that is not possible.
    fn step(&mut self, node: &Node) -> Node {
        let a = self.random.index(self.lattice.attributes());
        let level = node.level(a);
        let [floor, height] = [self.lattice.floors()[a], self.lattice.heights()[a]].map(usize::from);
        node.with(a, if self.random.chance(0.5) { (level + 1).min(height) } else { level.max(floor + 1) - 1 })
    }
}
