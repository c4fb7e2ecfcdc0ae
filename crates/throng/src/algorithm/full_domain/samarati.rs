//! Samarati's algorithm.
//!
//! **Citation.** P. Samarati, *Protecting Respondents' Identities in Microdata Release*, IEEE
//! TKDE 13(6), 2001; as section 3 of the Improved Greedy paper describes it.
//!
//! **Idea.** If a node of some height is admissible, there is one at every greater height.
//! So search for the least height by bisection. At that height, take the node with the least loss.
//!
//! **Guarantee.** The least height of all admissible nodes; within it, the least objective.
//!
//! **Complexity.** Exponential in the number of quasi-identifiers: the middle height alone has
//! at least Π(hᵢ + 1) / (Σhᵢ + 1) nodes. A lattice with more than 2²⁵ of these is refused.
//!
//! **Deviations.** Heights are probed in batches, so up to a batch of nodes is checked after
//! the first admissible one of a height. Where a requirement does not hold upwards, heights are
//! probed one after the other, from the lowest.

use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::lattice::Node;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "samarati",
    summary: "bisects the height of the lattice, then takes the node with the least loss at that height",
    citation: "Samarati 2001",
    deviations: &[
        "Checks the nodes of a height 64 at a time, so it may check a few more after the first admissible \
            one.",
    ],
    family: Family::FullDomain,
    serves: Serves::All,
    guarantee: Guarantee::LeastHeight,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[],
    build: |_| Box::new(Samarati),
};

struct Samarati;

impl Algorithm for Samarati {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let lattice = problem.lattice();
        super::refuse_hopeless(lattice)?;
        let (mut low, mut high) = (lattice.bottom().height(), lattice.top().height());
        while low < high {
            let probed = if run.is_monotone() { (low + high) / 2 } else { low };
            if any_admissible(lattice.at_height(probed), run)? {
                high = probed;
            } else {
                low = probed + 1;
            }
        }
        let mut nodes = lattice.at_height(low).peekable();
        while nodes.peek().is_some() {
            let batch: Vec<Node> = nodes.by_ref().take(super::BATCH).collect();
            run.check_all(&batch)?;
        }
        Ok(())
    }
}

fn any_admissible(nodes: impl Iterator<Item = Node>, run: &mut Run<'_>) -> Result<bool, Stop> {
    let mut nodes = nodes.peekable();
    while nodes.peek().is_some() {
        let batch: Vec<Node> = nodes.by_ref().take(super::BATCH).collect();
        if run.probe_all(&batch)?.iter().any(|check| check.admissible) {
            return Ok(true);
        }
    }
    Ok(false)
}
