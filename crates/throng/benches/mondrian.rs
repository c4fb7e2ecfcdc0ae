//! Mondrian: Adult (30,162 rows, eight quasi-identifiers, k = 5), with its hierarchies and with
//! ranges and sets; and ten million made-up records that are nearly all distinct.

mod support;

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
use throng::table::Table;
use throng::taxonomy::{self, MOST_MEMBERS, MaskSide, Taxonomy};
use throng::{algorithm, loss};

fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("mondrian");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3));
    let entry = algorithm::find("mondrian").expect("registered");
    let mut measure = |name: &str, mut problem: Problem| {
        for relaxed in [false, true] {
            problem.settings =
                algorithm::Settings::default().with("relaxed", &relaxed.to_string()).expect("declared");
            let mode = if relaxed { "relaxed" } else { "strict" };
            group.bench_function(format!("{name}, {mode}"), |b| {
                b.iter(|| black_box(solve(&problem, entry, None, &Unobserved)));
            });
        }
    };
    match Adult::load() {
        Some(mut adult) => {
            adult.columns.truncate(8);
            adult.taxonomies.truncate(8);
            measure("Adult, hierarchies", adult.problem(0));
            let without = (0..8).map(|column| without_hierarchy(&adult, column)).collect();
            adult.taxonomies = without;
            measure("Adult, ranges and sets", adult.problem(0));
        }
        None => measure("skipped: no ../shared/data", made_up(10)),
    }
    measure("10 million records", made_up(10_000_000));
    group.finish();
}

/// Ranges of ages, sets of all else.
fn without_hierarchy(adult: &Adult, column: usize) -> Taxonomy {
    let mut values: Vec<&str> = adult.rows.iter().map(|row| row[column].as_str()).collect();
    values.sort_unstable();
    values.dedup();
    if adult.columns[column] == "age" {
        taxonomy::ranges(&values, None).expect("numbers")
    } else {
        taxonomy::sets(&values, MOST_MEMBERS).expect("text")
    }
}

/// Records of three numbers, three sets, a code and a small hierarchy; small values are frequent.
fn made_up(rows: usize) -> Problem {
    let text = |values: u32| -> Vec<String> { (0..values).map(|value| format!("{value:05}")).collect() };
    let numbers = |values: u32| taxonomy::ranges(&text(values), None).expect("numbers");
    let sets = |values: u32| taxonomy::sets(&text(values), MOST_MEMBERS).expect("text");
    let codes = |values: u32| taxonomy::mask(&text(values), MaskSide::Right).expect("codes");
    let taxonomies =
        [numbers(90), numbers(100_000), codes(30_000), sets(2), sets(14), codes(16), sets(40), numbers(99)];
    let mut random = Random::new(1);
    let columns = taxonomies.iter().map(|taxonomy| {
        let values = taxonomy.leaf_total();
        (0..rows).map(|_| random.skewed_index(values) as u32).collect()
    });
    let table = Table::new(columns.collect(), vec![1; rows]);
    let attributes = taxonomies.into_iter().map(|taxonomy| ("column".to_owned(), taxonomy, 1.0));
    let k5 = Requirement::new(KAnonymity { k: 5 });
    Problem::new(table, attributes.collect(), k5, 0, loss::find("ncp").expect("registered")).expect("valid")
}

criterion_group!(benches, bench);
criterion_main!(benches);
