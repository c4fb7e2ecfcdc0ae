//! Tables of more rows than 32 bits can count, which nobody could list: small ones in which every row stands for many.

use throng::algorithm::{self, Entry, Family};
use throng::lattice::Node;
use throng::loss;
use throng::privacy::KAnonymity;
use throng::problem::Problem;
use throng::random::Random;
use throng::recoding::Recoding;
use throng::requirement::Requirement;
use throng::run::{Stop, Unobserved};
use throng::solve::{Outcome, judge, solve};
use throng::table::Table;
use throng::taxonomy::Taxonomy;

/// Rows that a row of the small table stands for.
const TIMES: u64 = 1 << 30;

fn taxonomy(leaves: u32) -> Taxonomy {
    let line =
        |leaf: u32| [format!("{leaf:02}"), format!("{}x", leaf / 3), format!("{}y", leaf / 6), "*".into()];
    Taxonomy::from_rows(&(0..leaves).map(line).collect::<Vec<_>>()).unwrap()
}

/// A random table in which every row is there `times` times, and what is asked for is as many times as much. A tuple
/// of more rows than a weight can say is there several times.
fn problem(seed: u64, times: u64, measure: &str) -> Problem {
    let mut random = Random::new(seed);
    let (mut columns, mut weights): (Vec<Vec<u32>>, Vec<u32>) = (vec![Vec::new(); 3], Vec::new());
    let rows: Vec<[u32; 3]> = (0..70).map(|_| [12, 9, 4].map(|leaves| random.below(leaves) as u32)).collect();
    let small = Table::from_rows(3, &rows);
    for (tuple, &weight) in small.weights().iter().enumerate() {
        let mut left = u64::from(weight) * times;
        while left > 0 {
            let of_part = left.min(u64::from(u32::MAX));
            columns.iter_mut().enumerate().for_each(|(a, column)| column.push(small.column(a)[tuple]));
            weights.push(of_part as u32);
            left -= of_part;
        }
    }
    let attributes = [("a", 12), ("b", 9), ("c", 4)];
    let attributes = attributes.map(|(name, leaves)| (name.to_owned(), taxonomy(leaves), 1.0)).to_vec();
    let k = Requirement::new(KAnonymity { k: 3 * times });
    let measure = loss::find(measure).unwrap();
    Problem::new(Table::new(columns, weights), attributes, k, 4 * times, measure).unwrap()
}

fn release(problem: &Problem, entry: &Entry) -> Option<Recoding> {
    match solve(problem, entry, None, &Unobserved).outcome {
        Outcome::Found(recoding) => Some(recoding),
        Outcome::Infeasible { .. } | Outcome::Stopped { .. } => None,
    }
}

#[test]
fn every_search_of_nodes_and_cuts_finds_what_it_finds_in_the_small_table() {
    let searches = algorithm::registry().iter().filter(|entry| entry.family != Family::Local);
    for entry in searches {
        for (seed, measure) in [(1, "lm"), (2, "entropy"), (3, "dm")] {
            let (small, large) = (problem(seed, 1, measure), problem(seed, TIMES, measure));
            assert!(large.table().rows() > 1 << 32);
            let found = release(&small, entry);
            assert!(found.is_some(), "{} {measure}", entry.name);
            assert_eq!(release(&large, entry), found, "{} {measure}", entry.name);
            let [small, large] =
                [&small, &large].map(|problem| judge(problem, found.as_ref().unwrap()).unwrap());
            assert_eq!(large.achieved.k, small.achieved.k * TIMES);
            assert_eq!(large.tally.suppressed_rows, small.tally.suppressed_rows * TIMES);
            let squares = u128::from(TIMES).pow(2) * small.tally.sizes.squares;
            assert_eq!(large.tally.sizes.squares, squares, "{}", entry.name);
        }
    }
}

/// Pieces and clusters are counted in 32 bits: that is said, and nothing is miscounted.
#[test]
fn local_searches_refuse_more_rows_than_they_can_count() {
    let large = problem(1, TIMES, "lm");
    for entry in algorithm::registry().iter().filter(|entry| entry.family == Family::Local) {
        let outcome = solve(&large, entry, None, &Unobserved).outcome;
        assert_eq!(outcome, Outcome::Stopped { reason: Stop::TableTooLarge, best: None }, "{}", entry.name);
    }
}

/// Measures are shares or sums over rows: the same of both tables, or as many times as much.
#[test]
fn every_measure_is_that_of_the_small_table() {
    let node = Recoding::FullDomain(Node::new(vec![1, 2, 1]));
    let [small, large] = [1, TIMES].map(|times| problem(5, times, "lm"));
    let [of_small, of_large] = [&small, &large].map(|problem| node.apply(problem).tally());
    for measure in loss::measures() {
        if measure.lack(&small).is_some() {
            continue;
        }
        let (one, many) = (measure.measure(&small, &of_small), measure.measure(&large, &of_large));
        let times = TIMES as f64;
        let is_as_asked = [one, one * times, one * times * times]
            .iter()
            .any(|expected| (many - expected).abs() <= 1e-9 * expected.abs().max(1.0));
        assert!(is_as_asked, "{}: {one} and {many}", measure.name());
    }
}

#[test]
fn a_projection_keeps_rows_that_no_weight_can_say() {
    let table = Table::new(vec![vec![0, 0, 1], vec![0, 1, 0]], vec![u32::MAX, 7, 5]);
    let projected = table.project(1);
    assert_eq!((projected.rows(), table.rows()), (table.rows(), u64::from(u32::MAX) + 12));
    assert_eq!((projected.column(0), projected.weights()), (&[0, 0, 1][..], &[u32::MAX, 7, 5][..]));
}
