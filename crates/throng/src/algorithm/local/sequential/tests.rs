use super::chain::MAX_DEPTH;
use super::near::NEAR;
use super::*;
use crate::algorithm::local::art;
use crate::algorithm::local::pieces::whole;
use crate::algorithm::{Settings, find};
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
    assert!(achieved.k >= problem.requirements.k());
    problem.objective.measure(problem, &release.tally())
}

/// The agglomerative clusters of no settings.
const PLAIN: agglomerative::Manner = agglomerative::Manner { distance: Distance::D3, shrink: false };

fn shrinking(distance: &str, shrink: &str) -> Settings {
    Settings::default().with("distance", distance).unwrap().with("shrink", shrink).unwrap()
}

#[test]
fn releases_are_safe_and_never_lose_more_than_the_start() {
    for seed in 0..40 {
        let k = [2, 3, 5, 10][seed as usize % 4];
        for measure in ["lm", "entropy"] {
            let mut problem = art::problem(300, 1 + seed as usize % 6, seed, k, measure);
            if seed % 5 == 0 {
                problem = art::without_trees(&problem);
            }
            let own = loss(&problem, &ENTRY);
            problem.settings = shrinking("3", "true");
            let start = loss(&problem, &super::agglomerative::ENTRY);
            assert!(own <= start + 1e-9, "seed {seed}");
            assert_eq!(own, loss(&problem, &ENTRY), "the start shrinks anyway");
        }
    }
}

#[test]
fn it_loses_at_least_five_percent_less_than_the_best_of_the_paper() {
    for (k, measure) in [(5, "lm"), (20, "lm"), (5, "entropy"), (10, "entropy")] {
        let mut problem = art::problem(5000, 6, 1, k, measure);
        let own = loss(&problem, &ENTRY);
        let mut best = loss(&problem, find("forest").unwrap());
        for (distance, shrink) in
            ["1", "2", "3", "4", "nergiz-clifton"].into_iter().flat_map(|d| [(d, "false"), (d, "true")])
        {
            problem.settings = shrinking(distance, shrink);
            best = best.min(loss(&problem, &super::agglomerative::ENTRY));
        }
        assert!(own <= 0.95 * best, "{measure}, k {k}: {own} of {best}");
    }
}

#[test]
fn blocks_of_the_start_have_clusters_enough_for_large_k() {
    for (k, measure) in [(100, "lm"), (300, "entropy")] {
        let mut problem = art::problem(5000, 6, 1, k, measure);
        let own = loss(&problem, &ENTRY);
        problem.settings = shrinking("3", "true");
        let whole = loss(&problem, &super::agglomerative::ENTRY);
        assert!(own < whole, "{measure}, k {k}: {own} of {whole}");
    }
}

/// The sum over clusters of rows times d of the closure, from scratch.
fn plain_loss(clusters: &Partition<'_>) -> f64 {
    let cost = |class: &Vec<Piece>| {
        let record = |piece: &Piece| clusters.record_of_tuple(piece.tuple);
        let mut closure = record(&class[0]).to_vec();
        class.iter().for_each(|piece| clusters.closures().extend(&mut closure, record(piece)));
        let rows: u64 = class.iter().map(|piece| u64::from(piece.rows)).sum();
        rows as f64 * clusters.closures().cost(&closure)
    };
    clusters.classes().iter().map(cost).sum()
}

/// Shows searches from the start of small tables, of several k and measures.
fn each_search(mut show: impl FnMut(ExchangeSearch<'_>)) {
    for seed in 0..12 {
        let (k, measure) = (2 + seed % 5, ["lm", "entropy"][seed as usize % 2]);
        let problem = art::problem(250, 4 + seed as usize % 3, seed, k, measure);
        let closures = closures(&problem);
        let run = Run::new(&problem, None, &Unobserved);
        let start = agglomerative::cluster(&problem, &closures, PLAIN, &run).unwrap();
        show(ExchangeSearch::new(&problem, &closures, whole(problem.table(), &start), &run).unwrap());
    }
}

/// Makes a change and compares it with what it promised.
fn check(search: &mut ExchangeSearch<'_>, promised: f64, change: impl FnOnce(&mut ExchangeSearch<'_>)) {
    let before = plain_loss(&search.clusters);
    change(search);
    let after = plain_loss(&search.clusters);
    assert!(promised > 0.0 && (before - after - promised).abs() < 1e-9);
    assert!((search.clusters.loss() - after).abs() < 1e-9);
    let rows = (0..search.clusters.len() as u32).map(|id| search.clusters.get(id).rows);
    assert!(rows.filter(|&rows| rows > 0).all(|rows| rows >= search.k));
    let mut rows = vec![0; search.table.tuples()];
    search.clusters.classes().iter().flatten().for_each(|piece| rows[piece.tuple as usize] += piece.rows);
    assert_eq!(rows, search.table.weights());
}

