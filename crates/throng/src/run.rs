//! The only thing that changes during a search.
//!
//! `run.check(&node)?` counts the node's classes, judges them, records the check, enforces
//! the budget, reports progress and keeps the best node. The `?` is how a search stops, so
//! algorithms have no stop tests in their loops.

mod work;

use std::sync::OnceLock;
use std::time::Instant;

use crate::classes::{Cost, Costs, CountClasses, LevelCodes, Want, counter};
use crate::lattice::Node;
use crate::privacy::Monotonicity;
use crate::problem::Problem;
use crate::recoding::{Local, Recoding};
pub(crate) use work::Work;

/// Why a search ended before it was through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The time limit is over.
    TimeLimit,
    /// The caller cancelled.
    Cancelled,
    /// The lattice has more nodes than the algorithm can take on.
    LatticeTooLarge,
}

/// Watches a search, and may cancel it.
pub trait Observer: Sync {
    /// Called after every check.
    fn checked(&self, _checked_nodes: u64) {}

    /// Called now and then by a local search, at most about once in a millisecond and from any of
    /// its threads: so many of its steps are done. Most often these are tuples, or a few times as
    /// many; how long each takes may differ.
    fn advanced(&self, _done_steps: u64, _total_steps: u64) {}

    /// Asked before every check, and often by local searches.
    fn cancelled(&self) -> bool {
        false
    }
}

/// An observer that neither watches nor cancels.
#[derive(Clone, Copy, Debug)]
pub struct Unobserved;

impl Observer for Unobserved {}

/// What a check of a node found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Whether the node may be released: the rows of unsafe classes are within the limit.
    pub admissible: bool,
    /// Rows of unsafe classes.
    pub suppressed_rows: u64,
    /// Lower bound of the objective at every node above, if the objective has one.
    pub(crate) floor: Option<i128>,
    pub(crate) cost: Option<Cost>,
}

/// Nodes that are counted before the search may stop, and what they found is kept: enough for all
/// cores, and soon over even where counting one takes a second.
const AT_A_TIME: usize = 8;

/// The least costly admissible node so far.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Best {
    cost: i128,
    height: usize,
    node: Node,
}

/// State of a search over a problem.
pub struct Run<'p> {
    problem: &'p Problem,
    /// Made by the first check: a local search needs none.
    counter: Option<Box<dyn CountClasses + 'p>>,
    /// Made when first needed, for the same reason.
    costs: OnceLock<Costs>,
    observer: &'p dyn Observer,
    work: Work<'p>,
    deadline: Option<Instant>,
    best: Option<Best>,
    /// The best of nodes that were only probed: what there is if the search is stopped.
    fallback: Option<Best>,
    local: Option<Local>,
    blocks: Option<usize>,
    checked_nodes: u64,
    projected_nodes: u64,
}

