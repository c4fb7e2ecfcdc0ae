//! `throng compare`: algorithms side by side on one table.

mod plots;
mod table;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;

use throng_engine::compare::{Comparison, Plan, compare};
use throng_engine::error::{EngineError, Result};
use throng_engine::job::{Job, JobFlags, Suppression};
use throng_engine::pipeline::{find_algorithm, find_measure};
use throng_engine::sink::write_text;

use crate::args::DialectArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::runtime;

const EXAMPLES: &str = "Examples:
  throng compare hospital.toml
  throng compare hospital.toml --algorithms datafly,samarati --k 5,10 --qi-counts 3..6 \\
      --plots plots -o comparison.csv

Nothing is released. Numbers of quasi-identifiers take the first ones in the order of the table.";

/// Compares algorithms: time, loss, level of generalisation and nodes checked, by k and by the
/// number of quasi-identifiers
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompareArgs {
    /// A job file (.toml); its k and its algorithm do not count
    job: PathBuf,

    /// The algorithms; see `throng algorithms`
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "datafly,improved-greedy,samarati,flash"
    )]
    algorithms: Vec<String>,

    /// The k to reach with all quasi-identifiers
    #[arg(long, short, value_name = "NUMBERS", value_delimiter = ',', default_value = "2,5,10,20,50")]
    k: Vec<u64>,

    /// Also compares by the number of quasi-identifiers, e.g. 3..8 (both included)
    #[arg(long, value_name = "FROM..TO", value_parser = read_counts)]
    qi_counts: Option<RangeInclusive<usize>>,

    /// The k to reach with these numbers of quasi-identifiers
    #[arg(long, value_name = "K", default_value_t = 10)]
    qi_k: u64,

    /// How many rows may be left out: a share (0.02 or 2%) or a number (100); that of the job
    #[arg(long, value_name = "ROWS", allow_hyphen_values = true)]
    suppression: Option<Suppression>,

    /// The loss to make small; that of the job
    #[arg(long, value_name = "NAME")]
    measure: Option<String>,

    /// The most that one search may take; that of the job
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    time_limit: Option<f64>,

    /// How often each search is timed; the median is shown
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    repeat: usize,

    /// How the comparison is written; by the name of --output, else text
    #[arg(long, value_enum)]
    format: Option<Shape>,

    /// Where the comparison goes, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Draws plots (SVG) into this directory
    #[arg(long, value_name = "DIRECTORY")]
    plots: Option<PathBuf>,

    /// Threads to use; that of the job, else all cores
    #[arg(long, value_name = "NUMBER")]
    threads: Option<usize>,

    #[command(flatten)]
    dialect: DialectArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shape {
    Text,
    Csv,
    Json,
}

/// Compares, and writes table and plots.
pub(crate) fn run(args: CompareArgs, console: &Console) -> Result<Exit> {
    let job = args.job()?;
    let plan = args.plan(&job)?;
    let compared = {
        let progress = console.progress();
        runtime::run(job.search.threads, compare(&job, &plan, &progress))?
    };
    let text = match args.shape() {
        Shape::Text => table::text(&compared),
        Shape::Csv => table::csv(&compared),
        Shape::Json => json(&compared)?,
    };
    match &args.output {
        None => console.out(text.trim_end()),
        Some(path) => {
            write_text(path, &text)?;
            console.note(format_args!("wrote {}", path.display()));
        }
    }
    if let Some(directory) = &args.plots {
        for path in plots::write(&compared, directory)? {
            console.note(format_args!("wrote {}", path.display()));
        }
    }
    Ok(Exit::Done)
}

impl CompareArgs {
    fn job(&self) -> Result<Job> {
        if self.job.extension().is_none_or(|extension| extension != "toml") {
            return Err(EngineError::bad(format!(
                "{}: compare needs a job file (.toml), which says what each column is; `throng demo` writes one",
                self.job.display()
            )));
        }
        let flags = JobFlags {
            csv: self.dialect.overrides(),
            suppression: self.suppression,
            measure: self.measure.clone(),
            time_limit: self.time_limit,
            threads: self.threads,
            ..JobFlags::default()
        };
        Job::read(&self.job)?.with_flags(flags)
    }

    fn plan(&self, job: &Job) -> Result<Plan> {
        let mut ks = self.k.clone();
        ks.sort_unstable();
        ks.dedup();
        let mut algorithms: Vec<&str> = Vec::new();
        for name in self.algorithms.iter().map(|name| name.trim()) {
            if !algorithms.contains(&name) {
                algorithms.push(name);
            }
        }
        Ok(Plan {
            algorithms: algorithms.into_iter().map(find_algorithm).collect::<Result<_>>()?,
            ks,
            quasi_counts: self.qi_counts.clone(),
            quasi_k: self.qi_k,
            suppression: job.privacy.suppression,
            measure: find_measure(&job.search.measure)?,
            time_limit: job.search.time_limit.map(Duration::from_secs_f64),
            repeats: self.repeat,
        })
    }

    fn shape(&self) -> Shape {
        self.format.unwrap_or_else(|| self.output.as_deref().map_or(Shape::Text, shape_of))
    }
}

/// What a file's name asks for.
fn shape_of(path: &Path) -> Shape {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => Shape::Csv,
        Some("json") => Shape::Json,
        _ => Shape::Text,
    }
}

fn json(compared: &Comparison) -> Result<String> {
    let text = serde_json::to_string_pretty(compared)
        .map_err(|error| EngineError::Data(format!("the comparison cannot be written as JSON: {error}")))?;
    Ok(text + "\n")
}

/// Reads `3..8`, `3..=8` or `4`.
fn read_counts(text: &str) -> std::result::Result<RangeInclusive<usize>, String> {
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| "must be like 3..8".to_owned());
    match text.split_once("..") {
        Some((from, to)) => Ok(number(from)?..=number(to.trim_start_matches('='))?),
        None => number(text).map(|count| count..=count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_include_both_ends() {
        assert_eq!(read_counts("3..8"), Ok(3..=8));
        assert_eq!(read_counts("3..=8"), Ok(3..=8));
        assert_eq!(read_counts("4"), Ok(4..=4));
        assert!(read_counts("3-8").is_err() && read_counts("..8").is_err() && read_counts("").is_err());
    }

    #[test]
    fn the_name_of_the_file_decides_the_format() {
        assert_eq!(shape_of(Path::new("a/b.csv")), Shape::Csv);
        assert_eq!(shape_of(Path::new("b.json")), Shape::Json);
        assert_eq!(shape_of(Path::new("b.md")), Shape::Text);
    }
}
