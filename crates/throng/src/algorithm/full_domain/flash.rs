//! Flash, in order of lower bounds.
//!
//! **Citation.** F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. A. Kuhn, *Flash: Efficient,
//! Stable and Optimal K-Anonymity*, PASSAT 2012.
//!
//! **Idea.** Take the open node of the least lower bound and a path from it to the top. Along
//! the path, what suppression adds to the loss only falls, so bisect for the highest node that
//! proves that the first one cannot be the optimum: it may not be released, or it suppresses
//! too much. What a check finds bounds all nodes below it, and the best node so far closes
//! every node whose bound is not lower.
//!
//! **Guarantee.** The least objective of all admissible nodes, for monotone models; for others
//! every node that the bounds leave open is checked.
//!
//! **Complexity.** In the worst case a check for each of the Π(hᵢ + 1) nodes; O(Π(hᵢ + 1))
//! memory. On real tables a few hundred checks for ten thousand nodes.
//!
//! **Deviations.** The paper goes through the lattice by height and orders nodes by criteria
//! that approximate loss; here the order is a lower bound of the objective itself, so that the
//! search may end long before the lattice is tagged. Several paths are bisected side by side;
//! their number does not depend on the number of cores, so neither does the result.

use crate::algorithm::{Algorithm, Entry, Family, Guarantee};
use crate::bounds::Bounds;
use crate::lattice::Node;
use crate::problem::Problem;
use crate::run::{Run, Stop};

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "flash",
    summary: "bisects upward paths from the open node of the least lower bound",
    citation: "Kohlmayer et al. 2012",
    family: Family::FullDomain,
    guarantee: Guarantee::LeastLoss,
    build: || Box::new(Flash),
};

/// Paths that are bisected side by side.
const PATHS: usize = 2;

struct Flash;

impl Algorithm for Flash {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let mut bounds = Bounds::new(run)?;
        let top = problem.lattice().top();
        let check = run.check(&top)?;
        bounds.learn(&top, &check);
        if !run.is_monotone() {
            return super::check_by_bound(run, &mut bounds, |_| true);
        }
        if !check.admissible {
            return Ok(());
        }
        let mut checked = vec![false; bounds.index().len()];
        *checked.last_mut().expect("the top") = true;
        let mut open = bounds.order().into_iter();
        let mut search = Search { bounds, checked, paths: Vec::new() };
        loop {
            search.drop_closed(run);
            search.start_paths(&mut open, run);
            if search.paths.is_empty() {
                return Ok(());
            }
            search.bisect_once(run)?;
        }
    }
}

struct Search {
    bounds: Bounds,
    checked: Vec<bool>,
    paths: Vec<Path>,
}

/// An upward path whose first node is open.
struct Path {
    /// Numbers of the nodes, from the open one to the top.
    nodes: Vec<usize>,
    /// Nodes before this one are not known to refute the first.
    low: usize,
    /// Nodes from this one on do not refute the first.
    high: usize,
}

impl Search {
    /// Whether a node can still be the optimum and was not checked.
    fn is_open(&self, at: usize, best: f64) -> bool {
        !self.checked[at] && self.bounds.of(at) < best
    }

    fn drop_closed(&mut self, run: &Run<'_>) {
        let best = run.best_cost();
        let paths = std::mem::take(&mut self.paths);
        self.paths = paths.into_iter().filter(|path| self.is_open(path.nodes[0], best)).collect();
    }

    fn start_paths(&mut self, open: &mut impl Iterator<Item = usize>, run: &Run<'_>) {
        let best = run.best_cost();
        while self.paths.len() < PATHS {
            let Some(at) = open.next() else { return };
            if self.bounds.exhausted(at, best) {
                return;
            }
            if self.is_open(at, best) {
                let nodes = self.path(at);
                let high = nodes.len() - 1;
                self.paths.push(Path { nodes, low: 0, high });
            }
        }
    }

    /// A path to the top by the successors of least sum.
    fn path(&self, from: usize) -> Vec<usize> {
        let heights = self.bounds.lattice().heights();
        let index = self.bounds.index();
        let mut levels = index.node(from).levels().to_vec();
        let mut path = vec![from];
        let mut at = from;
        loop {
            let next = (0..levels.len())
                .filter(|&a| levels[a] < heights[a])
                .min_by(|&a, &b| {
                    self.bounds.sum(at + index.stride(a)).total_cmp(&self.bounds.sum(at + index.stride(b)))
                });
            let Some(a) = next else { return path };
            levels[a] += 1;
            at += index.stride(a);
            path.push(at);
        }
    }

    /// One step of bisection on every path, checked side by side.
    fn bisect_once(&mut self, run: &mut Run<'_>) -> Result<(), Stop> {
        let mut middles: Vec<usize> = Vec::with_capacity(PATHS);
        let mut paths = std::mem::take(&mut self.paths);
        for path in &mut paths {
            let middle = self.next_unchecked(path, run.best_cost());
            if !middles.contains(&middle) {
                middles.push(middle);
            }
        }
        self.paths = paths;
        let nodes: Vec<Node> = middles.iter().map(|&at| self.bounds.index().node(at)).collect();
        for ((node, &at), check) in nodes.iter().zip(&middles).zip(run.check_all(&nodes)?) {
            self.checked[at] = true;
            self.bounds.learn(node, &check);
        }
        Ok(())
    }

    /// Bisects by what is known already, up to a node that must be checked.
    fn next_unchecked(&self, path: &mut Path, best: f64) -> usize {
        let first = path.nodes[0];
        while path.low < path.high {
            let middle = (path.low + path.high) / 2;
            let at = path.nodes[middle];
            if !self.checked[at] {
                return at;
            }
            if self.bounds.refutes(at, first, best) {
                path.low = middle + 1;
            } else {
                path.high = middle;
            }
        }
        // Nothing on the path refutes the first node; it was not checked, or it would be closed.
        first
    }
}
