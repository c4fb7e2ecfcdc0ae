//! `throng init`: a job and hierarchies for a table that has neither.

use std::path::{Path, PathBuf};

use indicatif::HumanCount;

use throng_engine::columns::stem;
use throng_engine::error::{EngineError, Result};
use throng_engine::init::{
    ColumnCost, Crowded, Decision, InitOptions, Initial, MOST_COSTLY, init, notes_together,
};
use throng_engine::job::Role;
use throng_engine::profile::{ColumnKind, PersonColumn, numbers_households};

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
  throng init data.parquet -o jobs/release.toml
  throng init survey.csv --qi age,sex,region";

/// Columns in a row with one role and one reason, from which on they share a line.
const MANY_ALIKE: usize = 5;

const LOOK_AT_ROLES: [&str; 3] = [
    "the roles: they are suggestions. What could others know about these people? That is quasi; what no",
    "  release may show is identifier. Columns that are sensitive, target or other are released as they",
    "  are, row by row",
];

const LOOK_AT_HIERARCHIES: [&str; 2] = [
    "the hierarchies: they hold the values of their columns, so keep them as safe as the table, and do",
    "  not publish them carelessly. Their groups are built from counts, not from meaning",
];

/// Writes a commented job for a table, and a hierarchy for each quasi-identifier, for you to edit
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

    /// The quasi-identifiers, if you know them; other columns that look like one are left out
    #[arg(long = "qi", value_name = "COLUMN,…", value_delimiter = ',')]
    quasi: Vec<String>,

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
    let options = InitOptions {
        job: args.output,
        csv: args.dialect.overrides(),
        quasi: args.quasi,
        force: args.force,
        tables: console.tables().clone(),
    };
    let initial = {
        let progress = console.progress();
        runtime::run(args.threads, init(&args.data, &options, &progress))?
    };
    if args.json {
        let object = serde_json::to_string_pretty(&initial);
        console.data(object.map_err(|error| EngineError::Data(error.to_string().into()))?);
    } else {
        console.out(text(&initial, &args.data));
    }
    Ok(Exit::Done)
}

fn text(initial: &Initial, data: &Path) -> String {
    let sections = [
        section("Written", &written(initial)),
        section("Decided", &decided(initial)),
        section("Look at", &look_at(initial, data)),
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
    let is_same = |one: &Decision, next: &Decision| (one.role, &one.reason) == (next.role, &next.reason);
    let runs = initial.columns.chunk_by(is_same);
    let columns = align(&runs.flat_map(decided_of).collect::<Vec<_>>());
    let rows = HumanCount(initial.rows);
    let left_out = match initial.suppression {
        0.0 => "none of them left out".to_owned(),
        share => format!("at most {} % of them left out", 100.0 * share),
    };
    let of = initial.person.as_ref().map_or_else(String::new, |person| {
        let (count, who) = (HumanCount(person.persons.value), counted(person));
        format!(" of {count} {who}, by {}", shown(&person.column))
    });
    format!("{columns}  k = {} for {rows} rows{of}; {left_out}; search by {}\n", initial.k, initial.algorithm)
}

/// Columns in a row that are the same to the release for the same reason; many share a line.
fn decided_of(columns: &[Decision]) -> Vec<[String; 4]> {
    let line = |name: String, column: &Decision, kind: String| {
        [name, column.role.to_string(), kind, column.reason.clone()]
    };
    let (first, last) = (&columns[0], &columns[columns.len() - 1]);
    if columns.len() < MANY_ALIKE {
        return columns.iter().map(|one| line(shown(&one.name), one, one.kind.to_string())).collect();
    }
    let name = format!("{} … {}", shown(&first.name), shown(&last.name));
    vec![line(name, first, format!("{} columns", columns.len()))]
}

/// Who is counted.
fn counted(person: &PersonColumn) -> &'static str {
    if numbers_households(&person.column) { "households" } else { "people" }
}

