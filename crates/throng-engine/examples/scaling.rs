//! How local recoding scales: seconds, memory and loss on growing tables of the demo generator, and
//! what it costs to cut a table into blocks first.
//!
//! ```text
//! cargo run --release -p throng-engine --example scaling
//! cargo run --release -p throng-engine --example scaling -- rows=30000,300000 algorithms=forest k=20
//! cargo run --release -p throng-engine --example scaling -- rows= block_rows=5000,20000
//! ```
//!
//! Every search has a process of its own, so that its peak of memory is its own, too: that from the
//! start of the process to the end of the search, and to the end of the judgement of the
//! release. Adult is read from `../shared/data`, where that is at hand.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use throng::algorithm::{BLOCK_ROWS, SettingValue, Settings};
use throng::solve::Outcome;
use throng::verify::{Verdict, verify};
use throng_engine::demo::{Demo, Hospital, write_demo};
use throng_engine::format::Format;
use throng_engine::job::{Job, JobFlags, Suppression, parse_notion};
use throng_engine::pipeline::{search, validate};
use throng_engine::plan::OpenJob;
use throng_engine::prepare::EncodedTable;
use throng_engine::progress::Quiet;
use throng_engine::summary::peak_memory_bytes;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The first argument of a process that does one search.
const ONE: &str = "one";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((first, trial)) if first == ONE => {
            println!("{}", serde_json::to_string(&Trial::from_arguments(trial)?.run()?)?);
            Ok(())
        }
        _ => Plan::from_arguments(&arguments)?.run(),
    }
}

/// What to measure.
struct Plan {
    rows: Vec<u64>,
    /// Rows of the demo table on which blocks are compared with the whole.
    block_table_rows: u64,
    block_rows: Vec<u64>,
    /// Algorithms with their notions.
    algorithms: Vec<(&'static str, &'static str)>,
    k: u64,
    time_limit: f64,
}

impl Plan {
    fn from_arguments(arguments: &[String]) -> Result<Plan> {
        let mut plan = Plan {
            rows: vec![30_000, 100_000, 300_000, 1_000_000],
            block_table_rows: 100_000,
            block_rows: vec![2_000, 10_000],
            algorithms: vec![
                ("agglomerative", "k"),
                ("forest", "k"),
                ("sequential", "k"),
                ("expansion", "kk"),
            ],
            k: 5,
            time_limit: 3600.0,
        };
        for argument in arguments {
            match argument.split_once('=') {
                Some(("rows", list)) => plan.rows = numbers(list)?,
                Some(("block_table_rows", rows)) => plan.block_table_rows = rows.parse()?,
                Some(("block_rows", list)) => plan.block_rows = numbers(list)?,
                Some(("algorithms", list)) => {
                    plan.algorithms.retain(|(name, _)| list.split(',').any(|wanted| wanted == *name));
                }
                Some(("k", k)) => plan.k = k.parse()?,
                Some(("time_limit", seconds)) => plan.time_limit = seconds.parse()?,
                _ => {
                    let allowed = "rows, block_table_rows, block_rows, algorithms, k, time_limit";
                    return Err(format!("'{argument}': give KEY=VALUE with one of {allowed}").into());
                }
            }
        }
        Ok(plan)
    }

    fn run(&self) -> Result<()> {
        let folder = tempfile::tempdir()?;
        self.curve(folder.path())?;
        self.blocks(folder.path())
    }

    /// Every algorithm on tables of growing size.
    fn curve(&self, folder: &Path) -> Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        println!("## k = {}, lm, demo table\n", self.k);
        println!("| algorithm | rows | tuples | search | to the first | lm | peak, search | peak, judged |");
        println!("|---|---:|---:|---:|---:|---:|---:|---:|");
        for &(algorithm, notion) in &self.algorithms {
            let mut first = None;
            for &rows in &self.rows {
                let job = demo(folder, rows)?;
                let found = self.trial(&job, algorithm, notion, None).measure()?;
                let ratio = found.seconds / *first.get_or_insert(found.seconds);
                println!(
                    "| {algorithm}, {notion} | {rows} | {} | {:.2} s | {ratio:.1} | {} | {} | {} |",
                    found.tuples,
                    found.seconds,
                    found.loss(),
                    mebibytes(found.search_peak_bytes),
                    mebibytes(found.peak_bytes)
                );
            }
        }
        println!();
        Ok(())
    }

    /// Every algorithm in blocks and on the whole table.
    fn blocks(&self, folder: &Path) -> Result<()> {
        if self.block_rows.is_empty() {
            return Ok(());
        }
        let name = format!("demo, {} rows", self.block_table_rows);
        let mut tables = vec![(name, demo(folder, self.block_table_rows)?)];
        match adult(folder)? {
            Some(job) => tables.insert(0, ("Adult".to_owned(), job)),
            None => println!("skipped: no ../shared/data\n"),
        }
        println!("## k = {}, lm, blocks\n", self.k);
        println!("| table | algorithm | most rows of a block | blocks | search | lm | to the whole |");
        println!("|---|---|---:|---:|---:|---:|---:|");
        for (table, job) in &tables {
            for &(algorithm, notion) in &self.algorithms {
                let mut whole = None;
                for block_rows in [None].into_iter().chain(self.block_rows.iter().copied().map(Some)) {
                    let found = self.trial(job, algorithm, notion, block_rows).measure()?;
                    let ratio = found.loss.zip(*whole.get_or_insert(found.loss)).map(|(a, b)| a / b);
                    println!(
                        "| {table} | {algorithm}, {notion} | {} | {} | {:.2} s | {} | {} |",
                        block_rows.map_or("–".to_owned(), |rows| rows.to_string()),
                        found.blocks.map_or("–".to_owned(), |blocks| blocks.to_string()),
                        found.seconds,
                        found.loss(),
                        ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.3}"))
                    );
                }
            }
        }
        Ok(())
    }

    fn trial(&self, job: &Path, algorithm: &str, notion: &str, block_rows: Option<u64>) -> Trial {
        Trial {
            job: job.to_owned(),
            algorithm: algorithm.to_owned(),
            notion: notion.to_owned(),
            k: self.k,
            block_rows,
            time_limit: self.time_limit,
        }
    }
}