impl<'p> Run<'p> {
    /// A run that ends at the deadline, if there is one.
    pub fn new(problem: &'p Problem, deadline: Option<Instant>, observer: &'p dyn Observer) -> Run<'p> {
        Run::with_work(problem, deadline, observer, Work::watched(observer))
    }

    fn with_work(
        problem: &'p Problem,
        deadline: Option<Instant>,
        observer: &'p dyn Observer,
        work: Work<'p>,
    ) -> Run<'p> {
        Run {
            problem,
            counter: None,
            costs: OnceLock::new(),
            observer,
            work,
            deadline,
            best: None,
            fallback: None,
            local: None,
            blocks: None,
            checked_nodes: 0,
            projected_nodes: 0,
        }
    }

    /// Checks a node; if it is admissible and costs less than all before, it is the best.
    pub fn check(&mut self, node: &Node) -> Result<Check, Stop> {
        let mut checks = self.check_all(std::slice::from_ref(node))?;
        Ok(checks.pop().expect("one check a node"))
    }

    /// Checks several nodes at once, on all cores; the same as one after the other.
    pub fn check_all(&mut self, nodes: &[Node]) -> Result<Vec<Check>, Stop> {
        let mut checks = Vec::with_capacity(nodes.len());
        for nodes in nodes.chunks(AT_A_TIME) {
            let counted = self.count(nodes, Want { cost: true, anonymity: false })?;
            for (node, (check, _)) in nodes.iter().zip(counted) {
                self.choose(node, &check);
                checks.push(check);
            }
        }
        Ok(checks)
    }

    /// Checks nodes that the algorithm does not (yet) want as its result.
    pub fn probe_all(&mut self, nodes: &[Node]) -> Result<Vec<Check>, Stop> {
        let found = self.probe_for(nodes, Want { cost: true, anonymity: false })?;
        Ok(found.into_iter().map(|(check, _)| check).collect())
    }

    /// Checks nodes as [`probe_all`](Self::probe_all) does, and finds for each the largest k
    /// that it reaches within the suppression limit: the `anonymity` of Algorithm 1.
    pub fn anonymities(&mut self, nodes: &[Node]) -> Result<Vec<(u64, Check)>, Stop> {
        let found = self.probe_for(nodes, Want { cost: true, anonymity: true })?;
        Ok(found.into_iter().map(|(check, k)| (k.expect("asked for"), check)).collect())
    }

    /// Checks a node that the algorithm does not (yet) want as its result.
    pub fn probe(&mut self, node: &Node) -> Result<Check, Stop> {
        let mut checks = self.probe_all(std::slice::from_ref(node))?;
        Ok(checks.pop().expect("one check a node"))
    }

    /// Takes a probed node as the result, if it is admissible.
    pub fn choose(&mut self, node: &Node, check: &Check) {
        if let Some(cost) = check.cost {
            keep_best(&mut self.best, node, cost.total);
        }
    }

    /// Whether classes over a part of the attributes could be released; `node` has the level
    /// [`dropped`](Self::dropped) for the others. If not, no node with these levels can.
    pub fn project_all(&mut self, nodes: &[Node]) -> Result<Vec<bool>, Stop> {
        let mut admissible = Vec::with_capacity(nodes.len());
        for nodes in nodes.chunks(AT_A_TIME) {
            let checks = self.count(nodes, Want::default())?;
            self.checked_nodes -= nodes.len() as u64;
            self.projected_nodes += nodes.len() as u64;
            admissible.extend(checks.into_iter().map(|(check, _)| check.admissible));
        }
        Ok(admissible)
    }

    /// The level that leaves an attribute out of the classes.
    pub fn dropped(&self, attribute: usize) -> usize {
        self.problem.attributes()[attribute].taxonomy.height() + 1
    }

    fn probe_for(&mut self, nodes: &[Node], want: Want) -> Result<Vec<(Check, Option<u64>)>, Stop> {
        let mut found = Vec::with_capacity(nodes.len());
        for nodes in nodes.chunks(AT_A_TIME) {
            let checks = self.count(nodes, want)?;
            for (node, (check, _)) in nodes.iter().zip(&checks) {
                if let Some(cost) = check.cost {
                    keep_best(&mut self.fallback, node, cost.total);
                }
            }
            found.extend(checks);
        }
        Ok(found)
    }

    /// Stops a search that works without checks: asked often, about every millisecond.
    pub fn go_on(&self) -> Result<(), Stop> {
        self.unless_cancelled()?;
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Stop::TimeLimit);
        }
        Ok(())
    }

    /// As [`go_on`](Self::go_on), but a time limit that is over does not count: for the last steps
    /// to a result, which would be lost.
    pub(crate) fn unless_cancelled(&self) -> Result<(), Stop> {
        if self.observer.cancelled() { Err(Stop::Cancelled) } else { Ok(()) }
    }

    /// Says how many steps a local search has before it.
    pub fn expect(&self, steps: u64) {
        self.work.expect(steps);
    }

    /// Says that so many more steps are made: about once in a millisecond is enough.
    pub fn advance(&self, steps: u64) {
        self.work.advance(steps);
    }

    /// Says that so many steps are made in all, or more already.
    pub fn advance_to(&self, steps: u64) {
        self.work.advance_to(steps);
    }

    /// A part of the work that counts its own steps, and is some of the whole's.
    pub(crate) fn part(&self, share: u64, steps: u64) -> Work<'_> {
        self.work.part(share, steps)
    }

    /// Takes a local recoding as the result, in the place of an earlier one.
    ///
    /// An algorithm that improves its result step by step proposes each; what is proposed must
    /// satisfy the requirement.
    pub fn propose(&mut self, local: Local) {
        self.local = Some(local);
    }

    /// A run on another problem that ends when this one does, and whose work is so many steps of this.
    pub(crate) fn on<'q>(&'q self, problem: &'q Problem, steps: u64) -> Run<'q>
    where
        'p: 'q,
    {
        Run::with_work(problem, self.deadline, self.observer, self.work.part(steps, 0))
    }

    /// Notes that the table was cut into so many blocks.
    pub(crate) fn note_blocks(&mut self, blocks: usize) {
        self.blocks = Some(blocks);
    }

    fn count(&mut self, nodes: &[Node], want: Want) -> Result<Vec<(Check, Option<u64>)>, Stop> {
        self.go_on()?;
        let problem = self.problem;
        let costs = self.costs.get_or_init(|| costs(problem));
        let counter = self.counter.get_or_insert_with(|| counter(problem));
        let mut checks = Vec::with_capacity(nodes.len());
        for counted in counter.count(nodes, want) {
            let count = &counted.count;
            let check = Check {
                admissible: count.suppressed_rows <= self.problem.max_suppressed_rows,
                suppressed_rows: count.suppressed_rows,
                floor: costs.floor(&count.all),
                cost: count.cost,
            };
            checks.push((check, count.anonymity));
            counter.keep(counted);
        }
        self.checked_nodes += nodes.len() as u64;
        self.observer.checked(self.checked_nodes + self.projected_nodes);
        Ok(checks)
    }

    /// The problem.
    pub fn problem(&self) -> &'p Problem {
        self.problem
    }

    /// Full nodes that were checked so far.
    pub fn checked_nodes(&self) -> u64 {
        self.checked_nodes
    }

    /// Checks over a part of the attributes so far.
    pub fn projected_nodes(&self) -> u64 {
        self.projected_nodes
    }

    /// Blocks that the table was cut into, if it was.
    pub fn blocks(&self) -> Option<usize> {
        self.blocks
    }

    /// Whether a safe node makes all nodes above it safe, so that a search may tag them.
    pub fn is_monotone(&self) -> bool {
        self.problem.requirement.model.monotonicity() == Monotonicity::Monotone
    }

    /// Just above the least cost so far, for comparison with bounds: nodes that may have the same
    /// cost stay open, so that ties are decided by [`keep_best`] and not by the order of checks.
    pub(crate) fn best_cost(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |best| best.cost as f64 + 0.5)
    }

    pub(crate) fn costs(&self) -> &Costs {
        self.costs.get_or_init(|| costs(self.problem))
    }

    /// The local recoding that was proposed last.
    pub(crate) fn into_local(self) -> Option<Local> {
        self.local
    }

    /// What the search chose; if it was stopped, the best that it met.
    pub fn into_best(self, stopped: bool) -> Option<Recoding> {
        if let Some(local) = self.local {
            return Some(Recoding::Local(local));
        }
        let fallback = self.fallback.filter(|_| stopped);
        self.best.or(fallback).map(|best| Recoding::FullDomain(best.node))
    }
}

fn costs(problem: &Problem) -> Costs {
    Costs::new(problem, &LevelCodes::new(problem))
}

/// Replaces the best by a node of less cost; ties go to the lower, then lexicographically first node,
/// so that the result does not depend on the order of checks.
fn keep_best(best: &mut Option<Best>, node: &Node, cost: i128) {
    let height = node.height();
    let better = match best {
        None => true,
        Some(best) => (cost, height, node) < (best.cost, best.height, &best.node),
    };
    if better {
        *best = Some(Best { cost, height, node: node.clone() });
    }
}
