//! Runs an algorithm on a problem, and judges what it found.

use std::time::{Duration, Instant};

use crate::algorithm::local::blocks::Blocks;
use crate::algorithm::local::k_k::{check_start, complete};
use crate::algorithm::local::leave_out::leave_out;
use crate::algorithm::local::levels::within_levels;
use crate::algorithm::{Algorithm, BLOCK_ROWS, Entry, Family};
use crate::keep::{All, Best, Keep, Kept};
use crate::lattice::Node;
use crate::loss::{Kind, Mean};
use crate::problem::Problem;
use crate::recoding::{Local, Recoding};
use crate::release::Release;
use crate::run::{ChosenSearch, Observer, Run, Stop, Unobserved};
use crate::tally::Tally;
use crate::verify::{Achieved, Verdict, verify_asking};

/// How a search ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A recoding that satisfies the requirements.
    Found(Recoding),
    /// No recoding satisfies them.
    Infeasible {
        /// For each requirement by itself, the best degree that could be had within the suppression
        /// limit.
        reach: Vec<f64>,
    },
    /// The search was stopped; the best recoding so far, if any.
    Stopped {
        /// Why.
        reason: Stop,
        /// The best so far.
        best: Option<Recoding>,
    },
}

impl Outcome {
    /// The recoding that was found; if the search was stopped, the best so far.
    pub fn recoding(&self) -> Option<&Recoding> {
        match self {
            Outcome::Found(recoding) => Some(recoding),
            Outcome::Stopped { best, .. } => best.as_ref(),
            Outcome::Infeasible { .. } => None,
        }
    }
}

/// The result of a search, and how it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// How the search ended.
    pub outcome: Outcome,
    /// All that was kept, the best first: of a search for the best, no more than that; of one whose result is
    /// several ([`Algorithm::finds_several`]), all of them.
    pub kept: Vec<Kept>,
    /// Whether no admissible recoding of the kind that was searched, node or cut, has a lower objective.
    pub optimal: bool,
    /// Whether the search went through to what its algorithm [promises](crate::algorithm::Guarantee) beyond
    /// an admissible release, which may be another optimum than that of the objective.
    pub proven: bool,
    /// By what share the objective is at most above the optimum: 0 where that is proven, none where nothing is known.
    pub gap: Option<f64>,
    /// Which search was chosen and why, if that was left open.
    pub choice: Option<ChosenSearch>,
    /// Nodes of the lattice.
    pub lattice_nodes: u128,
    /// Nodes whose classes were counted.
    pub checked_nodes: u64,
    /// Nodes over a part of the attributes whose classes were counted.
    pub projected_nodes: u64,
    /// Blocks that the table was cut into before the search; none if it was not cut.
    pub blocks: Option<usize>,
    /// For how long the result of a finished search was improved, if its settings asked for that.
    pub improved: Option<Duration>,
    /// Where matches were wanted, how many records took one step of Algorithm 6 of *k-Anonymization Revisited* to have
    /// k of them, how many took two, and so on.
    pub matching_steps: Option<Vec<u64>>,
}

impl Solution {
    /// One that no search found, of a lattice of so many nodes: nothing was counted or proven.
    pub fn without_search(outcome: Outcome, lattice_nodes: u128) -> Solution {
        Solution {
            outcome,
            kept: Vec::new(),
            optimal: false,
            proven: false,
            gap: None,
            choice: None,
            lattice_nodes,
            checked_nodes: 0,
            projected_nodes: 0,
            blocks: None,
            improved: None,
            matching_steps: None,
        }
    }
}

/// Searches with a registered algorithm for the best recoding, for at most `time_limit`.
///
/// An algorithm that takes [`BLOCK_ROWS`] searches in blocks if the problem's settings say so; others
/// never do.
pub fn solve(
    problem: &Problem,
    algorithm: &Entry,
    time_limit: Option<Duration>,
    observer: &dyn Observer,
) -> Solution {
    let several = (algorithm.build)(&problem.settings).finds_several();
    let keep: Box<dyn Keep> = if several { Box::new(All::new()) } else { Box::new(Best::new()) };
    solve_keeping(problem, algorithm, time_limit, observer, keep)
}