/// What many quasi-identifiers cost, and the choice that somebody has.
fn look_at_crowded(found: &Crowded, rows: u64, data: &Path) -> Vec<String> {
    let less = |cost: &ColumnCost| {
        let left = cost.combinations_without as f64 / found.combinations.max(1) as f64;
        format!("{} ({}, {} values)", shown(&cost.column), percent(1.0 - left), HumanCount(cost.values))
    };
    let costs: Vec<String> = found.costs.iter().take(MOST_COSTLY).map(less).collect();
    vec![
        format!(
            "{} quasi-identifiers: with this many, little will be left of each. {} of {} rows are unique in \
                them",
            found.costs.len(),
            HumanCount(found.unique_rows),
            HumanCount(rows)
        ),
        format!(
            "  these cost the most (in brackets: how many fewer combinations are left without each, and how many \
                values it has): {}",
            costs.join(", ")
        ),
        format!(
            "  name the few that others may really know, and the rest are left out: throng init {} --force \
             --qi COLUMN,…",
            shell(data)
        ),
    ]
}

/// What is to be said of the answers of a survey, of all at once.
fn look_at_answers(columns: &[Decision]) -> Vec<String> {
    let answers: Vec<Decision> = columns.iter().filter(|column| column.is_answer()).cloned().collect();
    if answers.is_empty() {
        return Vec::new();
    }
    let all = format!(
        "{} columns of survey answers: released unchanged; leave out those that your readers do not need",
        answers.len()
    );
    let notes = notes_together(&answers);
    let notes = notes.iter().map(|(note, names)| format!("columns {names}: {note}"));
    std::iter::once(all).chain(notes).collect()
}

/// Whether a column is released with values that single rows have.
fn is_unique(column: &Decision) -> bool {
    column.is_kept() && column.unique_share > 0.0
}

/// What is to be said of neighbours of which the same is to be said; many of one stem share a line.
fn look_at_alike(columns: &[&Decision]) -> Vec<String> {
    if columns.len() < MANY_ALIKE || stem(&columns[0].name) == columns[0].name {
        return columns
            .iter()
            .flat_map(|&column| look_at_column(&shown(&column.name), "column", column))
            .collect();
    }
    let (first, last) = (columns[0], columns[columns.len() - 1]);
    let names = format!("{} … {}", shown(&first.name), shown(&last.name));
    let most = columns.iter().max_by(|a, b| a.unique_share.total_cmp(&b.unique_share)).unwrap_or(&first);
    look_at_column(&names, "columns", most)
}

fn look_at_column(name: &str, what: &str, column: &Decision) -> Vec<String> {
    let mut lines: Vec<String> = column.notes.iter().map(|note| format!("{what} {name}: {note}")).collect();
    if is_unique(column) {
        let share = percent(column.unique_share);
        let most = if what == "columns" { "up to " } else { "" };
        lines.push(format!("{what} {name}: released unchanged, and unique in {most}{share} of the rows"));
    }
    lines
}

/// What only the custodian can judge.
fn look_at(initial: &Initial, data: &Path) -> String {
    let mut lines: Vec<String> = LOOK_AT_ROLES.map(str::to_owned).to_vec();
    if let Some(found) = &initial.crowded {
        lines.extend(look_at_crowded(found, initial.rows, data));
    }
    if let Some(person) = &initial.person {
        let (name, who) = (shown(&person.column), counted(person));
        lines.push(format!(
            "column {name}: some {who} have several rows, so k counts {who} by this column, not rows"
        ));
    }
    lines.extend(look_at_answers(&initial.columns));
    // Text that is left out may be numbers or dates that are spelled in an unusual way.
    let shows_notes = |column: &&Decision| {
        !column.is_answer() && (column.role != Role::Identifier || column.kind == ColumnKind::Text)
    };
    let shown_columns: Vec<&Decision> = initial.columns.iter().filter(shows_notes).collect();
    let is_same = |one: &&Decision, next: &&Decision| {
        one.notes == next.notes && is_unique(one) == is_unique(next) && stem(&one.name) == stem(&next.name)
    };
    lines.extend(shown_columns.chunk_by(is_same).flat_map(look_at_alike));
    if initial.columns.iter().any(|column| column.hierarchy.is_some()) {
        lines.extend(LOOK_AT_HIERARCHIES.map(str::to_owned));
    }
    if initial.replaces {
        lines.push(format!(
            "{}: this file already exists, and the job would replace it",
            initial.output.display()
        ));
    }
    lines.iter().map(|line| format!("  {line}\n")).collect()
}

/// A column's name on one line.
fn shown(name: &str) -> String {
    let show = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    name.chars().map(show).collect()
}
