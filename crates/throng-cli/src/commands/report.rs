//! `throng report`: a page about a release, for those who must answer for it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use throng_engine::address::Address;
use throng_engine::error::Result;
use throng_engine::job::{Job, JobFlags};
use throng_engine::output::sink::{Made, refuse_bad_place, refuse_same_file, write_text_of};
use throng_engine::pipeline::refuse_own_file;
use throng_engine::summary::{Judgement, Summary};
use throng_report::evidence::Evidence;
use throng_report::page;

use crate::args::{DialectArgs, read_at_least, read_threads};
use crate::called;
use crate::console::Console;
use crate::exit::Exit;
use crate::runtime;

const EXAMPLES: &str = "Examples:
  throng report hospital.toml                          (of what the job released)
  throng report hospital.toml release.csv -o report.html";

/// Writes a report on a release: what was asked for, whether it holds and what it cost
///
/// The report is a single HTML file. It is made from the job's input and its release alone, so it says
/// nothing about the search; `throng anonymize --report` does. The exit code is 1 if the release does not
/// satisfy the job, or if part of that could not be judged.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReportArgs {
    /// A job file (.toml)
    job: PathBuf,

    /// The release; by default that of the job
    released: Option<PathBuf>,

    /// Where to write the report; beside the release by default
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Also searches again without each column, and with a finer hierarchy for it, to show what it costs; for
    /// at most this long
    #[arg(long, value_name = "SECONDS", value_parser = read_at_least::<1>, allow_negative_numbers = true)]
    what_if: Option<u64>,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "NUMBER", value_parser = read_threads, allow_negative_numbers = true)]
    threads: Option<usize>,

    #[command(flatten)]
    dialect: DialectArgs,
}

/// Writes the report of a release.
pub(crate) fn run(args: ReportArgs, console: &Console) -> Result<Exit> {
    let flags = JobFlags { csv: args.dialect.overrides(), threads: args.threads, ..JobFlags::default() };
    let mut job = Job::read(&args.job)?.with_flags(flags)?.with_tables(console.tables());
    if let Some(released) = args.released {
        job.output.path = Some(Address::of_target(released));
    }
    let released = job.output.path()?;
    let target = args.output.unwrap_or_else(|| released.with_extension("report.html"));
    refuse_same_file(&args.job, &target)?;
    refuse_target(&job, &target, Made::Page)?;
    let evidence = write(&job, None, &target, args.what_if.map(Duration::from_secs), console)?;
    console.out(format_args!("Report: {}", target.display()));
    for (one, reason) in evidence.not_judged() {
        console.note(format_args!("{} is not judged: {reason}", one.name()));
    }
    Ok(match evidence.verdict() {
        Judgement::Holds => Exit::Done,
        Judgement::Fails => {
            console.note("the release does not satisfy the job");
            Exit::NoRelease
        }
        Judgement::NotJudged => {
            console.note(
                "it is unknown whether the release satisfies the job, because not everything could be judged",
            );
            Exit::NoRelease
        }
    })
}

/// Refuses a file about a job in the place of another file of it, or of anything that is not ours, before any work is done
/// for it.
pub(super) fn refuse_target(job: &Job, target: &Path, made: Made) -> Result<()> {
    refuse_own_file(job, target)?;
    refuse_same_file(job.output.path()?, target)?;
    refuse_bad_place(target, made)
}

/// Gathers what is known of a release, and writes it.
pub(super) fn write(
    job: &Job,
    summary: Option<&Summary>,
    target: &Path,
    what_if: Option<Duration>,
    console: &Console,
) -> Result<Evidence> {
    let evidence = {
        let progress = console.progress();
        runtime::run(
            job.search.threads,
            Evidence::gather(job, job.output.path()?, summary, what_if, &progress),
        )?
    };
    write_text_of(&job.input, target, Made::Page, &page::report(&evidence, Some(&command())))?;
    Ok(evidence)
}

/// The command line, but for a value of the table that a requirement may name, and for the seed of an order, by which it
/// could be undone.
fn command() -> String {
    let shown = |arg: String| {
        let names_value = arg.split_whitespace().collect::<String>().contains("value=");
        let arg = if names_value { "…".to_owned() } else { arg };
        let arg = match arg.split_once("shuffle:") {
            Some((flag, _)) => format!("{flag}shuffle"),
            None => arg,
        };
        let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+%".contains(c);
        if !arg.is_empty() && arg.chars().all(is_plain) {
            arg
        } else {
            format!("'{}'", arg.replace('\'', "'\\''"))
        }
    };
    let rest = called::arguments().iter().skip(1).map(|arg| shown(arg.to_string_lossy().into_owned()));
    std::iter::once("throng".to_owned()).chain(rest).collect::<Vec<_>>().join(" ")
}
