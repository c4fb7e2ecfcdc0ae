//! Mondrian on small tables, against its definition.

use proptest::prelude::*;

use super::axis::{Axis, Way};
use super::*;
use crate::loss;
use crate::privacy::KAnonymity;
use crate::requirement::Requirement;
use crate::run::Unobserved;
use crate::table::Table;
use crate::taxonomy::{self, Taxonomy};

fn problem(table: Table, taxonomies: Vec<Taxonomy>, k: u64) -> Problem {
    let attributes = taxonomies.into_iter().map(|taxonomy| ("column".to_owned(), taxonomy, 1.0)).collect();
    let requirement = Requirement::new(KAnonymity { k });
    Problem::new(table, attributes, requirement, 0, loss::find("ncp").unwrap()).expect("valid")
}

/// The tuples of each class, sorted.
fn classes(problem: &Problem, relaxed: bool) -> Vec<Vec<u32>> {
    let run = Run::new(problem, None, &Unobserved);
    let mut classes = partition(problem, relaxed, &run).expect("nothing stops this run");
    classes.iter_mut().for_each(|class| class.sort_unstable());
    classes.sort_unstable();
    classes
}

fn numbers(values: &[&str]) -> Taxonomy {
    taxonomy::ranges(values, None).expect("numbers")
}

/// One number, in tuples of the given rows.
fn line(weights: &[u32], k: u64) -> Problem {
    let values: Vec<String> = (0..weights.len()).map(|x| x.to_string()).collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let table = Table::new(vec![(0..weights.len() as u32).collect()], weights.to_vec());
    problem(table, vec![numbers(&values)], k)
}

#[test]
fn numbers_are_cut_at_the_median_by_rows() {
    assert_eq!(classes(&line(&[1; 8], 2), false), [[0, 1], [2, 3], [4, 5], [6, 7]]);
    assert_eq!(classes(&line(&[6, 1, 1, 1, 3], 3), false), [vec![0], vec![1, 2, 3], vec![4]]);
    // The greatest value has most of the rows: the cut is below it.
    assert_eq!(classes(&line(&[1, 1, 7], 2), false), [vec![0, 1], vec![2]]);
    assert_eq!(classes(&line(&[1, 1, 7], 3), false), [[0, 1, 2]]);
}

/// Two numbers; the first is the widest, and its middle value has half of the tuples.
#[test]
fn relaxed_cuts_send_tuples_of_the_median_to_both_sides() {
    let table = Table::from_rows(2, &[[0, 0], [1, 0], [1, 1], [1, 2], [1, 3], [2, 0]]);
    let taxonomies = vec![numbers(&["0", "50", "100"]), numbers(&["0", "1", "2", "3"])];
    let problem = problem(table, taxonomies, 3);
    // On the first axis one side would have a single row; the second is cut at its median.
    assert_eq!(classes(&problem, false), [[0, 1, 5], [2, 3, 4]]);
    assert_eq!(classes(&problem, true), [[0, 1, 2], [3, 4, 5]]);
}

