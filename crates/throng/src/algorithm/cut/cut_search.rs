//! Branch and bound over cuts, alongside a local search.
//!
//! **Citation.** Our own; with bounds like those of `flash`, and boxes like those of integer programming.
//!
//! **Idea.** A box holds all cuts between a lower and an upper one. The upper cut shows whether any of them
//! may be released, and the least that suppression costs; the lower cut shows the least that generalisation
//! costs. Divide the box with the lowest bound at a value: either the value stays, which raises the lower
//! cut, or it is split into its children, which lowers the upper one. Meanwhile a local search, which starts
//! from the best node of `flash`, raises a few values of the best cut and splits others as long as that is
//! allowed.
//!
//! **Guarantee.** The least objective of all cuts, if it finishes; until then, never more than the
//! full-domain optimum, if there was time to find that. No value goes above the top level of its hierarchy.
//!
//! **Complexity.** Exponential in the number of inner values, at worst; proves small tables. A round of the
//! local search tries to split each value at most once, and each attempt looks only at the tuples that have
//! the value.
//!
//! **Deviations.** None. The two searches take turns by numbers of steps, not by the clock; random numbers
//! have a fixed seed.

mod boxes;
mod descent;
mod prices;

use crate::algorithm::full_domain::flash;
use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves, Settings};
use crate::classes::cut_counter;
use crate::cut::Trees;
use crate::lattice::Node;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::run::{Run, Stop};
use boxes::Boxes;
use descent::Descent;
use prices::Prices;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "cut-search",
    summary: "searches the cuts by branch and bound, and improves the best so far by local search",
    citation: "our own",
    deviations: &[],
    family: Family::Cut,
    serves: Serves::All,
    guarantee: Guarantee::LeastLoss,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[],
    build: |_| Box::new(CutSearch),
};

/// Nodes of a lattice that `flash` is soon through with.
const MOST_NODES: u128 = 1 << 20;

/// Boxes and rounds of the first turn; each later turn has twice as many.
const FIRST_BOXES: usize = 64;
const FIRST_ROUNDS: usize = 16;

/// Turns after which there are no longer ones.
const MOST_DOUBLINGS: u32 = 6;

struct CutSearch;

impl Algorithm for CutSearch {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let trees = Trees::new(problem);
        let counter = cut_counter(problem, &trees, &|| run.go_on())?;
        let prices = Prices::new(problem, &trees, run.costs().of_values());
        let start = best_node(problem, run)?;
        let mut boxes = Boxes::new(&trees, &prices, run)?;
        let mut descent = Descent::new(&trees, &prices, &*counter, run);
        descent.start(start.map(|node| trees.at_node(problem, &node)), run)?;
        for turn in 0.. {
            let doubled = 1 << MOST_DOUBLINGS.min(turn);
            descent.improve(FIRST_ROUNDS * doubled, run)?;
            if boxes.divide(FIRST_BOXES * doubled, run)? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// The best full-domain generalisation, if there is time to look for it.
fn best_node(problem: &Problem, run: &mut Run<'_>) -> Result<Option<Node>, Stop> {
    if problem.lattice().size() > MOST_NODES {
        return Ok(None);
    }
    let mut full_domain = run.on(problem, 1);
    let stopped = (flash::ENTRY.build)(&Settings::default()).search(problem, &mut full_domain).err();
    let checked = full_domain.checked_nodes();
    let kept = full_domain.into_kept(stopped).0;
    let node = kept.into_iter().find_map(|(recoding, _)| match recoding {
        Recoding::FullDomain(node) => Some(node),
        _ => None,
    });
    if let (Some(_), Some(node)) = (stopped, &node) {
        let taxonomies = problem.attributes().iter().map(|attribute| &attribute.taxonomy);
        let levels = taxonomies.enumerate();
        run.propose_cuts(levels.map(|(a, tree)| crate::cut::Cut::at_level(tree, node.level(a))).collect());
    }
    run.note_cuts(checked)?;
    Ok(node)
}
