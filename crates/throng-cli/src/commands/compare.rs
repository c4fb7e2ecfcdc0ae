//! `throng compare`: algorithms side by side on one table.

mod csv;
mod plots;
mod text;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::Value;

use throng::algorithm::Setting;
use throng::loss::Loss;
use throng_engine::compare::{Comparison, ComparisonPlan, Contender, RowSample, compare};
use throng_engine::error::{EngineError, Result};
use throng_engine::evaluate::find_classifiers;
use throng_engine::job::{Job, JobFlags, Suppression};
use throng_engine::output::sink::{
    Made, refuse_bad_directory, refuse_bad_place, refuse_same_file, write_text_of,
};
use throng_engine::pipeline::{find_measure, refuse_own_file};
use throng_engine::tables::Tables;

use super::targets::refuse_one_place;
use crate::args::DialectArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::runtime;

/// What k are compared unless others are named.
const KS: [u64; 5] = [2, 5, 10, 20, 50];
const QI_K: u64 = 10;

/// How variants are written; the keys are those that algorithms declare.
fn variants() -> String {
    let settings: Vec<&str> = Setting::all().iter().map(|setting| setting.name).collect();
    let settings: Vec<String> = settings.chunks(8).map(|names| names.join(", ")).collect();
    format!("{VARIANTS}{}{EXAMPLES}", settings.join(",\n    "))
}

const VARIANTS: &str = "Variants:
  Settings may follow an algorithm: NAME:KEY=VALUE+KEY=VALUE, or just KEY for KEY=true. The keys are
    notion                    as in [privacy] of a job file
    generalise=range-or-set   local algorithms: generalises every quasi-identifier without its
                              hierarchy: numbers and dates to the range, text to the set of a
                              class's values. Sets of more than 16 become *; range-or-set:50 allows
                              50. A column with `generalise` in the job is not affected
  and, as in [search], each only for algorithms that take it (see `throng algorithms`):
    ";

const EXAMPLES: &str = "
  Everything else is as in the job, and the output names the settings in force. If an algorithm has
  several variants, the one with the smallest total loss over all k is shown as best(NAME); of several
  algorithms for a notion other than k, the best is best(NOTION). Variants with a different generalise
  have a best of their own, best(NAME:generalise=…), because losses on different domains can't be
  compared.

Examples:
  throng compare hospital.toml
  throng compare hospital.toml --algorithms datafly,samarati --k 5,10 --qi-counts 3..6 \\
      --plots plots -o comparison.csv
  throng compare adult.toml --rows 5000 --measures entropy,lm --k 5,10,15,20 --algorithms \\
      agglomerative:distance=3,agglomerative:distance=4+shrink,forest,expansion:notion=kk
  throng compare adult.toml --measure ncp --suppression 0 --algorithms \\
      incognito,datafly,mondrian,mondrian:relaxed+generalise=range-or-set

Nothing is released. With --qi-counts, N quasi-identifiers means the first N in the order of the table.";

/// Compares algorithms: time, loss, level of generalisation and nodes checked, by k and by the number of
/// quasi-identifiers
#[derive(Debug, clap::Args)]
#[command(after_help = variants())]
pub(crate) struct CompareArgs {
    /// A job file (.toml); its k and its algorithm are ignored
    job: PathBuf,

    /// The algorithms, with settings to compare variants (see below); `throng algorithms` lists them
    #[arg(
        long,
        value_name = "VARIANTS",
        value_delimiter = ',',
        default_value = "datafly,improved-greedy,samarati,flash"
    )]
    algorithms: Vec<String>,

    /// The k to reach with all quasi-identifiers; 1 asks only for the job's other requirements. By default
    /// those of 2,5,10,20,50 for which there are enough rows
    #[arg(long, short, value_name = "NUMBERS", value_delimiter = ',')]
    k: Vec<u64>,

    /// Also compares by the number of quasi-identifiers, e.g. 3..8 (both included)
    #[arg(long, value_name = "FROM..TO", value_parser = read_counts)]
    qi_counts: Option<RangeInclusive<usize>>,

    /// The k to reach with these numbers of quasi-identifiers; by default that of --k if it is a single
    /// number, otherwise 10
    #[arg(long, value_name = "K")]
    qi_k: Option<u64>,

    /// How many rows may be left out: a share (0.02 or 2%) or a number ('1 row', 100); by default as in
    /// the job
    #[arg(long, value_name = "ROWS", allow_hyphen_values = true)]
    suppression: Option<Suppression>,

    /// The measures of loss to minimise, each in separate searches; by default that of the job
    #[arg(long, visible_alias = "measure", value_name = "NAMES", value_delimiter = ',')]
    measures: Vec<String>,

    /// Compares on a random sample of this many rows, or on all rows if there are fewer
    #[arg(long, value_name = "NUMBER")]
    rows: Option<u64>,

    /// The seed of the sample; by default that of the job
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,

    /// How long one search may take; by default as in the job
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    time_limit: Option<f64>,

    /// How many times to run each search; shows the median time
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    repeat: usize,

    /// Classifiers that learn from each release to predict the job's target: naive-bayes, random-forest.
    /// Shows the share of records that each predicts correctly
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    classifiers: Vec<String>,

    /// The format of the comparison; by default according to the name of --output, or text
    #[arg(long, value_enum)]
    format: Option<OutputShape>,

    /// Where to write the comparison, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Writes plots (SVG) to this directory
    #[arg(long, value_name = "DIRECTORY")]
    plots: Option<PathBuf>,

    /// Threads to use; by default as in the job, or all cores
    #[arg(long, value_name = "NUMBER")]
    threads: Option<usize>,

    #[command(flatten)]
    dialect: DialectArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputShape {
    Text,
    Csv,
    Json,
}

