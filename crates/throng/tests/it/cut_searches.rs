//! Every registered algorithm that searches cuts keeps its promise, by the word of an oracle that looks
//! at all of them.

use std::sync::atomic::{AtomicU64, Ordering};

use throng::algorithm::{self, Entry, Family, Guarantee};
use throng::cut;
use throng::loss::{self, Kind};
use throng::problem::Problem;
use throng::random::Random;
use throng::recoding::Recoding;
use throng::run::{Observer, Stop, Unobserved};
use throng::solve::{Outcome, Solution, solve};
use throng::verify::{Verdict, verify};

use crate::agreement::assert_same_release;
use crate::case::Case;
use crate::cuts::encode_all;
use crate::oracle::{Cut, Oracle, Released, is_close};

/// More cuts than this are not compared.
const MOST_CUTS: usize = 1_500;

pub(crate) fn searches() -> impl Iterator<Item = &'static Entry> {
    algorithm::registry().iter().filter(|entry| entry.family == Family::Cut)
}

/// All cuts of a case, none of whose values is above the top level of its hierarchy.
pub(crate) struct AllCuts<'o, 'c> {
    oracle: &'o Oracle<'c>,
    cuts: Vec<Vec<Cut>>,
    pub(crate) admissible: Vec<Released<'c>>,
}

impl<'o, 'c> AllCuts<'o, 'c> {
    /// None if there are too many.
    pub(crate) fn find(oracle: &'o Oracle<'c>) -> Option<AllCuts<'o, 'c>> {
        let heights = oracle.case.heights();
        let within = |a: usize| -> Vec<Cut> {
            let cuts = oracle.cuts(a).into_iter();
            cuts.filter(|cut| cut.levels.iter().all(|&level| level <= heights[a])).collect()
        };
        let cuts: Vec<Vec<Cut>> = (0..heights.len()).map(within).collect();
        if cuts.iter().map(Vec::len).product::<usize>() > MOST_CUTS {
            return None;
        }
        let mut all: Vec<Vec<&Cut>> = vec![Vec::new()];
        for of_attribute in &cuts {
            let extend = |some: &Vec<_>| {
                of_attribute.iter().map(|cut| [&some[..], &[cut]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(extend).collect();
        }
        let admissible: Vec<Released<'c>> = all
            .iter()
            .map(|cuts| oracle.recode_cuts(cuts))
            .filter(|released| oracle.is_admissible(released))
            .collect();
        Some(AllCuts { oracle, cuts, admissible })
    }

    /// The most rows that a release has.
    pub(crate) fn most_rows(&self) -> Option<usize> {
        self.admissible.iter().map(|released| released.classes.len()).max()
    }

    /// What the oracle makes of the cuts that a search found.
    pub(crate) fn released(&self, problem: &Problem, cuts: &[cut::Cut]) -> Released<'c> {
        let same = |a: usize| {
            let is_same = |cut: &&Cut| {
                // The other attributes do not matter.
                let mut others: Vec<&Cut> = self.cuts.iter().map(|of| &of[0]).collect();
                others[a] = cut;
                encode_all(problem, &others)[a] == cuts[a]
            };
            self.cuts[a].iter().find(is_same).expect("no value above the top level")
        };
        self.oracle.recode_cuts(&(0..cuts.len()).map(same).collect::<Vec<_>>())
    }
}

/// Judges what a search of cuts found.
fn judge<'c>(
    all: &AllCuts<'_, 'c>,
    problem: &Problem,
    solution: &Solution,
    context: &str,
) -> Option<Released<'c>> {
    let recoding = match &solution.outcome {
        Outcome::Infeasible { .. } => {
            assert!(!solution.optimal && !solution.proven, "{context}");
            return None;
        }
        Outcome::Found(recoding) => recoding,
        stopped => panic!("{context}: {stopped:?}"),
    };
    let Recoding::Cut(cuts) = recoding else { panic!("{context}: no cut") };
    let released = all.released(problem, cuts);
    assert!(all.oracle.is_admissible(&released), "{context}");
    let release = recoding.apply(problem);
    assert_same_release(all.oracle, &release, &released);
    assert!(matches!(verify(&release), Verdict::Safe(_)), "{context}");
    Some(released)
}

fn assert_promise(
    entry: &Entry,
    all: &AllCuts<'_, '_>,
    measure: &'static dyn loss::Loss,
    found: Option<&Released<'_>>,
    context: &str,
) {
    match entry.guarantee {
        Guarantee::MostRows => {
            assert_eq!(found.map(|released| released.classes.len()), all.most_rows(), "{context}");
        }
        Guarantee::LeastLoss => {
            let least = all.oracle.least_loss(measure.name(), &all.admissible);
            let loss = found.map(|released| all.oracle.loss(measure.name(), released));
            match (loss, least) {
                (Some(loss), Some(least)) => assert!(is_close(loss, least), "{context}: {loss}, not {least}"),
                (loss, least) => assert_eq!(loss, least, "{context}"),
            }
        }
        _ => {}
    }
}

