//! Every local algorithm keeps its promise on random tables: its releases verify for each notion
//! that it gives, by `verify` and by a count of our own, and do not depend on threads.

use throng::algorithm::{self, Entry, Family, Settings};
use throng::notion::Notion;
use throng::problem::Problem;
use throng::release::Release;
use throng::requirement::Requirement;
use throng::run::Unobserved;
use throng::solve::{Outcome, solve};
use throng::verify::{Verdict, verify};

use crate::case::Case;

const CASES: u64 = 150;

/// Every algorithm that recodes locally, tables of any size; the one that does not has tests of its own.
pub(crate) fn local() -> impl Iterator<Item = &'static Entry> {
    let local = algorithm::registry().iter().filter(|entry| entry.family == Family::Local);
    local.filter(|entry| entry.name != "min-gen")
}

/// Settings that reach every branch of the clustering algorithms, some of them in blocks.
pub(crate) fn settings(seed: u64) -> Settings {
    let distance = ["1", "2", "3", "4", "nergiz-clifton"][(seed % 5) as usize];
    let block_rows = seed.is_multiple_of(3).then_some(5 + seed % 11);
    let (shrink, relaxed) = (seed.is_multiple_of(2), seed % 4 > 1);
    told(distance, shrink, block_rows).with("relaxed", &relaxed.to_string()).unwrap()
}

/// The settings that say so.
pub(crate) fn told(distance: &str, shrink: bool, block_rows: Option<u64>) -> Settings {
    let settings = Settings::default().with("distance", distance).unwrap();
    let settings = settings.with("shrink", &shrink.to_string()).unwrap();
    match block_rows {
        Some(rows) => settings.with("block_rows", &rows.to_string()).unwrap(),
        None => settings,
    }
}

/// Rows of the original that are consistent with each released row, and the other way round,
/// counted pair by pair.
fn degrees(release: &Release) -> (u64, u64) {
    let (table, attributes) = (release.problem().table(), release.problem().attributes());
    let consistent = |original: usize, released: usize| {
        (0..attributes.len())
            .all(|a| attributes[a].taxonomy.covers(release.value(released, a), table.column(a)[original]))
    };
    let weight = |tuple: usize| u64::from(table.weights()[tuple]);
    let rows = |part: usize| u64::from(release.rows(part));
    let released: Vec<usize> = (0..release.parts()).filter(|&part| !release.is_suppressed(part)).collect();
    let looks = |&i: &usize| released.iter().filter(|&&j| consistent(i, j)).map(|&j| rows(j)).sum::<u64>();
    let stands_for = |&j: &usize| (0..table.tuples()).filter(|&i| consistent(i, j)).map(weight).sum::<u64>();
    let originals: Vec<usize> = released.iter().map(|&part| release.tuple(part)).collect();
    let least = |degrees: Vec<u64>| degrees.into_iter().min().unwrap_or(0);
    (least(originals.iter().map(looks).collect()), least(released.iter().map(stands_for).collect()))
}

fn judge(problem: &Problem, release: &Release, context: &str) {
    let k = problem.requirements.k();
    let Verdict::Safe(achieved) = verify(release) else { panic!("{context}: refused by verify") };
    assert!((achieved.degrees[0] as u64) >= k, "{context}");
    let by_classes = problem.requirements.notion() == Notion::K;
    assert!(
        by_classes || achieved.suppressed_rows == 0,
        "{context}: suppressed {}",
        achieved.suppressed_rows
    );
    let (one_k, k_one) = degrees(release);
    match problem.requirements.notion() {
        Notion::K => assert!(achieved.k >= k, "{context}"),
        Notion::OneK | Notion::GlobalOneK => assert!(one_k >= k, "{context}"),
        Notion::KOne => assert!(k_one >= k, "{context}"),
        Notion::KK => assert!(one_k >= k && k_one >= k, "{context}"),
    }
}

#[test]
fn releases_have_the_notion_asked_for() {
    let (mut found, mut infeasible) = (0, 0);
    for seed in 0..CASES {
        let case = Case::random(seed);
        let objective = ["lm", "entropy", "ncp", "iloss"][(seed % 4) as usize];
        let mut problem = case.problem(objective);
        problem.settings = settings(seed);
        for entry in local() {
            for &notion in entry.notions {
                problem.requirements = Requirement::crowd(notion, problem.requirements.k()).into();
                let context = format!("case {seed}, {} for {}", entry.name, notion.text());
                match solve(&problem, entry, None, &Unobserved).outcome {
                    Outcome::Found(recoding) => {
                        judge(&problem, &recoding.apply(&problem), &context);
                        found += 1;
                    }
                    Outcome::Infeasible { .. } => {
                        assert!(problem.table().rows() < problem.requirements.k(), "{context}");
                        infeasible += 1;
                    }
                    stopped => panic!("{context}: {stopped:?}"),
                }
            }
        }
    }
    assert!(found > 0 && infeasible > 0, "the cases are too easy or too hard");
}

#[test]
fn results_do_not_depend_on_threads() {
    let pools = [1, 2, 4].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("a pool"));
    for seed in 0..CASES / 3 {
        let case = Case::random(seed);
        let mut problem = case.problem("lm");
        problem.settings = settings(seed);
        for entry in local() {
            problem.requirements =
                Requirement::crowd(*entry.notions.last().expect("a notion"), problem.requirements.k()).into();
            let solutions: Vec<_> =
                pools.iter().map(|pool| pool.install(|| solve(&problem, entry, None, &Unobserved))).collect();
            assert!(solutions.windows(2).all(|pair| pair[0] == pair[1]), "case {seed}, {}", entry.name);
        }
    }
}
