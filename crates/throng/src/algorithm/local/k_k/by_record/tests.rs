//! `nearest` and `expansion` against the paper's text, on random tables and on Adult.

use std::path::PathBuf;

use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::transcription::{PrintedTable, Records};
use crate::algorithm::Entry;
use crate::algorithm::local::k_k::{expansion, nearest};
use crate::loss;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::recoding::{Local, Recoding};
use crate::requirement::Requirement;
use crate::run::Unobserved;
use crate::solve::{Outcome, solve};
use crate::table::Table;
use crate::taxonomy::{self, Taxonomy};

const ENTRIES: [Entry; 2] = [nearest::ENTRY, expansion::ENTRY];

fn taxonomies() -> Vec<Taxonomy> {
    let ages = [
        ["1", "1-2", "1-4", "*"],
        ["2", "1-2", "1-4", "*"],
        ["3", "3-4", "1-4", "*"],
        ["4", "3-4", "1-4", "*"],
        ["5", "5-6", "5-6", "*"],
        ["6", "5-6", "5-6", "*"],
    ];
    let jobs = [["a", "x", "*"], ["b", "x", "*"], ["c", "x", "*"], ["d", "d", "*"]];
    vec![
        Taxonomy::from_rows(&ages).unwrap(),
        Taxonomy::from_rows(&jobs).unwrap(),
        Taxonomy::flat(&["f", "m"]).unwrap(),
    ]
}

/// Ranges with a missing number, sets of few and sets of any size; of as many leaves.
fn open_taxonomies() -> Vec<Taxonomy> {
    vec![
        taxonomy::ranges(&["1", "2", "4.5", "30", "-7", ""], None).unwrap(),
        taxonomy::sets(&["a", "b", "c", ""], 2).unwrap(),
        taxonomy::sets(&["f", "m"], 5).unwrap(),
    ]
}

fn problem(table: Table, measure: &str, k: u64, notion: Notion) -> Problem {
    problem_with(taxonomies(), table, measure, k, notion)
}

fn problem_with(taxonomies: Vec<Taxonomy>, table: Table, measure: &str, k: u64, notion: Notion) -> Problem {
    let names = ["age", "job", "sex"].map(String::from).into_iter();
    let attributes = names.zip(taxonomies).map(|(name, taxonomy)| (name, taxonomy, 1.0)).collect();
    let requirement = Requirement::crowd(notion, k);
    Problem::new(table, attributes, requirement, 0, loss::find(measure).unwrap()).unwrap()
}

fn local(problem: &Problem, entry: &Entry) -> Local {
    let Outcome::Found(Recoding::Local(local)) = solve(problem, entry, None, &Unobserved).outcome else {
        panic!("the table has k rows")
    };
    local
}

fn release(problem: &Problem, entry: &Entry) -> Records {
    PrintedTable::new(problem).records(&local(problem, entry))
}

fn transcribe(plain: &PrintedTable, entry: &Entry) -> Records {
    if entry.name == "nearest" { plain.nearest() } else { plain.expansion() }
}

fn rows(most: usize) -> impl Strategy<Value = Vec<Vec<u32>>> {
    prop::collection::vec((0..6u32, 0..4u32, 0..2u32).prop_map(|(a, b, c)| vec![a, b, c]), 1..most)
}

