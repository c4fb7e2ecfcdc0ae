//! Lower bounds of the objective for every node of the lattice.
//!
//! With suppression most objectives are not monotone along the lattice: a coarser node
//! generalises more and suppresses less. Both parts by themselves are, and that is what
//! bounds them:
//!
//! * without suppression, a cell objective is a sum over attributes of one number per level,
//!   known before anything is counted ([`Costs::level_bounds`](crate::classes::Costs)). A
//!   suppressed row costs at least as much as the sum says, so the sum is a lower bound;
//! * what suppression adds at a node, it adds at every node below: the rows suppressed there
//!   include those suppressed here, and each lost less by generalisation. A node that may not
//!   be released at all adds infinity. So every check raises the bounds of a whole down-set;
//! * an objective on class sizes has no sum, but a floor that a checked node gives to its
//!   whole up-set.
//!
//! Bounds are floating-point numbers, rounded down; costs are exact. A node is left out only
//! if its bound says that it cannot be better than a node that was checked.

mod order;

use std::sync::Arc;

use crate::evaluation::Evaluation;
use crate::lattice::{Index, Lattice, Node};
use crate::run::{Run, Stop};
pub(crate) use order::NodeOrder;

/// Rounding of sums of up to a few hundred numbers stays far below this share.
const ROUND_DOWN: f64 = 1.0 - 1e-12;

/// Nodes that are summed up or sorted before the search may stop.
const AT_A_TIME: usize = 1 << 17;

/// Bounds of all nodes, and the order of the bounds that are known beforehand.
pub(crate) struct Bounds {
    lattice: Lattice,
    index: Index,
    /// Sum over attributes for each node, or its height where there is no such sum.
    sums: Arc<[f64]>,
    /// Whether `sums` are bounds or just an order.
    sums_bound: bool,
    /// What suppression adds at least (sums) or the floor (no sums).
    added: Vec<f64>,
    /// Nodes known to be admissible.
    admissible: Vec<bool>,
    penalty_falls: bool,
    monotone: bool,
}

impl Bounds {
    /// Bounds before anything was checked.
    pub(crate) fn new(run: &Run<'_>) -> Result<Bounds, Stop> {
        let lattice = run.problem().lattice().clone();
        let index = Index::new(&lattice).ok_or(Stop::LatticeTooLarge)?;
        let level_bounds = run.costs().level_bounds(lattice.heights());
        let sums_bound = level_bounds.is_some();
        let per_level: Vec<Vec<f64>> = match level_bounds {
            Some(bounds) => {
                bounds.iter().map(|of| of.iter().map(|&b| b as f64 * ROUND_DOWN).collect()).collect()
            }
            None => lattice.heights().iter().map(|&h| (0..=h).map(f64::from).collect()).collect(),
        };
        let levels = lattice.floors().iter().zip(lattice.heights());
        let levels = levels.map(|(&floor, &height)| usize::from(floor)..=usize::from(height));
        let per_level: Vec<Vec<f64>> =
            per_level.iter().zip(levels).map(|(of, levels)| of[levels].to_vec()).collect();
        let sums: Arc<[f64]> = node_sums(&per_level, run)?.into();
        let unbounded = if sums_bound { 0.0 } else { f64::NEG_INFINITY };
        let added = vec![unbounded; index.len()];
        let admissible = vec![false; index.len()];
        let penalty_falls = run.costs().penalty_falls();
        Ok(Bounds {
            lattice,
            index,
            sums,
            sums_bound,
            added,
            admissible,
            penalty_falls,
            monotone: run.is_monotone(),
        })
    }

