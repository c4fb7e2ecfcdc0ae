//! Datafly.
//!
//! **Citation.** L. Sweeney, *Guaranteeing Anonymity when Sharing Medical Data, the Datafly
//! System*, JAMIA 1997; as section 4 of the Improved Greedy paper describes it.
//!
//! **Idea.** Start from the raw table. While too many rows are in small classes, generalise
//! the attribute with the most distinct values by one level. Suppress what is left.
//!
//! **Guarantee.** An admissible node, if the top node is one.
//!
//! **Complexity.** At most Σhᵢ + 1 checks: first order in the number of quasi-identifiers.
//!
//! **Deviations.** Ties go to the first column. An attribute at its top level is skipped.

use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "datafly",
    summary: "generalises the attribute with the most distinct values until the rest can be suppressed",
    citation: "Sweeney 1997",
    deviations: &["Breaks ties in favour of the first column; the paper does not say which."],
    family: Family::FullDomain,
    serves: Serves::All,
    guarantee: Guarantee::Admissible,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[],
    build: |_| Box::new(Datafly),
};

struct Datafly;

impl Algorithm for Datafly {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let lattice = problem.lattice();
        let mut node = lattice.bottom();
        while !run.check(&node)?.admissible {
            let open = (0..lattice.attributes()).filter(|&a| node.levels()[a] < lattice.heights()[a]);
            let Some(a) = super::most_distinct(problem, &node, open) else { break };
            node = node.with(a, node.level(a) + 1);
        }
        Ok(())
    }
}
