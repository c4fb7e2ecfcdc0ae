//! Full-domain recoding: a search in the lattice of levels.

pub(super) mod all_min;
pub(super) mod auto;
pub(super) mod box_search;
pub(super) mod datafly;
pub(super) mod exhaustive;
pub(super) mod flash;
pub(super) mod improved_greedy;
pub(super) mod incognito;
pub(super) mod ola;
pub(super) mod samarati;

use crate::bounds::Bounds;
use crate::lattice::{Index, Lattice};
use crate::problem::Problem;
use crate::run::{Run, Stop};

/// Nodes that are checked at a time where the order does not matter.
const BATCH: usize = 64;

/// The attribute with the most distinct values in the table at these levels, among those that
/// can be generalised further; the first of several.
fn most_distinct(
    problem: &Problem,
    node: &crate::lattice::Node,
    among: impl Iterator<Item = usize>,
) -> Option<usize> {
    let distinct = |a: usize| problem.distinct_values(a, node.level(a));
    among.max_by_key(|&a| (distinct(a), std::cmp::Reverse(a)))
}

/// Refuses a lattice whose middle height alone has more nodes than anybody waits for.
fn refuse_hopeless(lattice: &Lattice) -> Result<(), Stop> {
    let is_hopeless = lattice.widest() > Index::MAX_NODES as u128;
    if is_hopeless { Err(Stop::LatticeTooLarge) } else { Ok(()) }
}

/// Checks the nodes that are known to be admissible, in order of their lower bounds, until no
/// other can be better. `admissible` says of a node's number whether it is.
fn check_by_bound(
    run: &mut Run<'_>,
    bounds: &mut Bounds,
    admissible: impl Fn(usize) -> bool,
) -> Result<(), Stop> {
    for at in bounds.order(run)? {
        run.go_on_stepping()?;
        if bounds.exhausted(at, run.best_cost()) {
            break;
        }
        if !admissible(at) || bounds.bound(at) >= run.best_cost() {
            continue;
        }
        let node = bounds.index().node(at);
        let check = run.check(&node)?;
        bounds.learn(&node, &check, run)?;
    }
    Ok(())
}
