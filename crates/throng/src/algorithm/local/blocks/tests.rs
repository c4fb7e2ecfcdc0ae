use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::cut::cut;
use crate::algorithm::local::{art, closures};
use crate::algorithm::{BLOCK_ROWS, Entry, SettingValue, find, registry};
use crate::loss::{self, CellLoss, Domain, Kind, Loss, Scope};
use crate::notion::Notion;
use crate::privacy::KAnonymity;
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::release::Release;
use crate::requirement::Requirement;
use crate::run::{Observer, Run, Stop, Unobserved};
use crate::solve::{Outcome, Solution, solve};
use crate::table::Table;
use crate::tally::Tally;
use crate::taxonomy::{MaskSide, Taxonomy, mask, ranges, sets};
use crate::verify::{Verdict, verify};

fn local() -> impl Iterator<Item = &'static Entry> {
    registry().iter().filter(|entry| entry.takes(&BLOCK_ROWS))
}

fn cut_all(problem: &Problem, most_rows: u64) -> Vec<Vec<u32>> {
    let run = Run::new(problem, None, &Unobserved);
    cut(problem, most_rows, &run.part(0, 0), &run).expect("nothing stops it")
}

fn rows(problem: &Problem, block: &[u32]) -> u64 {
    block.iter().map(|&tuple| u64::from(problem.table().weights()[tuple as usize])).sum()
}

/// As many leaves as rows in a tree, a range and a set each, in different orders.
fn of_many_leaves(rows: usize, objective: &'static dyn Loss) -> Problem {
    let labels: Vec<String> = (0..rows).map(|leaf| format!("{:05}", leaf * 3)).collect();
    let taxonomies = [mask(&labels, MaskSide::Right), ranges(&labels, None), sets(&labels, 8)];
    let attributes = taxonomies.map(|taxonomy| ("column".to_owned(), taxonomy.unwrap(), 1.0));
    let column = |step: usize| (0..rows).map(|row| (row * step % rows) as u32).collect();
    let table = Table::new([1, 7, 11].map(column).to_vec(), vec![1; rows]);
    let k = Requirement::new(KAnonymity { k: 3 });
    Problem::new(table, attributes.to_vec(), k, 0, objective).unwrap()
}

fn recoding(solution: Solution) -> Recoding {
    match solution.outcome {
        Outcome::Found(recoding) => recoding,
        other => panic!("{other:?}"),
    }
}

fn in_blocks(mut problem: Problem, most_rows: u64) -> Problem {
    problem.settings.set(&BLOCK_ROWS, SettingValue::Count(most_rows));
    problem
}

#[test]
fn blocks_are_a_partition_and_of_the_size_asked_for() {
    for seed in 0..20 {
        let problem = art::problem(1_500, 6, seed, 5, "lm");
        for (most_rows, least_rows) in [(20, 5), (60, 10), (400, 100), (1_499, 374)] {
            let blocks = cut_all(&problem, most_rows);
            let mut tuples: Vec<u32> = blocks.concat();
            tuples.sort_unstable();
            assert!(tuples.into_iter().eq(0..problem.table().tuples() as u32));
            for block in &blocks {
                let size = rows(&problem, block);
                assert!((least_rows..=most_rows).contains(&size), "seed {seed}: {size} rows for {most_rows}");
            }
        }
        assert_eq!(cut_all(&problem, 1_500).len(), 1);
    }
}

/// Two attributes and seven distinct tuples of hundreds of rows.
#[test]
fn tuples_of_many_rows_are_not_divided() {
    let problem = art::problem(4_000, 2, 1, 5, "lm");
    let blocks = cut_all(&problem, 50);
    assert_eq!(blocks.len(), problem.table().tuples());
    assert!(blocks.iter().all(|block| block.len() == 1));
}

#[test]
fn a_cut_goes_between_the_values_that_are_dear_to_join() {
    // Sex splits all rows evenly and is lost as a whole; the digits are cheap one by one.
    let sex = Taxonomy::flat(&["f", "m"]).unwrap();
    let digits: Vec<String> = (0..10).map(|digit| digit.to_string()).collect();
    let digit = Taxonomy::flat(&digits).unwrap();
    let table =
        Table::new(vec![(0..20).map(|i| i % 10).collect(), (0..20).map(|i| i / 10).collect()], vec![3; 20]);
    let attributes = vec![("digit".into(), digit, 1.0), ("sex".into(), sex, 1.0)];
    let k = Requirement::new(KAnonymity { k: 3 });
    let problem = Problem::new(table, attributes, k, 0, loss::find("lm").unwrap()).unwrap();
    assert_eq!(cut_all(&problem, 30), [(0..10).collect::<Vec<u32>>(), (10..20).collect()]);
}

