//! `throng frontier`: the whole trade-off between privacy and loss.

use std::path::PathBuf;

use clap::ValueEnum;
use indicatif::HumanCount;
use serde_json::Value;

use throng::wording::count_nodes;
use throng_engine::error::{EngineError, Result};
use throng_engine::frontier::{
    FrontPoint, FrontQuality, FrontierOptions, FrontierSummary, LocalPoint, Method, ReferenceFront, frontier,
};
use throng_engine::job::{Job, JobFlags, Suppression};
use throng_engine::output::sink::{Made, refuse_same_file, write_text_of};
use throng_report::page;

use super::report::refuse_target;
use super::targets::refuse_one_place;
use crate::args::{DialectArgs, EvolutionArgs, read_k, read_seed, read_threads};
use crate::console::Console;
use crate::exit::Exit;
use crate::grid::grid;
use crate::report::section;
use crate::runtime;

const EXAMPLES: &str = "Objectives:
  k    rows in the smallest class            sk   sum over rows of the size of their class
  l    values of a sensitive column in the class that has the fewest (l:COLUMN names it)
  sl   sum over rows of how many of their class have the same value (sl:COLUMN)
  every measure (see `throng algorithms`): glm, lm, cm, prec, …
  the degree of every model that judges classes: entropy-l, t-closeness:COLUMN+distance=ordered, max-risk, …

Examples:
  throng frontier hospital.toml --objectives k,glm
  throng frontier hospital.toml --objectives k,l,glm --epsilon 5,1,1000 --json
  throng frontier hospital.toml --objectives k,t-closeness:diagnosis,lm --local sequential,mondrian
  throng frontier hospital.toml --method pbg-ea --generations 300 --reference exact
  throng frontier hospital.toml --save front.json
  throng anonymize hospital.toml --frontier front.json --pick 3";

/// The k that local algorithms are asked for, if nobody says otherwise.
const LADDER: [u64; 6] = [2, 5, 10, 25, 50, 100];

