//! Branch and bound over boxes of nodes, with a local search beside it.
//!
//! **Citation.** Our own; bounds in the manner of `flash`, cores in that of implicit hitting sets (Davies and Bacchus
//! 2011), and boxes in that of integer programming.
//!
//! **Idea.** A node that may not be released, or that suppression makes dearer than the best, says the same of all
//! below it: it is a *core*, and every better node rises above it in some attribute. So the search is for the cheapest
//! way out of all cores, among boxes of nodes whose bounds are what their cores cost together; wherever that way leads to
//! a node that is not known, the highest core above it is looked for. Meanwhile a local search raises a few attributes of
//! the best node and lowers others while that is allowed.
//!
//! **Guarantee.** The least objective of all admissible nodes, if it is through; before that, the best node so far,
//! and a proven bound of what the optimum can save.
//!
//! **Complexity.** Exponential in the number of attributes, at worst. A core takes about as many looks as there are
//! attributes; nothing has the size of the lattice, and open boxes stay within a fixed part of memory.
//!
//! **Deviations.** None. Where nothing but the sizes of classes decides, nodes are looked at by a lower bound of what
//! they suppress, and checked only where they may be better than the best. The two searches take turns, by numbers of
//! looks and not by the clock; random numbers have a fixed seed.

mod boxes;
mod cores;
mod descent;
mod facts;
mod path;
mod prices;
mod relaxation;

use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use boxes::Boxes;
use descent::Descent;
use prices::Prices;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "box-search",
    summary: "divides the lattice by lower bounds, and improves the best so far by local search",
    citation: "our own",
    family: Family::FullDomain,
    serves: Serves::All,
    guarantee: Guarantee::LeastLoss,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[],
    build: |_| Box::new(BoxSearch),
};

/// Checks of the first turn of each of the two searches; each later turn has twice as many.
const FIRST_CHECKS: u64 = 256;

/// Turns after which there are no longer ones.
const MOST_DOUBLINGS: u32 = 6;

/// The local search has this part of the boxes' checks once the bound is near, or it finds nothing better; a smaller one
/// if both is so.
const SHARE: u64 = 4;
const LEAST_SHARE: u64 = 16;

struct BoxSearch;

impl Algorithm for BoxSearch {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let prices = Prices::new(problem, run);
        let mut descent = Descent::new(&prices);
        if !descent.start(problem, run)? {
            return Ok(());
        }
        let mut boxes = Boxes::new(&prices, run);
        let first =
            u64::try_from(problem.lattice().size() / 4 + 1).map_or(FIRST_CHECKS, |few| few.min(FIRST_CHECKS));
        let mut is_better = true;
        for turn in 0.. {
            let checks = first << MOST_DOUBLINGS.min(turn);
            let share = match (is_near(run), is_better) {
                (false, true) => 1,
                (false, false) | (true, true) => SHARE,
                (true, false) => LEAST_SHARE,
            };
            is_better = descent.improve(checks / share, run)?;
            if boxes.divide(checks, run)? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Whether a proof is in sight: the optimum costs at least half of the best.
fn is_near(run: &Run<'_>) -> bool {
    run.bound().zip(run.least_cost()).is_some_and(|(bound, least)| bound >= least / 2)
}
