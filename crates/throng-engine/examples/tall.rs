//! How whole jobs scale with rows, quasi-identifiers and threads: the demo table as Parquet, optimal full-domain
//! search, written to Parquet and verified.
//!
//! ```text
//! cargo run --release -p throng-engine --example tall
//! cargo run --release -p throng-engine --example tall -- rows=10000000,40000000 threads=1,2
//! ```
//!
//! Every job has a process of its own, so that its peak of memory is its own, too.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use throng_engine::demo::{Demo, Hospital, write_demo};
use throng_engine::input::format::Format;
use throng_engine::job::{Job, JobFlags};
use throng_engine::pipeline::anonymize;
use throng_engine::progress::Quiet;
use throng_engine::report::Report;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The first argument of a process that does one job.
const ONE: &str = "one";

/// Quasi-identifiers of the demo with so many values that nearly every row is a tuple of its own.
const LARGE: [&str; 3] = ["birth_date", "zip", "admission_date"];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [ONE, job, quasi] => {
            println!("{}", serde_json::to_string(&run(Path::new(job), quasi.parse()?)?)?);
            Ok(())
        }
        _ => measure_all(&arguments),
    }
}

fn measure_all(arguments: &[String]) -> Result<()> {
    let (mut rows, mut threads) = (vec![1_000_000, 10_000_000], vec![1, 2]);
    for argument in arguments {
        match argument.split_once('=') {
            Some(("rows", list)) => rows = numbers(list)?,
            Some(("threads", list)) => threads = numbers(list)?,
            _ => return Err(format!("'{argument}': give rows=LIST or threads=LIST").into()),
        }
    }
    let folder = tempfile::tempdir()?;
    println!(
        "| rows | quasi-identifiers | distinct tuples | threads | read | search | apply | verify | write | rows/s | peak memory |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for rows in rows {
        let demo = Demo { dataset: &Hospital, seed: 1, rows };
        let job = write_demo(folder.path(), demo, Format::Parquet, &Quiet)?;
        for quasi in [3, 6] {
            for &threads in &threads {
                println!("{}", line(rows, quasi, threads, &measure(&job, quasi, threads)?));
            }
        }
    }
    Ok(())
}

fn numbers(list: &str) -> Result<Vec<u64>> {
    list.split(',').map(|number| Ok(number.parse()?)).collect()
}

/// One job in a process of its own.
fn measure(job: &Path, quasi: usize, threads: u64) -> Result<Report> {
    let mut one = Command::new(std::env::current_exe()?);
    let ended = one
        .arg(ONE)
        .arg(job)
        .arg(quasi.to_string())
        .env("RAYON_NUM_THREADS", threads.to_string())
        .output()?;
    if !ended.status.success() {
        return Err(String::from_utf8_lossy(&ended.stderr).into());
    }
    Ok(serde_json::from_slice(&ended.stdout)?)
}

/// The demo's job with all quasi-identifiers, or without those of many values.
fn run(job: &Path, quasi: usize) -> Result<Report> {
    let output: Option<PathBuf> = Some(job.with_file_name("tall.parquet"));
    let other = if quasi == 3 { LARGE.map(str::to_owned).to_vec() } else { Vec::new() };
    let job = Job::read(job)?.with_flags(JobFlags { output, other, ..JobFlags::default() })?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    Ok(runtime.block_on(anonymize(&job, &Quiet))?)
}

fn line(rows: u64, quasi: usize, threads: u64, report: &Report) -> String {
    let seconds = &report.seconds;
    let all = seconds.read + seconds.search + seconds.apply + seconds.verify + seconds.write;
    format!(
        "| {rows} | {quasi} | {} | {threads} | {:.1} s | {:.1} s | {:.1} s | {:.1} s | {:.1} s | {:.0} | {} MiB |",
        report.search.distinct_tuples,
        seconds.read,
        seconds.search,
        seconds.apply,
        seconds.verify,
        seconds.write,
        rows as f64 / all,
        report.peak_memory_bytes.unwrap_or(0) >> 20
    )
}