fn jobs() -> Taxonomy {
    let rows = [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"], ["d", "y", "*"], ["e", "z", "*"]];
    Taxonomy::from_rows(&rows).unwrap()
}

fn of_jobs(weights: [u32; 5], k: u64) -> Problem {
    problem(Table::new(vec![vec![0, 1, 2, 3, 4]], weights.to_vec()), vec![jobs()], k)
}

#[test]
fn taxonomies_are_cut_at_the_children() {
    assert_eq!(classes(&of_jobs([3, 3, 1, 2, 3], 3), false), [vec![0], vec![1], vec![2, 3], vec![4]]);
    // z has too few rows of its own.
    assert_eq!(classes(&of_jobs([3, 3, 1, 2, 2], 3), false), [[0, 1, 2, 3, 4]]);
    // It goes with y, the smaller of the others; or with y that has too few, too.
    assert_eq!(classes(&of_jobs([3, 3, 1, 2, 2], 3), true), [vec![0], vec![1], vec![2, 3, 4]]);
    assert_eq!(classes(&of_jobs([3, 3, 1, 1, 2], 3), true), [vec![0], vec![1], vec![2, 3, 4]]);
    assert_eq!(classes(&of_jobs([1, 1, 1, 1, 2], 3), true), [[0, 1, 2, 3, 4]]);
}

#[test]
fn sets_are_cut_by_frequency() {
    let sets = taxonomy::sets(&["a", "b", "c", "d"], 16).unwrap();
    let table = Table::new(vec![vec![0, 1, 2, 3]], vec![1, 4, 2, 1]);
    assert_eq!(classes(&problem(table, vec![sets], 2), false), [vec![0, 3], vec![1], vec![2]]);
}

#[test]
fn missing_numbers_are_cut_off_first() {
    let numbers = numbers(&["", "1", "2", "3", "4", "5", "6"]);
    let missing = numbers.missing().expect("a leaf");
    let others: Vec<u32> = (0..7).filter(|&leaf| leaf != missing).collect();
    let leaves = [vec![missing], others].concat();
    let table = |rows: u32| Table::new(vec![leaves.clone()], vec![rows, 1, 1, 1, 1, 1, 1]);
    assert_eq!(classes(&problem(table(2), vec![numbers.clone()], 2), false)[0], [0]);
    assert_eq!(classes(&problem(table(1), vec![numbers], 2), false)[0], [0, 1, 2]);
}

fn mixed() -> Vec<Taxonomy> {
    let ages: Vec<String> = (0..9).map(|x| (x * x).to_string()).collect();
    let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
    vec![numbers(&ages), jobs(), taxonomy::sets(&["p", "q", "r", "s"], 16).unwrap()]
}

fn rows(most: usize) -> impl Strategy<Value = Vec<Vec<u32>>> {
    prop::collection::vec((0..9u32, 0..5u32, 0..4u32).prop_map(|(a, b, c)| vec![a, b, c]), 1..most)
}

/// Whether some cut of a class into pieces on one axis is allowable, by trying all.
fn can_be_cut(problem: &Problem, class: &[u32], relaxed: bool) -> bool {
    let (table, k) = (problem.table(), problem.requirement.k());
    let weight = |tuple: u32| u64::from(table.weights()[tuple as usize]);
    let large = |piece: &[u32]| piece.iter().map(|&tuple| weight(tuple)).sum::<u64>() >= k;
    problem.attributes().iter().enumerate().any(|(a, attribute)| {
        let axis = Axis::new(attribute);
        let mut order: Vec<(u32, u32)> =
            class.iter().map(|&tuple| (axis.rank(table.column(a)[tuple as usize]), tuple)).collect();
        order.sort_unstable();
        let tuples: Vec<u32> = order.iter().map(|&(_, tuple)| tuple).collect();
        let (least, most) = (order[0].0, order[order.len() - 1].0);
        if least == most {
            return false;
        }
        match axis.way(least, most) {
            Way::Between { .. } => (1..order.len())
                .filter(|&at| relaxed || order[at - 1].0 < order[at].0)
                .any(|at| large(&tuples[..at]) && large(&tuples[at..])),
            Way::Children(value) => {
                let child = |rank: u32| axis.child_starts(value).partition_point(|&start| start <= rank);
                let pieces: Vec<Vec<u32>> = order
                    .chunk_by(|x, y| child(x.0) == child(y.0))
                    .map(|piece| piece.iter().map(|&(_, tuple)| tuple).collect())
                    .collect();
                if !relaxed {
                    return pieces.iter().all(|piece| large(piece));
                }
                // Some children by themselves, all others together.
                (1..1u32 << pieces.len()).any(|alone| {
                    let (alone, rest): (Vec<_>, Vec<_>) =
                        pieces.iter().enumerate().partition(|(piece, _)| alone >> piece & 1 == 1);
                    let rest: Vec<u32> = rest.into_iter().flat_map(|(_, piece)| piece.clone()).collect();
                    alone.iter().all(|(_, piece)| large(piece)) && (rest.is_empty() || large(&rest))
                })
            }
        }
    })
}

/// The intervals of two classes on every axis, where strict parts may not meet on all of them.
fn overlap(problem: &Problem, one: &[u32], other: &[u32]) -> bool {
    problem.attributes().iter().enumerate().all(|(a, attribute)| {
        let (axis, column) = (Axis::new(attribute), problem.table().column(a));
        let leaves = |class: &[u32]| class.iter().map(|&tuple| column[tuple as usize]).collect::<Vec<_>>();
        let bounds = |class: &[u32]| {
            let ranks = leaves(class).into_iter().map(|leaf| axis.rank(leaf));
            (ranks.clone().min().unwrap(), ranks.max().unwrap())
        };
        let ((from, to), (start, end)) = (bounds(one), bounds(other));
        match (axis.way(from, to), axis.way(start, end)) {
            (Way::Children(x), Way::Children(y)) => {
                let taxonomy = &attribute.taxonomy;
                taxonomy.covers(x, y) || taxonomy.covers(y, x)
            }
            _ if axis.is_set() => leaves(one).iter().any(|leaf| leaves(other).contains(leaf)),
            _ => from <= end && start <= to,
        }
    })
}

proptest! {
    #[test]
    fn classes_are_a_partition_that_nothing_can_cut(rows in rows(80), k in 2..6u64, relaxed: bool) {
        prop_assume!(rows.len() as u64 >= k);
        let problem = problem(Table::from_rows(3, &rows), mixed(), k);
        let classes = classes(&problem, relaxed);
        let mut tuples = classes.concat();
        tuples.sort_unstable();
        prop_assert_eq!(tuples, (0..problem.table().tuples() as u32).collect::<Vec<_>>());
        for (at, class) in classes.iter().enumerate() {
            let rows: u64 = class.iter().map(|&t| u64::from(problem.table().weights()[t as usize])).sum();
            prop_assert!(rows >= k);
            prop_assert!(!can_be_cut(&problem, class, relaxed), "{class:?}");
            for other in classes[..at].iter().filter(|_| !relaxed) {
                prop_assert!(!overlap(&problem, class, other), "{class:?} {other:?}");
            }
        }
    }
}

/// Large parts are cut side by side, and large spans by sorting.
#[test]
fn threads_change_nothing() {
    let mut state = 7u64;
    let mut next = |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    let ages: Vec<String> = (0..50_000).map(|x| x.to_string()).collect();
    let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
    let rows: Vec<Vec<u32>> =
        (0..30_000).map(|_| vec![next(50_000) as u32, next(5) as u32, next(4) as u32]).collect();
    let mut taxonomies = mixed();
    taxonomies[0] = numbers(&ages);
    let problem = problem(Table::from_rows(3, &rows), taxonomies, 3);
    let pools = [1, 2, 4].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("a pool"));
    for relaxed in [false, true] {
        let once = || partition(&problem, relaxed, &Run::new(&problem, None, &Unobserved)).unwrap();
        let [one, two, four] = pools.each_ref().map(|pool| pool.install(once));
        assert!(one == two && two == four);
        assert!(one.len() > 3_000, "{}", one.len());
    }
}