/// The same, with another idea of what to keep.
///
/// ```
/// # use throng::{algorithm, loss, privacy::KAnonymity, problem::Problem, requirement::Requirement};
/// # use throng::{run::Unobserved, table::Table, taxonomy::Taxonomy};
/// use throng::keep::{Archive, ArchiveObjective};
/// use throng::solve::solve_keeping;
///
/// # let age = Taxonomy::from_rows(&[["31", "30s", "*"], ["35", "30s", "*"], ["47", "40s", "*"]])?;
/// # let table = Table::from_rows(1, &[[0], [0], [1], [2], [2]]);
/// # let k = Requirement::new(KAnonymity { k: 1 });
/// # let problem = Problem::new(table, vec![("age".into(), age, 1.0)], k, 0, loss::find("lm").unwrap())?;
/// let front = Box::new(Archive::new(&problem, &[ArchiveObjective::Degree(0), ArchiveObjective::Loss]));
/// let all = algorithm::find("exhaustive").unwrap();
/// let solution = solve_keeping(&problem, all, None, &Unobserved, front);
/// let ks: Vec<f64> = solution.kept.iter().map(|(_, evaluation)| evaluation.degrees[0]).collect();
/// assert_eq!(ks, [5.0, 2.0, 1.0]); // ages as `*`, in decades, and as they are
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If the algorithm does not [serve](crate::algorithm::Serves) the requirements, or the problem
/// [lacks](crate::loss::Loss::lack) what its objective needs.
pub fn solve_keeping<'p>(
    problem: &'p Problem,
    algorithm: &Entry,
    time_limit: Option<Duration>,
    observer: &'p dyn Observer,
    keep: Box<dyn Keep + 'p>,
) -> Solution {
    let run = Run::keeping(problem, deadline(time_limit), observer, keep);
    conclude(problem, algorithm, run, |run| search(problem, algorithm, run))
}

/// Goes on from a release by Algorithms 5 and 6 of *k-Anonymization Revisited*, as far as the notion asks for them:
/// until each original record is consistent with k released ones, or has k matches. The algorithm is one of those that
/// end with these two, and says in which variant.
///
/// # Errors
/// If the release cannot be the start; the sentence for people.
///
/// # Panics
/// As of [`solve_keeping`].
pub fn solve_from(
    problem: &Problem,
    algorithm: &Entry,
    start: &Local,
    time_limit: Option<Duration>,
    observer: &dyn Observer,
) -> Result<Solution, String> {
    check_start(problem, start)?;
    let run = Run::keeping(problem, deadline(time_limit), observer, Box::new(Best::new()));
    Ok(conclude(problem, algorithm, run, |run| complete(problem, algorithm, start, run)))
}

/// When a search must end; never by a limit beyond what the clock can count.
fn deadline(time_limit: Option<Duration>) -> Option<Instant> {
    time_limit.and_then(|limit| Instant::now().checked_add(limit))
}

