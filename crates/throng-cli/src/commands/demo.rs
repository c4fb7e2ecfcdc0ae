//! `throng demo`: everything at once, on a table that is nobody's.

use std::path::{Path, PathBuf};

use clap::{ValueEnum, value_parser};
use indicatif::HumanCount;

use throng_engine::demo::{Hospital, write_demo};
use throng_engine::error::Result;
use throng_engine::format::Format;
use throng_engine::job::Job;
use throng_engine::progress::Progress;

use super::anonymize::{anonymize, exit_of};
use crate::aligned::align;
use crate::console::Console;
use crate::exit::Exit;
use crate::report::{self, section};

/// Makes a synthetic hospital table, anonymises it, and shows what to try next
#[derive(Debug, clap::Args)]
pub(crate) struct DemoArgs {
    /// Rows of the table; at least the k of the demo's job
    #[arg(long, value_name = "NUMBER", default_value_t = 20_000, value_parser = value_parser!(u64).range(5..))]
    rows: u64,

    /// Which patients there are; the same seed gives the same table
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// Where the files go; made if need be
    #[arg(long, value_name = "DIRECTORY", default_value = "throng-demo")]
    dir: PathBuf,

    /// The format of the table
    #[arg(long, value_enum, default_value_t = TableFormat::Csv)]
    format: TableFormat,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TableFormat {
    Csv,
    Parquet,
}

/// Writes the demo, runs its job, and tells about it.
pub(crate) fn run(args: DemoArgs, console: &Console) -> Result<Exit> {
    let path = write(&args, console)?;
    let job = Job::read(&path)?;
    let report = anonymize(&job, console)?;
    console.out(format_args!(
        "{}\n\n{}\n\n{}",
        report::text(&job, &report),
        section("Files", &files(&job, &path, args.rows)),
        section("Try next", &next_steps(&job, &path)),
    ));
    Ok(exit_of(&report))
}

fn write(args: &DemoArgs, console: &Console) -> Result<PathBuf> {
    let hospital = Hospital { seed: args.seed, rows: args.rows };
    let format = match args.format {
        TableFormat::Csv => Format::Csv,
        TableFormat::Parquet => Format::Parquet,
    };
    let progress = console.progress();
    progress.phase("make the table");
    // The writing of all rows is the whole of the bar.
    progress.rows_read(args.rows);
    write_demo(&args.dir, hospital, format, &progress)
}

fn files(job: &Job, path: &Path, rows: u64) -> String {
    let hierarchies = path.with_file_name("hierarchies");
    let rows = [
        (job.input.as_path(), format!("{} synthetic hospital admissions, nobody's data", HumanCount(rows))),
        (path, "the job: what each column is, and what the release must satisfy".to_owned()),
        (&hierarchies, "how nationalities and occupations are generalised".to_owned()),
        (&job.output.path, "the release, read back from the disk and verified".to_owned()),
    ];
    align(&rows.map(|(path, about)| [path.display().to_string(), about]))
}

fn next_steps(job: &Job, path: &Path) -> String {
    let job_file = shell(path);
    let larger = shell(&path.with_file_name(other_name(&job.output.path)));
    let plots = shell(&path.with_file_name("plots"));
    let throng = program();
    format!(
        "  How exposed was the table, and how exposed is the release?\n    \
           {throng} check {job_file} --input\n    \
           {throng} check {job_file}\n  \
         A larger crowd:\n    \
           {throng} anonymize {job_file} -k 20 -o {larger}\n  \
         What do other algorithms find, and how fast?\n    \
           {throng} compare {job_file} --plots {plots}\n"
    )
}

/// How this program was called, if by a path in the working directory, as `cargo run` does;
/// else its name.
fn program() -> String {
    let called = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let within = called.is_relative() && called.components().count() > 1;
    if within { shell(&called) } else { "throng".to_owned() }
}

/// The name of a release with another k, in the format of this one.
fn other_name(release: &Path) -> String {
    let extension = release.extension().unwrap_or_default().to_string_lossy();
    format!("hospital-k20.{extension}")
}

/// A path as one word of a command line.
fn shell(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_one_word() {
        assert_eq!(shell(Path::new("throng-demo/a.csv")), "throng-demo/a.csv");
        assert_eq!(shell(Path::new("my demo/it's.csv")), r"'my demo/it'\''s.csv'");
    }
}
