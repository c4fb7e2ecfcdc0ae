use super::*;
use crate::algorithm::local::art;
use crate::algorithm::{Distance, find};
use crate::run::{Observer, Unobserved};
use crate::solve::{Outcome, solve};
use crate::table::Table;
use crate::verify::{Verdict, verify};
use std::sync::atomic::{AtomicU64, Ordering};

fn loss(problem: &Problem, entry: &Entry) -> f64 {
    let Outcome::Found(recoding) = solve(problem, entry, None, &Unobserved).outcome else {
        panic!("enough rows")
    };
    let release = recoding.apply(problem);
    let Verdict::Safe(achieved) = verify(&release) else { panic!("unsafe") };
    assert!(achieved.k >= problem.requirement.k());
    problem.objective.of(problem, &release.tally())
}

#[test]
fn releases_are_safe_and_never_lose_more_than_the_start() {
    for seed in 0..40 {
        let k = [2, 3, 5, 10][seed as usize % 4];
        for measure in ["lm", "entropy"] {
            let mut problem = art::problem(300, 1 + seed as usize % 6, seed, k, measure);
            problem.parameters.shrink = seed % 3 == 0;
            let start = loss(&problem, &super::agglomerative::ENTRY);
            assert!(loss(&problem, &ENTRY) <= start + 1e-9, "seed {seed}");
        }
    }
}

#[test]
fn it_loses_at_least_five_percent_less_than_the_best_agglomerative() {
    for (k, measure) in [(5, "lm"), (20, "lm"), (5, "entropy"), (20, "entropy")] {
        let mut problem = art::problem(5000, 6, 1, k, measure);
        let own = loss(&problem, find("sequential").unwrap());
        for distance in [Distance::D1, Distance::D2, Distance::D3, Distance::D4] {
            for shrink in [false, true] {
                (problem.parameters.distance, problem.parameters.shrink) = (distance, shrink);
                let other = loss(&problem, &super::agglomerative::ENTRY);
                assert!(own <= 0.95 * other, "{measure}, k {k}, {distance:?}: {own} of {other}");
            }
        }
    }
}

/// The sum over clusters of rows times d of the closure, from scratch.
fn plain_loss(clusters: &Clusters<'_>) -> f64 {
    let cost = |class: &Vec<u32>| {
        let mut closure = clusters.record(class[0]).to_vec();
        class.iter().for_each(|&tuple| clusters.closures().extend(&mut closure, clusters.record(tuple)));
        let rows: u64 = class.iter().map(|&tuple| clusters.weight(tuple)).sum();
        rows as f64 * clusters.closures().cost(&closure)
    };
    clusters.classes().iter().map(cost).sum()
}

#[test]
fn chains_change_the_loss_by_what_they_say() {
    let mut lengths = [0; MAX_DEPTH + 2];
    for seed in 0..12 {
        let (k, measure) = (2 + seed % 5, ["lm", "entropy"][seed as usize % 2]);
        let problem = art::problem(250, 4 + seed as usize % 3, seed, k, measure);
        let closures = closures(&problem);
        let run = Run::new(&problem, None, &Unobserved);
        let start = agglomerative::cluster(&problem, &closures, &problem.parameters, &run).unwrap();
        let near = Neighbours::new(&problem, &closures).lists(|_| 20, EFFORT, &run).unwrap();
        let clusters = Clusters::new(&problem, &closures, start);
        let mut search = Search { k, looked: vec![0; near.len()], near, clusters };
        for tuple in 0..search.near.len() as u32 {
            let Some(chain) = search.chain(tuple, MAX_DEPTH) else { continue };
            let before = plain_loss(&search.clusters);
            search.clusters.relocate(chain.moves());
            let after = plain_loss(&search.clusters);
            assert!(chain.change < 0.0 && (after - before - chain.change).abs() < 1e-9);
            assert!((search.clusters.loss() - after).abs() < 1e-9);
            let small = (0..search.clusters.len() as u32).any(|id| search.clusters.get(id).rows < k);
            assert!(!small);
            lengths[chain.moves().len()] += 1;
        }
    }
    assert!(lengths[1..].iter().all(|&count| count > 0), "{lengths:?}");
}

#[test]
fn the_result_does_not_depend_on_threads() {
    for (k, measure) in [(3, "lm"), (10, "entropy")] {
        let problem = art::problem(2000, 6, k, k, measure);
        let found = [1, 2, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| solve(&problem, &ENTRY, None, &Unobserved)).outcome
        });
        assert!(found.iter().all(|outcome| *outcome == found[0]));
    }
}

#[test]
fn fewer_rows_than_k_have_no_release() {
    let problem = art::problem(7, 6, 1, 8, "lm");
    let outcome = solve(&problem, &ENTRY, None, &Unobserved).outcome;
    assert_eq!(outcome, Outcome::Infeasible { best_k: 7 });
}

#[test]
fn equal_rows_are_released_as_they_are() {
    let like = art::problem(50, 2, 1, 5, "lm");
    let attributes = like.attributes().iter().map(|a| (a.name.clone(), a.taxonomy.clone(), 1.0)).collect();
    let table = Table::from_rows(2, &[[1, 2]; 6]);
    let problem = Problem::new(table, attributes, like.requirement.clone(), 0, like.objective).unwrap();
    assert_eq!(loss(&problem, &ENTRY), 0.0);
}

/// Cancels after a number of questions.
struct Patience(AtomicU64);

impl Observer for Patience {
    fn cancelled(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn a_search_that_is_stopped_after_its_start_has_a_release() {
    let problem = art::problem(2000, 6, 1, 5, "lm");
    // Asks until it ends: the last question comes in the last pass.
    let counter = Patience(AtomicU64::new(u64::MAX));
    let done = solve(&problem, &ENTRY, None, &counter).outcome;
    let asked = u64::MAX - counter.0.into_inner();
    let Outcome::Stopped { best: Some(best), .. } =
        solve(&problem, &ENTRY, None, &Patience(AtomicU64::new(asked - 1))).outcome
    else {
        panic!("stopped with a release")
    };
    assert!(matches!(verify(&best.apply(&problem)), Verdict::Safe(achieved) if achieved.k >= 5));
    assert_ne!(done, Outcome::Found(best));
}