#[test]
fn cells_of_a_block_cost_what_they_cost_in_the_whole_table() {
    for measure in ["entropy", "lm"] {
        let problem = art::problem(600, 6, 3, 5, measure);
        let part = problem.part(&cut_all(&problem, 100)[0]);
        assert!(part.table().rows() <= 100);
        let (of_whole, of_part) = (closures(&problem), closures(&part));
        for (a, attribute) in problem.attributes().iter().enumerate() {
            for value in 0..attribute.taxonomy.values().len() as u32 {
                assert_eq!(of_part.cell_cost(a, value), of_whole.cell_cost(a, value));
            }
        }
    }
}

#[test]
fn the_release_has_the_notion_and_that_of_each_block_is_that_of_the_algorithm() {
    for measure in ["lm", "entropy"] {
        let whole = art::problem(600, 6, 4, 5, measure);
        let blocks = cut_all(&whole, 120);
        assert!(blocks.len() > 4);
        for entry in local() {
            for &notion in entry.notions {
                let mut problem = whole.clone();
                problem.requirements = Requirement::crowd(notion, problem.requirements.k()).into();
                let solution = solve(&in_blocks(problem.clone(), 120), entry, None, &Unobserved);
                assert_eq!(solution.blocks, Some(blocks.len()));
                let found = recoding(solution);
                let release = found.apply(&problem);
                let safe = matches!(verify(&release), Verdict::Safe(_));
                assert!(safe, "{} for {}", entry.name, notion.text());
                for block in &blocks {
                    let part = problem.part(block);
                    let alone = recoding(solve(&part, entry, None, &Unobserved)).apply(&part);
                    let in_table = |at: usize| block[at] as usize;
                    let same = released(&alone, in_table) == released_of(&release, block);
                    assert!(same, "{} for {}", entry.name, notion.text());
                }
            }
        }
    }
}

/// How many rows of each tuple have which values, the tuples numbered as `tuple` says.
fn released(release: &Release, tuple: impl Fn(usize) -> usize) -> BTreeMap<(usize, Vec<u32>), u32> {
    let mut rows = BTreeMap::new();
    for part in 0..release.parts() {
        let values = (0..release.problem().attributes().len()).map(|a| release.value(part, a)).collect();
        *rows.entry((tuple(release.tuple(part)), values)).or_default() += release.rows(part);
    }
    rows
}

/// The same of some of the tuples.
fn released_of(release: &Release, tuples: &[u32]) -> BTreeMap<(usize, Vec<u32>), u32> {
    let mut rows = released(release, |tuple| tuple);
    rows.retain(|(tuple, _), _| tuples.contains(&(*tuple as u32)));
    rows
}

#[test]
fn one_block_is_the_whole_table() {
    let problem = art::problem(300, 6, 5, 5, "lm");
    for entry in local() {
        let mut problem = problem.clone();
        problem.requirements =
            Requirement::crowd(*entry.notions.last().expect("a notion"), problem.requirements.k()).into();
        let exact = solve(&problem, entry, None, &Unobserved);
        let solution = solve(&in_blocks(problem, 300), entry, None, &Unobserved);
        assert_eq!(solution, Solution { blocks: Some(1), ..exact }, "{}", entry.name);
    }
}

#[test]
fn full_domain_searches_take_no_notice() {
    let problem = art::problem(300, 4, 6, 5, "lm");
    let flash = find("flash").unwrap();
    let solution = solve(&in_blocks(problem.clone(), 50), flash, None, &Unobserved);
    assert_eq!(solution, solve(&problem, flash, None, &Unobserved));
}

#[test]
fn threads_do_not_matter() {
    let pools = [1, 2, 5].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    for entry in local() {
        let mut problem = in_blocks(art::problem(500, 6, 7, 4, "entropy"), 90);
        problem.requirements =
            Requirement::crowd(*entry.notions.last().expect("a notion"), problem.requirements.k()).into();
        let solutions: Vec<Solution> =
            pools.iter().map(|pool| pool.install(|| solve(&problem, entry, None, &Unobserved))).collect();
        assert!(solutions.windows(2).all(|pair| pair[0] == pair[1]), "{}", entry.name);
    }
}

