//! The optimal search on Adult: nine quasi-identifiers, 12,960 nodes, k = 5, objective lm.
//!
//! Absolute times depend on the machine; the ratio to one naive group-by of the same rows, in
//! the same run, hardly does.

mod support;

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use support::Adult;
use throng::algorithm;
use throng::run::Unobserved;
use throng::solve::solve;

fn adult(c: &mut Criterion) {
    let Some(adult) = Adult::load() else {
        c.bench_function("skipped: no ../shared/data", |b| b.iter(|| ()));
        return;
    };
    let mut group = c.benchmark_group("adult");
    group.measurement_time(Duration::from_secs(4)).sample_size(30);
    group.bench_function("naive group-by of the rows", |b| b.iter(|| black_box(naive_group_by(&adult))));

    let rows = adult.rows.len() as f64;
    for (name, share) in [("0%", 0.0), ("2%", 0.02), ("5%", 0.05), ("no limit", 1.0)] {
        let problem = adult.problem((rows * share) as u64);
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let id = BenchmarkId::new(format!("flash, {threads} threads"), name);
            let flash = algorithm::find("flash").expect("registered");
            group.bench_function(id, |b| {
                b.iter(|| pool.install(|| black_box(solve(&problem, flash, None, &Unobserved))));
            });
        }
    }
    for name in ["ola", "incognito", "samarati", "improved-greedy", "datafly"] {
        let problem = adult.problem((rows * 0.02) as u64);
        let entry = algorithm::find(name).expect("registered");
        group.sample_size(10);
        group.bench_function(BenchmarkId::new(name, "2%"), |b| {
            b.iter(|| black_box(solve(&problem, entry, None, &Unobserved)));
        });
    }
    group.finish();
}

/// One pass over the rows with a hash map keyed by their nine strings: what a script would do.
fn naive_group_by(adult: &Adult) -> usize {
    let mut classes: HashMap<&[String], u64> = HashMap::new();
    for row in &adult.rows {
        *classes.entry(row.as_slice()).or_default() += 1;
    }
    classes.len()
}

criterion_group!(benches, adult);
criterion_main!(benches);
