//! `throng evaluate`: how well a classifier learns from a release.

use std::path::PathBuf;

use indicatif::HumanCount;
use serde_json::{Map, Value, json};

use throng_engine::error::{EngineError, Result};
use throng_engine::evaluate::{
    Accuracy, ClassifierKind, EvaluateOptions, EvaluateSummary, FOLDS, TrainedOn, evaluate, find_classifiers,
};
use throng_engine::input::source::Source;
use throng_engine::input::standard;
use throng_engine::job::{Job, JobFlags, Role, split_quasi};
use throng_engine::plan::OpenJob;
use throng_engine::tables::Tables;

use super::subject::is_job;
use crate::aligned::align;
use crate::args::{DialectArgs, read_threads};
use crate::console::Console;
use crate::exit::Exit;
use crate::report::section;
use crate::runtime;

const EXAMPLES: &str = "Examples:
  throng evaluate adult.csv release.csv --target salary-class
  throng evaluate adult.toml                       (the job's input, release and target)
  throng evaluate adult.csv release.csv --target salary-class --classifiers naive-bayes --folds 5";

/// Shows how well classifiers learn from a release, compared with the original
///
/// Uses cross-validation: the rows are divided into folds, and a classifier learns from all but one and is
/// tested on that one. It learns from every column that both tables have, whatever its role.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EvaluateArgs {
    /// The original table (.csv, .tsv, .jsonl, also with .gz or .zst; .parquet, .arrow; a directory or pattern
    /// of them), or a job file (.toml)
    #[arg(value_name = "ORIGINAL|JOB")]
    subject: PathBuf,

    /// The release; by default that of the job
    #[arg(value_name = "RELEASED")]
    released: Option<PathBuf>,

    /// The column to predict; by default the job's column with the role target
    #[arg(long, value_name = "COLUMN")]
    target: Option<String>,

    /// The quasi-identifiers; by default those of the job, or the columns that the release changed. For
    /// several: --qi A --qi B or --qi A,B
    #[arg(long = "qi", value_name = "COLUMN")]
    quasi: Vec<String>,

    /// naive-bayes, random-forest; both by default
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    classifiers: Vec<String>,

    /// How many parts to divide the rows into
    #[arg(long, value_name = "NUMBER", default_value_t = FOLDS)]
    folds: usize,

    /// The seed of the folds and the forests
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// Prints one JSON object instead of text
    #[arg(long)]
    json: bool,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "NUMBER", value_parser = read_threads, allow_negative_numbers = true)]
    threads: Option<usize>,

    #[command(flatten)]
    dialect: DialectArgs,
}

/// Evaluates the release, and says what was found.
pub(crate) fn run(args: EvaluateArgs, console: &Console) -> Result<Exit> {
    let (original, released, options) = args.find(console.tables())?;
    let found = {
        let progress = console.progress();
        runtime::run(args.threads, evaluate(&original, &released, &options, &progress))?
    };
    if args.json {
        console.data(format_args!("{:#}", as_json(&original, &released, &found)?));
    } else {
        console.out(text(&released, &found));
    }
    Ok(Exit::Done)
}

impl EvaluateArgs {
    /// The two tables, and what to do with them.
    fn find(&self, tables: &Tables) -> Result<(Source, Source, EvaluateOptions)> {
        let csv = self.dialect.overrides();
        let (original, released, target, quasi) = if is_job(&self.subject) {
            let job = Job::read(&self.subject)?.with_flags(JobFlags { csv, ..JobFlags::default() })?;
            let opened = OpenJob::of_tables(&job.with_tables(tables))?;
            let job = &opened.job;
            let target = opened.roles.with_role(Role::Target).next().map(|(_, name)| name.to_owned());
            let quasi = opened.quasi();
            let path = match &self.released {
                Some(released) => released.as_path(),
                None => job.output.path()?,
            };
            standard::refuse_twice(&job.input, path)?;
            (opened.source, tables.open(path, &job.csv_of_release())?, target, quasi)
        } else {
            let released = self.released.as_ref().ok_or_else(|| {
                EngineError::bad(
                    "give the release as well: throng evaluate ORIGINAL RELEASED --target COLUMN",
                )
            })?;
            standard::refuse_twice(&self.subject, released)?;
            (tables.open(&self.subject, &csv)?, tables.open(released, &csv.of_release())?, None, Vec::new())
        };
        let target = self.target.clone().or(target).ok_or_else(|| {
            EngineError::bad(
                "no target: name the column to predict with --target COLUMN, or give it that role",
            )
        })?;
        original.recognise(&[&target])?;
        released.recognise(&[&target])?;
        let named = self.quasi.iter().flat_map(|names| split_quasi(names, original.columns()));
        let named: Vec<String> = named.map(str::to_owned).collect();
        let classifiers = match self.classifiers.as_slice() {
            [] => ClassifierKind::ALL.to_vec(),
            names => find_classifiers(names)?,
        };
        let quasi = if named.is_empty() { quasi } else { named };
        let options = EvaluateOptions { target, quasi, folds: self.folds, seed: self.seed, classifiers };
        Ok((original, released, options))
    }
}

fn as_json(original: &Source, released: &Source, found: &EvaluateSummary) -> Result<Value> {
    let Ok(Value::Object(found)) = serde_json::to_value(found) else {
        return Err(EngineError::Data("cannot write the evaluation as JSON".into()));
    };
    let mut object = Map::from_iter([
        ("original".to_owned(), json!(original.path().display().to_string())),
        ("released".to_owned(), json!(released.path().display().to_string())),
    ]);
    object.extend(found);
    Ok(Value::Object(object))
}

fn text(released: &Source, found: &EvaluateSummary) -> String {
    let columns = found.features.len();
    let mut sections = vec![
        format!(
            "{}: {} of {} rows; {} classes of {}, from {columns} column{}",
            released.path().display(),
            HumanCount(found.released_rows),
            HumanCount(found.rows),
            found.classes,
            found.target,
            if columns == 1 { "" } else { "s" },
        ),
        section("Share of records whose class is predicted correctly", &results(found)),
    ];
    if !found.notes.is_empty() {
        let notes: String = found.notes.iter().map(|note| format!("  {note}\n")).collect();
        sections.push(section("Notes", &notes));
    }
    sections.join("\n\n")
}

fn results(found: &EvaluateSummary) -> String {
    let row = |result: &Accuracy| {
        [
            result.classifier.name().to_owned(),
            learned(result, found),
            format!("{:.2} %", 100.0 * result.accuracy),
            format!("± {:.2} from fold to fold", 100.0 * result.spread),
        ]
    };
    let majority = [
        "most common class".to_owned(),
        "learns nothing".to_owned(),
        format!("{:.2} %", 100.0 * found.majority),
        String::new(),
    ];
    align(&std::iter::once(majority).chain(found.results.iter().map(row)).collect::<Vec<_>>())
}

/// What a classifier learned from and was asked about.
fn learned(result: &Accuracy, found: &EvaluateSummary) -> String {
    match (result.trained_on, result.tested_on_original) {
        (TrainedOn::Original, _) => "learned from the original".to_owned(),
        (TrainedOn::WithoutQuasi, _) => match found.quasi.len() {
            0 => "learned from the original; the release changed no column".to_owned(),
            1..=3 => format!("learned from the original without {}", found.quasi.join(", ")),
            many => format!("learned from the original without its {many} quasi-identifiers"),
        },
        (TrainedOn::Released, false) => "learned from the release".to_owned(),
        (TrainedOn::Released, true) => "learned from the release, tested on original records".to_owned(),
    }
}
