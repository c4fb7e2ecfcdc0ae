//! A profile against merely reading the same file, in one run.
//!
//! The table is the demo's, made twelve columns wide with some of a second draw. `THRONG_BENCH_ROWS`
//! sets its rows (1,000,000 by default). Both are repeated by turns, and the fastest of each are
//! compared: with ten million rows, a profile should take at most twice as long as reading. With
//! fewer, more of the time goes into filling samples, which does not grow with the rows.

use std::hint::black_box;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema};
use futures::TryStreamExt;
use throng_engine::demo::{Demo, Hospital};
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::input::source::Source;
use throng_engine::output::sink::{FileLayout, Sink};
use throng_engine::profile::{ProfileOptions, profile};
use throng_engine::progress::Quiet;
use tokio::runtime::Runtime;

const ROUNDS: usize = 5;
const CHUNK: u64 = 1 << 15;

fn main() -> io::Result<()> {
    let rows =
        std::env::var("THRONG_BENCH_ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    for name in ["wide.csv", "wide.parquet"] {
        let source = Source::open(write_wide(folder.path(), name, rows), &DialectOverrides::default());
        compare(&runtime, &source.expect("a table"), rows)?;
    }
    Ok(())
}

fn compare(runtime: &Runtime, source: &Source, rows: u64) -> io::Result<()> {
    let mut fastest = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        let read = time(|| runtime.block_on(read(source)));
        let profiled = time(|| {
            let options = ProfileOptions::default();
            let profile = runtime.block_on(profile(source, &options, &Quiet));
            assert_eq!(profile.expect("a profile").rows, rows);
        });
        fastest = [fastest[0].min(read), fastest[1].min(profiled)];
    }
    let [read, profiled] = fastest.map(|time| time.as_secs_f64());
    let (name, columns) = (source.format(), source.columns().len());
    writeln!(
        io::stdout(),
        "{name:?}, {rows} rows, {columns} columns: read {read:.3} s, profile {profiled:.3} s, ratio {:.2}",
        profiled / read
    )
}

/// Every cell, in the types that a profile gets.
async fn read(source: &Source) {
    let columns: Vec<usize> = (0..source.columns().len()).collect();
    let mut batches = source.scan(&columns).await.expect("a scan");
    while let Some(batch) = batches.try_next().await.expect("a batch") {
        black_box(batch);
    }
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// The demo's table with three columns of another draw.
fn write_wide(folder: &Path, name: &str, rows: u64) -> PathBuf {
    let path = folder.join(name);
    let wide = |start| {
        let [one, other] = [1, 2].map(|seed| Demo { dataset: &Hospital, seed, rows }.batch(start, CHUNK));
        widen(&one, &other)
    };
    let mut sink = Sink::create(&path, wide(0).schema(), &FileLayout::PLAIN).expect("a file");
    for start in (0..rows).step_by(CHUNK as usize) {
        sink.write(&wide(start)).expect("rows");
    }
    sink.finish().and_then(|file| file.publish()).expect("a table");
    path
}

fn widen(one: &RecordBatch, other: &RecordBatch) -> RecordBatch {
    let mut fields: Vec<Field> = one.schema().fields().iter().map(|field| field.as_ref().clone()).collect();
    let mut columns = one.columns().to_vec();
    for at in 1..4 {
        let field = other.schema().field(at).clone();
        fields.push(field.clone().with_name(format!("partner_{}", field.name())));
        columns.push(Arc::clone(other.column(at)));
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).expect("columns of one length")
}
