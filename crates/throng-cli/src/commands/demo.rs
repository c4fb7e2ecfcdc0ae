//! `throng demo`: everything at once, on a table that is nobody's.

use std::path::{Path, PathBuf};

use clap::{ValueEnum, value_parser};
use indicatif::HumanCount;

use throng_engine::demo::{Dataset, Demo, DemoFiles, NextStep, datasets, find_dataset, write_demo_files};
use throng_engine::error::{EngineError, Result};
use throng_engine::format::Format;
use throng_engine::job::Job;
use throng_engine::progress::Progress;

use super::anonymize::{anonymize, exit_of, tell_origin};
use crate::aligned::align;
use crate::called;
use crate::console::Console;
use crate::exit::Exit;
use crate::report::{self, section};

/// Makes a synthetic table, anonymises it, and shows what to try next
#[derive(Debug, clap::Args)]
pub(crate) struct DemoArgs {
    #[arg(
        long,
        value_name = "NAME",
        help = list_datasets(),
        default_value = datasets()[0].name(),
        value_parser = read_dataset
    )]
    dataset: &'static dyn Dataset,

    /// Number of columns, if it can be chosen (census: 1 to 64)
    #[arg(long, value_name = "NUMBER")]
    columns: Option<usize>,

    /// Rows of the table; at least the k of the demo's job
    #[arg(long, value_name = "NUMBER", default_value_t = 20_000, value_parser = value_parser!(u64).range(5..))]
    rows: u64,

    /// The seed; the same seed gives the same table
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// The directory for the files; created if necessary
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

fn list_datasets() -> String {
    let one = |dataset: &&dyn Dataset| format!("{} ({})", dataset.name(), dataset.rows_are());
    format!("The table: {}", datasets().iter().map(one).collect::<Vec<_>>().join(", "))
}

fn read_dataset(name: &str) -> std::result::Result<&'static dyn Dataset, String> {
    find_dataset(name).map_err(|error| error.to_string())
}

/// Writes the demo, runs its job, and tells about it.
pub(crate) fn run(args: DemoArgs, console: &Console) -> Result<Exit> {
    let made = write(&args, console)?;
    let job = Job::read(made.job())?.with_tables(console.tables());
    let mut summary = anonymize(&job, None, console)?;
    tell_origin(&mut summary, made.job())?;
    let path = made.keep();
    console.out(format_args!(
        "{}\n\n{}\n\n{}",
        report::text(&job, &summary),
        section("Files", &files(&job, &path, &args)),
        section("Try next", &next_steps(args.dataset.next_steps(), &job.input)),
    ));
    Ok(exit_of(&summary))
}

fn write(args: &DemoArgs, console: &Console) -> Result<DemoFiles> {
    let demo = Demo { dataset: dataset(args)?, seed: args.seed, rows: args.rows };
    let format = match args.format {
        TableFormat::Csv => Format::CSV,
        TableFormat::Parquet => Format::PARQUET,
    };
    let progress = console.progress();
    progress.phase("make the table");
    // The writing of all rows is the whole of the bar.
    progress.rows_read(args.rows);
    write_demo_files(&args.dir, demo, format, &progress)
}

/// The dataset, with as many columns as were asked for.
fn dataset(args: &DemoArgs) -> Result<&'static dyn Dataset> {
    let Some(columns) = args.columns else { return Ok(args.dataset) };
    args.dataset.with_columns(columns).ok_or_else(|| {
        let name = args.dataset.name();
        EngineError::bad(match args.dataset.max_columns() {
            Some(most) => format!("the dataset '{name}' has 1 to {most} columns, not {columns}"),
            None => format!(
                "you cannot choose the number of columns of the dataset '{name}', only that \
                 of 'census'"
            ),
        })
    })
}

fn files(job: &Job, path: &Path, args: &DemoArgs) -> String {
    let hierarchies = path.with_file_name("hierarchies");
    let (rows, dataset) = (HumanCount(args.rows), args.dataset);
    let rows = [
        (job.input.path(), format!("{rows} {}, not the data of real people", dataset.rows_are())),
        (path, "the job: what each column is, and what the release must satisfy".to_owned()),
        (&hierarchies, dataset.hierarchies_are().to_owned()),
        (
            job.output.path.as_deref().unwrap_or(path),
            "the release, read back from the disk and verified".to_owned(),
        ),
    ];
    align(&rows.map(|(path, about)| [path.display().to_string(), about]))
}

/// Questions and commands, for the demo whose table is this one.
fn next_steps(steps: &[NextStep], table: &Path) -> String {
    let throng = program();
    let mut text = String::new();
    for step in steps {
        text.push_str(&format!("  {}\n", step.question));
        for command in step.commands {
            let words: Vec<String> = command.split(' ').map(|word| spell(word, table)).collect();
            text.push_str(&format!("    {throng} {}\n", words.join(" ")));
        }
    }
    text
}

/// A word of a command; `@NAME` becomes the path of a file beside the table.
fn spell(word: &str, table: &Path) -> String {
    let Some(name) = word.strip_prefix('@') else { return word.to_owned() };
    let extension = table.extension().unwrap_or_default();
    let path = table.with_file_name(name);
    shell(&if name.ends_with(".table") { path.with_extension(extension) } else { path })
}

/// How this program was called, if by a path in the working directory, as `cargo run` does;
/// else its name.
fn program() -> String {
    let called = called::arguments().first().map(PathBuf::from).unwrap_or_default();
    let within = called.is_relative() && called.components().count() > 1;
    if within { shell(&called) } else { "throng".to_owned() }
}

/// A path as one word of a command line.
pub(super) fn shell(path: &Path) -> String {
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

    #[test]
    fn files_of_the_demo_are_beside_its_table() {
        let table = Path::new("my demo/art.csv.gz");
        assert_eq!(spell("--input", table), "--input");
        assert_eq!(spell("@art.toml", table), "'my demo/art.toml'");
        assert_eq!(spell("@art-k5.table", Path::new("d/art.parquet")), "d/art-k5.parquet");
    }
}