#[test]
fn threads_do_not_matter_to_the_cut() {
    let problem = of_many_leaves(9_000, loss::find("lm").unwrap());
    let pools = [1, 5].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    let [one, five] = pools.map(|pool| pool.install(|| cut_all(&problem, 40)));
    assert_eq!(one, five);
    let mut tuples: Vec<u32> = one.concat();
    tuples.sort_unstable();
    assert!(tuples.into_iter().eq(0..9_000));
}

/// The loss metric, which counts how often it is asked for the cost of a value.
#[derive(Debug)]
struct Asked(AtomicU64);

impl CellLoss for Asked {
    fn cost(&self, domain: &Domain, value: &Scope) -> f64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        f64::from(value.leaf_count - 1) / f64::from(domain.leaves - 1)
    }
}

impl Loss for Asked {
    fn name(&self) -> &'static str {
        "asked"
    }

    fn summary(&self) -> &'static str {
        "the loss metric, counted"
    }

    fn kind(&self) -> Kind<'_> {
        Kind::Cells(self)
    }

    fn measure(&self, problem: &Problem, tally: &Tally) -> f64 {
        self.total(problem, tally)
    }
}

#[test]
fn the_values_of_a_taxonomy_are_gone_through_once_for_all_blocks() {
    let asked: &'static Asked = Box::leak(Box::new(Asked(AtomicU64::new(0))));
    let whole = of_many_leaves(1_000, asked);
    for entry in local() {
        let mut whole = whole.clone();
        whole.requirements =
            Requirement::crowd(*entry.notions.last().expect("a notion"), whole.requirements.k()).into();
        let count = |most_rows: u64| {
            asked.0.store(0, Ordering::Relaxed);
            let problem = in_blocks(whole.clone(), most_rows);
            let solution = solve(&problem, entry, None, &Unobserved);
            let all = asked.0.swap(0, Ordering::Relaxed);
            // What the search found is evaluated in the end, by values that it made.
            let release = solution.outcome.recoding().expect("a release").apply(&problem);
            release.evaluate(&release.tally());
            (solution.blocks.expect("a cut"), all - asked.0.load(Ordering::Relaxed))
        };
        let (few, many) = (count(250), count(10));
        assert!(few.0 * 10 < many.0, "{few:?} {many:?}");
        assert!(few.1 > 0 && few.1 == many.1, "{}: {few:?} {many:?}", entry.name);
    }
}

/// Cancels when it was asked so many times.
struct Patience {
    left: AtomicU64,
}

impl Observer for Patience {
    fn cancelled(&self) -> bool {
        self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn a_search_that_is_stopped_has_a_release_of_all_blocks_or_none() {
    let problem = in_blocks(art::problem(150, 6, 8, 4, "lm"), 60);
    let sequential = find("sequential").unwrap();
    let out_of_time = solve(&problem, sequential, Some(Duration::ZERO), &Unobserved).outcome;
    assert_eq!(out_of_time, Outcome::Stopped { reason: Stop::TimeLimit, best: None });
    let (mut with, mut without) = (0, 0);
    for left in 0.. {
        let observer = Patience { left: AtomicU64::new(left) };
        match solve(&problem, sequential, None, &observer).outcome {
            Outcome::Found(_) => break,
            Outcome::Stopped { best: Some(recoding), reason } => {
                assert_eq!(reason, Stop::Cancelled);
                assert!(matches!(verify(&recoding.apply(&problem)), Verdict::Safe(_)));
                with += 1;
            }
            Outcome::Stopped { best: None, .. } => without += 1,
            outcome => panic!("{outcome:?}"),
        }
    }
    assert!(with > 0 && without > 0, "{with} with a release, {without} without");
}

#[test]
fn tables_of_fewer_than_k_rows_have_no_release() {
    let mut problem = in_blocks(art::problem(4, 6, 9, 5, "lm"), 10);
    problem.requirements = Requirement::crowd(Notion::KK, problem.requirements.k()).into();
    let solution = solve(&problem, find("expansion").unwrap(), None, &Unobserved);
    assert_eq!(solution.outcome, Outcome::Infeasible { reach: vec![4.0] });
}
