//! Exhaustive search.
//!
//! **Citation.** None: the reference against which the other algorithms are measured.
//!
//! **Idea.** Check every node. Keep the best.
//!
//! **Guarantee.** The least objective of all admissible nodes, for every model and measure.
//!
//! **Complexity.** One check for each of the Π(hᵢ + 1) nodes.

use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "exhaustive",
    summary: "checks every node of the lattice",
    citation: "-",
    deviations: &[],
    family: Family::FullDomain,
    serves: Serves::All,
    guarantee: Guarantee::LeastLoss,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[],
    build: |_| Box::new(Exhaustive),
};

struct Exhaustive;

impl Algorithm for Exhaustive {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let lattice = problem.lattice();
        // By height, so that most nodes can be rolled up from one a level below.
        for height in lattice.bottom().height()..=lattice.top().height() {
            let mut nodes = lattice.at_height(height).peekable();
            while nodes.peek().is_some() {
                let batch: Vec<_> = nodes.by_ref().take(super::BATCH).collect();
                run.check_all(&batch)?;
            }
        }
        Ok(())
    }
}
