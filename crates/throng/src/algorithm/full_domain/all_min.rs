//! AllMin: all generalisations of the least height.
//!
//! **Citation.** P. Samarati, *Protecting Respondents' Identities in Microdata Release*, IEEE TKDE 13(6), 2001;
//! as section 5.1.2 of *Data privacy with heuristic anonymisation* (Arca and Hewett, 2023) uses it.
//!
//! **Idea.** If a node of some height is admissible, there is one at every greater height. So search for the
//! least height by bisection, and check all nodes of each height tried. All admissible nodes of the least
//! height are minimal; which of them to take is left to the caller.
//!
//! **Guarantee.** All admissible nodes of the least height, in the order of the objective.
//!
//! **Complexity.** That of `samarati`, with all nodes of every height tried: a height is not abandoned once
//! one of its nodes is found. A lattice in which the middle height has more than 2²⁵ is refused.
//!
//! **Deviations.** The original table is checked first, which the paper takes as done. Of two middle heights
//! the upper one is tried, as in the paper's example. Where a requirement does not hold upwards, heights are
//! tried one after the other, from the lowest.

use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::evaluation::Evaluation;
use crate::lattice::Node;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "all-min",
    summary: "bisects the height of the lattice, and lists all admissible nodes of the least height",
    citation: "Samarati 2001",
    deviations: &[],
    family: Family::FullDomain,
    serves: Serves::All,
    guarantee: Guarantee::LeastHeight,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[],
    build: |_| Box::new(AllMin),
};

struct AllMin;

impl Algorithm for AllMin {
    fn finds_several(&self) -> bool {
        true
    }

    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        super::refuse_hopeless(problem.lattice())?;
        let (mut low, top) = (problem.lattice().bottom().height(), problem.lattice().top().height());
        let mut minimal = admissible(problem, low, run)?;
        let mut high = if minimal.is_empty() { top } else { low };
        // Nothing of height `low` is admissible; `minimal` is what is of height `high`, once that was tried.
        while high > low + 1 || (high > low && minimal.is_empty()) {
            let step = if run.is_monotone() { (high - low).div_ceil(2) } else { 1 };
            let found = admissible(problem, low + step, run)?;
            if found.is_empty() {
                low += step;
            } else {
                (high, minimal) = (low + step, found);
            }
        }
        minimal.iter().for_each(|(node, evaluation)| run.choose(node, evaluation));
        Ok(())
    }
}

/// The admissible nodes of a height.
fn admissible(problem: &Problem, height: usize, run: &mut Run<'_>) -> Result<Vec<(Node, Evaluation)>, Stop> {
    let mut found = Vec::new();
    let mut nodes = problem.lattice().at_height(height).peekable();
    while nodes.peek().is_some() {
        let batch: Vec<Node> = nodes.by_ref().take(super::BATCH).collect();
        let checks = run.probe_all(&batch)?;
        found.extend(batch.into_iter().zip(checks).filter(|(_, check)| check.admissible));
    }
    Ok(found)
}