/// One search.
#[derive(Serialize, Deserialize)]
struct Trial {
    job: PathBuf,
    algorithm: String,
    notion: String,
    k: u64,
    block_rows: Option<u64>,
    time_limit: f64,
}

/// What a search took and found.
#[derive(Serialize, Deserialize)]
struct Found {
    tuples: usize,
    blocks: Option<usize>,
    seconds: f64,
    /// None if the time was over first.
    loss: Option<f64>,
    search_peak_bytes: Option<u64>,
    peak_bytes: Option<u64>,
}

impl Found {
    fn loss(&self) -> String {
        self.loss.map_or("out of time".to_owned(), |loss| format!("{loss:.4}"))
    }
}

impl Trial {
    fn from_arguments(arguments: &[String]) -> Result<Trial> {
        Ok(serde_json::from_str(arguments.first().map_or("", String::as_str))?)
    }

    /// Does the search in another process.
    fn measure(&self) -> Result<Found> {
        let this = std::env::current_exe()?;
        let output = Command::new(this).arg(ONE).arg(serde_json::to_string(self)?).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    fn job(&self) -> Result<Job> {
        let mut settings = Settings::default();
        if let Some(rows) = self.block_rows {
            settings.set(&BLOCK_ROWS, SettingValue::Count(rows));
        }
        let flags = JobFlags {
            k: Some(self.k),
            suppression: Some(Suppression::Rows(0)),
            notion: Some(parse_notion(&self.notion)?),
            algorithm: Some(self.algorithm.clone()),
            measure: Some("lm".to_owned()),
            settings,
            time_limit: Some(self.time_limit),
            ..JobFlags::default()
        };
        Ok(Job::read(&self.job)?.with_flags(flags)?)
    }

    /// Does the search, and judges its release.
    fn run(&self) -> Result<Found> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(self.search(&self.job()?))
    }

    async fn search(&self, job: &Job) -> Result<Found> {
        let (algorithm, measure) = validate(job)?;
        let prepared = EncodedTable::read(&OpenJob::new(job)?, &Quiet).await?;
        let problem = prepared.problem(self.k, 0, measure)?;
        let started = Instant::now();
        let solution = search(&problem, algorithm, job.search.time_budget(), &Quiet)?;
        let mut found = Found {
            tuples: prepared.distinct_tuples(),
            blocks: solution.blocks,
            seconds: started.elapsed().as_secs_f64(),
            loss: None,
            search_peak_bytes: peak_memory_bytes(),
            peak_bytes: None,
        };
        if let Outcome::Found(recoding) = &solution.outcome {
            let release = recoding.apply(&problem);
            found.loss = Some(measure.measure(&problem, &release.tally()));
            if let Verdict::Unsafe(reason) = verify(&release) {
                return Err(reason.into());
            }
        }
        found.peak_bytes = peak_memory_bytes();
        Ok(found)
    }
}

/// The job of a demo table, which is made unless it is there.
fn demo(folder: &Path, rows: u64) -> Result<PathBuf> {
    let folder = folder.join(rows.to_string());
    let job = folder.join("hospital.toml");
    if job.exists() {
        return Ok(job);
    }
    let demo = Demo { dataset: &Hospital, seed: 1, rows };
    Ok(write_demo(&folder, demo, Format::PARQUET, &Quiet)?)
}

/// A job on all nine columns of Adult, if the table is at hand.
fn adult(folder: &Path) -> Result<Option<PathBuf>> {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult");
    let Ok(text) = fs::read_to_string(data.join("adult.csv")) else { return Ok(None) };
    let columns = text.lines().next().unwrap_or_default().split(';').map(|name| {
        let file = data.join(format!("adult_hierarchy_{name}.csv"));
        format!("\"{name}\" = {{ role = \"quasi\", hierarchy = {file:?} }}\n")
    });
    let job = format!(
        "input = {:?}\noutput = \"out.csv\"\n[columns]\n{}[privacy]\nk = 5\n",
        data.join("adult.csv"),
        columns.collect::<String>()
    );
    let path = folder.join("adult.toml");
    fs::write(&path, job)?;
    Ok(Some(path))
}

fn numbers(list: &str) -> Result<Vec<u64>> {
    let items = list.split(',').filter(|item| !item.is_empty());
    Ok(items.map(|item| item.replace('_', "").parse()).collect::<std::result::Result<_, _>>()?)
}

fn mebibytes(bytes: Option<u64>) -> String {
    bytes.map_or("–".to_owned(), |bytes| format!("{} MiB", bytes >> 20))
}
