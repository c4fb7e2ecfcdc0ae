//! What a table of PostgreSQL costs beside psql: counting its distinct tuples against a bare GROUP BY, and writing a
//! release against psql's own `\copy` of the same rows. By turns, so that both see the same machine.
//!
//! ```text
//! cargo run --release -p throng-engine --features postgres --example postgres -- postgres://user@host/database
//! cargo run --release -p throng-engine --features postgres --example postgres -- ADDRESS rows=1000000 rounds=5
//! ```
//!
//! The database gets the tables `throng_bench`, `throng_release` and `throng_copy`, which are dropped at the end.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use throng_engine::demo::{Demo, Hospital, write_demo};
use throng_engine::encode::encode;
use throng_engine::format::Format;
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::input::source::Source;
use throng_engine::job::{Job, JobFlags};
use throng_engine::pipeline::anonymize;
use throng_engine::progress::Quiet;
use throng_engine::summary::Seconds;
use tokio::runtime::Runtime;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Six columns in which nearly every row is a tuple of its own, and three of few values.
const MANY: &[&str] = &["birth_date", "sex", "zip", "nationality", "occupation", "admission_date"];
const FEW: &[&str] = &["sex", "nationality", "occupation"];

const TABLE: &str =
    "CREATE TABLE throng_bench (name text, birth_date date, sex text, zip text, nationality text,
    occupation text, admission_date date, diagnosis text, length_of_stay integer)";
const DROP: &str = "DROP TABLE IF EXISTS throng_bench, throng_release, throng_copy";

fn main() -> Result<()> {
    let (mut address, mut rows, mut rounds) = (None, 1_000_000, 5);
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("rows", number)) => rows = number.parse()?,
            Some(("rounds", number)) => rounds = number.parse()?,
            _ => address = Some(argument),
        }
    }
    let server = Server(address.ok_or("give the address of a database: postgres://user@host/database")?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let folder = tempfile::tempdir()?;
    let job = write_demo(folder.path(), Demo { dataset: &Hospital, seed: 1, rows }, Format::CSV, &Quiet)?;
    server.psql(&[DROP, TABLE])?;
    let table = folder.path().join("hospital.csv");
    server.psql(&[&format!("\\copy throng_bench FROM '{}' (FORMAT csv, HEADER)", table.display())])?;
    server.psql(&["VACUUM ANALYZE throng_bench", "CHECKPOINT"])?;

    println!("| {rows} rows | psql | throng | times | throng's verification |\n|---|---:|---:|---:|---:|");
    for columns in [MANY, FEW] {
        let name = format!("counting {} columns", columns.len());
        let turn = || Ok((server.count(columns)?, server.count_ours(columns, &runtime)?, None));
        measure(&name, rounds, turn)?;
    }
    measure("writing", rounds, || {
        let ours = server.write_ours(&job, &runtime)?;
        let theirs = server.write(&folder.path().join("release.csv"))?;
        Ok((theirs, ours.write, Some(ours.verify)))
    })?;
    server.psql(&[DROP]).map(drop)
}

/// Prints what rounds of a measurement gave, and their medians.
fn measure(
    name: &str,
    rounds: usize,
    mut turn: impl FnMut() -> Result<(f64, f64, Option<f64>)>,
) -> Result<()> {
    let mut all = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let (psql, throng, verified) = turn()?;
        let verified = verified.map_or(String::new(), |seconds| format!("{seconds:.2} s"));
        println!("| {name} | {psql:.2} s | {throng:.2} s | {:.2} | {verified} |", throng / psql);
        all.push((psql, throng));
    }
    let median = |of: fn(&(f64, f64)) -> f64| {
        let mut numbers: Vec<f64> = all.iter().map(of).collect();
        numbers.sort_by(f64::total_cmp);
        numbers[numbers.len() / 2]
    };
    let (psql, throng, times) = (median(|of| of.0), median(|of| of.1), median(|of| of.1 / of.0));
    println!("| **{name}**, medians | {psql:.2} s | {throng:.2} s | {times:.2} | |");
    Ok(())
}

/// A database, by its address without a table.
struct Server(String);

impl Server {
    /// Runs statements, and throws away what they print; how long that takes.
    fn psql(&self, statements: &[&str]) -> Result<f64> {
        let mut psql = Command::new("psql");
        psql.args(["-Xq", "-v", "ON_ERROR_STOP=1", &self.0]).stdout(Stdio::null()).stderr(Stdio::null());
        psql.args(statements.iter().flat_map(|statement| ["-c", statement]));
        let started = Instant::now();
        match psql.status()?.success() {
            true => Ok(started.elapsed().as_secs_f64()),
            false => Err("psql failed".into()),
        }
    }

    fn table(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("{}?table={name}", self.0))
    }

    /// A bare GROUP BY, whose tuples are sent and thrown away.
    fn count(&self, columns: &[&str]) -> Result<f64> {
        let columns = columns.join(", ");
        let select = format!("SELECT {columns}, count(*) FROM throng_bench GROUP BY {columns}");
        self.psql(&[&format!("COPY ({select}) TO STDOUT")])
    }

    /// The same from connecting to sorted tuples of codes.
    fn count_ours(&self, columns: &[&str], runtime: &Runtime) -> Result<f64> {
        let started = Instant::now();
        let source = Source::open(self.table("throng_bench"), &DialectOverrides::default())?;
        let place = |name: &&str| source.columns().iter().position(|column| column == name);
        let columns: Option<Vec<usize>> = columns.iter().map(place).collect();
        runtime.block_on(encode(&source, &columns.ok_or("a column is missing")?, &Quiet))?;
        Ok(started.elapsed().as_secs_f64())
    }

    /// A release of the demo as a table.
    fn write_ours(&self, job: &Path, runtime: &Runtime) -> Result<Seconds> {
        self.psql(&["DROP TABLE IF EXISTS throng_release", "CHECKPOINT"])?;
        let output = Some(self.table("throng_release"));
        let job = Job::read(job)?.with_flags(JobFlags { output, ..JobFlags::default() })?;
        Ok(runtime.block_on(anonymize(&job, &Quiet))?.seconds)
    }

    /// The rows of that table by `\copy` of a file in PostgreSQL's own format, into a table of the same types.
    fn write(&self, file: &Path) -> Result<f64> {
        let file = file.display();
        self.psql(&[&format!("\\copy throng_release TO '{file}'")])?;
        self.psql(&["DROP TABLE IF EXISTS throng_copy", "CHECKPOINT"])?;
        let copy = format!("\\copy throng_copy FROM '{file}'");
        let create = "CREATE TABLE throng_copy (LIKE throng_release)";
        self.psql(&["BEGIN", create, &copy, "COMMIT"])
    }
}