proptest! {
    #[test]
    fn releases_are_those_of_the_paper(
        rows in rows(60), k in 1..8u64, measure in prop::sample::select(vec!["lm", "entropy", "ncp"]),
    ) {
        prop_assume!(rows.len() as u64 >= k);
        let table = Table::from_rows(3, &rows);
        for entry in &ENTRIES {
            let k1 = problem(table.clone(), measure, k, Notion::KOne);
            let plain = PrintedTable::new(&k1);
            let expected = transcribe(&plain, entry);
            prop_assert_eq!(&release(&k1, entry), &expected, "{}", entry.name);
            let expected = plain.one_k(&expected);
            let found = local(&problem(table.clone(), measure, k, Notion::KK), entry);
            prop_assert_eq!(&found, &plain.local(&expected), "{} kk", entry.name);
            prop_assert!(plain.holds(Notion::KK, &expected));
            let alone = plain.one_k(plain.originals());
            let found = local(&problem(table.clone(), measure, k, Notion::OneK), entry);
            prop_assert_eq!(&found, &plain.local(&alone), "{} 1k", entry.name);
            prop_assert!(plain.holds(Notion::OneK, &alone));
        }
    }

    #[test]
    fn releases_without_trees_are_those_of_the_paper(
        rows in rows(50), k in 1..8u64, measure in prop::sample::select(vec!["lm", "entropy", "ncp"]),
    ) {
        prop_assume!(rows.len() as u64 >= k);
        let table = Table::from_rows(3, &rows);
        let pose = |notion| problem_with(open_taxonomies(), table.clone(), measure, k, notion);
        for entry in &ENTRIES {
            let k1 = pose(Notion::KOne);
            let plain = PrintedTable::new(&k1);
            let expected = transcribe(&plain, entry);
            prop_assert_eq!(local(&k1, entry), plain.local(&plain.rows(&expected)), "{}", entry.name);
            let mut expected = plain.one_k(&expected);
            prop_assert_eq!(local(&pose(Notion::KK), entry), plain.local(&expected), "{} (k,k)", entry.name);
            prop_assert!(plain.holds(Notion::KK, &expected));
            plain.global(&mut expected, |released, i| plain.matches_by_moves(released, i));
            let found = local(&pose(Notion::GlobalOneK), entry);
            prop_assert_eq!(found, plain.local(&expected), "{} global", entry.name);
        }
    }

    #[test]
    fn matches_are_those_of_perfect_matchings(
        rows in rows(16), k in 2..5u64, measure in prop::sample::select(vec!["lm", "entropy"]),
    ) {
        prop_assume!(rows.len() as u64 >= k);
        let table = Table::from_rows(3, &rows);
        for entry in &ENTRIES {
            let global = problem(table.clone(), measure, k, Notion::GlobalOneK);
            let plain = PrintedTable::new(&global);
            let mut expected = plain.one_k(&transcribe(&plain, entry));
            plain.global(&mut expected, |released, i| plain.matches(released, i));
            prop_assert_eq!(local(&global, entry), plain.local(&expected), "{}", entry.name);
            prop_assert!(plain.holds(Notion::GlobalOneK, &expected));
        }
    }

    /// Identical records as one tuple, and each by itself: the same generalisations.
    #[test]
    fn weights_release_what_single_records_do(rows in rows(40), k in 1..8u64) {
        prop_assume!(rows.len() as u64 >= k);
        let mut rows = rows;
        rows.sort_unstable();
        let columns = (0..3).map(|a| rows.iter().map(|row| row[a]).collect()).collect();
        let single = PrintedTable::new(&problem(Table::new(columns, vec![1; rows.len()]), "lm", k, Notion::KOne));
        let weighted = problem(Table::from_rows(3, &rows), "lm", k, Notion::KOne);
        for entry in &ENTRIES {
            let records = release(&weighted, entry);
            let tuples = weighted.table().weights().iter().zip(records);
            let copies: Records =
                tuples.flat_map(|(&weight, record)| vec![record; weight as usize]).collect();
            prop_assert_eq!(copies, transcribe(&single, entry), "{}", entry.name);
        }
    }

    /// Proposition 5.1, and no record costs less than the best set's closure.
    #[test]
    fn costs_are_within_the_bound(rows in rows(12), k in 2..5u64) {
        prop_assume!(rows.len() as u64 >= k);
        let problem = problem(Table::from_rows(3, &rows), "lm", k, Notion::KOne);
        let plain = PrintedTable::new(&problem);
        let (near, wide) = (release(&problem, &ENTRIES[0]), release(&problem, &ENTRIES[1]));
        for tuple in 0..near.len() {
            let optimum = plain.optimum(tuple);
            prop_assert!(plain.cost(&near[tuple]) >= optimum && plain.cost(&wide[tuple]) >= optimum);
            // Prices are rounded, by less than one a cell.
            prop_assert!(plain.cost(&near[tuple]) <= (k as i64 - 1) * (optimum + 3) + 3);
        }
    }
}

