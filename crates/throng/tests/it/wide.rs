//! Lattices that nobody lists: what is said of the optimum before it is found, and after.

use throng::algorithm;
use throng::problem::Problem;
use throng::random::Random;
use throng::run::Unobserved;
use throng::solve::{Outcome, Solution, solve};
use throng::verify::{Verdict, verify};

use crate::case::Case;
use crate::patience::Patience;

fn solve_for(problem: &Problem, name: &str, checks: u64) -> Solution {
    solve(problem, algorithm::find(name).expect("an algorithm"), None, &Patience::new(checks))
}

fn cost(solution: &Solution) -> Option<i128> {
    solution.kept.first().and_then(|(_, evaluation)| evaluation.cost())
}

#[test]
fn what_is_said_of_the_optimum_of_a_search_that_is_stopped_is_true() {
    let mut told = 0;
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let problem = Case::random_of(&mut random, 5, 60).problem("lm");
        let optimum = solve(&problem, algorithm::find("exhaustive").unwrap(), None, &Unobserved);
        for checks in [20, 60, 150] {
            let stopped = solve_for(&problem, "box-search", checks);
            let Some(gap) = stopped.gap else { continue };
            let (found, least) = (cost(&stopped).unwrap(), cost(&optimum).unwrap());
            assert!(found >= least, "seed {seed}");
            let bound = found as f64 / (1.0 + gap);
            assert!(bound <= least as f64 * (1.0 + 1e-9), "seed {seed}: {bound} is more than {least}");
            told += usize::from(!stopped.optimal && gap < 0.5);
        }
    }
    assert!(told > 20, "{told}");
}

/// So many columns of four levels: 22 have ten thousand billion nodes.
fn wide(columns: usize) -> Case {
    let random = &mut Random::new(11);
    let steps = |most: usize| crate::keys::steps(most, &[2, 4]);
    let rows = (0..400).map(|_| {
        let of_row = random.index(8);
        let value = |random: &mut Random| if random.index(3) > 0 { of_row } else { random.index(8) };
        (0..columns).map(|_| value(random).to_string()).collect()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    Case::from_rows((0..columns).map(|_| steps(8)).collect(), rows, 4, 40)
}

#[test]
fn a_lattice_of_ten_thousand_billion_nodes_has_a_release_and_a_bound() {
    let case = wide(22);
    let problem = case.problem("lm");
    assert!(problem.lattice().size() > 10_000_000_000_000);
    let found = solve_for(&problem, "auto", 3_000);
    assert_eq!(found.choice.as_ref().map(|choice| choice.algorithm), Some("box-search"));
    let recoding = found.outcome.recoding().expect("a release");
    assert!(matches!(verify(&recoding.apply(&problem)), Verdict::Safe(_)));
    assert!(found.gap.is_some_and(|gap| gap > 0.0), "{:?}", found.gap);
    let greedy = solve(&problem, algorithm::find("improved-greedy").unwrap(), None, &Unobserved);
    assert!(cost(&found) < cost(&greedy));
    // Class sizes have neither sums nor a bound, but a release.
    let by_size = solve_for(&case.problem("dm"), "auto", 300);
    assert!(matches!(by_size.outcome, Outcome::Stopped { best: Some(_), .. }) && by_size.gap.is_none());
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let problem = wide(7).problem("lm");
    let of_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| solve(&problem, algorithm::find("box-search").unwrap(), None, &Unobserved))
    };
    let one = of_threads(1);
    assert!(one.optimal);
    assert_eq!(one, of_threads(3));
}
