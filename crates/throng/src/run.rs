//! The only thing that changes during a search.
//!
//! `run.check(&node)?` counts the node's classes, judges them, records the check, enforces
//! the budget, reports progress and [keeps](crate::keep) the best node. The `?` is how a search
//! stops, so algorithms have no stop tests in their loops.

mod looks;
mod notes;
mod observer;
mod work;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::classes::{
    ClassCount, ClassVisitor, Costs, CountClasses, Grid, LevelCodes, NodeView, Pace, TakeSeen, Want, counter,
};
use crate::cut::Cut;
use crate::evaluation::Evaluation;
use crate::keep::{Best, Keep, Kept};
use crate::lattice::Node;
use crate::problem::Problem;
use crate::recoding::{Local, Recoding};
pub use crate::stop::Stop;
pub use notes::ChosenSearch;
use observer::go_on;
pub use observer::{Observer, Unobserved};
pub(crate) use work::Work;

/// Nodes that are counted before the search may stop, and what they found is kept: enough for all
/// cores, and soon over even where counting one takes a second.
const AT_A_TIME: usize = 8;

/// Small steps, of some ten nanoseconds each, between two looks at the clock.
const STEPS_A_LOOK: u32 = 1 << 14;

/// State of a search over a problem.
pub struct Run<'p> {
    problem: &'p Problem,
    /// Made by the first check: a local search needs none.
    counter: Option<Box<dyn CountClasses>>,
    /// Made when first needed, for the same reason.
    costs: OnceLock<Costs>,
    observer: &'p dyn Observer,
    work: Work<'p>,
    deadline: Option<Instant>,
    keep: Box<dyn Keep + 'p>,
    /// The best of what was only probed: what there is if the search is stopped.
    fallback: Best,
    local: Option<Local>,
    cuts: Option<Vec<Cut>>,
    blocks: Option<usize>,
    checked_nodes: u64,
    projected_nodes: u64,
    /// Small steps since the last look at the clock.
    small_steps: AtomicU32,
    /// What the best admissible node or cut costs at least, as far as the search knows.
    bound: Option<i128>,
    choice: Option<ChosenSearch>,
    improved: Option<Duration>,
    /// By number of steps less one, how many records took them.
    steps: Option<Vec<u64>>,
}

