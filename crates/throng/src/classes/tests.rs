use std::collections::BTreeMap;

use super::rolled::group_all;
use super::*;
use crate::loss;
use crate::privacy::KAnonymity;
use crate::requirement::Requirement;
use crate::table::Table;
use crate::taxonomy::Taxonomy;

/// A tree over `leaves` numbers whose level l groups by `base`^l.
fn tree(leaves: usize, base: usize) -> Taxonomy {
    let row = |leaf: usize| {
        vec![leaf.to_string(), format!("{}x", leaf / base), format!("{}y", leaf / base / base), "*".into()]
    };
    Taxonomy::from_rows(&(0..leaves).map(row).collect::<Vec<_>>()).unwrap()
}

/// More tuples than are grouped in one piece, with a field wider than a chunk.
pub(super) fn large_problem() -> Problem {
    let (wide, narrow) = (6_000u32, 60u32);
    let rows: Vec<[u32; 2]> = (0..wide)
        .flat_map(|a| (0..narrow).filter(move |b| (a * 7 + b) % 9 != 0).map(move |b| [a, b]))
        .collect();
    assert!(rows.len() > 2 * PIECE);
    let attributes = vec![("wide".into(), tree(6_000, 20), 1.0), ("narrow".into(), tree(60, 5), 1.0)];
    let requirement = Requirement::new(KAnonymity { k: 89 });
    let lm = loss::find("lm").unwrap();
    Problem::new(Table::from_rows(2, &rows), attributes, requirement, 1_000_000, lm).unwrap()
}

fn naive(problem: &Problem, node: &Node) -> ClassSizes {
    let table = problem.table();
    let mut classes: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for tuple in 0..table.tuples() {
        let value =
            |a: usize| problem.attributes()[a].taxonomy.generalise(table.column(a)[tuple], node.level(a));
        *classes.entry((0..2).map(value).collect()).or_default() += u64::from(table.weights()[tuple]);
    }
    classes.into_values().collect()
}

#[test]
fn pieces_and_roll_ups_count_like_a_single_pass() {
    let problem = large_problem();
    let mut counter = counter(&problem, &|| Ok(())).unwrap();
    // From the table in pieces, hashed and by place, and rolled up from what was kept.
    for levels in [[0, 0], [1, 0], [1, 1], [0, 2], [2, 1], [2, 2], [3, 0], [3, 3], [1, 2]] {
        let node = Node::new(levels.to_vec());
        let counted =
            counter
                .count(vec![Grid::of_node(&node)], Want { cost: true, reach: true, exact: true }, &|| Ok(()));
        let counted = counted.unwrap().into_iter().next().unwrap();
        let ClassCount { all, kept, suppressed_rows, .. } = &counted.found;
        assert_eq!(*all, naive(&problem, &node), "{node}");
        assert_eq!(*suppressed_rows, all.rows - kept.rows);
        counter.keep(counted);
    }
}

/// The classes of a node and their order, and the class of each tuple, are the same with any number of threads.
#[test]
fn partitions_do_not_depend_on_the_threads() {
    let problem = large_problem();
    let codes = LevelCodes::new(&problem);
    let fields = Fields::of_table((0..2).map(|a| codes.values(a, 0).len()));
    let go_on: &GoOn<'_> = &|| Ok(());
    let tuples = classes_of_tuples::<[u64; 1]>(&problem, &fields, |_, leaf| leaf, go_on).unwrap();
    for levels in [[0, 0], [1, 0], [2, 2]] {
        let grid = Grid::of_node(&Node::new(levels.to_vec()));
        let above = fields.of_grid(&codes, &grid);
        let roll_up = RollUp::new(&codes, (&problem.lattice().bottom(), &fields), (&grid, &above));
        let by_threads = [1, 2, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let alone = group_all(&roll_up, &above, &tuples, go_on).unwrap();
                (alone, group_members(&roll_up, &tuples, go_on).unwrap())
            })
        });
        assert!(by_threads.iter().all(|one| *one == by_threads[0]));
        let (alone, (classes, class_of)) = &by_threads[0];
        let mut sums = vec![0; classes.len()];
        class_of.iter().zip(&tuples).for_each(|(&class, (_, rows))| sums[class as usize] += rows);
        assert!(classes.iter().map(|&(_, rows)| rows).eq(sums));
        let sorted = |classes: &[([u64; 1], u64)]| {
            let mut classes = classes.to_vec();
            classes.sort_unstable();
            classes
        };
        assert_eq!(sorted(alone), sorted(classes));
        assert!(sorted(classes).windows(2).all(|two| two[0].0 < two[1].0));
    }
}