/// Compares, and writes table and plots.
pub(crate) fn run(args: CompareArgs, console: &Console) -> Result<Exit> {
    let job = args.job(console.tables())?;
    if let Some(output) = &args.output {
        refuse_same_file(&args.job, output)?;
        refuse_own_file(&job, output)?;
        refuse_one_place(&[("--output", Some(output)), ("--log", console.log_file())])?;
        refuse_bad_place(output, Made::Comparison)?;
    }
    if let Some(directory) = &args.plots {
        refuse_bad_directory(directory)?;
    }
    let plan = args.plan(&job)?;
    let compared = {
        let progress = console.progress();
        runtime::run(job.search.threads, compare(&job, &plan, &progress))?
    };
    let text = match args.shape() {
        OutputShape::Text => text::text(&compared),
        OutputShape::Csv => csv::csv(&compared),
        OutputShape::Json => json(&compared)?,
    };
    match &args.output {
        None if matches!(args.shape(), OutputShape::Text) => console.out(text.trim_end()),
        None => console.data(text.trim_end()),
        Some(path) => {
            write_text_of(&job.input, path, Made::Comparison, &text)?;
            console.note(format_args!("wrote {}", path.display()));
        }
    }
    if let Some(directory) = &args.plots {
        for path in plots::write(&compared, &job.input, directory)? {
            console.note(format_args!("wrote {}", path.display()));
        }
    }
    Ok(Exit::Done)
}

impl CompareArgs {
    fn job(&self, tables: &Tables) -> Result<Job> {
        if self.job.extension().is_none_or(|extension| extension != "toml") {
            return Err(EngineError::bad((
                "compare needs a job file (.toml), which says what each column is",
                "`throng demo` writes one",
            ))
            .in_file(&self.job));
        }
        let flags = JobFlags {
            csv: self.dialect.overrides(),
            suppression: self.suppression,
            seed: self.seed,
            time_limit: self.time_limit,
            threads: self.threads,
            ..JobFlags::default()
        };
        Ok(Job::read(&self.job)?.with_flags(flags)?.with_tables(tables))
    }

    fn plan(&self, job: &Job) -> Result<ComparisonPlan> {
        let ks = self.ks();
        let contender = |text: &str| Contender::parse(text, job);
        Ok(ComparisonPlan {
            contenders: each_once(&self.algorithms).map(contender).collect::<Result<_>>()?,
            measures: self.measures(job)?,
            quasi_k: self.qi_k.unwrap_or(if let [k] = ks[..] { k } else { QI_K }),
            ks,
            only_ks_within_rows: self.k.is_empty(),
            quasi_counts: self.qi_counts.clone(),
            sample: self.rows.map(|rows| RowSample { rows, seed: job.search.seed }),
            suppression: job.privacy.suppression,
            time_limit: job.search.time_budget(),
            repeats: self.repeat,
            classifiers: find_classifiers(&self.classifiers)?,
            seed: job.search.seed,
        })
    }

    /// Each k once, the least first.
    fn ks(&self) -> Vec<u64> {
        let mut ks = if self.k.is_empty() { KS.to_vec() } else { self.k.clone() };
        ks.sort_unstable();
        ks.dedup();
        ks
    }

    fn measures(&self, job: &Job) -> Result<Vec<&'static dyn Loss>> {
        match &self.measures[..] {
            [] => Ok(vec![find_measure(&job.search.measure)?]),
            names => each_once(names).map(find_measure).collect(),
        }
    }

    fn shape(&self) -> OutputShape {
        self.format.unwrap_or_else(|| self.output.as_deref().map_or(OutputShape::Text, shape_of))
    }
}

/// The names in their order, without repetitions.
fn each_once(names: &[String]) -> impl Iterator<Item = &str> {
    let is_first = |&at: &usize| !names[..at].iter().any(|name| name.trim() == names[at].trim());
    (0..names.len()).filter(is_first).map(|at| names[at].trim())
}

/// What a file's name asks for.
fn shape_of(path: &Path) -> OutputShape {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => OutputShape::Csv,
        Some("json") => OutputShape::Json,
        _ => OutputShape::Text,
    }
}

/// `KEY=VALUE`, as a contender has it.
fn setting((key, value): (&String, &Value)) -> String {
    match value.as_str() {
        Some(text) => format!("{key}={text}"),
        None => format!("{key}={value}"),
    }
}

fn json(compared: &Comparison) -> Result<String> {
    let text = serde_json::to_string_pretty(compared)
        .map_err(|error| EngineError::Data(format!("cannot write the comparison as JSON: {error}").into()))?;
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
    fn names_count_once() {
        let names = ["b", " a", "b ", "a", "c"].map(str::to_owned);
        assert_eq!(each_once(&names).collect::<Vec<_>>(), ["b", "a", "c"]);
    }

    #[test]
    fn the_name_of_the_file_decides_the_format() {
        assert_eq!(shape_of(Path::new("a/b.csv")), OutputShape::Csv);
        assert_eq!(shape_of(Path::new("b.json")), OutputShape::Json);
        assert_eq!(shape_of(Path::new("b.md")), OutputShape::Text);
    }
}
