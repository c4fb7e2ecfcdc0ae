//! `throng hierarchy build`: a hierarchy file for the values of a column.

use std::path::PathBuf;

use clap::{ArgGroup, value_parser};

use throng::taxonomy::{Auto, Notation, Taxonomy, to_text};
use throng::wording::quoted;
use throng_engine::dictionary::Dictionary;
use throng_engine::encode::encode;
use throng_engine::error::{EngineError, Result};
use throng_engine::init::build_hierarchy;
use throng_engine::input::source::Source;
use throng_engine::job::HierarchySpec;
use throng_engine::output::sink::{Made, refuse_bad_place, refuse_same_file, write_text_of};
use throng_engine::wording::guess;

use crate::args::DialectArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::runtime;

/// Builds a hierarchy file from the values of a column
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("builder").required(true).args(["mask", "intervals", "dates", "auto"]))]
pub(super) struct BuildArgs {
    /// The table
    #[arg(long, value_name = "DATA")]
    from: PathBuf,

    /// The column with the values
    #[arg(long, value_name = "NAME")]
    column: String,

    /// Masks one more character per level, from the right or the left
    #[arg(long, value_name = "SIDE")]
    mask: Option<String>,

    /// Number ranges, one width per level, as in 5,10,20
    #[arg(long, value_name = "WIDTHS")]
    intervals: Option<String>,

    /// A number where ranges start; 0 by default
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["mask", "dates", "auto"],
          allow_hyphen_values = true)]
    origin: Option<f64>,

    /// Calendar units, one per level: day, month, quarter, year, decade
    #[arg(long, value_name = "UNITS")]
    dates: Option<String>,

    /// The date format, such as %d.%m.%Y; ISO 8601 by default
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["mask", "intervals", "auto"])]
    format: Option<String>,

    /// Uses only the data, as 'throng init' does: what the values are, how often they occur, and with
    /// what
    #[arg(long)]
    auto: bool,

    /// How many levels --auto may put between the values and '*'
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["mask", "intervals", "dates"],
          default_value_t = Auto::MAX_LEVELS as u64, value_parser = value_parser!(u64).range(..=20))]
    levels: u64,

    /// Where to write the hierarchy; standard output by default
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    dialect: DialectArgs,
}

/// Reads the column, builds the hierarchy, and writes it.
pub(super) fn run(args: &BuildArgs, console: &Console) -> Result<Exit> {
    let spec = args.spec()?;
    if let Some(output) = &args.output {
        refuse_same_file(&args.from, output)?;
        refuse_bad_place(output, Made::Hierarchy)?;
    }
    let source = console.tables().open(&args.from, &args.dialect.overrides())?;
    source.recognise(&[&args.column])?;
    let taxonomy = args.build(&source, spec.as_ref(), console)?;
    let text = to_text(&taxonomy);
    match &args.output {
        None => console.data(text.trim_end_matches('\n')),
        Some(output) => {
            write_text_of(&args.from, output, Made::Hierarchy, &text)?;
            let (values, height) = (taxonomy.leaf_total(), taxonomy.height());
            console.note(format_args!("{}: {values} values, {height} levels above them", output.display()));
        }
    }
    Ok(Exit::Done)
}

impl BuildArgs {
    fn build(&self, source: &Source, spec: Option<&HierarchySpec>, console: &Console) -> Result<Taxonomy> {
        let column = find_column(source, &self.column)?;
        let progress = console.progress();
        let Some(spec) = spec else {
            return runtime::run(None, build_hierarchy(source, column, self.levels as usize, &progress));
        };
        let encoded = runtime::run(None, encode(source, &[column], &progress))?;
        drop(progress);
        let notation = self.dialect.overrides().notation();
        build(spec, source, &self.column, &encoded.dictionaries[0], notation)
    }

    /// The builder that the flags name; exactly one is given. `--auto` needs more than one column.
    fn spec(&self) -> Result<Option<HierarchySpec>> {
        if self.auto {
            return Ok(None);
        }
        let flags = [("mask", &self.mask), ("intervals", &self.intervals), ("dates", &self.dates)];
        let given = flags.iter().find_map(|(builder, value)| Some((builder, value.as_ref()?)));
        let (builder, parameters) = given.ok_or_else(|| EngineError::bad("no builder is given"))?;
        let mut spec: HierarchySpec = format!("{builder}:{parameters}").parse()?;
        match &mut spec {
            HierarchySpec::Intervals { origin, .. } => *origin = self.origin.unwrap_or(*origin),
            HierarchySpec::Dates { format, .. } => format.clone_from(&self.format),
            _ => {}
        }
        Ok(Some(spec))
    }
}

fn find_column(source: &Source, name: &str) -> Result<usize> {
    source.columns().iter().position(|column| column == name).ok_or_else(|| {
        let guess = guess(name, source.columns().iter().map(String::as_str));
        let problem = format!("there is no column {}{guess}", quoted(name));
        EngineError::bad(problem).in_file(source.path()).about_column(name)
    })
}

fn build(
    spec: &HierarchySpec,
    source: &Source,
    column: &str,
    dictionary: &Dictionary,
    decimal: Option<Notation>,
) -> Result<Taxonomy> {
    let values: Vec<&str> = dictionary.values().collect();
    let row = |index: usize| dictionary.first_row(index as u32);
    let built = spec.build_by_rows(column, &values, decimal, row);
    built.map_err(|error| error.in_file(column, |index| source.find_row(row(index))))
}
