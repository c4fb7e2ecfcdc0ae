//! How whole jobs scale with rows, quasi-identifiers and threads: demo tables as Parquet or CSV, optimal full-domain
//! search, written in the same format and verified. With three and six quasi-identifiers the hospital, with nine the
//! census.
//!
//! ```text
//! cargo run --release -p throng-engine --example tall
//! cargo run --release -p throng-engine --example tall -- rows=10000000,40000000 threads=1,2 quasi=6,9 format=csv
//! ```
//!
//! Every job has a process of its own, so that its peak of memory is its own, too.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use throng_engine::demo::{Census, Dataset, Demo, Hospital, write_demo};
use throng_engine::format::Format;
use throng_engine::job::{Job, JobFlags, Suppression};
use throng_engine::pipeline::anonymize;
use throng_engine::progress::Quiet;
use throng_engine::summary::Summary;

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
    let (mut quasi, mut format) = (vec![3, 6, 9], Format::PARQUET);
    for argument in arguments {
        match argument.split_once('=') {
            Some(("rows", list)) => rows = numbers(list)?,
            Some(("threads", list)) => threads = numbers(list)?,
            Some(("quasi", list)) => quasi = numbers(list)?,
            Some(("format", "csv")) => format = Format::CSV,
            Some(("format", "parquet")) => format = Format::PARQUET,
            _ => {
                let problem = "give rows=LIST, threads=LIST, quasi=LIST or format=csv";
                return Err(format!("'{argument}': {problem}").into());
            }
        }
    }
    println!(
        "| rows | quasi-identifiers | distinct tuples | threads | read | search | apply | verify | write | rows/s | peak memory |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for rows in rows {
        for of_dataset in [[3, 6].as_slice(), &[9]] {
            let asked: Vec<u64> = quasi.iter().copied().filter(|quasi| of_dataset.contains(quasi)).collect();
            if !asked.is_empty() {
                measure_table(dataset(asked[0]), rows, format, &asked, &threads)?;
            }
        }
    }
    Ok(())
}

/// The table that has so many quasi-identifiers.
fn dataset(quasi: u64) -> &'static dyn Dataset {
    match quasi {
        9 => Census::USUAL.with_columns(9).expect("the census has any number of columns"),
        _ => &Hospital,
    }
}

fn measure_table(
    dataset: &'static dyn Dataset,
    rows: u64,
    format: Format,
    quasi: &[u64],
    threads: &[u64],
) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let job = write_demo(folder.path(), Demo { dataset, seed: 1, rows }, format, &Quiet)?;
    for &quasi in quasi {
        for &threads in threads {
            println!("{}", line(rows, quasi, threads, &measure(&job, quasi, threads)?));
        }
    }
    Ok(())
}

fn numbers(list: &str) -> Result<Vec<u64>> {
    list.split(',').map(|number| Ok(number.parse()?)).collect()
}

/// One job in a process of its own.
fn measure(job: &Path, quasi: u64, threads: u64) -> Result<Summary> {
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

/// The demo's job with all quasi-identifiers, or without those of many values; of the census as the optimal search at
/// 1 % suppression.
fn run(job: &Path, quasi: usize) -> Result<Summary> {
    let read = Job::read(job)?;
    let extension = read.input.extension().unwrap_or_default();
    let output: Option<PathBuf> = Some(job.with_file_name("tall").with_extension(extension));
    let other = if quasi == 3 { LARGE.map(str::to_owned).to_vec() } else { Vec::new() };
    let mut job = read.with_flags(JobFlags { output, other, ..JobFlags::default() })?;
    if quasi == 9 {
        "flash".clone_into(&mut job.search.algorithm);
        job.search.time_limit = None;
        job.privacy.suppression = Suppression::Share(0.01);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    Ok(runtime.block_on(anonymize(&job, &Quiet))?)
}

fn line(rows: u64, quasi: u64, threads: u64, summary: &Summary) -> String {
    let seconds = &summary.seconds;
    let all = seconds.read + seconds.search + seconds.apply + seconds.verify + seconds.write;
    format!(
        "| {rows} | {quasi} | {} | {threads} | {:.1} s | {:.1} s | {:.1} s | {:.1} s | {:.1} s | {:.0} | {} MiB |",
        summary.search.distinct_tuples,
        seconds.read,
        seconds.search,
        seconds.apply,
        seconds.verify,
        seconds.write,
        rows as f64 / all,
        summary.peak_memory_bytes.unwrap_or(0) >> 20
    )
}
