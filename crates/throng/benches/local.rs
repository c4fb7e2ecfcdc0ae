//! Local recoding of Adult: all rows, nine quasi-identifiers, objective lm.
//!
//! Absolute times depend on the machine; the ratio to one naive group-by of the same rows, in
//! the same run, hardly does. What the step from (k,k) to global (1,k) takes is the difference of
//! the two lines.

mod support;

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode, criterion_group, criterion_main};
use support::Adult;
use throng::algorithm;
use throng::notion::Notion;
use throng::problem::Problem;
use throng::requirement::Requirement;
use throng::run::Unobserved;
use throng::solve::solve;

/// A line of the benchmark.
struct Contender {
    name: &'static str,
    algorithm: &'static str,
    distance: &'static str,
    notion: Notion,
}

const fn contender(name: &'static str, algorithm: &'static str) -> Contender {
    Contender { name, algorithm, distance: "3", notion: Notion::K }
}

const CONTENDERS: [Contender; 6] = [
    contender("agglomerative", "agglomerative"),
    Contender { distance: "nergiz-clifton", ..contender("agglomerative, Nergiz-Clifton", "agglomerative") },
    contender("forest", "forest"),
    contender("sequential", "sequential"),
    Contender { notion: Notion::KK, ..contender("expansion, (k,k)", "expansion") },
    Contender { notion: Notion::GlobalOneK, ..contender("expansion, global (1,k)", "expansion") },
];

fn local(c: &mut Criterion) {
    let Some(adult) = Adult::load() else {
        c.bench_function("skipped: no ../shared/data", |b| b.iter(|| ()));
        return;
    };
    let mut group = c.benchmark_group("local");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3));
    group.bench_function("naive group-by of the rows", |b| b.iter(|| black_box(naive_group_by(&adult))));
    for k in [5, 20] {
        for contender in &CONTENDERS {
            let problem = contender.problem(&adult, k);
            let entry = algorithm::find(contender.algorithm).expect("registered");
            group.bench_function(BenchmarkId::new(contender.name, format!("k = {k}")), |b| {
                b.iter(|| black_box(solve(&problem, entry, None, &Unobserved)));
            });
        }
    }
    group.finish();
}

impl Contender {
    fn problem(&self, adult: &Adult, k: u64) -> Problem {
        let mut problem = adult.problem(0);
        problem.requirements = Requirement::crowd(self.notion, k).into();
        problem.settings = problem.settings.with("distance", self.distance).expect("declared");
        problem
    }
}

/// One pass over the rows with a hash map keyed by their nine strings: what a script would do.
fn naive_group_by(adult: &Adult) -> usize {
    let mut classes: HashMap<&[String], u64> = HashMap::new();
    for row in &adult.rows {
        *classes.entry(row.as_slice()).or_default() += 1;
    }
    classes.len()
}

criterion_group!(benches, local);
criterion_main!(benches);
