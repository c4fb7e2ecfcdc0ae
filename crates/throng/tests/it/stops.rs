//! Searches that end before they are through.

use std::sync::Mutex;
use std::time::Duration;

use throng::algorithm;
use throng::problem::Problem;
use throng::requirement::Requirement;
use throng::run::{Observer, Stop, Unobserved};
use throng::solve::{Outcome, solve};
use throng::verify::{Verdict, verify};

use crate::agreement::levels;
use crate::case::Case;
use crate::oracle::Oracle;
use crate::patience::Patience;

#[test]
fn no_time_at_all_stops_every_search() {
    let problem = Case::random(7).problem("lm");
    for entry in crate::full_domain() {
        let solution = solve(&problem, entry, Some(Duration::ZERO), &Unobserved);
        assert_eq!(
            solution.outcome,
            Outcome::Stopped { reason: Stop::TimeLimit, best: None },
            "{}",
            entry.name
        );
        assert!(!solution.optimal);
        assert_eq!(solution.checked_nodes, 0);
    }
}

#[test]
fn a_time_limit_that_is_not_reached_changes_nothing() {
    let problem = Case::random(7).problem("lm");
    for entry in crate::full_domain() {
        let unlimited = solve(&problem, entry, None, &Unobserved);
        for limit in [Duration::from_secs(3_600), Duration::MAX] {
            assert_eq!(solve(&problem, entry, Some(limit), &Unobserved), unlimited, "{}", entry.name);
        }
    }
}

#[test]
fn an_observer_cancels_before_the_first_check() {
    let problem = Case::random(7).problem("lm");
    for entry in crate::full_domain() {
        let solution = solve(&problem, entry, None, &Patience::new(0));
        assert_eq!(
            solution.outcome,
            Outcome::Stopped { reason: Stop::Cancelled, best: None },
            "{}",
            entry.name
        );
    }
}

/// Whatever a cancelled search has in hand is safe, and no more is claimed of it.
#[test]
fn a_cancelled_search_returns_the_best_so_far() {
    let mut with_result = 0;
    for seed in 0..60 {
        let case = Case::random(seed);
        let problem = case.problem("lm");
        for entry in crate::full_domain() {
            let full = solve(&problem, entry, None, &Unobserved);
            for checks in 1..6 {
                let solution = solve(&problem, entry, None, &Patience::new(checks));
                let Outcome::Stopped { reason, best } = solution.outcome else {
                    assert_eq!(solution, full, "{}: not stopped", entry.name);
                    continue;
                };
                assert_eq!((reason, solution.optimal), (Stop::Cancelled, false));
                if let Some(recoding) = best {
                    with_result += 1;
                    assert!(matches!(verify(&recoding.apply(&problem)), Verdict::Safe(_)), "{}", entry.name);
                }
            }
        }
    }
    assert!(with_result > 100, "{with_result}");
}

/// Notes how far a local search is, and cancels it at a share of its work.
struct Share {
    cancel_at: f64,
    seen: Mutex<Vec<f64>>,
}

impl Share {
    fn new(cancel_at: f64) -> Share {
        Share { cancel_at, seen: Mutex::default() }
    }
}

impl Observer for Share {
    fn advanced(&self, done_steps: u64, total_steps: u64) {
        assert!(done_steps <= total_steps);
        self.seen.lock().unwrap().push(done_steps as f64 / total_steps as f64);
    }

    fn cancelled(&self) -> bool {
        self.seen.lock().unwrap().last().is_some_and(|&share| share >= self.cancel_at)
    }
}

/// A table that takes every local algorithm some milliseconds.
fn long() -> Problem {
    let hierarchy = (0..64).map(|i| format!("{i} a-{} b-{} *", i / 4, i / 16)).collect::<Vec<_>>().join(",");
    let mut state = 1_u64;
    let mut value = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) % 64).to_string()
    };
    let rows: Vec<String> =
        (0..6_000).map(|_| (0..6).map(&mut value).collect::<Vec<_>>().join(" ")).collect();
    Case::new(&[hierarchy.as_str(); 6], &rows.join(","), 3, 0).problem("lm")
}

#[test]
fn local_searches_say_how_far_they_are_and_are_cancelled_on_the_way() {
    let mut problem = long();
    for (entry, block_rows) in crate::local::local().flat_map(|entry| [(entry, None), (entry, Some(700))]) {
        if let Some(rows) = block_rows {
            problem.settings = problem.settings.with("block_rows", &rows.to_string()).expect("declared");
        }
        problem.requirements = Requirement::crowd(*entry.notions.last().expect("a notion"), 3).into();
        let through = Share::new(f64::INFINITY);
        assert!(matches!(solve(&problem, entry, None, &through).outcome, Outcome::Found(_)));
        let shares = through.seen.into_inner().unwrap();
        assert!(!shares.is_empty(), "{} says nothing", entry.name);
        assert!(shares.iter().all(|&share| (0.0..=1.0).contains(&share)), "{}", entry.name);
        let half = Share::new(0.3);
        let stopped = solve(&problem, entry, None, &half).outcome;
        let shares = half.seen.into_inner().unwrap();
        if shares.iter().any(|&share| (0.3..0.7).contains(&share)) {
            assert!(
                matches!(stopped, Outcome::Stopped { reason: Stop::Cancelled, .. }),
                "{} went on to {:?}",
                entry.name,
                shares.last()
            );
        }
    }
}

/// 4^40 nodes: too many to have a table of, but not to climb through.
#[test]
fn a_lattice_that_is_too_large() {
    let hierarchy =
        (0..8).map(|i| format!("{i} pair-{} four-{} *", i / 2, i / 4)).collect::<Vec<_>>().join(",");
    let row = |row: usize| (0..40).map(|a| ((row * row + a) % 8).to_string()).collect::<Vec<_>>().join(" ");
    let case = Case::new(&[hierarchy.as_str(); 40], &(0..30).map(row).collect::<Vec<_>>().join(","), 3, 0);
    let problem = case.problem("lm");
    let search = |name| solve(&problem, algorithm::find(name).expect("registered"), None, &Unobserved);
    for name in ["flash", "ola", "incognito", "samarati", "all-min"] {
        let solution = search(name);
        assert_eq!(
            solution.outcome,
            Outcome::Stopped { reason: Stop::LatticeTooLarge, best: None },
            "{name}"
        );
        assert_eq!(solution.lattice_nodes, 1 << 80);
    }
    let oracle = Oracle::new(&case);
    for (name, expected) in [("improved-greedy", oracle.improved_greedy()), ("datafly", oracle.datafly())] {
        let Outcome::Found(recoding) = search(name).outcome else { panic!("{name}: the top is admissible") };
        let release = recoding.apply(&problem);
        assert_eq!(Some(levels(&release)), expected, "{name}");
        assert!(matches!(verify(&release), Verdict::Safe(_)));
    }
}

/// Searches that need no table of the lattice go through it until their time is over.
#[test]
fn a_time_limit_ends_the_search_of_a_huge_lattice() {
    let row = ["1"; 26].join(" ");
    let case = Case::new(&["1 *, 2 *"; 26], &[row.as_str(); 4].join(","), 5, 0);
    let problem = case.problem("lm");
    for name in ["samarati", "exhaustive"] {
        let limit = Some(Duration::from_millis(200));
        let solution = solve(&problem, algorithm::find(name).expect("registered"), limit, &Unobserved);
        assert_eq!(solution.outcome, Outcome::Stopped { reason: Stop::TimeLimit, best: None }, "{name}");
        assert!(solution.checked_nodes > 0, "{name}");
    }
}
