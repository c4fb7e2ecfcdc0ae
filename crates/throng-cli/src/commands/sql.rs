//! `throng sql`: a release as SQL, for engines that throng does not drive.

use std::path::{Path, PathBuf};

use throng_engine::address::Address;
use throng_engine::error::Result;
use throng_engine::job::{Job, JobFlags};
use throng_engine::output::sink::{Made, refuse_bad_place, refuse_same_file, write_text_of};
use throng_engine::pipeline::{Drafted, draft_sql, refuse_own_file};
use throng_engine::sql::{SqlDialect, SqlTarget, TableName};
use throng_engine::tables::Tables;

use super::anonymize::{ColumnArgs, LevelArgs, ReleaseArgs, SearchArgs, job_flags, read_output};
use super::subject::{is_job, job_of_file, job_of_table};
use super::targets::refuse_one_place;
use crate::args::DialectArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::log::LogLevel;
use crate::runtime;

const EXAMPLES: &str = "Examples:
  throng sql hospital.toml --dialect duckdb -o release.sql
  throng sql hospital.toml --dialect bigquery --table clinic.patients --release clinic.patients_k5 | bq query";

/// Writes a release as SQL: tables that map each value, the statement that makes the release and a query that
/// verifies it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SqlArgs {
    /// A job file (.toml), or a table; the search reads it as `throng anonymize` does, and no release is written
    #[arg(value_name = "JOB|DATA")]
    subject: PathBuf,

    /// The SQL dialect of the engine: postgres, duckdb, spark, bigquery, snowflake or ansi
    #[arg(long = "dialect", value_name = "NAME")]
    sql: SqlDialect,

    /// Where to write the text; standard output by default. It contains original values: do not publish
    /// it
    #[arg(long, short, value_name = "FILE", value_parser = read_output, allow_hyphen_values = true)]
    output: Option<PathBuf>,

    /// The name of the table in the engine, as name or schema.name; by default that of the input
    #[arg(long, value_name = "NAME")]
    table: Option<TableName>,

    /// The name of the released table; by default that of the job's output, or 'release'
    #[arg(long = "release", value_name = "NAME")]
    made: Option<TableName>,

    #[command(flatten)]
    columns: ColumnArgs,

    #[command(flatten)]
    release: ReleaseArgs,

    #[command(flatten)]
    search: SearchArgs,

    #[command(flatten)]
    levels: LevelArgs,

    #[command(flatten)]
    dialect: DialectArgs,
}

/// Searches, and tells what was found.
pub(crate) fn run(args: SqlArgs, console: &Console) -> Result<Exit> {
    let SqlArgs { subject, sql, output, table, made, columns, release, search, levels, dialect } = args;
    let choice = levels.choice(release.asks_k())?;
    let job = job_of(&subject, job_flags(columns, release, search, dialect), console.tables())?;
    let target = SqlTarget { dialect: sql, table, release: made };
    let output = output.filter(|output| !matches!(Address::of_target(output.as_path()), Address::Stdio(_)));
    if let Some(output) = &output {
        refuse_same_file(&subject, output)?;
        refuse_own_file(&job, output)?;
        refuse_one_place(&[("--output", Some(output)), ("--log", console.log_file())])?;
        refuse_bad_place(output, Made::Sql)?;
    }
    let progress = console.progress();
    let drafted = runtime::run(job.search.threads, draft_sql(&job, choice.as_ref(), &target, &progress))?;
    let found =
        if drafted.text.is_some() { "a release is written as SQL" } else { "nothing may be released" };
    console.log(LogLevel::Info, format_args!("{} rows: {found}", drafted.summary.rows));
    let Some(text) = &drafted.text else {
        console.note(crate::report::text(&job, &drafted.summary));
        return Ok(Exit::NoRelease);
    };
    match &output {
        Some(output) => {
            write_text_of(&job.input, output, Made::Sql, text)?;
            tell(&drafted, sql, output, console);
        }
        None => console.data(text.trim_end()),
    }
    Ok(Exit::Done)
}

fn job_of(subject: &Path, flags: JobFlags, tables: &Tables) -> Result<Job> {
    match is_job(subject) {
        true => job_of_file(subject, flags, tables),
        false => job_of_table(subject, flags, tables, Job::to_search),
    }
}

fn tell(drafted: &Drafted, dialect: SqlDialect, output: &Path, console: &Console) {
    let Drafted { summary, tables: (table, release), .. } = drafted;
    let fate = if summary.masked_rows > 0 { "masked" } else { "left out" };
    console.out(format_args!("SQL for {}: {}", dialect.title(), output.display()));
    console.out(format_args!(
        "  makes {release} from {table}: {} rows, {} of them {fate}",
        summary.rows, summary.suppressed_rows
    ));
    console.out("  contains original values of quasi-identifiers: not for publication");
    summary.warnings.iter().for_each(|warning| console.note(format_args!("warning: {warning}")));
}