/// Lists the levels that no others beat in every respect: k against loss, and more
///
/// Ignores what the job requires, except for how many rows may be suppressed: the k shown for some levels is
/// the largest that they reach within that limit. Nothing is released.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FrontierArgs {
    /// A job file (.toml)
    job: PathBuf,

    /// What to compare by, at least two
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "k,glm")]
    objectives: Vec<String>,

    /// Shows one node per box; these are the lengths of a box's sides, one for each objective
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_hyphen_values = true)]
    epsilon: Vec<f64>,

    /// How to search: exact checks all nodes, pbg-ea is the evolutionary search of Dewri et al., front-walk
    /// walks along the front, auto checks all nodes if there are few and otherwise walks
    #[arg(long, value_enum, default_value_t = FrontMethod::Auto)]
    method: FrontMethod,

    /// The most nodes that front-walk looks at; 2500 by default
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    nodes: Option<u64>,

    #[command(flatten)]
    evolution: EvolutionArgs,

    /// A saved front, or `exact` for that of all nodes: says how much of it was found (convergence error,
    /// representation ratio, hypervolume)
    #[arg(long, value_name = "FILE")]
    reference: Option<ReferenceFront>,

    /// Compares the nodes record by record: numbers of records by k and l, and the spread of each node over
    /// each other node
    #[arg(long, requires = "json")]
    spread: bool,

    /// Local algorithms to measure by the same objectives, each at every --k
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    local: Vec<String>,

    /// The k to ask local algorithms for; 2,5,10,25,50,100 by default
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', requires = "local", value_parser = read_k, allow_negative_numbers = true)]
    k: Vec<u64>,

    /// Also writes the front to a file, for `throng anonymize --frontier FILE --pick NUMBER`
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// How many rows may be left out: a share (0.02 or 2%) or a number ('1 row', 100); by default as in
    /// the job
    #[arg(long, value_name = "ROWS", allow_hyphen_values = true)]
    suppression: Option<Suppression>,

    /// How long the search for the front, and each local search, may take; then shows what it has found
    /// so far
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    time_limit: Option<f64>,

    /// The seed of all random choices; by default that of the job
    #[arg(long, value_name = "NUMBER", value_parser = read_seed, allow_negative_numbers = true)]
    seed: Option<u64>,

    /// Prints one JSON object instead of text
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// Prints comma-separated lines instead of text
    #[arg(long)]
    csv: bool,

    /// Also writes a page to choose from, as a single HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "NUMBER", value_parser = read_threads, allow_negative_numbers = true)]
    threads: Option<usize>,

    #[command(flatten)]
    dialect: DialectArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FrontMethod {
    Auto,
    Exact,
    PbgEa,
    FrontWalk,
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
    let job = Job::read(&args.job)?.with_flags(flags)?.with_tables(console.tables());
    job.validate()?;
    let targets = [(&args.html, Made::Page), (&args.save, Made::Frontier)];
    for (file, made) in targets.into_iter().filter_map(|(file, made)| Some((file.as_ref()?, made))) {
        refuse_same_file(&args.job, file)?;
        refuse_target(&job, file, made)?;
    }
    let (page, front) = (args.html.as_deref(), args.save.as_deref());
    refuse_one_place(&[("--html", page), ("--save", front), ("--log", console.log_file())])?;
    let options = FrontierOptions {
        objectives: args.objectives,
        epsilon: args.epsilon,
        method: match args.method {
            FrontMethod::Auto => Method::Auto,
            FrontMethod::Exact => Method::Exact,
            FrontMethod::PbgEa => Method::PbgEa,
            FrontMethod::FrontWalk => Method::FrontWalk,
        },
        nodes: args.nodes,
        settings: args.evolution.0,
        reference: args.reference,
        spread: args.spread,
        ks: if args.k.is_empty() { LADDER.to_vec() } else { args.k },
        local: args.local,
        time_limit: job.search.time_budget(),
        seed: job.search.seed,
    };
    let found = {
        let progress = console.progress();
        runtime::run(args.threads, frontier(&job, &options, &progress))?
    };
    let json = serde_json::to_string_pretty(&found);
    let json = json.map_err(|error| EngineError::Data(error.to_string().into()))?;
    if let Some(page) = &args.html {
        let text = page::frontier(&found, &args.job.display().to_string(), job.privacy.k);
        write_text_of(&job.input, page, Made::Page, &text)?;
    }
    if let Some(file) = &args.save {
        write_text_of(&job.input, file, Made::Frontier, &format!("{json}\n"))?;
    }
    if args.json {
        console.data(json);
    } else if args.csv {
        console.data(csv(&found).trim_end());
    } else {
        console.out(text(&found));
    }
    Ok(Exit::Done)
}

/// Names of the quasi-identifiers, which every point has.
fn columns(found: &FrontierSummary) -> Vec<&str> {
    found.front.first().map_or_else(Vec::new, |point| point.levels.keys().map(String::as_str).collect())
}

/// A number as it is shown.
type Show = fn(&Value) -> String;

fn cells(point: &FrontPoint, show: Show) -> Vec<String> {
    let number = std::iter::once(point.number.to_string());
    let suppressed = std::iter::once(point.suppressed_rows.to_string());
    let levels = point.levels.values().map(ToString::to_string);
    number.chain(point.values.values().map(show)).chain(suppressed).chain(levels).collect()
}

fn head(found: &FrontierSummary) -> Vec<String> {
    let names = found.objectives.iter().map(|(name, _)| name.as_str());
    let names = std::iter::once("number").chain(names).chain(["suppressed"]);
    names.chain(columns(found)).map(str::to_owned).collect()
}

/// The values of a local recoding, and its suppressed rows.
fn local_cells(found: &FrontierSummary, point: &LocalPoint, show: Show) -> Vec<String> {
    let value = |(name, _): &(String, bool)| {
        let value = point.values.as_ref().and_then(|values| values.get(name));
        show(value.unwrap_or(&Value::Null))
    };
    let suppressed = match point.values {
        Some(_) => point.suppressed_rows.to_string(),
        None => show(&Value::Null),
    };
    found.objectives.iter().map(value).chain([suppressed]).collect()
}

