//! `throng apply`: a recoding of an earlier delivery, in the place of a search.

use std::path::{Path, PathBuf};

use throng_engine::address::Address;
use throng_engine::error::{EngineError, Result};
use throng_engine::job::{Job, JobFlags, Suppression};
use throng_engine::output::sink::{Made, refuse_same_file, write_text_of};
use throng_engine::pipeline;
use throng_engine::reuse::{Delivery, SavedRecoding};
use throng_engine::summary::Summary;
use throng_engine::tables::Tables;

use super::anonymize::{exit_of, log, read_output, tell_origin};
use super::report::refuse_target;
use super::subject::take_in;
use super::targets::refuse_one_place;
use crate::args::{DialectArgs, KeyArgs, OutputArgs, read_threads};
use crate::console::Console;
use crate::exit::Exit;
use crate::runtime;

const EXAMPLES: &str = "Examples:
  throng anonymize hospital.toml --save hospital.recoding.json
  throng apply hospital.recoding.json april.csv -o april-anonymous.csv
  throng apply hospital.recoding.json may.csv -o may-anonymous.csv --suppression 1%";

/// Applies a saved recoding to a later delivery of the same table, and verifies it again
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ApplyArgs {
    /// A recoding that `throng anonymize --save FILE` wrote
    #[arg(value_name = "RECODING")]
    recoding: PathBuf,

    /// The delivery: a table with the same columns (- for standard input)
    #[arg(value_name = "DATA")]
    data: PathBuf,

    /// Where to write the release. The name decides the format (- or -.parquet for standard output); a
    /// name that ends in / is a directory of parts
    #[arg(long, short, value_name = "FILE", value_parser = read_output, allow_hyphen_values = true)]
    output: PathBuf,

    /// Prints one JSON object instead of text
    #[arg(long)]
    json: bool,

    /// Writes the summary to a file. By default it goes to standard output, or to standard error if the
    /// release goes there
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,

    /// The job that made the recoding, for values that the job lists but the recoding does not contain
    #[arg(long, value_name = "FILE")]
    job: Option<PathBuf>,

    /// Where a hierarchy file is now, if it has moved; its contents must be the same. May be repeated
    #[arg(long, value_name = "COLUMN=FILE", value_parser = read_hierarchy)]
    hierarchy: Vec<(String, PathBuf)>,

    /// How many rows may be left out if the requirements no longer hold, instead of what the recoding
    /// says: a share (0.02 or 2%) or a number ('1 row', 100)
    #[arg(long, value_name = "ROWS", allow_hyphen_values = true)]
    suppression: Option<Suppression>,

    /// What to do with values that a hierarchy lacks: error, or top (release them as *); may be repeated
    #[arg(long, value_name = "COLUMN=WAY")]
    unknown: Vec<String>,

    #[command(flatten)]
    written: OutputArgs,

    #[command(flatten)]
    key: KeyArgs,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "NUMBER", value_parser = read_threads, allow_negative_numbers = true)]
    threads: Option<usize>,

    #[command(flatten)]
    dialect: DialectArgs,
}

/// Reads COLUMN=FILE; a name may have the sign, too.
fn read_hierarchy(text: &str) -> std::result::Result<(String, PathBuf), String> {
    match text.rsplit_once('=') {
        Some((column, file)) if !column.is_empty() && !file.is_empty() => {
            Ok((column.to_owned(), file.into()))
        }
        _ => Err("give COLUMN=FILE".to_owned()),
    }
}

/// Applies the recoding and reports.
pub(crate) fn run(args: ApplyArgs, console: &Console) -> Result<Exit> {
    let (recoding, json, summary_file) = (args.recoding.clone(), args.json, args.summary.clone());
    let key = args.key.clone();
    let saved = SavedRecoding::read(&recoding)?;
    let mut job = args.job(&saved, console.tables())?;
    let key = key.find(&job)?;
    let output = job.output.path()?.clone();
    refuse_same_file(&recoding, &output)?;
    if let Address::Stdio(_) = output {
        console.leave_standard_output();
    }
    if let Some(file) = &summary_file {
        refuse_same_file(&recoding, file)?;
        refuse_target(&job, file, Made::Summary)?;
    }
    refuse_one_place(&[
        ("the release", Some(&output)),
        ("--summary", summary_file.as_deref()),
        ("--log", console.log_file()),
    ])?;
    let mut summary = {
        let progress = console.progress();
        runtime::run(job.search.threads, pipeline::apply(&job, &saved, key.as_ref(), &progress))?
    };
    tell_origin(&mut summary, &recoding)?;
    log(&summary, console);
    summary.algorithm.clone_into(&mut job.search.algorithm);
    show(&job, &summary, json, summary_file.as_deref(), console)?;
    Ok(exit_of(&summary))
}

/// Prints the summary, or writes it into its file.
fn show(
    job: &Job,
    summary: &Summary,
    json: bool,
    summary_file: Option<&Path>,
    console: &Console,
) -> Result<()> {
    let text = if json {
        serde_json::to_string_pretty(summary)
            .map_err(|error| EngineError::Data(format!("the report cannot be written: {error}").into()))?
    } else {
        crate::report::text(job, summary)
    };
    match summary_file {
        Some(file) => write_text_of(&job.input, file, Made::Summary, &format!("{text}\n"))?,
        None if json => console.data(text),
        None => console.out(text),
    }
    Ok(())
}

impl ApplyArgs {
    fn job(self, saved: &SavedRecoding, tables: &Tables) -> Result<Job> {
        take_in(&self.data, tables)?;
        let made_by = self.job.as_deref().map(Job::read).transpose()?;
        let flags = JobFlags {
            input: Some(self.data),
            output: Some(self.output),
            csv: self.dialect.overrides(),
            unknown: self.unknown,
            suppression: self.suppression,
            threads: self.threads,
            ..self.written.flags()
        };
        let delivery = Delivery { flags, hierarchies: self.hierarchy, job: made_by };
        let job = saved.job(&self.recoding, delivery).map_err(|error| error.about_file(&self.recoding))?;
        Ok(job.with_tables(tables))
    }
}
