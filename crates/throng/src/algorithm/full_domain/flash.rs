//! Flash, in order of lower bounds.
//!
//! **Citation.** F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. A. Kuhn, *Flash: Efficient,
//! Stable and Optimal K-Anonymity*, PASSAT 2012.
//!
//! **Idea.** Take the open node with the smallest lower bound, and a path from it to the top. Along the path,
//! what suppression adds to the loss can only fall, so bisect for the highest node which proves that the
//! first one cannot be the optimum, because it may not be released or suppresses too much. The result of a
//! check bounds all nodes below it, and the best node so far closes every node whose bound is not lower.
//!
//! **Guarantee.** The least objective of all admissible nodes. Where a model is not monotone, a node that
//! may not be released refutes those below it only if these must suppress too much, as well; every node
//! that the bounds leave open is checked.
//!
//! **Complexity.** In the worst case a check for each of the Π(hᵢ + 1) nodes; O(Π(hᵢ + 1))
//! memory. On real tables a few hundred checks for ten thousand nodes.
//!
//! **Deviations.** The paper goes through the lattice by height and orders nodes by criteria
//! that approximate loss; here the order is a lower bound on the objective itself, so the search may end long
//! before the lattice is tagged. Several paths are bisected in parallel; their number does not depend on the
//! number of cores, so neither does the result.

use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::bounds::Bounds;
use crate::lattice::Node;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "flash",
    summary: "bisects upward paths from the open node with the smallest lower bound",
    citation: "Kohlmayer et al. 2012",
    deviations: &[
        "Takes nodes in the order of a lower bound on the measure; the paper goes by height, and by \
            criteria that approximate the measure.",
        "Bisects four paths at a time.",
    ],
    family: Family::FullDomain,
    serves: Serves::All,
    guarantee: Guarantee::LeastLoss,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[],
    build: |_| Box::new(Flash),
};

/// Paths that are bisected side by side.
const PATHS: usize = 4;

/// Attempts to widen a refutation before their success decides whether there are more.
const TRIAL: u32 = 32;

struct Flash;

impl Algorithm for Flash {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let mut bounds = Bounds::new(run)?;
        let top = problem.lattice().top();
        let check = run.check(&top)?;
        bounds.learn(&top, &check, run)?;
        if bounds.is_refuted(bounds.index().len() - 1) {
            return Ok(());
        }
        let mut checked = vec![false; bounds.index().len()];
        *checked.last_mut().expect("the top") = true;
        let mut open = bounds.order(run)?;
        let mut rounds = Rounds { bounds, checked, paths: Vec::new(), widenings: (0, 0) };
        loop {
            rounds.start_paths(&mut open, run)?;
            if rounds.paths.is_empty() {
                return Ok(());
            }
            rounds.step(run)?;
        }
    }
}

struct Rounds {
    bounds: Bounds,
    checked: Vec<bool>,
    paths: Vec<OpenPath>,
    /// Checks to widen a refutation, and how many of them did.
    widenings: (u32, u32),
}

/// An upward path whose first node is open.
struct OpenPath {
    /// Numbers of the nodes, from the open one to the top.
    nodes: Vec<usize>,
    /// Nodes before this one refute the first.
    low: usize,
    /// Nodes from this one on do not.
    high: usize,
    /// The next attribute to widen the refutation by.
    widen: usize,
    /// The refuted node, widened so far.
    widest: Option<usize>,
    /// The last node that was asked for to widen it.
    asked: Option<usize>,
}

impl Rounds {
    /// Whether a node can still be the optimum and was not checked.
    fn is_open(&self, at: usize, best: f64) -> bool {
        !self.checked[at] && self.bounds.bound(at) < best
    }

    fn start_paths(&mut self, open: &mut impl Iterator<Item = usize>, run: &Run<'_>) -> Result<(), Stop> {
        let best = run.best_cost();
        while self.paths.len() < PATHS {
            run.go_on_stepping()?;
            let Some(at) = open.next() else { break };
            if self.bounds.exhausted(at, best) {
                break;
            }
            if self.is_open(at, best) {
                let nodes = self.path(at);
                let high = nodes.len() - 1;
                self.paths.push(OpenPath { nodes, low: 0, high, widen: 0, widest: None, asked: None });
            }
        }
        Ok(())
    }

    /// A path to the top by the successors of least sum.
    fn path(&self, from: usize) -> Vec<usize> {
        let heights = self.bounds.lattice().heights();
        let index = self.bounds.index();
        let mut levels = index.node(from).levels().to_vec();
        let mut path = vec![from];
        let mut at = from;
        loop {
            let open = (0..levels.len()).filter(|&a| levels[a] < heights[a]);
            let sum_above = |a: usize| self.bounds.sum(at + index.stride(a));
            let Some(a) = open.min_by(|&a, &b| sum_above(a).total_cmp(&sum_above(b))) else { return path };
            levels[a] += 1;
            at += index.stride(a);
            path.push(at);
        }
    }

    /// One step on every path, checked side by side; paths without a next step end.
    fn step(&mut self, run: &mut Run<'_>) -> Result<(), Stop> {
        let mut steps: Vec<usize> = Vec::with_capacity(PATHS);
        let mut paths = std::mem::take(&mut self.paths);
        paths.retain_mut(|path| {
            let next = self.next_check(path, run.best_cost());
            if let Some(at) = next
                && !steps.contains(&at)
            {
                steps.push(at);
            }
            next.is_some()
        });
        self.paths = paths;
        let nodes: Vec<Node> = steps.iter().map(|&at| self.bounds.index().node(at)).collect();
        for ((node, &at), check) in nodes.iter().zip(&steps).zip(run.check_all(&nodes)?) {
            self.checked[at] = true;
            self.bounds.learn(node, &check, run)?;
            if self.paths.iter().any(|path| path.asked == Some(at)) {
                self.widenings.0 += 1;
                self.widenings.1 += u32::from(!check.admissible);
            }
        }
        Ok(())
    }

    /// Bisects, then widens, by what is known already, up to a node that must be checked.
    fn next_check(&self, path: &mut OpenPath, best: f64) -> Option<usize> {
        let first = path.nodes[0];
        while path.low < path.high {
            let middle = (path.low + path.high) / 2;
            let at = path.nodes[middle];
            if self.bounds.refutes(at, first, best) {
                path.low = middle + 1;
            } else if self.checked[at] {
                path.high = middle;
            } else {
                return Some(at);
            }
        }
        if path.low == 0 {
            return (!self.checked[first]).then_some(first);
        }
        self.widen(path)
    }

    /// Raises one attribute after the other of a node that may not be released to its top,
    /// as long as the node above may not be, either: the higher it is, the more it refutes.
    fn widen(&self, path: &mut OpenPath) -> Option<usize> {
        let mut widest = path.widest.unwrap_or(path.nodes[path.low - 1]);
        let (tried, widened) = self.widenings;
        if !self.bounds.is_refuted(widest) || (tried >= TRIAL && widened * 3 < tried) {
            return None;
        }
        let heights = self.bounds.lattice().heights();
        let index = self.bounds.index();
        while path.widen < heights.len() {
            let a = path.widen;
            let level = index.level(widest, a);
            let above = widest + (usize::from(heights[a]) - level) * index.stride(a);
            if self.bounds.is_refuted(above) {
                widest = above;
                path.widest = Some(widest);
            } else if !self.checked[above] && !self.bounds.is_admissible(above) {
                path.asked = Some(above);
                return path.asked;
            }
            path.widen += 1;
        }
        None
    }
}
