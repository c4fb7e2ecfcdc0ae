//! Runs an algorithm on a problem.

use std::time::{Duration, Instant};

use crate::algorithm::local::blocks::Blocks;
use crate::algorithm::{Algorithm, BLOCK_ROWS, Entry};
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::run::{Observer, Run, Stop, Unobserved};

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A recoding that satisfies the requirement.
    Found(Recoding),
    /// No recoding satisfies it; the largest k that one could have within the suppression limit.
    Infeasible {
        /// The largest k.
        best_k: u64,
    },
    /// The search was stopped; the best recoding so far, if any.
    Stopped {
        /// Why.
        reason: Stop,
        /// The best so far.
        best: Option<Recoding>,
    },
}

/// The result of a search, and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// How the search ended.
    pub outcome: Outcome,
    /// Whether no admissible node has a lower objective.
    pub optimal: bool,
    /// Nodes of the lattice.
    pub lattice_nodes: u128,
    /// Nodes whose classes were counted.
    pub checked_nodes: u64,
    /// Nodes over a part of the attributes whose classes were counted.
    pub projected_nodes: u64,
    /// Blocks that the table was cut into before the search; none if it was not cut.
    pub blocks: Option<usize>,
}

/// Searches with a registered algorithm, for at most `time_limit`.
///
/// An algorithm that takes [`BLOCK_ROWS`] searches in blocks if the problem's settings say so; others
/// never do.
pub fn solve(
    problem: &Problem,
    algorithm: &Entry,
    time_limit: Option<Duration>,
    observer: &dyn Observer,
) -> Solution {
    // A limit beyond what the clock can count is none.
    let deadline = time_limit.and_then(|limit| Instant::now().checked_add(limit));
    let mut run = Run::new(problem, deadline, observer);
    let stopped = search(problem, algorithm, &mut run).err();
    let (checked_nodes, projected_nodes) = (run.checked_nodes(), run.projected_nodes());
    let blocks = run.blocks();
    let best = run.into_best(stopped.is_some());
    let optimal = stopped.is_none() && best.is_some() && algorithm.guarantee.proves(problem.objective.kind());
    let outcome = match (stopped, best) {
        (Some(reason), best) => Outcome::Stopped { reason, best },
        (None, Some(best)) => Outcome::Found(best),
        (None, None) => Outcome::Infeasible { best_k: best_k(problem) },
    };
    let lattice_nodes = problem.lattice().size();
    Solution { outcome, optimal, lattice_nodes, checked_nodes, projected_nodes, blocks }
}

fn search(problem: &Problem, algorithm: &Entry, run: &mut Run<'_>) -> Result<(), Stop> {
    match problem.settings.optional_count(&BLOCK_ROWS).filter(|_| algorithm.takes(&BLOCK_ROWS)) {
        Some(most_rows) => Blocks { algorithm, most_rows }.search(problem, run),
        None => (algorithm.build)(&problem.settings).search(problem, run),
    }
}

/// The largest k of any node: that of the top, where the classes are largest.
fn best_k(problem: &Problem) -> u64 {
    let mut run = Run::new(problem, None, &Unobserved);
    let found = run.anonymities(&[problem.lattice().top()]).expect("nothing stops this run");
    found[0].0
}