fn is_dominated(point: &LocalPoint) -> &'static str {
    match point.dominated {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    }
}

/// Nodes and, if there are any, local recodings, which have no levels but three columns of their own.
fn csv(found: &FrontierSummary) -> String {
    let show: Show = |value| if value.is_null() { String::new() } else { value.to_string() };
    let has_local = !found.local.is_empty();
    let with = |mut cells: Vec<String>, own: [&str; 3]| {
        cells.extend(own.map(str::to_owned).into_iter().filter(|_| has_local));
        cells
    };
    let nodes = found.front.iter().map(|point| with(cells(point, show), [""; 3]));
    let levels = || columns(found).into_iter().map(|_| String::new());
    let local = found.local.iter().map(|point| {
        let cells = std::iter::once(String::new()).chain(local_cells(found, point, show)).chain(levels());
        with(cells.collect(), [&point.algorithm, &point.k.to_string(), is_dominated(point)])
    });
    // Names of columns may hold anything; numbers need no quotes.
    let quote = |cell: String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    };
    let line = |cells: Vec<String>| cells.into_iter().map(quote).collect::<Vec<_>>().join(",") + "\n";
    let head = with(head(found), ["local", "asked_k", "dominated"]);
    std::iter::once(head).chain(nodes).chain(local).map(line).collect()
}

fn text(found: &FrontierSummary) -> String {
    let show: Show = |value| match value.as_u64() {
        Some(whole) => HumanCount(whole).to_string(),
        None => value.as_f64().map_or("–".to_owned(), |number| format!("{number:.4}")),
    };
    let mut rows = vec![head(found)];
    rows.extend(found.front.iter().map(|point| cells(point, show)));
    let how = match (found.method, found.complete) {
        (Method::PbgEa, _) => "found by PBG-EA, which may have missed part of it",
        (Method::FrontWalk, _) => "found by a walk along it, which may have missed part of it",
        (_, true) => "all nodes were checked",
        (_, false) => "stopped before all nodes were checked",
    };
    let nodes = HumanCount(found.evaluated_nodes);
    let all = count_nodes(found.lattice_nodes);
    let front = section(&format!("Front: {} nodes", HumanCount(found.front.len() as u64)), &grid(&rows, 0));
    format!(
        "{} rows, at most {} suppressed; {nodes} of {all} nodes: {how}\n{}{}\n{front}{}",
        HumanCount(found.rows),
        HumanCount(found.max_suppressed_rows),
        found
            .aggregate
            .as_ref()
            .map(|of| format!("losses over columns: {}\n", of.text()))
            .unwrap_or_default(),
        found.quality.as_ref().map(quality_text).unwrap_or_default(),
        local_text(found, show)
    )
}

/// How much of the reference was found.
fn quality_text(quality: &FrontQuality) -> String {
    let shown = |value: &Value| value.as_f64().map_or("–".to_owned(), |number| format!("{number:.6}"));
    format!(
        "Of a reference of {} nodes in {} boxes: convergence error {}, representation ratio {}, hypervolume {}\n",
        HumanCount(quality.reference_nodes as u64),
        HumanCount(quality.boxes as u64),
        shown(&quality.convergence_error),
        shown(&quality.representation_ratio),
        shown(&quality.hypervolume),
    )
}

fn local_text(found: &FrontierSummary, show: Show) -> String {
    if found.local.is_empty() {
        return String::new();
    }
    let names = found.objectives.iter().map(|(name, _)| name.as_str());
    let head = ["local", "asked k"].into_iter().chain(names).chain(["suppressed", "dominated"]);
    let mut rows: Vec<Vec<String>> = vec![head.map(str::to_owned).collect()];
    for point in &found.local {
        let mut cells = vec![point.algorithm.clone(), point.k.to_string()];
        cells.extend(local_cells(found, point, show));
        cells.push(is_dominated(point).to_owned());
        rows.push(cells);
    }
    let title = "Local recodings, and whether some node of the front dominates them";
    format!("\n\n{}", section(title, &grid(&rows, 1)))
}