/// Runs a search, and says how it ended.
fn conclude<'p>(
    problem: &'p Problem,
    algorithm: &Entry,
    mut run: Run<'p>,
    search: impl FnOnce(&mut Run<'p>) -> Result<(), Stop>,
) -> Solution {
    let served = algorithm.serves.all_of(&problem.requirements);
    assert!(served, "'{}' does not serve these requirements", algorithm.name);
    let aggregates = algorithm.family.aggregates(problem.aggregate);
    assert!(aggregates, "'{}' does not minimise {:?}", algorithm.name, problem.aggregate);
    let lack = problem.objective.lack(problem);
    assert!(lack.is_none(), "the objective '{}' cannot be had: {lack:?}", problem.objective.name());
    let stopped = search(&mut run).err();
    let (checked_nodes, projected_nodes) = (run.checked_nodes(), run.projected_nodes());
    let (blocks, bound, choice) = (run.blocks(), run.bound(), run.choice().cloned());
    let (improved, matching_steps) = (run.improved(), run.steps().map(<[u64]>::to_vec));
    let (kept, stopped) = run.into_kept(stopped);
    let best = kept.first().map(|(recoding, _)| recoding.clone());
    let finished = stopped.is_none() && best.is_some();
    let guarantee = algorithm.guarantee_with(&problem.settings);
    let optimal = finished && guarantee.proves(problem.objective);
    let proven = finished && guarantee.is_kept(problem);
    let outcome = match (stopped, best) {
        (Some(reason), best) => Outcome::Stopped { reason, best },
        (None, Some(best)) => Outcome::Found(best),
        (None, None) => Outcome::Infeasible { reach: reach(problem) },
    };
    let lattice_nodes = problem.lattice().size();
    let gap = if optimal { Some(0.0) } else { gap(problem, kept.first(), bound) };
    Solution {
        outcome,
        kept,
        optimal,
        proven,
        gap,
        choice,
        lattice_nodes,
        checked_nodes,
        projected_nodes,
        blocks,
        improved,
        matching_steps,
    }
}

/// By what share the best is at most above the optimum, which costs at least `bound`; none for measures whose
/// zero is not that of the objective.
fn gap(problem: &Problem, best: Option<&Kept>, bound: Option<i128>) -> Option<f64> {
    let has_zero = match problem.objective.kind() {
        // Logarithms are no share of what is lost.
        Kind::Cells(loss) => loss.starts_at_zero() && loss.aggregate(problem).mean != Mean::Geometric,
        Kind::Level => true,
        Kind::Sizes(_) => false,
    };
    let bound = bound.filter(|&bound| has_zero && bound > 0)?;
    let cost = best?.1.cost()?;
    Some((cost as f64 / bound as f64 - 1.0).max(0.0))
}

/// One node that somebody chose, in the place of a search: found if it may be released, else infeasible by what it
/// reaches itself.
pub fn solve_at(problem: &Problem, node: &Node) -> Solution {
    let mut run = Run::new(problem, None, &Unobserved);
    run.check(node).expect("nothing stops this run");
    let reach = run.reach(node).expect("nothing stops this run");
    let (kept, _) = run.into_kept(None);
    let found = kept.first().map(|(recoding, _)| Outcome::Found(recoding.clone()));
    let outcome = found.unwrap_or(Outcome::Infeasible { reach });
    Solution { kept, checked_nodes: 1, ..Solution::without_search(outcome, problem.lattice().size()) }
}

/// The attributes whose highest levels are why nothing may be released, where a release of everything at the top of
/// its hierarchy could be: those of which one more level alone would do or, if none does, all that have one.
pub fn levels_to_blame(problem: &Problem) -> Vec<usize> {
    let heights: Vec<usize> = problem.attributes().iter().map(|a| a.taxonomy.height()).collect();
    let is_feasible = |lifted: &dyn Fn(usize) -> bool| {
        let highest = |a: usize| usize::from(problem.lattice().heights()[a]);
        let levels = |a: usize| (0, Some(if lifted(a) { heights[a] } else { highest(a) }));
        let levels: Vec<(usize, Option<usize>)> = (0..heights.len()).map(levels).collect();
        let problem = problem.clone().within_levels(&levels).expect("levels of the hierarchies");
        let top = problem.lattice().top();
        solve_at(&problem, &top).outcome.recoding().is_some()
    };
    let is_bounded = |&a: &usize| usize::from(problem.lattice().heights()[a]) < heights[a];
    let bounded: Vec<usize> = problem.limited().filter(is_bounded).collect();
    if bounded.is_empty() || is_feasible(&|_| false) || !is_feasible(&|_| true) {
        return Vec::new();
    }
    let alone: Vec<usize> = bounded.iter().copied().filter(|&a| is_feasible(&|other| other == a)).collect();
    if alone.is_empty() { bounded } else { alone }
}