impl<'p> Run<'p> {
    /// A run that ends at the deadline, if there is one, and keeps the best.
    pub fn new(problem: &'p Problem, deadline: Option<Instant>, observer: &'p dyn Observer) -> Run<'p> {
        Run::with_work(problem, deadline, observer, Work::watched(observer), Box::new(Best::new()))
    }

    /// The same, with another idea of what to keep.
    pub fn keeping(
        problem: &'p Problem,
        deadline: Option<Instant>,
        observer: &'p dyn Observer,
        keep: Box<dyn Keep + 'p>,
    ) -> Run<'p> {
        Run::with_work(problem, deadline, observer, Work::watched(observer), keep)
    }

    fn with_work(
        problem: &'p Problem,
        deadline: Option<Instant>,
        observer: &'p dyn Observer,
        work: Work<'p>,
        keep: Box<dyn Keep + 'p>,
    ) -> Run<'p> {
        Run {
            problem,
            counter: None,
            costs: OnceLock::new(),
            observer,
            work,
            deadline,
            keep,
            fallback: Best::new(),
            local: None,
            cuts: None,
            blocks: None,
            checked_nodes: 0,
            projected_nodes: 0,
            small_steps: AtomicU32::new(0),
            bound: None,
            choice: None,
            improved: None,
            steps: None,
        }
    }

    /// Checks a node; if it is admissible, it is offered to what the run keeps.
    pub fn check(&mut self, node: &Node) -> Result<Evaluation, Stop> {
        let mut checks = self.check_all(std::slice::from_ref(node))?;
        Ok(checks.pop().expect("one check a node"))
    }

    /// Checks several nodes at once, on all cores; the same as one after the other.
    pub fn check_all(&mut self, nodes: &[Node]) -> Result<Vec<Evaluation>, Stop> {
        let mut checks = Vec::with_capacity(nodes.len());
        for nodes in nodes.chunks(AT_A_TIME) {
            let counted = self.count_nodes(nodes, Want { cost: true, ..Want::default() })?;
            for (node, (evaluation, _)) in nodes.iter().zip(counted) {
                self.choose(node, &evaluation);
                checks.push(evaluation);
            }
        }
        Ok(checks)
    }

    /// Checks cuts, one for each attribute, as [`check_all`](Self::check_all) does nodes.
    pub fn check_cuts(&mut self, candidates: &[Vec<Cut>]) -> Result<Vec<Evaluation>, Stop> {
        let mut checks = Vec::with_capacity(candidates.len());
        for candidates in candidates.chunks(AT_A_TIME) {
            let grids = candidates.iter().map(|cuts| Grid::of_cuts(self.problem, cuts)).collect();
            let counted = self.count(grids, Want { cost: true, ..Want::default() })?;
            for (cuts, (evaluation, _)) in candidates.iter().zip(counted) {
                if evaluation.cost.is_some() {
                    self.keep.offer(&Recoding::Cut(cuts.clone()), &evaluation);
                }
                checks.push(evaluation);
            }
        }
        Ok(checks)
    }

    /// Checks cuts that the algorithm does not (yet) want as its result.
    pub fn probe_cuts(&mut self, candidates: &[Vec<Cut>]) -> Result<Vec<Evaluation>, Stop> {
        let grids = candidates.iter().map(|cuts| Grid::of_cuts(self.problem, cuts)).collect();
        let counted = self.count(grids, Want { cost: true, ..Want::default() })?;
        Ok(counted.into_iter().map(|(evaluation, _)| evaluation).collect())
    }

    /// Has the classes of some nodes looked at, on all cores.
    pub(crate) fn look(
        &mut self,
        nodes: &[Node],
        visitor: &Arc<dyn ClassVisitor>,
    ) -> Result<Vec<NodeView>, Stop> {
        let mut seen = Vec::with_capacity(nodes.len());
        for nodes in nodes.chunks(AT_A_TIME) {
            let (observer, deadline) = (self.observer, self.deadline);
            let ask = || go_on(observer, deadline);
            let counter = self.counter()?;
            let all = counter.look(nodes, visitor, &ask)?;
            for mut counted in all {
                seen.push(counted.seen.take().expect("a visitor looked"));
                counter.keep(counted);
            }
            self.checked_nodes += nodes.len() as u64;
            self.observer.checked(self.checked_nodes + self.projected_nodes);
        }
        Ok(seen)
    }

    /// Has the classes of all nodes looked at, on all cores; what was seen before a stop is handed over, too.
    pub(crate) fn sweep(&mut self, visitor: &dyn ClassVisitor, take: TakeSeen<'_>) -> Result<(), Stop> {
        let (observer, deadline, problem) = (self.observer, self.deadline, self.problem);
        let (stopped, looked) = (OnceLock::new(), AtomicU64::new(0));
        // Both from any thread.
        let ask = || {
            go_on(observer, deadline).inspect_err(|&stop| {
                stopped.get_or_init(|| stop);
            })
        };
        let next = || {
            let may = ask().is_ok();
            if may {
                observer.checked(looked.fetch_add(1, Ordering::Relaxed) + 1);
            }
            may
        };
        self.counter()?.sweep(problem.lattice(), visitor, Pace { next: &next, go_on: &ask }, take);
        self.checked_nodes += looked.into_inner();
        stopped.into_inner().map_or(Ok(()), Err)
    }

    /// Checks nodes that the algorithm does not (yet) want as its result.
    pub fn probe_all(&mut self, nodes: &[Node]) -> Result<Vec<Evaluation>, Stop> {
        let found = self.probe_for(nodes, Want { cost: true, exact: true, ..Want::default() })?;
        Ok(found.into_iter().map(|(evaluation, _)| evaluation).collect())
    }

    /// Checks nodes as [`probe_all`](Self::probe_all) does, and finds how near each comes to what is
    /// required: the `anonymity` of Algorithm 1 of Improved Greedy, which is the largest k that it
    /// reaches within the suppression limit. More is nearer. Of another requirement than a k it is the best
    /// degree that is reached, less being more where less is safer; without one, the rows that need not be
    /// suppressed.
    pub fn anonymities(
        &mut self,
        nodes: &[Node],
        requirement: Option<usize>,
    ) -> Result<Vec<(f64, Evaluation)>, Stop> {
        let want = Want { cost: true, reach: requirement.is_some(), exact: true };
        let found = self.probe_for(nodes, want)?;
        let anonymity = |(evaluation, reach): (Evaluation, Option<Vec<f64>>)| match reach.zip(requirement) {
            Some((reach, of)) => (self.nearness(of, reach[of]), evaluation),
            None => (-(evaluation.suppressed_rows as f64), evaluation),
        };
        Ok(found.into_iter().map(anonymity).collect())
    }

    /// A degree of a requirement such that more is nearer.
    fn nearness(&self, requirement: usize, degree: f64) -> f64 {
        let one = self.problem.requirements.iter().nth(requirement).expect("one of the requirements");
        if one.class_model().direction().is_worse(0.0, 1.0) { degree } else { -degree }
    }

    /// For each requirement by itself, the best degree that a node reaches within the suppression limit.
    pub fn reach(&mut self, node: &Node) -> Result<Vec<f64>, Stop> {
        let found =
            self.probe_for(std::slice::from_ref(node), Want { reach: true, exact: true, ..Want::default() })?;
        Ok(found.into_iter().find_map(|(_, reach)| reach).expect("asked for"))
    }

    /// Checks a node that the algorithm does not (yet) want as its result.
    pub fn probe(&mut self, node: &Node) -> Result<Evaluation, Stop> {
        let mut checks = self.probe_all(std::slice::from_ref(node))?;
        Ok(checks.pop().expect("one check a node"))
    }

    /// Takes a probed node as the result, if it is admissible.
    pub fn choose(&mut self, node: &Node, evaluation: &Evaluation) {
        if evaluation.cost.is_some() {
            self.keep.offer(&Recoding::FullDomain(node.clone()), evaluation);
        }
    }

    /// Whether classes over a part of the attributes could be released; `node` has the level
    /// [`dropped`](Self::dropped) for the others. If not, no node with these levels can.
    pub fn project_all(&mut self, nodes: &[Node]) -> Result<Vec<bool>, Stop> {
        let mut admissible = Vec::with_capacity(nodes.len());
        for nodes in nodes.chunks(AT_A_TIME) {
            let checks = self.count_nodes(nodes, Want::default())?;
            self.checked_nodes -= nodes.len() as u64;
            self.projected_nodes += nodes.len() as u64;
            admissible.extend(checks.into_iter().map(|(evaluation, _)| evaluation.admissible));
        }
        Ok(admissible)
    }

    /// The level that leaves an attribute out of the classes.
    pub fn dropped(&self, attribute: usize) -> usize {
        self.problem.attributes()[attribute].taxonomy.height() + 1
    }

    fn probe_for(&mut self, nodes: &[Node], want: Want) -> Result<Vec<Checked>, Stop> {
        let mut found = Vec::with_capacity(nodes.len());
        for nodes in nodes.chunks(AT_A_TIME) {
            let checks = self.count_nodes(nodes, want)?;
            for (node, (evaluation, _)) in nodes.iter().zip(&checks) {
                if evaluation.cost.is_some() {
                    self.fallback.offer(&Recoding::FullDomain(node.clone()), evaluation);
                }
            }
            found.extend(checks);
        }
        Ok(found)
    }

    /// Stops a search that works without checks: asked often, about every millisecond.
    pub fn go_on(&self) -> Result<(), Stop> {
        go_on(self.observer, self.deadline)
    }

    /// Ends the run at a time, unless it ends before.
    pub(crate) fn end_by(&mut self, time: Option<Instant>) {
        self.deadline = self.deadline.into_iter().chain(time).min();
    }

    /// As [`go_on`](Self::go_on), for a loop of very short steps, such as tagging nodes: looks at the clock
    /// once in many. Threads that share the run may look less often than each by itself.
    #[inline]
    pub(crate) fn go_on_stepping(&self) -> Result<(), Stop> {
        let steps = self.small_steps.load(Ordering::Relaxed) + 1;
        if steps < STEPS_A_LOOK {
            self.small_steps.store(steps, Ordering::Relaxed);
            return Ok(());
        }
        self.small_steps.store(0, Ordering::Relaxed);
        self.go_on()
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

    /// Takes cuts as the result, in the place of earlier ones: for a search whose result is not simply the
    /// least loss. They must be admissible.
    pub(crate) fn propose_cuts(&mut self, cuts: Vec<Cut>) {
        self.cuts = Some(cuts);
    }

    /// Ends the run after so long, if it has no time limit.
    pub(crate) fn end_within(&mut self, budget: Duration) {
        self.deadline = self.deadline.or_else(|| Instant::now().checked_add(budget));
    }

    /// The local recoding that is the result so far.
    pub(crate) fn proposed(&self) -> Option<&Local> {
        self.local.as_ref()
    }

    /// A run on another problem that ends when this one does, and whose work is so many steps of this.
    pub(crate) fn on<'q>(&'q self, problem: &'q Problem, steps: u64) -> Run<'q>
    where
        'p: 'q,
    {
        Run::with_work(problem, self.deadline, self.observer, self.work.part(steps, 0), Box::new(Best::new()))
    }

    fn count_nodes(&mut self, nodes: &[Node], want: Want) -> Result<Vec<Checked>, Stop> {
        self.count(nodes.iter().map(Grid::of_node).collect(), want)
    }

    fn count(&mut self, grids: Vec<Grid>, want: Want) -> Result<Vec<Checked>, Stop> {
        let (observer, deadline, problem) = (self.observer, self.deadline, self.problem);
        self.counter()?;
        let costs = self.costs.get_or_init(|| costs(problem));
        let counter = self.counter.as_mut().expect("just made");
        let mut checks = Vec::with_capacity(grids.len());
        for mut counted in counter.count(grids, want, &|| go_on(observer, deadline))? {
            self.checked_nodes += 1;
            let ClassCount { admissible, refutes_below, suppressed_rows, all, cost, degrees, reach, .. } =
                &mut counted.found;
            let evaluation = Evaluation {
                admissible: *admissible,
                refutes_below: *refutes_below,
                suppressed_rows: *suppressed_rows,
                degrees: std::mem::take(degrees),
                floor: costs.floor(all),
                cost: *cost,
            };
            checks.push((evaluation, reach.take()));
            counter.keep(counted);
        }
        self.observer.checked(self.checked_nodes + self.projected_nodes);
        Ok(checks)
    }

    /// The counter, made by the first that needs it.
    fn counter(&mut self) -> Result<&mut dyn CountClasses, Stop> {
        self.go_on()?;
        if self.counter.is_none() {
            self.counter = Some(counter(self.problem, &|| self.go_on())?);
        }
        Ok(&mut **self.counter.as_mut().expect("just made"))
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

    /// Whether a safe node makes all nodes above it safe, so that a search may tag them.
    pub fn is_monotone(&self) -> bool {
        let persons = self.problem.table().persons().is_some();
        self.problem.requirements.hold_upwards(self.problem.max_suppressed_rows, persons)
    }

    /// What a candidate must cost less than to be kept, for comparison with bounds.
    pub(crate) fn best_cost(&self) -> f64 {
        self.keep.bound()
    }

    /// The least cost that was kept, where a candidate that costs as much would not be.
    pub(crate) fn least_cost(&self) -> Option<i128> {
        let best = self.keep.kept().first().filter(|_| self.keep.bound().is_finite());
        best.and_then(|(_, evaluation)| evaluation.cost())
    }

    pub(crate) fn costs(&self) -> &Costs {
        self.costs.get_or_init(|| costs(self.problem))
    }

    /// The local recoding that was proposed last.
    pub(crate) fn into_local(self) -> Option<Local> {
        self.local
    }

    /// What the search chose; if it was stopped and had chosen nothing, the best that it met; and why it was
    /// stopped. What was proposed is evaluated only now: a search may replace its proposal many times.
    pub fn into_kept(mut self, stopped: Option<Stop>) -> (Vec<Kept>, Option<Stop>) {
        let given_up = self.evaluate_proposed().err();
        let stopped = stopped.or(given_up);
        let kept = self.keep.kept();
        let kept = if kept.is_empty() && stopped.is_some() { self.fallback.kept() } else { kept };
        (kept.to_vec(), stopped)
    }

    fn unless_given_up(&self) -> Result<(), Stop> {
        if self.observer.gives_up() { self.unless_cancelled() } else { Ok(()) }
    }

    fn evaluate_proposed(&mut self) -> Result<(), Stop> {
        let proposed = self.local.take().map(Recoding::Local).or(self.cuts.take().map(Recoding::Cut));
        if let Some(recoding) = proposed {
            let go_on = || self.unless_given_up();
            let release = recoding.apply_asking(self.problem, &go_on)?;
            let tally = release.tally_asking(&go_on)?;
            go_on()?;
            let evaluation = release.evaluate(&tally);
            self.keep.offer(&recoding, &evaluation);
        }
        Ok(())
    }
}

/// What a check found, and the degrees that could be reached, if these were asked for.
type Checked = (Evaluation, Option<Vec<f64>>);

fn costs(problem: &Problem) -> Costs {
    Costs::new(problem, &LevelCodes::new(problem))
}
