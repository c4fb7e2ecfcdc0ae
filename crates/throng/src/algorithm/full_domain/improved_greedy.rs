//! Improved Greedy.
//!
//! **Citation.** K. S. Babu, N. Reddy, N. Kumar, M. Elliot, S. K. Jena, *Achieving k-anonymity
//! Using Improved Greedy Heuristics for Very Large Relational Databases*, Algorithm 1.
//!
//! **Idea.** Start from the raw table. At each step generalise every attribute in turn by one
//! level, and move to the node of the highest anonymity, which is the largest k that it has
//! within the suppression limit. Ties go to the attribute with the most distinct values.
//!
//! **Guarantee.** An admissible node, if the top node is one.
//!
//! **Complexity.** At most r·Σhᵢ + 1 checks for r quasi-identifiers: second order in r.
//!
//! **Deviations.** The paper compares anonymities even when several successors are k-anonymous
//! already, and so do we: the one of the highest anonymity is taken, not that of the least
//! loss. 'Most distinct values' are counted in the table as generalised so far, as in Datafly;
//! a tie in that goes to the first column. An attribute at its top level has no successor.

use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::lattice::Node;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "improved-greedy",
    summary: "generalises by one level whichever attribute brings the table closest to k",
    citation: "Babu, Reddy, Kumar, Elliot and Jena 2013",
    family: Family::FullDomain,
    serves: Serves::All,
    guarantee: Guarantee::Admissible,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[],
    build: |_| Box::new(ImprovedGreedy),
};

struct ImprovedGreedy;

impl Algorithm for ImprovedGreedy {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let lattice = problem.lattice();
        let mut node = lattice.bottom();
        let mut check = run.probe(&node)?;
        while !check.admissible {
            let open: Vec<usize> =
                (0..lattice.attributes()).filter(|&a| node.levels()[a] < lattice.heights()[a]).collect();
            if open.is_empty() {
                return Ok(());
            }
            let successors: Vec<Node> = open.iter().map(|&a| node.with(a, node.level(a) + 1)).collect();
            let anonymities = run.anonymities(&successors)?;
            let highest =
                anonymities.iter().map(|(anonymity, _)| *anonymity).fold(f64::NEG_INFINITY, f64::max);
            let tied = (0..open.len()).filter(|&i| anonymities[i].0 == highest).map(|i| open[i]);
            let chosen = super::most_distinct(problem, &node, tied).expect("some successor is the highest");
            let at = open.iter().position(|&a| a == chosen).expect("chosen among the open");
            node = successors[at].clone();
            check = anonymities[at].1.clone();
        }
        run.choose(&node, &check);
        Ok(())
    }
}