    /// Every node by its sum, least first: no later node has a lower bound by sums.
    pub(crate) fn order(&self, run: &Run<'_>) -> Result<NodeOrder, Stop> {
        NodeOrder::new(Arc::clone(&self.sums), run)
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    pub(crate) fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// The part of the bound that was known beforehand.
    pub(crate) fn sum(&self, node: usize) -> f64 {
        self.sums[node]
    }

    /// Whether what is known of `above` proves that `node`, below it, is not better than `best`.
    pub(crate) fn refutes(&self, above: usize, node: usize, best: f64) -> bool {
        let penalty = self.added[above];
        if self.sums_bound { self.sums[node] + penalty >= best } else { penalty == f64::INFINITY }
    }

    /// Whether the node may not be released.
    pub(crate) fn is_refuted(&self, node: usize) -> bool {
        self.added[node] == f64::INFINITY
    }

    /// Whether the node is known to be admissible.
    pub(crate) fn is_admissible(&self, node: usize) -> bool {
        self.admissible[node]
    }

    /// The lower bound of a node's objective.
    pub(crate) fn bound(&self, node: usize) -> f64 {
        if self.sums_bound { self.sums[node] + self.added[node] } else { self.added[node] }
    }

    /// Whether no node from here on in [`order`](Self::order) can be better than `best`.
    pub(crate) fn exhausted(&self, node: usize, best: f64) -> bool {
        self.sums_bound && self.sums[node] >= best
    }

    /// Raises bounds by what a check found.
    pub(crate) fn learn(&mut self, node: &Node, check: &Evaluation, run: &Run<'_>) -> Result<(), Stop> {
        if check.refutes_below || (self.monotone && !check.admissible) {
            return self.raise_below(node, f64::INFINITY, run);
        }
        if !check.admissible {
            return Ok(());
        }
        if self.monotone {
            self.admit(node, run)?;
        }
        if let Some(cost) = check.cost
            && self.sums_bound
        {
            let penalty = (cost.penalty as f64 * ROUND_DOWN).max(0.0);
            if self.penalty_falls && self.monotone {
                self.raise_below(node, penalty, run)?;
            }
        }
        if let Some(floor) = check.floor
            && self.monotone
        {
            self.raise_above(node, floor as f64 - (floor as f64).abs() * (1.0 - ROUND_DOWN), run)?;
        }
        Ok(())
    }

    /// Raises a node and all below it; stops where a node has the value, since then all below have.
    fn raise_below(&mut self, node: &Node, value: f64, run: &Run<'_>) -> Result<(), Stop> {
        let added = &mut self.added;
        self.index.walk_below(node, |at| {
            if added[at] >= value {
                return Ok(false);
            }
            run.go_on_stepping()?;
            added[at] = value;
            Ok(true)
        })
    }

    /// Notes that a node and all above it are admissible; where one is known to be, all above are.
    fn admit(&mut self, node: &Node, run: &Run<'_>) -> Result<(), Stop> {
        let admissible = &mut self.admissible;
        self.index.walk_above(node, |at| {
            if admissible[at] {
                return Ok(false);
            }
            run.go_on_stepping()?;
            admissible[at] = true;
            Ok(true)
        })
    }

    fn raise_above(&mut self, node: &Node, value: f64, run: &Run<'_>) -> Result<(), Stop> {
        let added = &mut self.added;
        self.index.walk_above(node, |at| {
            // Infinite where a node may not be released, which says nothing of nodes above.
            if added[at] >= value && added[at] != f64::INFINITY {
                return Ok(false);
            }
            run.go_on_stepping()?;
            added[at] = added[at].max(value);
            Ok(true)
        })
    }
}

/// For each node in index order, the sum of its levels' numbers.
fn node_sums(per_level: &[Vec<f64>], run: &Run<'_>) -> Result<Vec<f64>, Stop> {
    let mut sums = vec![0.0];
    for of in per_level {
        let mut longer = Vec::with_capacity(sums.len() * of.len());
        for some in sums.chunks(AT_A_TIME) {
            run.go_on()?;
            longer.extend(some.iter().flat_map(|sum| of.iter().map(move |number| sum + number)));
        }
        sums = longer;
    }
    Ok(sums)
}
