//! `throng frontier`: the whole trade-off between privacy and loss.

use std::path::PathBuf;

use clap::ValueEnum;
use indicatif::HumanCount;

use throng_engine::error::{EngineError, Result};
use throng_engine::frontier::{FrontPoint, FrontierOptions, FrontierSummary, Method, frontier};
use throng_engine::job::{Job, JobFlags, Suppression};
use throng_engine::output::sink::{refuse_same_file, write_text};
use throng_engine::page;

use super::report::refuse_target;
use crate::args::{DialectArgs, read_seed, read_threads};
use crate::console::Console;
use crate::exit::Exit;
use crate::grid::grid;
use crate::report::section;
use crate::runtime;

const EXAMPLES: &str = "Objectives:
  k    rows of the smallest class            sk   sum over rows of the size of their class
  l    values of a sensitive column in the class that has fewest (l:COLUMN names it)
  sl   sum over rows of how many of their class have the same value (sl:COLUMN)
  and every measure (see `throng algorithms`): glm, lm, cm, prec, …

Examples:
  throng frontier hospital.toml --objectives k,glm
  throng frontier hospital.toml --objectives k,l,glm --epsilon 5,1,1000 --json";

/// Lists the levels that no others are better than in everything: k against loss, and more
///
/// What the job requires does not count, but for how many rows may be suppressed: the k of some levels is the
/// largest that they reach within that limit. Nothing is released.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FrontierArgs {
    /// A job file (.toml)
    job: PathBuf,

    /// What to compare by, at least two
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "k,glm")]
    objectives: Vec<String>,

    /// Shows one node of each box of these sides, one for each objective
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_negative_numbers = true)]
    epsilon: Vec<f64>,

    /// All nodes, the evolutionary search, or all if they are few
    #[arg(long, value_enum, default_value_t = Way::Auto)]
    method: Way,

    /// How many rows may be left out: a share (0.02 or 2%) or a number (100); that of the job
    #[arg(long, value_name = "ROWS", allow_hyphen_values = true)]
    suppression: Option<Suppression>,

    /// The most that the search may take; the front so far is shown then
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    time_limit: Option<f64>,

    /// What the evolutionary search starts from; that of the job
    #[arg(long, value_name = "NUMBER", value_parser = read_seed, allow_negative_numbers = true)]
    seed: Option<u64>,

    /// Prints one JSON object instead of text
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// Prints comma-separated lines instead of text
    #[arg(long)]
    csv: bool,

    /// Also writes a page to choose from: one HTML file that needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "NUMBER", value_parser = read_threads, allow_negative_numbers = true)]
    threads: Option<usize>,

    #[command(flatten)]
    dialect: DialectArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Way {
    Auto,
    Exact,
    PbgEa,
}

/// Finds the front, and shows it.
pub(crate) fn run(args: FrontierArgs, console: &Console) -> Result<Exit> {
    let flags = JobFlags {
        csv: args.dialect.overrides(),
        suppression: args.suppression,
        seed: args.seed,
        time_limit: args.time_limit,
        ..JobFlags::default()
    };
    let job = Job::read(&args.job)?.with_flags(flags)?;
    job.validate()?;
    if let Some(page) = &args.html {
        refuse_target(&job, page)?;
        refuse_same_file(&args.job, page)?;
    }
    let options = FrontierOptions {
        objectives: args.objectives,
        epsilon: args.epsilon,
        method: match args.method {
            Way::Auto => Method::Auto,
            Way::Exact => Method::Exact,
            Way::PbgEa => Method::PbgEa,
        },
        time_limit: job.search.time_budget(),
        seed: job.search.seed,
    };
    let found = {
        let progress = console.progress();
        runtime::run(args.threads, frontier(&job, &options, &progress))?
    };
    if let Some(page) = &args.html {
        write_text(page, &page::frontier(&found, &args.job.display().to_string(), job.privacy.k))?;
    }
    if args.json {
        let text = serde_json::to_string_pretty(&found);
        console.out(text.map_err(|error| EngineError::Data(error.to_string().into()))?);
    } else if args.csv {
        console.out(csv(&found).trim_end());
    } else {
        console.out(text(&found));
    }
    Ok(Exit::Done)
}

/// Names of the quasi-identifiers, which every point has.
fn columns(found: &FrontierSummary) -> Vec<&str> {
    found.front.first().map_or_else(Vec::new, |point| point.levels.keys().map(String::as_str).collect())
}

fn cells(point: &FrontPoint, value: impl Fn(&serde_json::Value) -> String) -> Vec<String> {
    let values = point.values.values().map(value);
    let suppressed = std::iter::once(point.suppressed_rows.to_string());
    values.chain(suppressed).chain(point.levels.values().map(ToString::to_string)).collect()
}

fn head(found: &FrontierSummary) -> Vec<String> {
    let names = found.objectives.iter().map(|(name, _)| name.as_str());
    names.chain(["suppressed"]).chain(columns(found)).map(str::to_owned).collect()
}

fn csv(found: &FrontierSummary) -> String {
    let lines = found.front.iter().map(|point| cells(point, ToString::to_string));
    // Names of columns may hold anything; numbers need no quotes.
    let quote = |cell: String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    };
    let line = |cells: Vec<String>| cells.into_iter().map(quote).collect::<Vec<_>>().join(",") + "\n";
    std::iter::once(head(found)).chain(lines).map(line).collect()
}

fn text(found: &FrontierSummary) -> String {
    let shown = |value: &serde_json::Value| match value.as_u64() {
        Some(whole) => HumanCount(whole).to_string(),
        None => value.as_f64().map_or("–".to_owned(), |number| format!("{number:.4}")),
    };
    let mut rows = vec![head(found)];
    rows.extend(found.front.iter().map(|point| cells(point, shown)));
    let how = match (found.method, found.complete) {
        (Method::PbgEa, _) => "by PBG-EA, which may not have met all of it".to_owned(),
        (_, true) => "all nodes were looked at".to_owned(),
        (_, false) => "stopped before all nodes were looked at".to_owned(),
    };
    let nodes = HumanCount(found.evaluated_nodes);
    format!(
        "{} rows, at most {} suppressed; {nodes} of {} nodes: {how}\n\n{}",
        HumanCount(found.rows),
        HumanCount(found.max_suppressed_rows),
        found.lattice_nodes,
        section(&format!("Front: {} nodes", HumanCount(found.front.len() as u64)), &grid(&rows, 0))
    )
}
