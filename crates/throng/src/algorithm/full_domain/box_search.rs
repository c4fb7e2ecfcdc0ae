//! Branch and bound over boxes of nodes, alongside simulated annealing.
//!
//! **Citation.** Our own; with bounds like those of `flash`, cores like those of implicit hitting sets
//! (Davies and Bacchus 2011), and boxes like those of integer programming. The annealing is that of
//! Kirkpatrick, Gelatt and Vecchi (1983).
//!
//! **Idea.** If a node may not be released, or suppression makes it more expensive than the best, the same is
//! true of all nodes below it: it is a *core*, and every better node rises above it in some attribute. So we
//! look for the cheapest way out of all cores, among boxes of nodes whose bounds are what their cores cost
//! together. Wherever that way leads to an unknown node, we look for a core as high as possible above it. It
//! rises first where the way out would cost nothing beyond what other cores collect, and as far as earlier
//! looks predict that it remains a core. Meanwhile chains of nodes that rise in one attribute and fall in
//! another look for something better: what a step costs without suppression is known in advance, and most
//! steps are too expensive.
//!
//! **Guarantee.** The least objective of all admissible nodes, if it finishes; until then, the best node so
//! far and a proven bound on what the optimum could save.
//!
//! **Complexity.** Exponential in the number of attributes, at worst. A core takes about three looks, or
//! about one per attribute if the suppressed rows are not known. Nothing grows to the size of the lattice,
//! and open boxes stay within a fixed share of memory.
//!
//! **Deviations.** None. If only the sizes of classes matter, nodes are judged by a lower bound on what they
//! suppress, and checked only if they could beat the best. The two searches take turns by numbers of looks,
//! not by the clock; random numbers have a fixed seed. Forecasts decide where to look, never what is claimed.

mod annealing;
mod boxes;
mod cores;
mod descent;
mod facts;
mod forecast;
mod path;
mod prices;
mod relaxation;

use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use annealing::Annealing;
use boxes::Boxes;
use descent::descend;
use prices::Prices;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "box-search",
    summary: "searches the lattice by branch and bound, and improves the best so far by local search",
    citation: "our own",
    deviations: &[],
    family: Family::FullDomain,
    serves: Serves::All,
    guarantee: Guarantee::LeastLoss,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[],
    build: |_| Box::new(BoxSearch),
};

/// Looks of the first turn of each of the two searches; each later turn has twice as many.
const FIRST_LOOKS: u64 = 256;

/// Turns after which there are no longer ones.
const MOST_DOUBLINGS: u32 = 6;

/// Annealing has so many times the looks of the boxes at first: they gain by a good node.
const HEAD_START: u64 = 2;

/// Turns in a row in which it finds nothing better, after which it has this part of the boxes' looks; a smaller one if
/// the bound is near, too.
const PATIENCE: u32 = 2;
const SHARE: u64 = 4;
const LEAST_SHARE: u64 = 16;

struct BoxSearch;

impl Algorithm for BoxSearch {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let prices = Prices::new(problem, run);
        let top = problem.lattice().top();
        let check = run.check(&top)?;
        let mut annealing = match check.cost() {
            Some(cost) => {
                let (cost, node) = descend(&prices, cost, top, run)?;
                Some(Annealing::new(&prices, cost, node))
            }
            None if run.is_monotone() || check.refutes_below => return Ok(()),
            None => None,
        };
        let mut boxes = Boxes::new(&prices, run);
        let first =
            u64::try_from(problem.lattice().size() / 8 + 1).map_or(FIRST_LOOKS, |few| few.min(FIRST_LOOKS));
        let mut failures = 0;
        for turn in 0.. {
            let looks = first << MOST_DOUBLINGS.min(turn);
            if let Some(annealing) = &mut annealing {
                let is_better = annealing.cool(share(looks, failures, is_near(run)), run)?;
                failures = if is_better { 0 } else { failures + 1 };
            }
            if boxes.divide(looks, run)? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Looks of annealing for so many of the boxes.
fn share(looks: u64, failures: u32, is_near: bool) -> u64 {
    match (failures > PATIENCE, is_near) {
        (false, false) => HEAD_START * looks,
        (true, false) | (false, true) => looks / SHARE,
        (true, true) => looks / LEAST_SHARE,
    }
    .max(1)
}

/// Whether a proof is in sight: the optimum costs at least half of the best.
fn is_near(run: &Run<'_>) -> bool {
    run.bound().zip(run.least_cost()).is_some_and(|(bound, least)| bound >= least / 2)
}
