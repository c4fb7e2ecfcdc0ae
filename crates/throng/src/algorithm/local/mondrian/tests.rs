//! Mondrian on small tables, against its definition.

use proptest::prelude::*;

use super::axis::CutAxis;
use super::*;
use crate::algorithm::local::recode;
use crate::loss;
use crate::privacy::KAnonymity;
use crate::random::Random;
use crate::recoding::Recoding;
use crate::requirement::Requirement;
use crate::run::Unobserved;
use crate::table::Table;
use crate::taxonomy::{self, Scheme, Taxonomy, ValueId};

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
}

#[test]
fn children_with_too_few_rows_do_not_block_a_cut() {
    for relaxed in [false, true] {
        // z has too few; it goes with y, the smaller of the others, or with y that has too few, too.
        for weights in [[3, 3, 1, 2, 2], [3, 3, 1, 1, 2]] {
            assert_eq!(classes(&of_jobs(weights, 3), relaxed), [vec![0], vec![1], vec![2, 3, 4]]);
        }
        // Even together, y and z have too few: they go with a, the smaller child of x.
        assert_eq!(classes(&of_jobs([4, 5, 1, 1, 1], 4), relaxed), [vec![0, 2, 3, 4], vec![1]]);
        assert_eq!(classes(&of_jobs([1, 1, 1, 1, 2], 3), relaxed), [[0, 1, 2, 3, 4]]);
    }
}

/// A record for each row: seven cooks and a nurse.
#[test]
fn relaxed_cuts_lend_rows_of_a_value_to_those_that_lack_some() {
    let jobs = Taxonomy::flat(&["cook", "nurse"]).unwrap();
    let ages = numbers(&["1", "2"]);
    let rows: Vec<Vec<u32>> = (0..8).map(|row| vec![u32::from(row == 2), u32::from(row > 0)]).collect();
    let columns = (0..2).map(|a| rows.iter().map(|row| row[a]).collect()).collect();
    let problem = problem(Table::new(columns, vec![1; 8]), vec![jobs, ages], 3);
    assert_eq!(classes(&problem, false).len(), 1);
    assert_eq!(classes(&problem, true)[0], [0, 1, 2], "the nurse with the first two cooks");
}

/// Twelve regions of places and eight groups of jobs, of eight leaves each; 2,000 rows.
fn survey(missing: &[(usize, usize)]) -> Problem {
    let taxonomy = |groups: usize| {
        let row = |leaf: usize| [format!("{leaf}x"), format!("g{}", leaf / 8), "*".to_owned()];
        Taxonomy::from_rows(&(0..8 * groups).map(row).collect::<Vec<_>>()).unwrap().with_missing()
    };
    let (places, jobs) = (taxonomy(12), taxonomy(8));
    let mut rows: Vec<Vec<u32>> =
        (0..2_000u32).map(|row| vec![row * 37 % 96, (row * 29 + row / 7) % 64]).collect();
    for &(row, column) in missing {
        rows[row][column] = [&places, &jobs][column].missing().unwrap();
    }
    problem(Table::from_rows(2, &rows), vec![places, jobs], 5)
}

/// Of a table with one or two missing cells a column, just the few classes of these lose anything.
#[test]
fn few_missing_cells_cost_little() {
    let loss = |missing: &[(usize, usize)]| {
        let problem = survey(missing);
        let classes = classes(&problem, false);
        let release = Recoding::Local(recode(&problem, &classes, &|| Ok(())).unwrap()).apply(&problem);
        loss::find("lm").unwrap().measure(&problem, &release.tally())
    };
    let whole = loss(&[]);
    assert!(whole < 0.25, "{whole}");
    for missing in [&[(3, 0), (77, 1)][..], &[(3, 0), (205, 0), (77, 1), (499, 1)]] {
        let with = loss(missing);
        assert!(with < whole + 0.02, "{with} instead of {whole}");
    }
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

/// Whether some cut of a class into two pieces on one axis is allowable, by trying all.
fn can_be_cut(problem: &Problem, class: &[u32], relaxed: bool) -> bool {
    let (table, k) = (problem.table(), problem.requirements.k());
    let rows = |tuples: &[u32]| tuples.iter().map(|&t| u64::from(table.weights()[t as usize])).sum::<u64>();
    let large = |piece: &[u32]| rows(piece) >= k;
    problem.attributes().iter().enumerate().any(|(a, attribute)| {
        let (axis, taxonomy) = (CutAxis::new(attribute), &attribute.taxonomy);
        let leaf = |tuple: u32| table.column(a)[tuple as usize];
        let mut tuples = class.to_vec();
        if taxonomy.scheme() != Scheme::Tree {
            tuples.sort_unstable_by_key(|&tuple| (axis.rank(leaf(tuple)), tuple));
            let rank = |at: usize| axis.rank(leaf(tuples[at]));
            return (1..tuples.len())
                .filter(|&at| rank(0) < rank(tuples.len() - 1) && (relaxed || rank(at - 1) < rank(at)))
                .any(|at| large(&tuples[..at]) && large(&tuples[at..]));
        }
        let cover = tuples.iter().map(|&tuple| leaf(tuple));
        let cover = cover.reduce(|a, b| taxonomy.lowest_common_ancestor(a, b)).expect("a tuple");
        (0..taxonomy.values().len() as ValueId).any(|value| {
            let (of_value, others): (Vec<u32>, Vec<u32>) =
                tuples.iter().partition(|&&tuple| taxonomy.covers(value, leaf(tuple)));
            // A child of the covering value may lend its first tuples, if the others lack rows.
            let lends = relaxed && !others.is_empty() && taxonomy.values()[value as usize].parent == cover;
            let lacks = |&lent: &usize| rows(&others) + rows(&of_value[..lent]) < k;
            let lent = if lends { (0..of_value.len()).take_while(lacks).count() } else { 0 };
            rows(&others) + rows(&of_value[..lent]) >= k && large(&of_value[lent..])
        })
    })
}

/// Whether two classes meet on every axis, which strict ones may not: their intervals of numbers do, or
/// they have some other value in common.
fn meet(problem: &Problem, one: &[u32], other: &[u32]) -> bool {
    problem.attributes().iter().enumerate().all(|(a, attribute)| {
        let (axis, column) = (CutAxis::new(attribute), problem.table().column(a));
        let ranks = |class: &[u32]| -> Vec<u32> {
            class.iter().map(|&tuple| axis.rank(column[tuple as usize])).collect()
        };
        let (one, other) = (ranks(one), ranks(other));
        let ends = |ranks: &[u32]| (*ranks.iter().min().unwrap(), *ranks.iter().max().unwrap());
        let ((from, to), (start, end)) = (ends(&one), ends(&other));
        match attribute.taxonomy.scheme() {
            Scheme::Ranges => from <= end && start <= to,
            Scheme::Sets { .. } | Scheme::Tree => one.iter().any(|rank| other.contains(rank)),
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
                prop_assert!(!meet(&problem, class, other), "{class:?} {other:?}");
            }
        }
    }
}

/// Large parts are cut side by side, and large spans by sorting.
#[test]
fn threads_change_nothing() {
    let mut random = Random::new(7);
    let mut next = |end: u64| random.below(end);
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
