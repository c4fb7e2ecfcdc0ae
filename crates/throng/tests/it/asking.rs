//! Searches ask often whether to go on, and end soon when they may not.

use std::sync::atomic::{AtomicU64, Ordering};

use throng::algorithm::{self, Entry, Serves};
use throng::loss;
use throng::privacy::KAnonymity;
use throng::problem::Problem;
use throng::requirement::Requirement;
use throng::run::{Observer, Stop};
use throng::solve::{Outcome, Solution, judge_watched, solve};
use throng::table::Table;
use throng::taxonomy::Taxonomy;

use crate::case::Case;

/// Counts the questions, and cancels from one of them on.
struct Asked {
    questions: AtomicU64,
    cancel_at: u64,
}

impl Asked {
    fn until(cancel_at: u64) -> Asked {
        Asked { questions: AtomicU64::new(0), cancel_at }
    }

    fn questions(&self) -> u64 {
        self.questions.load(Ordering::Relaxed)
    }
}

impl Observer for Asked {
    fn cancelled(&self) -> bool {
        self.questions.fetch_add(1, Ordering::Relaxed) >= self.cancel_at
    }

    fn gives_up(&self) -> bool {
        true
    }
}

/// Questions that may follow a 'no': some for each thread, and one before what was proposed would be evaluated.
const AFTERWARDS: u64 = 16;

fn search(problem: &Problem, name: &str, cancel_at: u64) -> (Solution, u64) {
    let asked = Asked::until(cancel_at);
    let solution = solve(problem, algorithm::find(name).expect("registered"), None, &asked);
    (solution, asked.questions())
}

#[test]
fn whenever_a_search_is_cancelled_it_asks_no_more() {
    let mut points = 0;
    for seed in 0..12 {
        let case = Case::random(seed);
        let problem = case.problem("lm");
        let served = |entry: &&Entry| entry.serves != Serves::Crowd && entry.name != "min-gen";
        for entry in algorithm::registry().iter().filter(served) {
            let (_, all) = search(&problem, entry.name, u64::MAX);
            for cancel_at in 0..all.min(60) {
                let (solution, questions) = search(&problem, entry.name, cancel_at);
                let Outcome::Stopped { reason, .. } = solution.outcome else {
                    panic!("{}, seed {seed}: went on after question {cancel_at} of {all}", entry.name);
                };
                assert_eq!(reason, Stop::Cancelled, "{}", entry.name);
                let more = questions - cancel_at;
                assert!(more <= AFTERWARDS, "{}, seed {seed}: {more} more questions", entry.name);
                points += 1;
            }
        }
    }
    assert!(points > 1_000, "{points}");
}

/// So many flat attributes over four rows, none of which may be released: every node is tagged by one check.
fn flat(attributes: usize) -> Problem {
    let row = vec!["1"; attributes].join(" ");
    Case::new(&vec!["1 *, 2 *"; attributes], &[row.as_str(); 4].join(","), 5, 0).problem("lm")
}

/// Small steps, such as tagging a node, that are made between two questions.
const STEPS: u64 = 1 << 14;

#[test]
fn tagging_the_nodes_of_a_large_lattice_asks_in_proportion() {
    for name in ["flash", "ola"] {
        for attributes in [17, 19, 20] {
            let (solution, questions) = search(&flat(attributes), name, u64::MAX);
            assert!(matches!(solution.outcome, Outcome::Infeasible { .. }));
            assert_eq!(solution.checked_nodes, 1, "{name}");
            assert!(questions >= (1 << attributes) / STEPS, "{name}: {questions} of 2^{attributes} nodes");
            // Half-way through the tags.
            let (stopped, asked) = search(&flat(attributes), name, questions / 2);
            assert_eq!(stopped.outcome, Outcome::Stopped { reason: Stop::Cancelled, best: None }, "{name}");
            assert!(asked <= questions / 2 + AFTERWARDS, "{name}");
        }
    }
    // All nodes of all subsets, once for every size of a subset.
    let (_, questions) = search(&flat(10), "incognito", u64::MAX);
    assert!(questions >= 10 * 3_u64.pow(10) / STEPS, "{questions}");
}

/// A table of so many distinct tuples.
fn wide(tuples: u32) -> Problem {
    let hierarchy = |leaves: u32| {
        let rows = (0..leaves).map(|i| [i.to_string(), format!("a{}", i / 10), "*".into()]);
        Taxonomy::from_rows(&rows.collect::<Vec<_>>()).unwrap()
    };
    let columns = vec![(0..tuples).map(|t| t / 600).collect(), (0..tuples).map(|t| t % 600).collect()];
    let attributes = vec![("x".to_owned(), hierarchy(1_000), 1.0), ("y".to_owned(), hierarchy(600), 1.0)];
    let table = Table::new(columns, vec![1; tuples as usize]);
    let k = Requirement::new(KAnonymity { k: 90 });
    Problem::new(table, attributes, k, 0, loss::find("lm").unwrap()).unwrap()
}

/// Tuples that are counted between two questions.
const TUPLES: u64 = 1 << 17;

#[test]
fn counting_many_tuples_asks_in_proportion() {
    let tuples = 600_000;
    let problem = wide(tuples as u32);
    let pieces = tuples / TUPLES;
    for name in ["flash", "datafly", "improved-greedy", "heuristic-min", "bottom-up-generalization"] {
        // Before and while the first table is counted: packed once, then grouped.
        for cancel_at in [0, pieces, 2 * pieces] {
            let (stopped, asked) = search(&problem, name, cancel_at);
            assert_eq!(stopped.outcome, Outcome::Stopped { reason: Stop::Cancelled, best: None }, "{name}");
            assert!(stopped.checked_nodes <= 1 && asked <= cancel_at + AFTERWARDS, "{name}");
        }
    }
    let (solution, questions) = search(&problem, "datafly", u64::MAX);
    assert!(solution.checked_nodes > 1 && questions >= 2 * pieces, "{questions}");
    // Applying, counting and judging ask, too, and end when they may not go on.
    let recoding = solution.outcome.recoding().expect("found");
    let all = Asked::until(u64::MAX);
    assert!(judge_watched(&problem, recoding, &all).is_some_and(|judged| judged.is_ok()));
    assert!(all.questions() >= 8 * pieces, "{}", all.questions());
    for share in 0..10 {
        let some = Asked::until(all.questions() * share / 10);
        assert!(judge_watched(&problem, recoding, &some).is_none());
        assert!(some.questions() <= all.questions() * share / 10 + AFTERWARDS);
    }
}
