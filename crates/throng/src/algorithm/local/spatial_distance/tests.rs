//! SpatialDistance against the paper's text: its example, random tables, and Adult.

use std::path::PathBuf;

use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::centre::Centre;
use super::contingency::Contingency;
use super::space::Space;
use super::transcription::Plain;
use super::{partition, tuples};
use crate::loss;
use crate::privacy::KAnonymity;
use crate::problem::Problem;
use crate::requirement::Requirement;
use crate::run::{Run, Unobserved};
use crate::table::Table;
use crate::taxonomy::{self, Taxonomy};

fn problem(table: Table, taxonomies: Vec<Taxonomy>, k: u64) -> Problem {
    let attributes = taxonomies.into_iter().map(|taxonomy| ("column".to_owned(), taxonomy, 1.0)).collect();
    let requirement = Requirement::new(KAnonymity { k });
    Problem::new(table, attributes, requirement, 0, loss::find("ncp").unwrap()).expect("valid")
}

fn classes(problem: &Problem) -> Vec<Vec<u32>> {
    let run = Run::new(problem, None, &Unobserved);
    let classes = partition(problem, tuples(problem.table()), &run).expect("nothing stops this run");
    classes.into_iter().map(|class| class.into_iter().map(|piece| piece.tuple).collect()).collect()
}

fn transcribed(problem: &Problem) -> Vec<Vec<u32>> {
    let classes = Plain::new(problem).partition().into_iter();
    classes.map(|class| class.into_iter().map(|tuple| tuple as u32).collect()).collect()
}

/// Figure 1 of the paper, with a row for each of its twenty tuples.
fn figure_1(k: u64) -> Problem {
    let genders = Taxonomy::flat(&["Male", "Female"]).unwrap();
    let nations = Taxonomy::flat(&["Japan", "Korea", "China"]).unwrap();
    let cells = [(0, 0, 5), (0, 1, 5), (0, 2, 1), (1, 0, 3), (1, 2, 6)];
    let rows: Vec<[u32; 2]> =
        cells.iter().flat_map(|&(gender, nation, rows)| vec![[gender, nation]; rows]).collect();
    problem(Table::from_rows(2, &rows), vec![genders, nations], k)
}

/// Distances of Male, Female, Japan, Korea and China from the first tuple, Male and Japan.
fn distances_from_the_first(k: u64) -> [f64; 5] {
    let problem = figure_1(k);
    let run = Run::new(&problem, None, &Unobserved);
    let space = Space::new(&problem, tuples(problem.table()), &run).unwrap();
    let mut contingency = Contingency::new(&space, &run).unwrap();
    let (male, japan) = (0, 0);
    let tuple = |place: &u32| {
        let at = |a: usize| problem.table().column(a)[space.piece(*place).tuple as usize];
        (at(0), at(1))
    };
    let first = (0..space.len() as u32).find(|place| tuple(place) == (male, japan)).unwrap();
    let mut centre = Centre::new(&space);
    centre.add(&space, first);
    contingency.define_distances(&centre, k);
    let [genders, nations] = contingency.distances() else { panic!("two attributes") };
    // Codes are in the order of the labels: Female, Male; China, Japan, Korea.
    [genders.distance(1), genders.distance(0), nations.distance(1), nations.distance(2), nations.distance(0)]
}

/// Male: 5/11, 5/11 and 1/11; hence 1/2 from Japan to China, and 1/4 to Korea.
#[test]
fn the_example_of_the_paper() {
    assert_eq!(distances_from_the_first(3), [0.0, 1.0, 0.0, 0.25, 0.5]);
    let problem = figure_1(3);
    let plain = Plain::new(&problem);
    let centre = plain.centre(&[0]);
    let distances = plain.define(&centre, &plain.tuples());
    let of =
        |distances: &std::collections::BTreeMap<u32, f64>| distances.values().copied().collect::<Vec<_>>();
    assert_eq!((of(&distances[0]), of(&distances[1])), (vec![0.0, 1.0], vec![0.0, 0.25, 0.5]));
    // 5, 5 and 1 of 11 rows.
    let male = plain.context(&centre, 1, &plain.tuples());
    let rows: Vec<u32> = male.iter().map(|&tuple| problem.table().weights()[tuple]).collect();
    assert_eq!(rows, [5, 5, 1]);
}

