//! `throng init`: a job and hierarchies for a table that has neither.

use std::path::PathBuf;

use indicatif::HumanCount;

use throng_engine::error::{EngineError, Result};
use throng_engine::init::{Decision, InitOptions, Initial, init};
use throng_engine::job::Role;
use throng_engine::profile::ColumnKind;

use super::check::percent;
use super::demo::shell;
use crate::aligned::align;
use crate::args::DialectArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::report::section;
use crate::runtime;

const EXAMPLES: &str = "Examples:
  throng init data.csv && throng anonymize data.toml
  throng init data.parquet -o jobs/release.toml";

const LOOK_AT_ROLES: [&str; 3] = [
    "the roles: they are suggestions. What could others know about these people? That is quasi; what no",
    "  release may show is identifier. Columns that are sensitive, target or other are released as they",
    "  are, row by row",
];

const LOOK_AT_HIERARCHIES: [&str; 2] = [
    "the hierarchies: they hold the values of their columns, so keep them as safe as the table, and do",
    "  not publish them carelessly. Their groups are built from counts, not from meaning",
];

/// Writes a job with comments for a table, and a hierarchy for each quasi-identifier, for you to edit
///
/// Roles are suggested from names and counts. Check them before you release anything.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InitArgs {
    /// A table (.csv, .tsv, .jsonl, also with .gz or .zst; .parquet, .arrow; a directory or pattern of them)
    #[arg(value_name = "DATA")]
    data: PathBuf,

    /// Where to write the job; beside the table by default. Hierarchies go into a directory beside it
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replaces files that already exist
    #[arg(long)]
    force: bool,

    /// Prints one JSON object instead of text
    #[arg(long)]
    json: bool,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "NUMBER")]
    threads: Option<usize>,

    #[command(flatten)]
    dialect: DialectArgs,
}

/// Writes the files, and says what they are and what to look at.
pub(crate) fn run(args: InitArgs, console: &Console) -> Result<Exit> {
    let options = InitOptions { job: args.output, csv: args.dialect.overrides(), force: args.force };
    let initial = {
        let progress = console.progress();
        runtime::run(args.threads, init(&args.data, &options, &progress))?
    };
    if args.json {
        let object = serde_json::to_string_pretty(&initial);
        console.data(object.map_err(|error| EngineError::Data(error.to_string().into()))?);
    } else {
        console.out(text(&initial));
    }
    Ok(Exit::Done)
}

fn text(initial: &Initial) -> String {
    let sections = [
        section("Written", &written(initial)),
        section("Decided", &decided(initial)),
        section("Look at", &look_at(initial)),
        section("Next", &format!("  throng anonymize {}", shell(&initial.job))),
    ];
    sections.join("\n\n")
}

fn written(initial: &Initial) -> String {
    let job = [initial.job.display().to_string(), "the job, with comments".to_owned()];
    let hierarchies = initial.columns.iter().filter_map(|column| {
        let hierarchy = column.hierarchy.as_ref()?;
        let (values, levels) = (hierarchy.sizes[0] as u64, hierarchy.sizes.len() - 1);
        let above = if levels == 1 { "1 level" } else { &format!("{levels} levels") };
        let about = format!("{} values, {above} above them", HumanCount(values));
        Some([hierarchy.path.display().to_string(), about])
    });
    align(&std::iter::once(job).chain(hierarchies).collect::<Vec<_>>())
}

fn decided(initial: &Initial) -> String {
    let row = |column: &Decision| {
        [shown(&column.name), column.role.to_string(), column.kind.to_string(), column.reason.clone()]
    };
    let columns = align(&initial.columns.iter().map(row).collect::<Vec<_>>());
    let rows = HumanCount(initial.rows);
    let left_out = match initial.suppression {
        0.0 => "none of them left out".to_owned(),
        share => format!("at most {} % of them left out", 100.0 * share),
    };
    let of = initial.person.as_ref().map_or_else(String::new, |person| {
        format!(" of {} persons, by {}", HumanCount(person.persons.value), shown(&person.column))
    });
    format!("{columns}  k = {} for {rows} rows{of}; {left_out}; search by {}\n", initial.k, initial.algorithm)
}

/// What only the custodian can judge.
fn look_at(initial: &Initial) -> String {
    let mut lines: Vec<String> = LOOK_AT_ROLES.map(str::to_owned).to_vec();
    if let Some(person) = &initial.person {
        let name = shown(&person.column);
        lines.push(format!(
            "column {name}: some people have several rows, so k counts people by it, not rows"
        ));
    }
    // Text that is left out may be numbers or dates that are spelled in an unusual way.
    let shows_notes = |column: &&Decision| column.role != Role::Identifier || column.kind == ColumnKind::Text;
    for column in initial.columns.iter().filter(shows_notes) {
        let name = shown(&column.name);
        lines.extend(column.notes.iter().map(|note| format!("column {name}: {note}")));
        if column.is_kept() && column.unique_share > 0.0 {
            let share = percent(column.unique_share);
            lines.push(format!("column {name}: released as it is, and unique in {share} of the rows"));
        }
    }
    if initial.columns.iter().any(|column| column.hierarchy.is_some()) {
        lines.extend(LOOK_AT_HIERARCHIES.map(str::to_owned));
    }
    if initial.replaces {
        lines.push(format!("{}: it already exists, and the job would replace it", initial.output.display()));
    }
    lines.iter().map(|line| format!("  {line}\n")).collect()
}

/// A column's name on one line.
fn shown(name: &str) -> String {
    let show = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    name.chars().map(show).collect()
}
