//! Searches that keep what tells labels apart: Adult (30,162 rows, eight quasi-identifiers, k = 5, target
//! `salary-class`), and a million made-up records.

mod support;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use support::Adult;
use throng::privacy::KAnonymity;
use throng::problem::Problem;
use throng::random::Random;
use throng::requirement::Requirement;
use throng::run::Unobserved;
use throng::solve::solve;
use throng::table::{Carried, Table};
use throng::taxonomy::{self, MaskSide, Taxonomy};
use throng::{algorithm, loss};

fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("classification");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3));
    let mut measure = |name: &str, problem: Problem| {
        for algorithm in ["top-down-specialization", "bottom-up-generalization"] {
            let entry = algorithm::find(algorithm).expect("registered");
            group.bench_function(format!("{name}, {algorithm}"), |b| {
                b.iter(|| black_box(solve(&problem, entry, None, &Unobserved)));
            });
        }
    };
    match Adult::load() {
        Some(adult) => {
            measure("Adult", of_adult(&adult, 0));
            measure("Adult, 2% suppressed", of_adult(&adult, adult.rows.len() as u64 / 50));
        }
        None => measure("skipped: no ../shared/data", made_up(10)),
    }
    measure("a million records", made_up(1_000_000));
    group.finish();
}

/// Rows and their labels as a problem of k = 5 with a target.
fn problem(
    taxonomies: Vec<(String, Taxonomy)>,
    rows: impl Iterator<Item = (Vec<u32>, u32)>,
    limit: u64,
) -> Problem {
    let mut tuples: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    rows.for_each(|(row, label)| tuples.entry(row).or_default().push(label));
    let columns = (0..taxonomies.len()).map(|a| tuples.keys().map(|tuple| tuple[a]).collect()).collect();
    let weights = tuples.values().map(|labels| labels.len() as u32).collect();
    let labels: Vec<Vec<u32>> = tuples.into_values().collect();
    let table = Table::new(columns, weights).with_carried(vec![Carried::from_codes("label", &labels)]);
    let attributes = taxonomies.into_iter().map(|(name, taxonomy)| (name, taxonomy, 1.0)).collect();
    let k5 = Requirement::new(KAnonymity { k: 5 });
    let lm = loss::find("lm").expect("registered");
    Problem::new(table, attributes, k5, limit, lm).expect("valid").with_target(0)
}

fn of_adult(adult: &Adult, limit: u64) -> Problem {
    let target = adult.columns.iter().position(|name| name == "salary-class").expect("a column of Adult");
    let quasi: Vec<usize> = (0..adult.columns.len()).filter(|&column| column != target).collect();
    let leaves = |taxonomy: &Taxonomy| -> BTreeMap<String, u32> {
        (0..taxonomy.leaf_total() as u32).map(|leaf| (taxonomy.label(leaf).to_owned(), leaf)).collect()
    };
    let leaf_of: Vec<BTreeMap<String, u32>> = adult.taxonomies.iter().map(leaves).collect();
    let rows = adult.rows.iter().map(|row| {
        let leaf = |&column: &usize| leaf_of[column][&row[column]];
        (quasi.iter().map(leaf).collect(), leaf(&target))
    });
    let taxonomies = quasi.iter().map(|&a| (adult.columns[a].clone(), adult.taxonomies[a].clone()));
    problem(taxonomies.collect(), rows, limit)
}

/// Records of ages, codes and categories in trees, and a label that ages and categories tell something of;
/// small values are frequent.
fn made_up(rows: usize) -> Problem {
    let tree = |values: u32, wide: u32| {
        let row = |value: u32| {
            [value.to_string(), format!("{}a", value / wide), format!("{}b", value / wide / wide), "*".into()]
        };
        Taxonomy::from_rows(&(0..values).map(row).collect::<Vec<_>>()).expect("a tree")
    };
    let codes: Vec<String> = (0..5_000).map(|value| format!("{value:04}")).collect();
    let codes = taxonomy::mask(&codes, MaskSide::Right).expect("codes");
    let taxonomies = [tree(90, 5), codes, tree(2, 2), tree(14, 3), tree(16, 4), tree(40, 4), tree(7, 2)];
    let random = &mut Random::new(1);
    let sizes: Vec<usize> = taxonomies.iter().map(Taxonomy::leaf_total).collect();
    let records = (0..rows).map(|_| {
        let row: Vec<u32> = sizes.iter().map(|&values| random.skewed_index(values) as u32).collect();
        let chance = 0.2 + 0.005 * f64::from(row[0]) + 0.02 * f64::from(row[3]);
        let label = u32::from(random.chance(chance));
        (row, label)
    });
    let names = taxonomies.iter().map(|taxonomy| ("column".to_owned(), taxonomy.clone()));
    problem(names.collect(), records, 0)
}

criterion_group!(benches, bench);
criterion_main!(benches);