fn search(problem: &Problem, algorithm: &Entry, run: &mut Run<'_>) -> Result<(), Stop> {
    // Local searches count the rows of their pieces and clusters in 32 bits.
    if algorithm.family == Family::Local && problem.table().rows() > u64::from(u32::MAX) {
        return Err(Stop::TableTooLarge);
    }
    // Rows that differ only in a target may be divided, as nobody looks at it there.
    let blind = (algorithm.family == Family::Local).then(|| problem.blind_to_target()).flatten();
    let problem = blind.as_ref().unwrap_or(problem);
    let blocks = problem.settings.optional_count(&BLOCK_ROWS).filter(|_| algorithm.takes(&BLOCK_ROWS));
    let plain = |problem: &Problem, run: &mut Run<'_>| match blocks {
        Some(most_rows) => Blocks { algorithm, most_rows }.search(problem, run),
        None => (algorithm.build)(&problem.settings).search(problem, run),
    };
    if algorithm.family == Family::Local && problem.limited().next().is_some() {
        return within_levels(problem, plain, run);
    }
    plain(problem, run)?;
    if algorithm.family == Family::Local && !algorithm.is_printed(&problem.settings) {
        leave_out(problem, plain, run)?;
    }
    (algorithm.build)(&problem.settings).improve(problem, run)
}

/// The best degree of any node: that of the top, where the classes are largest.
fn reach(problem: &Problem) -> Vec<f64> {
    let mut run = Run::new(problem, None, &Unobserved);
    run.reach(&problem.lattice().top()).expect("nothing stops this run")
}

/// A release that the judge found safe, and what was counted of it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The release.
    pub release: Release,
    /// What measures need of it.
    pub tally: Tally,
    /// What the judge says that it achieves.
    pub achieved: Achieved,
    /// How long applying and counting took.
    pub apply_time: Duration,
    /// How long the judge took.
    pub verify_time: Duration,
}

/// Applies a recoding, counts what measures need, and has the [judge](crate::verify::verify) look at the release.
///
/// # Errors
/// The judge's reason, if the release is not safe: then whoever found the recoding made a mistake.
pub fn judge(problem: &Problem, recoding: &Recoding) -> Result<Judged, String> {
    judge_watched(problem, recoding, &Unobserved).expect("nobody cancels this")
}

/// The same, unless the observer cancels it: then there is no judgement.
///
/// # Errors
/// The judge's reason, as of [`judge`].
pub fn judge_watched(
    problem: &Problem,
    recoding: &Recoding,
    observer: &dyn Observer,
) -> Option<Result<Judged, String>> {
    judge_without(problem, recoding, &[], observer)
}

/// The same without some tuples: what a recoding does not say anything of is suppressed.
///
/// # Errors
/// The judge's reason, as of [`judge`].
pub fn judge_without(
    problem: &Problem,
    recoding: &Recoding,
    left_out: &[usize],
    observer: &dyn Observer,
) -> Option<Result<Judged, String>> {
    let go_on = || if observer.cancelled() { Err(Stop::Cancelled) } else { Ok(()) };
    let started = Instant::now();
    let release = recoding.apply_asking(problem, &go_on).ok()?.without_tuples(left_out);
    let tally = release.tally_asking(&go_on).ok()?;
    let apply_time = started.elapsed();
    Some(match verify_asking(&release, &go_on).ok()? {
        Verdict::Unsafe(reason) => Err(reason),
        Verdict::Safe(achieved) => {
            let verify_time = started.elapsed() - apply_time;
            Ok(Judged { release, tally, achieved, apply_time, verify_time })
        }
    })
}