#[test]
fn fewer_rows_than_k_have_no_release() {
    let table = Table::from_rows(3, &[[0, 0, 0], [1, 1, 1]]);
    let problem = problem(table, "lm", 3, Notion::KK);
    for entry in &ENTRIES {
        let outcome = solve(&problem, entry, None, &Unobserved).outcome;
        assert_eq!(outcome, Outcome::Infeasible { reach: vec![2.0] });
    }
}

#[test]
fn two_of_a_thousand_records_hide_another() {
    let rows = [vec![[5, 0, 0]; 1000], vec![[0, 0, 0]]].concat();
    let top = taxonomies()[0].root();
    for entry in &ENTRIES {
        for notion in [Notion::OneK, Notion::KK, Notion::GlobalOneK] {
            let local = local(&problem(Table::from_rows(3, &rows), "lm", 2, notion), entry);
            let parts = local.parts().expect("a tuple is divided");
            assert_eq!((parts.tuples(), parts.rows()), (&[0, 1, 1][..], &[1, 999, 1][..]));
            // Algorithm 5 alone leaves the record itself as it is.
            let own = if notion == Notion::OneK { 0 } else { top };
            assert_eq!(local.column(0), [own, 5, top], "{} {}", entry.name, notion.name());
        }
    }
}

/// The first rows of Adult with all nine columns, where the table is at hand.
fn adult(rows: usize, k: u64, notion: Notion) -> Option<Problem> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult");
    let text = std::fs::read_to_string(folder.join("adult.csv")).ok()?;
    let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<&str>>());
    let columns = lines.next()?;
    let mut attributes = Vec::new();
    for column in &columns {
        let file = folder.join(format!("adult_hierarchy_{column}.csv"));
        let taxonomy = taxonomy::parse(&std::fs::read_to_string(file).expect("a hierarchy a column"));
        attributes.push((column.to_string(), taxonomy.expect("valid"), 1.0));
    }
    let leaves: Vec<FxHashMap<&str, u32>> = attributes
        .iter()
        .map(|(_, taxonomy, _)| {
            (0..taxonomy.leaf_total() as u32).map(|leaf| (taxonomy.label(leaf), leaf)).collect()
        })
        .collect();
    let encode = |line: Vec<&str>| line.iter().zip(&leaves).map(|(cell, leaf)| leaf[cell]).collect();
    let rows: Vec<Vec<u32>> = lines.take(rows).map(encode).collect();
    let table = Table::from_rows(columns.len(), &rows);
    let requirement = Requirement::crowd(notion, k);
    Some(Problem::new(table, attributes, requirement, 0, loss::find("lm")?).expect("valid"))
}

#[test]
fn two_thousand_rows_of_adult_are_released_as_by_the_paper() {
    let Some(k1) = adult(2_000, 5, Notion::KOne) else { return };
    let kk = adult(2_000, 5, Notion::KK).unwrap();
    let plain = PrintedTable::new(&k1);
    for entry in &ENTRIES {
        let expected = transcribe(&plain, entry);
        assert!(release(&k1, entry) == expected, "{}", entry.name);
        assert!(local(&kk, entry) == plain.local(&plain.one_k(&expected)), "{} (k,k)", entry.name);
    }
}

#[test]
fn a_thousand_rows_of_adult_are_matched_as_by_the_paper() {
    let Some(kk) = adult(1_000, 5, Notion::KK) else { return };
    let global = adult(1_000, 5, Notion::GlobalOneK).unwrap();
    let plain = PrintedTable::new(&kk);
    for entry in &ENTRIES {
        let mut expected = plain.one_k(&transcribe(&plain, entry));
        plain.global(&mut expected, |released, i| plain.matches_by_moves(released, i));
        assert!(local(&global, entry) == plain.local(&expected), "{}", entry.name);
    }
}