/// Compares every search with all cuts of the cases that have few enough; how many these are.
fn compare(cases: impl Iterator<Item = (u64, Case)>) -> usize {
    let mut compared = 0;
    for (seed, case) in cases {
        let oracle = Oracle::new(&case);
        let Some(all) = AllCuts::find(&oracle) else { continue };
        compared += 1;
        let measures = loss::measures().iter().filter(|measure| !matches!(measure.kind(), Kind::Level));
        for measure in measures {
            let problem = case.problem(measure.name());
            for entry in searches() {
                let context = format!("case {seed}, {}, {}", measure.name(), entry.name);
                let solution = solve(&problem, entry, None, &Unobserved);
                let found = judge(&all, &problem, &solution, &context);
                let proven = found.is_some() && entry.guarantee != Guarantee::Admissible;
                assert_eq!(solution.proven, proven, "{context}");
                let optimal = found.is_some() && entry.guarantee.proves(*measure);
                assert_eq!(solution.optimal, optimal, "{context}");
                assert_promise(entry, &all, *measure, found.as_ref(), &context);
            }
        }
    }
    compared
}

#[test]
fn searches_of_cuts_keep_their_promise() {
    let case = |seed: u64| {
        let random = &mut Random::new(seed);
        let (attributes, rows) = (1 + random.index(4), 1 + random.index(30));
        (seed, Case::random_of(random, attributes, rows).with_names())
    };
    assert!(compare((0..400).map(case)) > 200);
}

#[test]
fn searches_of_cuts_keep_their_promise_whatever_suppressed_cells_count() {
    let case = |seed: u64| {
        let random = &mut Random::new(seed + 9_000);
        let (attributes, rows) = (1 + random.index(4), 1 + random.index(30));
        // Every third is by the arithmetic mean.
        (seed, Case::random_of(random, attributes, rows).with_names().aggregated(3 * seed))
    };
    assert!(compare((0..200).map(case)) > 100);
}

#[test]
fn searches_of_cuts_keep_their_promise_where_several_things_are_asked() {
    let case = |seed: u64| {
        let random = &mut Random::new(seed);
        let (attributes, rows) = (1 + random.index(3), 1 + random.index(20));
        (seed, Case::random_asking_of(random, attributes, rows).with_names())
    };
    assert!(compare((0..400).map(case)) > 200);
}

#[test]
fn searches_of_cuts_do_not_depend_on_threads() {
    let pools = [1, 2, 4].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
    for seed in 0..40 {
        let case = Case::random(seed);
        let problem = case.problem("lm");
        for entry in searches() {
            let once = || solve(&problem, entry, Some(std::time::Duration::from_secs(60)), &Unobserved);
            let first = once();
            for pool in pools.iter().flatten() {
                assert_eq!(first, pool.install(once), "case {seed}, {}", entry.name);
            }
        }
    }
}

/// Cancels after a number of checks.
struct Impatient {
    checks: u64,
    seen: AtomicU64,
}

impl Observer for Impatient {
    fn checked(&self, checks: u64) {
        self.seen.store(checks, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.seen.load(Ordering::Relaxed) >= self.checks
    }
}

/// More cuts than anything goes through: what there is then is safe, and nothing is said to be proven.
#[test]
fn searches_of_cuts_that_are_stopped_have_a_release() {
    let line = |i: usize| format!("{i} p{} q{} r{} *", i / 2, i / 4, i / 8);
    let hierarchy = (0..16).map(line).collect::<Vec<_>>().join(",");
    let random = &mut Random::new(7);
    let mut row = || (0..5).map(|_| random.index(16).to_string()).collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = (0..400).map(|_| row()).collect();
    for suppressed in [0, 20] {
        let problem = Case::new(&[hierarchy.as_str(); 5], &rows.join(","), 5, suppressed).problem("lm");
        for name in ["heuristic-min", "cut-search"] {
            let entry = algorithm::find(name).expect("registered");
            let impatient = Impatient { checks: 4_000, seen: AtomicU64::new(0) };
            let solution = solve(&problem, entry, None, &impatient);
            let Outcome::Stopped { reason: Stop::Cancelled, best: Some(best) } = &solution.outcome else {
                panic!("{name}: {:?}", solution.outcome)
            };
            assert!(!solution.proven && !solution.optimal, "{name}");
            assert!(matches!(best, Recoding::Cut(_)), "{name}");
            assert!(matches!(verify(&best.apply(&problem)), Verdict::Safe(_)), "{name}");
        }
    }
}

/// Where both go through, a cut loses no more than a node.
#[test]
fn the_best_cut_loses_no_more_than_the_best_node() {
    let mut less = 0;
    for seed in 0..150 {
        let random = &mut Random::new(seed);
        let problem = Case::random_of(random, 3, 25).problem("lm");
        let cost = |name: &str| {
            let solution = solve(&problem, algorithm::find(name).expect("registered"), None, &Unobserved);
            solution.kept.first().and_then(|(_, evaluation)| evaluation.cost())
        };
        let [cut, node] = ["cut-search", "flash"].map(cost);
        assert_eq!(cut.is_some(), node.is_some(), "case {seed}");
        assert!(cut <= node, "case {seed}");
        less += usize::from(cut < node);
    }
    assert!(less > 0, "no case in which a cut is better");
}
