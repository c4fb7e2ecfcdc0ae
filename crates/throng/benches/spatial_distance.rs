//! SpatialDistance on Adult: 30,162 rows, eight quasi-identifiers, of which age is a number.

mod support;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode, criterion_group, criterion_main};
use support::Adult;
use throng::algorithm;
use throng::privacy::KAnonymity;
use throng::requirement::Requirement;
use throng::run::Unobserved;
use throng::solve::solve;

fn bench(c: &mut Criterion) {
    let Some(mut adult) = Adult::load() else {
        c.bench_function("skipped: no ../shared/data", |b| b.iter(|| ()));
        return;
    };
    adult.columns.truncate(8);
    adult.taxonomies.truncate(8);
    let mut group = c.benchmark_group("spatial-distance");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3));
    let entry = algorithm::find("spatial-distance").expect("registered");
    for k in [2, 5, 50] {
        let mut problem = adult.problem(0);
        problem.requirements = Requirement::new(KAnonymity { k }).into();
        group.bench_function(BenchmarkId::new("Adult", format!("k = {k}")), |b| {
            b.iter(|| black_box(solve(&problem, entry, None, &Unobserved)));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