#[test]
fn suppressed_tuples_are_those_of_small_classes() {
    let problem = large_problem();
    let grid = Grid::of_node(&Node::new(vec![1, 1]));
    let mut counter = counter(&problem, &|| Ok(())).unwrap();
    let suppressed = counter.suppressed_tuples(&grid, &|| Ok(())).unwrap();
    let rows = suppressed.iter().filter(|s| **s).count() as u64;
    let counted = counter.count(vec![grid], Want::default(), &|| Ok(())).unwrap();
    assert_eq!(rows, counted[0].found.suppressed_rows);
    assert!(rows > 0 && rows < problem.table().rows());
}

fn looks_against_counts(k: u64) -> (u64, u64) {
    let mut problem = large_problem();
    problem.requirements = Requirement::new(KAnonymity { k }).into();
    let go_on: &GoOn<'_> = &|| Ok(());
    let mut counter = counter(&problem, go_on).unwrap();
    let (mut looked, mut counted) = (0, 0);
    for (from, ways) in
        [([0, 0], [[1, 0], [0, 1], [1, 1], [3, 2]]), ([1, 1], [[1, 2], [2, 2], [2, 1], [3, 1]])]
    {
        let from = Node::new(from.to_vec());
        let mut upward_bounds = counter.upward_bounds(&from).unwrap();
        let mut found = Vec::new();
        for levels in ways {
            let node = Node::new(levels.to_vec());
            found.push((upward_bounds.at_least(&node, go_on).unwrap().suppressed_rows, node.clone()));
            if levels == [1, 1] || levels == [2, 1] {
                upward_bounds.rise(&node, go_on).unwrap();
                found.push((upward_bounds.at_least(&node, go_on).unwrap().suppressed_rows, node));
            }
        }
        let met = upward_bounds.finish();
        counter.learn(met, go_on).unwrap();
        for (at_least, node) in found {
            let want = Want { exact: true, ..Want::default() };
            let exact =
                counter.count(vec![Grid::of_node(&node)], want, go_on).unwrap()[0].found.suppressed_rows;
            assert!(at_least <= exact, "{node}: {at_least} {exact}");
            (looked, counted) = (looked + at_least, counted + exact);
        }
    }
    (looked, counted)
}

/// What a look finds is never more than there is, and not much less; by counts of one byte and of eight.
#[test]
fn looks_miss_little_and_invent_nothing() {
    for k in [89, 1_200] {
        let (looked, counted) = looks_against_counts(k);
        assert!(looked > counted / 2 && counted > 0, "k = {k}: {looked} of {counted}");
    }
}

/// Rows that may be suppressed, and whether some of the single tuples are enough to refute the bottom; a few, more, none.
const LIMITS: [(u64, bool); 3] = [(10_000, true), (30_000, true), (250_000, false)];

/// What some classes say of nodes of very many is what all of them say, or nothing.
#[test]
fn samples_refute_only_what_all_classes_refute() {
    for (max_suppressed_rows, by_some) in LIMITS {
        let mut problem = large_problem();
        problem.max_suppressed_rows = max_suppressed_rows;
        let go_on: &GoOn<'_> = &|| Ok(());
        let mut counter = counter(&problem, go_on).unwrap();
        let mut count = |node: &Node, exact| {
            let want = Want { exact, ..Want::default() };
            counter.count(vec![Grid::of_node(node)], want, go_on).unwrap().remove(0).found
        };
        for levels in [[0, 0], [1, 0], [0, 1], [1, 1], [2, 1], [0, 3], [3, 0]] {
            let node = Node::new(levels.to_vec());
            let (some, all) = (count(&node, false), count(&node, true));
            assert_eq!((some.admissible, some.refutes_below), (all.admissible, all.refutes_below), "{node}");
            assert!(some.suppressed_rows <= all.suppressed_rows, "{node}");
            // The others are counted by place.
            assert_eq!(some.all != all.all, by_some && levels == [0, 0], "{max_suppressed_rows}: {node}");
        }
    }
}

#[test]
fn samples_tell_about_how_many_classes_there_are() {
    let problem = large_problem();
    let go_on: &GoOn<'_> = &|| Ok(());
    let codes = LevelCodes::new(&problem);
    let fields = Fields::of_table((0..2).map(|a| codes.values(a, 0).len()));
    let tuples = classes_of_tuples::<[u64; 1]>(&problem, &fields, |_, leaf| leaf, go_on).unwrap();
    for levels in [[0, 0], [0, 1], [1, 0]] {
        let node = Node::new(levels.to_vec());
        let above = fields.of_grid(&codes, &Grid::of_node(&node));
        let (below, grid) = (problem.lattice().bottom(), Grid::of_node(&node));
        let roll_up = RollUp::new(&codes, (&below, &fields), (&grid, &above));
        let about = sample::about_classes(&roll_up, &tuples, go_on).unwrap() as f64;
        let ratio = about / naive(&problem, &node).classes as f64;
        assert!((0.9..1.1).contains(&ratio), "{node}: {ratio}");
    }
}
