//! `throng report`: a page about a release, for those who must answer for it.

use std::path::{Path, PathBuf};

use throng_engine::error::Result;
use throng_engine::evidence::Evidence;
use throng_engine::job::{Job, JobFlags};
use throng_engine::output::sink::{refuse_bad_place, refuse_same_file, write_text};
use throng_engine::page;
use throng_engine::pipeline::refuse_own_file;
use throng_engine::report::Report;

use crate::args::{DialectArgs, read_threads};
use crate::console::Console;
use crate::exit::Exit;
use crate::runtime;

const EXAMPLES: &str = "Examples:
  throng report hospital.toml                          (of what the job released)
  throng report hospital.toml release.csv -o report.html";

/// Writes a report about a release: what was asked, whether it holds, what it cost
///
/// One HTML file that needs nothing else. It is made of the job's input and its release alone, so it says
/// nothing about how the search went; `throng anonymize --report` does, too. Ends with exit code 1 if the
/// release does not satisfy the job.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReportArgs {
    /// A job file (.toml)
    job: PathBuf,

    /// The release; that of the job if it is not named
    released: Option<PathBuf>,

    /// The report to write; beside the release if it is not named
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "NUMBER", value_parser = read_threads, allow_negative_numbers = true)]
    threads: Option<usize>,

    #[command(flatten)]
    dialect: DialectArgs,
}

/// Writes the report of a release.
pub(crate) fn run(args: ReportArgs, console: &Console) -> Result<Exit> {
    let flags = JobFlags { csv: args.dialect.overrides(), threads: args.threads, ..JobFlags::default() };
    let mut job = Job::read(&args.job)?.with_flags(flags)?;
    if let Some(released) = args.released {
        job.output.path = released;
    }
    let target = args.output.unwrap_or_else(|| job.output.path.with_extension("report.html"));
    refuse_target(&job, &target)?;
    refuse_same_file(&args.job, &target)?;
    let evidence = write(&job, None, &target, console)?;
    console.out(format_args!("Report: {}", target.display()));
    if !evidence.holds() {
        console.note("the release does not satisfy the job");
        return Ok(Exit::NoRelease);
    }
    Ok(Exit::Done)
}

/// Refuses a report in the place of another file of the job, before any work is done for it.
pub(super) fn refuse_target(job: &Job, target: &Path) -> Result<()> {
    refuse_own_file(job, target)?;
    refuse_same_file(&job.output.path, target)?;
    refuse_bad_place(target)
}

/// Gathers what is known of a release, and writes it.
pub(super) fn write(
    job: &Job,
    summary: Option<&Report>,
    target: &Path,
    console: &Console,
) -> Result<Evidence> {
    let evidence = {
        let progress = console.progress();
        runtime::run(job.search.threads, Evidence::gather(job, &job.output.path, summary, &progress))?
    };
    write_text(target, &page::report(&evidence, Some(&command())))?;
    Ok(evidence)
}

/// The command line, but for a value of the table that a requirement may name.
fn command() -> String {
    let shown = |arg: String| {
        let names_value = arg.split_whitespace().collect::<String>().contains("value=");
        let arg = if names_value { "…".to_owned() } else { arg };
        let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+%".contains(c);
        if !arg.is_empty() && arg.chars().all(is_plain) {
            arg
        } else {
            format!("'{}'", arg.replace('\'', "'\\''"))
        }
    };
    let rest = std::env::args_os().skip(1).map(|arg| shown(arg.to_string_lossy().into_owned()));
    std::iter::once("throng".to_owned()).chain(rest).collect::<Vec<_>>().join(" ")
}