/// Eleven men are fewer than twelve, so that women count, too: 8, 5 and 7 of 20.
#[test]
fn rows_below_k_are_measured_with_the_others() {
    assert_eq!(distances_from_the_first(12), [0.0, 1.0, 0.0, 0.5, 0.25]);
}

fn taxonomies() -> Vec<Taxonomy> {
    let numbers: Vec<String> = (0..12).map(|x| (x * x).to_string()).collect();
    vec![
        Taxonomy::flat(&numbers).unwrap().with_missing(),
        Taxonomy::flat(&["b", "a"]).unwrap(),
        Taxonomy::flat(&["x", "y", "z", "w"]).unwrap(),
        Taxonomy::flat(&["1", "2", "3"]).unwrap(),
        taxonomy::sets(&["1", "2", "3", "4", "5", "6"], 4).unwrap(),
    ]
}

fn rows(most: usize) -> impl Strategy<Value = Vec<Vec<u32>>> {
    let row = (0..13u32, 0..2u32, 0..4u32, 0..3u32, 0..6u32)
        .prop_map(|(a, b, c, d, e)| vec![a, b, c, d, e / 2 * 2]);
    prop::collection::vec(row, 1..most)
}

proptest! {
    #[test]
    fn classes_are_those_of_the_paper(rows in rows(60), k in 1..9u64) {
        let problem = problem(Table::from_rows(5, &rows), taxonomies(), k);
        if rows.len() as u64 >= k {
            prop_assert_eq!(classes(&problem), transcribed(&problem));
        } else {
            prop_assert!(classes(&problem).is_empty());
        }
    }

    /// Few values, so that many tuples are as far; only categories; tuples that a table repeats.
    #[test]
    fn ties_go_to_the_first(rows in rows(40), k in 2..5u64, numbers in 0..2usize) {
        let columns = [1, 2, 4].into_iter().chain([3].into_iter().take(numbers));
        let columns: Vec<usize> = columns.collect();
        let leaves = columns.iter().map(|&a| rows.iter().map(|row| row[a]).collect()).collect();
        let table = Table::new(leaves, vec![1; rows.len()]);
        let all = taxonomies();
        let problem = problem(table, columns.iter().map(|&a| all[a].clone()).collect(), k);
        prop_assume!(rows.len() as u64 >= k);
        prop_assert_eq!(classes(&problem), transcribed(&problem));
    }
}

/// 1,000 rows of Adult with all nine columns, where the table is at hand.
#[test]
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn a_thousand_rows_of_adult_have_the_classes_of_the_paper() {
    for k in [2, 5, 30] {
        let Some(problem) = adult(1_000, k) else {
            println!("skipped: no ../shared/data");
            return;
        };
        assert!(classes(&problem) == transcribed(&problem), "k = {k}");
    }
}

fn adult(rows: usize, k: u64) -> Option<Problem> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult");
    let text = std::fs::read_to_string(folder.join("adult.csv")).ok()?;
    let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<&str>>());
    let read = |column: &&str| {
        let file = folder.join(format!("adult_hierarchy_{column}.csv"));
        taxonomy::parse(&std::fs::read_to_string(file).expect("a hierarchy a column")).expect("valid")
    };
    let taxonomies: Vec<Taxonomy> = lines.next()?.iter().map(read).collect();
    let leaves: Vec<FxHashMap<&str, u32>> = taxonomies
        .iter()
        .map(|taxonomy| (0..taxonomy.leaf_total() as u32).map(|leaf| (taxonomy.label(leaf), leaf)).collect())
        .collect();
    let encode = |line: Vec<&str>| line.iter().zip(&leaves).map(|(cell, leaf)| leaf[cell]).collect();
    let rows: Vec<Vec<u32>> = lines.take(rows).map(encode).collect();
    Some(problem(Table::from_rows(taxonomies.len(), &rows), taxonomies, k))
}
