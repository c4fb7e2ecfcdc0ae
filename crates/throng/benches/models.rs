//! The optimal search on Adult with a model of sensitive values: eight quasi-identifiers, `occupation`
//! sensitive, k = 5, 2 % suppression, objective lm; beside the same search with k alone.

mod support;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use support::Adult;
use throng::algorithm;
use throng::privacy::{DistinctL, EntropyL, Ground, KAnonymity, RecursiveCL, TCloseness, Tree};
use throng::problem::Problem;
use throng::requirement::Requirement;
use throng::run::Unobserved;
use throng::solve::solve;
use throng::table::{Carried, Table};

fn models(c: &mut Criterion) {
    let Some(adult) = Adult::load() else {
        c.bench_function("skipped: no ../shared/data", |b| b.iter(|| ()));
        return;
    };
    let sensitive = adult.columns.iter().position(|name| name == "occupation").expect("a column of Adult");
    let tree = &adult.taxonomies[sensitive];
    let level = |level| (0..tree.leaf_total() as u32).map(|leaf| tree.generalise(leaf, level)).collect();
    let levels: Vec<Vec<u32>> = (0..=tree.height()).map(level).collect();
    let t = |ground| Requirement::new(TCloseness { t: 0.2, ground, column: 0 });
    let asked = [
        ("k alone", None),
        ("distinct-3", Some(Requirement::new(DistinctL { l: 3, column: 0 }))),
        ("entropy-3", Some(Requirement::new(EntropyL { l: 3.0, column: 0 }))),
        ("recursive (4,3)", Some(Requirement::new(RecursiveCL { c: 4.0, l: 3, column: 0 }))),
        ("t = 0.2, equal", Some(t(Ground::Equal))),
        ("t = 0.2, hierarchical", Some(t(Ground::Hierarchical(Tree::new(&levels))))),
    ];
    let mut group = c.benchmark_group("models");
    group.measurement_time(Duration::from_secs(4)).sample_size(20);
    let flash = algorithm::find("flash").expect("registered");
    for (name, more) in asked {
        let problem = problem(&adult, sensitive, more);
        group.bench_function(name, |b| b.iter(|| black_box(solve(&problem, flash, None, &Unobserved))));
    }
    group.finish();
}

/// Adult with one column sensitive in place of a quasi-identifier.
fn problem(adult: &Adult, sensitive: usize, more: Option<Requirement>) -> Problem {
    let codes = |column: usize| -> Vec<u32> {
        let taxonomy = &adult.taxonomies[column];
        let leaf_of: BTreeMap<&str, u32> =
            (0..taxonomy.leaf_total() as u32).map(|leaf| (taxonomy.label(leaf), leaf)).collect();
        adult.rows.iter().map(|row| leaf_of[row[column].as_str()]).collect()
    };
    let quasi: Vec<usize> = (0..adult.columns.len()).filter(|&column| column != sensitive).collect();
    let columns: Vec<Vec<u32>> = quasi.iter().map(|&column| codes(column)).collect();
    let mut tuples: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for (row, &code) in codes(sensitive).iter().enumerate() {
        tuples.entry(columns.iter().map(|column| column[row]).collect()).or_default().push(code);
    }
    let leaves = (0..quasi.len()).map(|a| tuples.keys().map(|tuple| tuple[a]).collect()).collect();
    let weights = tuples.values().map(|rows| rows.len() as u32).collect();
    let values: Vec<Vec<u32>> = tuples.into_values().collect();
    let mut table = Table::new(leaves, weights);
    if more.is_some() {
        table = table.with_carried(vec![Carried::from_codes("occupation", &values)]);
    }
    let attribute = |&column: &usize| (adult.columns[column].clone(), adult.taxonomies[column].clone(), 1.0);
    let asked: Vec<Requirement> = [Requirement::new(KAnonymity { k: 5 })].into_iter().chain(more).collect();
    let lm = throng::loss::find("lm").expect("registered");
    let limit = adult.rows.len() as u64 / 50;
    Problem::new(table, quasi.iter().map(attribute).collect(), asked, limit, lm).expect("valid")
}

criterion_group!(benches, models);
criterion_main!(benches);
