//! Whole jobs, from reading the table to the verified file.
//!
//! `THRONG_BENCH_ROWS` sets the largest table of the demo generator (1,000,000 by default).

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use throng_engine::demo::{Demo, Hospital, write_demo};
use throng_engine::format::Format;
use throng_engine::job::Job;
use throng_engine::pipeline::anonymize;
use throng_engine::progress::Quiet;
use tokio::runtime::Runtime;

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime")
}

/// All nine columns of Adult, k = 5, at most 2 % suppressed.
fn adult(c: &mut Criterion) {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult");
    let Ok(text) = fs::read_to_string(data.join("adult.csv")) else {
        c.bench_function("skipped: no ../shared/data", |b| b.iter(|| ()));
        return;
    };
    let columns = text.lines().next().unwrap_or_default().split(';').map(|name| {
        let file = data.join(format!("adult_hierarchy_{name}.csv"));
        format!("\"{name}\" = {{ role = \"quasi\", hierarchy = {file:?} }}\n")
    });
    let folder = tempfile::tempdir().expect("a folder");
    let job = format!(
        "input = {:?}\noutput = \"out.csv\"\n[columns]\n{}[privacy]\nk = 5\nsuppression = 0.02\n",
        data.join("adult.csv"),
        columns.collect::<String>()
    );
    let job = Job::parse(&job, folder.path()).expect("a job");
    let runtime = runtime();
    c.bench_function("adult, whole job", |b| {
        b.iter(|| black_box(runtime.block_on(anonymize(&job, &Quiet)).expect("a release")));
    });
}

/// The demo table in growing sizes: time per row should stay the same.
fn hospital(c: &mut Criterion) {
    let most =
        std::env::var("THRONG_BENCH_ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(1_000_000);
    let runtime = runtime();
    let folder = tempfile::tempdir().expect("a folder");
    let mut group = c.benchmark_group("hospital");
    group.sample_size(10).warm_up_time(Duration::from_millis(1)).measurement_time(Duration::from_secs(1));
    for (name, format) in [("csv", Format::CSV), ("parquet", Format::PARQUET)] {
        for rows in [most / 100, most / 10, most] {
            let job = demo(&folder.path().join(format!("{name}-{rows}")), rows, format);
            group.throughput(Throughput::Elements(rows));
            group.bench_function(BenchmarkId::new(name, rows), |b| {
                b.iter(|| black_box(runtime.block_on(anonymize(&job, &Quiet)).expect("a release")));
            });
        }
    }
    group.finish();
}

fn demo(folder: &Path, rows: u64, format: Format) -> Job {
    fs::create_dir(folder).expect("a folder");
    let job = write_demo(folder, Demo { dataset: &Hospital, seed: 1, rows }, format, &Quiet).expect("a demo");
    Job::read(&job).expect("a job")
}

criterion_group!(benches, adult, hospital);
criterion_main!(benches);