#[test]
fn chains_change_the_loss_by_what_they_say() {
    let mut lengths = [0; MAX_DEPTH + 2];
    each_search(|mut search| {
        for piece in 0..search.near.len() as u32 {
            let Some(chain) = search.chain(piece) else { continue };
            check(&mut search, -chain.change, |search| search.make(chain.moves()));
            lengths[chain.moves().len()] += 1;
        }
    });
    assert!(lengths[1..].iter().all(|&count| count > 0), "{lengths:?}");
}

#[test]
fn dissolving_and_founding_change_the_loss_by_what_they_say() {
    let (mut dissolved, mut founded) = (0, 0);
    each_search(|mut search| {
        for cluster in 0..search.clusters.len() as u32 {
            if let Some(found) = search.dissolution(cluster) {
                check(&mut search, found.gain, |search| search.make(&found.moves));
                assert!(search.clusters.get(cluster).members.is_empty());
                dissolved += 1;
            }
        }
        for cluster in 0..search.clusters.len() as u32 {
            if let Some(found) = search.founding(cluster) {
                let new = search.clusters.len() as u32;
                check(&mut search, found.gain, |search| search.make(&found.moves));
                let first = search.clusters.get(new).members[0];
                let probe = search.costs.probe(search.clusters.record(first));
                let own = search.near[search.clusters.pieces().tuple(first) as usize].get().is_some();
                assert!(!own || search.near(first, &probe).any(|cluster| cluster == new));
                founded += 1;
            }
        }
    });
    assert!(dissolved > 0 && founded > 0, "{dissolved} dissolved, {founded} founded");
}

#[test]
fn trees_find_the_clusters_in_which_the_loss_grows_least() {
    for (seed, open) in (0..10).map(|seed| (seed, seed % 2 == 1)) {
        let problem = art::problem(400, 6, seed, 3, "lm");
        let problem = if open { art::without_trees(&problem) } else { problem };
        let closures = closures(&problem);
        let run = Run::new(&problem, None, &Unobserved);
        let start = agglomerative::cluster(&problem, &closures, PLAIN, &run).unwrap();
        let search = ExchangeSearch::new(&problem, &closures, whole(problem.table(), &start), &run).unwrap();
        for tuple in 0..search.near.len() as u32 {
            let (record, weight) = (search.clusters.record(tuple), search.clusters.rows(tuple).min(search.k));
            let growth = |id: u32| {
                let cluster = search.clusters.get(id);
                let union = closures.join_cost(record, &cluster.cover);
                (cluster.rows + weight) as f64 * union - cluster.loss()
            };
            let mut all: Vec<f64> = (0..search.clusters.len() as u32).map(growth).collect();
            all.sort_by(f64::total_cmp);
            let found: Vec<f64> = search.near(tuple, &search.costs.probe(record)).map(growth).collect();
            assert_eq!(found.len(), NEAR);
            assert!(found.iter().zip(&all).all(|(found, least)| (found - least).abs() < 1e-9), "{open}");
        }
    }
}

#[test]
fn the_result_does_not_depend_on_threads() {
    for (k, measure) in [(3, "lm"), (10, "entropy")] {
        let problem = art::problem(2000, 6, k, k, measure);
        for problem in [art::without_trees(&problem), problem] {
            let found = [1, 2, 4].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| solve(&problem, &ENTRY, None, &Unobserved)).outcome
            });
            assert!(found.iter().all(|outcome| *outcome == found[0]));
        }
    }
}

#[test]
fn fewer_rows_than_k_have_no_release() {
    let problem = art::problem(7, 6, 1, 8, "lm");
    let outcome = solve(&problem, &ENTRY, None, &Unobserved).outcome;
    assert_eq!(outcome, Outcome::Infeasible { reach: vec![7.0] });
}

#[test]
fn equal_rows_are_released_as_they_are() {
    let like = art::problem(50, 2, 1, 5, "lm");
    let attributes = like.attributes().iter().map(|a| (a.name.clone(), a.taxonomy.clone(), 1.0)).collect();
    let table = Table::from_rows(2, &[[1, 2]; 6]);
    let problem = Problem::new(table, attributes, like.requirements.clone(), 0, like.objective).unwrap();
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
    // Asks until it ends: the questions before the last come in the last pass.
    let counter = Patience(AtomicU64::new(u64::MAX));
    let done = solve(&problem, &ENTRY, None, &counter).outcome;
    let asked = u64::MAX - counter.0.into_inner();
    let Outcome::Stopped { best: Some(best), .. } =
        solve(&problem, &ENTRY, None, &Patience(AtomicU64::new(asked - 20))).outcome
    else {
        panic!("stopped with a release")
    };
    assert!(matches!(verify(&best.apply(&problem)), Verdict::Safe(achieved) if achieved.k >= 5));
    assert_ne!(done, Outcome::Found(best));
}
