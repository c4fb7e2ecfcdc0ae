//! The exact front of Adult over eight quasi-identifiers with trees as high as in the paper on property based
//! generalisations: 17,920 nodes, 1 % of the rows may be suppressed.

mod support;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use support::Adult;
use throng::frontier::{Boxes, Objective, exact};
use throng::loss;
use throng::privacy::KAnonymity;
use throng::problem::Problem;
use throng::requirement::Requirement;
use throng::run::Unobserved;
use throng::table::{Carried, Table};
use throng::taxonomy::Taxonomy;

/// The columns, and how many neighbouring leaves each level but the lowest and the highest puts together.
const COLUMNS: [(&str, &[usize]); 8] = [
    ("age", &[2, 4, 8, 16, 32]),
    ("workclass", &[2, 4]),
    ("education", &[3, 9]),
    ("marital-status", &[2, 4]),
    ("race", &[]),
    ("sex", &[]),
    ("native-country", &[3, 9, 27]),
    ("salary-class", &[]),
];

fn bench(c: &mut Criterion) {
    let Some(adult) = Adult::load() else {
        c.bench_function("skipped: no ../shared/data", |b| b.iter(|| ()));
        return;
    };
    let mut group = c.benchmark_group("frontier");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(5));
    let glm = || Objective::Loss(loss::find("glm").expect("registered"));
    let sets = [
        vec![Objective::K, glm()],
        vec![Objective::SpreadK, glm()],
        vec![Objective::K, Objective::L { column: 0 }, glm()],
        vec![Objective::SpreadK, Objective::SpreadL { column: 0 }, glm()],
    ];
    for objectives in sets {
        let names: Vec<&str> = objectives.iter().map(Objective::name).collect();
        let problem = problem(&adult, objectives.iter().any(|one| one.name().ends_with('l')));
        group.bench_function(names.join(","), |b| {
            let boxes = Boxes::fine(objectives.len());
            b.iter(|| black_box(exact(&problem, &objectives, boxes.clone(), None, &Unobserved)));
        });
    }
    group.finish();
}

fn problem(adult: &Adult, carries: bool) -> Problem {
    let place =
        |name: &str| adult.columns.iter().position(|column| column == name).expect("a column of Adult");
    let chosen: Vec<usize> = COLUMNS.iter().map(|(name, _)| place(name)).collect();
    let taxonomies: Vec<Taxonomy> =
        COLUMNS.iter().zip(&chosen).map(|((_, wide), &a)| tree(adult, a, wide)).collect();
    let leaves = |taxonomy: &Taxonomy| -> BTreeMap<String, u32> {
        (0..taxonomy.leaf_total() as u32).map(|leaf| (taxonomy.label(leaf).to_owned(), leaf)).collect()
    };
    let leaf_of: Vec<BTreeMap<String, u32>> = taxonomies.iter().map(leaves).collect();
    let sensitive = place("occupation");
    let codes = leaves(&adult.taxonomies[sensitive]);
    let mut tuples: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for row in &adult.rows {
        let tuple = chosen.iter().zip(&leaf_of).map(|(&a, leaf_of)| leaf_of[&row[a]]).collect();
        tuples.entry(tuple).or_default().push(codes[&row[sensitive]]);
    }
    let columns = (0..chosen.len()).map(|a| tuples.keys().map(|tuple| tuple[a]).collect()).collect();
    let weights = tuples.values().map(|values| values.len() as u32).collect();
    let values: Vec<Vec<u32>> = tuples.into_values().collect();
    let mut table = Table::new(columns, weights);
    let mut all = vec![Requirement::new(KAnonymity { k: 1 })];
    if carries {
        table = table.with_carried(vec![Carried::from_codes("occupation", &values)]);
        all.push(Requirement::new(throng::privacy::DistinctL { l: 1, column: 0 }));
    }
    let attributes = COLUMNS.iter().zip(taxonomies).map(|((name, _), tree)| ((*name).to_owned(), tree, 1.0));
    let glm = loss::find("glm").expect("registered");
    Problem::new(table, attributes.collect(), all, adult.rows.len() as u64 / 100, glm).expect("valid")
}

/// A tree over the values of a column, in their order.
fn tree(adult: &Adult, a: usize, wide: &[usize]) -> Taxonomy {
    let mut values: Vec<&String> = adult.rows.iter().map(|row| &row[a]).collect();
    values.sort_unstable();
    values.dedup();
    let row = |(at, value): (usize, &&String)| {
        let groups = wide.iter().map(move |wide| format!("{wide}: {}", at / wide));
        std::iter::once((*value).clone()).chain(groups).chain(["*".to_owned()]).collect()
    };
    Taxonomy::from_rows(&values.iter().enumerate().map(row).collect::<Vec<Vec<String>>>()).expect("a tree")
}

criterion_group!(benches, bench);
criterion_main!(benches);
