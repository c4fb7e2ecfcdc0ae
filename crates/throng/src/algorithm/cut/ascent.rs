//! Ascent through cuts.
//!
//! **Citation.** Our own: the simplest search among cuts, as a baseline for the others. Moving a value to its
//! parent together with all its siblings, everywhere in the table, is the generalisation of K. Wang, P. S.
//! Yu, S. Chakraborty, *Bottom-Up Generalization*, ICDM 2004.
//!
//! **Idea.** Start from the leaves. Of all moves of a value to its parent, make the one that leaves the
//! fewest rows to be suppressed, again and again. As soon as some moves lead to cuts that may be released,
//! take the cheapest of these.
//!
//! **Guarantee.** An admissible cut, if that of the top levels is one, for monotone models. No bound on the
//! loss. No value goes above the top level of its hierarchy.
//!
//! **Complexity.** At most one move for each value that is not a leaf, and for each move one check per value
//! to move to: quadratic in the values of the trees, and each check counts the tuples again. For small trees.
//!
//! **Deviations.** None.

use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::cut::Cut;
use crate::evaluation::Evaluation;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "ascent",
    summary: "moves values up to their parents, one at a time, wherever that saves the most rows",
    citation: "our own, after Wang, Yu and Chakraborty 2004",
    deviations: &[],
    family: Family::Cut,
    serves: Serves::All,
    guarantee: Guarantee::Admissible,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[],
    build: |_| Box::new(Ascent),
};

struct Ascent;

impl Algorithm for Ascent {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let lowest = problem.attributes().iter().zip(problem.lattice().floors());
        let lowest = lowest.map(|(attribute, &level)| Cut::at_level(&attribute.taxonomy, level.into()));
        let mut cuts: Vec<Cut> = lowest.collect();
        let mut check = run.check_cuts(std::slice::from_ref(&cuts))?.remove(0);
        while !check.admissible {
            let moves = moves(problem, &cuts);
            let checks = run.check_cuts(&moves)?;
            let Some(best) = best(&checks) else { return Ok(()) };
            (cuts, check) = (moves[best].clone(), checks[best].clone());
        }
        Ok(())
    }
}

/// The cuts that one move leads to: a value goes to its parent, and its siblings with it.
fn moves(problem: &Problem, cuts: &[Cut]) -> Vec<Vec<Cut>> {
    let mut moves = Vec::new();
    for (a, cut) in cuts.iter().enumerate() {
        let taxonomy = &problem.attributes()[a].taxonomy;
        let top = taxonomy.level_values(problem.lattice().heights()[a].into());
        let mut seen: Vec<ValueId> = Vec::new();
        for value in cut.values() {
            let parent = taxonomy.values()[value as usize].parent;
            if top.contains(&value) || seen.contains(&parent) {
                continue;
            }
            seen.push(parent);
            let mut moved = cuts.to_vec();
            moved[a] = cut.raise(taxonomy, value);
            moves.push(moved);
        }
    }
    moves
}

/// The least costly that may be released; if none may, the first that leaves the fewest rows to be
/// suppressed.
fn best(checks: &[Evaluation]) -> Option<usize> {
    let worth = |at: &usize| (checks[*at].cost().is_none(), checks[*at].cost(), checks[*at].suppressed_rows);
    (0..checks.len()).min_by_key(worth)
}
