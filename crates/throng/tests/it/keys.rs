//! Tables whose class keys need several words, or fields wider than a look-up chunk.

use throng::algorithm;
use throng::random::Random;
use throng::run::{Stop, Unobserved};
use throng::solve::{Outcome, solve};
use throng::verify::{Verdict, verify};

use crate::agreement::{Truth, assert_same_release, levels};
use crate::case::{Case, Hierarchy};
use crate::oracle::{Oracle, is_close};
use crate::patience::Patience;

/// Leaves 0, 1, 2, …, each level in groups of the next size; then one value for all.
pub(crate) fn steps(leaves: usize, sizes: &[usize]) -> Hierarchy {
    let line = |leaf: usize| {
        let groups = sizes.iter().map(|size| format!("{size}: {}", leaf / size));
        [leaf.to_string()].into_iter().chain(groups).chain(["*".to_owned()]).collect()
    };
    (0..leaves).map(line).collect()
}

/// Rows that mostly follow one of a few patterns, so that classes form below the top.
fn patterned_rows(random: &mut Random, hierarchies: &[Hierarchy], rows: usize) -> Vec<Vec<String>> {
    let pattern =
        |random: &mut Random| -> Vec<usize> { hierarchies.iter().map(|h| random.index(h.len())).collect() };
    let patterns = [pattern(random), pattern(random), pattern(random)];
    let mut all = Vec::new();
    for _ in 0..rows {
        let mut row = patterns[random.index(3)].clone();
        for _ in 0..random.index(4) {
            let a = random.index(row.len());
            row[a] = random.index(hierarchies[a].len());
        }
        all.push(row.iter().zip(hierarchies).map(|(&leaf, lines)| lines[leaf][0].clone()).collect());
    }
    all
}

fn patterned(seed: u64, hierarchies: Vec<Hierarchy>, rows: usize, k: u64, max_suppressed_rows: u64) -> Case {
    let rows = patterned_rows(&mut Random::new(seed), &hierarchies, rows);
    Case::from_rows(hierarchies, rows, k, max_suppressed_rows)
}

/// Compares both greedy algorithms, and the loss of what they find, with the oracle.
fn assert_greedy(case: &Case) {
    let oracle = Oracle::new(case);
    let problem = case.problem("lm");
    for (name, expected) in [("datafly", oracle.datafly()), ("improved-greedy", oracle.improved_greedy())] {
        let solution = solve(&problem, algorithm::find(name).expect("registered"), None, &Unobserved);
        let Outcome::Found(recoding) = solution.outcome else { panic!("{name}: feasible") };
        let release = recoding.apply(&problem);
        assert_eq!(Some(levels(&release)), expected, "{name}");
        let released = oracle.recode(&expected.expect("feasible"));
        assert_same_release(&oracle, &release, &released);
        assert!(is_close(
            problem.objective.measure(&problem, &release.tally()),
            oracle.measure("lm", &released)
        ));
    }
}

/// Compares every optimal algorithm with the oracle.
fn assert_optimal(case: &Case) {
    let truth = Truth::find(case);
    let problem = case.problem("lm");
    let least = truth.oracle.least_loss("lm", &truth.admissible).expect("feasible");
    for name in ["flash", "ola", "incognito", "exhaustive"] {
        let solution = solve(&problem, algorithm::find(name).expect("registered"), None, &Unobserved);
        let found = truth.judge(&problem, &solution, name).expect("feasible");
        assert!(is_close(truth.oracle.loss("lm", &found), least), "{name}");
    }
}

/// 40 attributes of 5 bits: four words.
#[test]
fn forty_attributes_of_thirty_leaves() {
    for (seed, limit) in [(1, 0), (2, 3), (3, 20)] {
        assert_greedy(&patterned(seed, vec![steps(30, &[5, 15]); 40], 60, 3, limit));
    }
}

/// Two words, up to eight, and up to 32.
#[test]
fn fourteen_eighty_and_two_hundred_attributes() {
    assert_greedy(&patterned(4, vec![steps(30, &[5, 15]); 14], 60, 3, 6));
    assert_greedy(&patterned(5, vec![steps(30, &[]); 80], 40, 2, 10));
    assert_greedy(&patterned(6, vec![steps(17, &[]); 200], 20, 2, 10));
}

/// 12 bits are one look-up chunk; 13 are more than one. With neighbours on both sides.
#[test]
fn thousands_of_leaves() {
    for leaves in [5_000, 4_096, 4_097] {
        let hierarchies = vec![steps(2, &[]), steps(leaves, &[10, 500]), steps(3, &[])];
        let mut random = Random::new(leaves as u64);
        let mut row = || [2, leaves, 3].map(|end| random.index(end).to_string()).to_vec();
        let rows = (0..2_000).map(|_| row()).collect();
        let case = Case::from_rows(hierarchies, rows, 3, 400);
        assert_optimal(&case);
        assert_greedy(&case);
    }
}

/// Sixteen fields of four bits fill a word; attributes of one leaf need no bit, wherever they are.
#[test]
fn attributes_of_a_single_leaf_beside_a_full_word() {
    let full = || vec![steps(16, &[4]); 16];
    let single = || vec![steps(1, &[])];
    for hierarchies in [[full(), single()].concat(), [full(), single(), full(), single(), single()].concat()]
    {
        assert_greedy(&patterned(7, hierarchies, 40, 2, 4));
    }
    assert_optimal(&patterned(8, vec![steps(1, &[]); 3], 5, 2, 0));
}

/// Those that list a lattice or all ways of generalising single cells, or a record.
const REFUSE_MANY: [&str; 7] = ["flash", "ola", "incognito", "samarati", "all-min", "optimal-k1", "min-gen"];

/// More words than a key of a fixed size has. What is released is safe, whatever search found it, and of every family
/// several find something soon.
#[test]
fn three_hundred_and_a_thousand_attributes() {
    assert_greedy(&patterned(9, vec![steps(17, &[]); 400], 12, 2, 4));
    for (attributes, leaves) in [(300, 100), (1_000, 17)] {
        let problem = patterned(10, vec![steps(leaves, &[4]); attributes], 24, 2, 6).problem("lm");
        let mut released = Vec::new();
        for entry in algorithm::registry() {
            let outcome = solve(&problem, entry, None, &Patience::new(200)).outcome;
            let is_refused = matches!(
                outcome,
                Outcome::Stopped { reason: Stop::LatticeTooLarge | Stop::TableTooLarge, .. }
            );
            assert_eq!(is_refused, REFUSE_MANY.contains(&entry.name), "{}", entry.name);
            if let Some(recoding) = outcome.recoding() {
                assert!(matches!(verify(&recoding.apply(&problem)), Verdict::Safe(_)), "{}", entry.name);
                released.push(entry.name);
            }
        }
        for name in ["auto", "top-down-specialization", "bottom-up-generalization", "cut-search"] {
            assert!(released.contains(&name), "{name}");
        }
        for name in ["agglomerative", "forest", "sequential", "mondrian", "spatial-distance"] {
            assert!(released.contains(&name), "{name}");
        }
    }
}
