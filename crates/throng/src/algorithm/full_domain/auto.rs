//! Chooses the search that suits the problem.
//!
//! **Citation.** None; it chooses between [`flash`](super::flash) and [`box_search`](super::box_search).
//!
//! **Idea.** If every node of the lattice can be listed, search by bounds on all nodes, which is quick and
//! ends with a proof. Search a larger lattice by boxes, which keeps improving the best so far, and the bound
//! on what the optimum could save, until it finishes or time runs out.
//!
//! **Guarantee.** That of the search it chooses: the least objective, if it finishes; otherwise the best so
//! far and a bound.
//!
//! **Complexity.** That of the search it chooses, which ends after half a minute if no time limit is given.
//!
//! **Deviations.** None.

use std::time::Duration;

use super::{box_search, flash};
use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::lattice::Index;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::wording::count_nodes;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "auto",
    summary: "finds the proven optimum if there is time, otherwise the best so far and how far it may be \
        from the optimum",
    citation: "our own",
    deviations: &[],
    family: Family::FullDomain,
    serves: Serves::All,
    guarantee: Guarantee::LeastLoss,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[],
    build: |_| Box::new(AutoSearch),
};

/// Nodes up to which listing them all takes less time than the search itself.
const LISTED_NODES: u128 = 1 << 20;

/// How long a search without a time limit goes on improving.
const BUDGET: Duration = Duration::from_secs(30);

struct AutoSearch;

impl Algorithm for AutoSearch {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let nodes = problem.lattice().size();
        // Without sums there are bounds only from what was counted, which boxes make little of.
        let has_sums = run.costs().level_bounds(problem.lattice().heights()).is_some();
        let most = if has_sums { LISTED_NODES } else { Index::MAX_NODES as u128 };
        let (entry, why) = if nodes <= most {
            (flash::ENTRY, format!("all {} nodes of the lattice can be listed", count_nodes(nodes)))
        } else {
            run.end_within(BUDGET);
            (
                box_search::ENTRY,
                format!("the {} nodes of the lattice are too many to list", count_nodes(nodes)),
            )
        };
        run.note_choice(entry.name, why);
        (entry.build)(&problem.settings).search(problem, run)
    }
}
