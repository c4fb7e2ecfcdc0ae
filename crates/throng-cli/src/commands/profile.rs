//! `throng profile`: what the columns of a table are, and how identifying.

mod text;

use std::path::PathBuf;

use clap::value_parser;
use serde_json::{Map, Value, json};

use throng_engine::error::{EngineError, Result};
use throng_engine::input::source::Source;
use throng_engine::profile::{MAX_COMBINED, Profile, ProfileOptions, profile};

use super::subject::each_column;
use crate::args::DialectArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::runtime;

const EXAMPLES: &str = "Examples:
  throng profile hospital.csv
  throng profile hospital.csv --json
  throng profile hospital.csv --combine birth_date,sex,zip";

/// Shows what each column of a table is, how identifying it is, and which role would suit it
///
/// Reads the table once, or twice if its first rows are misleading. Shows column names and counts, never a
/// value.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ProfileArgs {
    /// A table (.csv, .tsv, .jsonl, also with .gz or .zst; .parquet, .arrow; a directory or pattern of them)
    #[arg(value_name = "DATA")]
    data: PathBuf,

    /// Combines these columns instead of the likely quasi-identifiers
    #[arg(long, value_name = "COLUMN,…")]
    combine: Vec<String>,

    /// Combines at most this many columns
    #[arg(long, value_name = "NUMBER", default_value_t = ProfileOptions::default().max_columns as u64,
          value_parser = value_parser!(u64).range(..=MAX_COMBINED as u64))]
    max_columns: u64,

    /// Shows this many pairs and this many triples of columns, most revealing first
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    combinations: usize,

    /// Prints one JSON object, with all combinations, instead of text
    #[arg(long)]
    json: bool,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "NUMBER")]
    threads: Option<usize>,

    #[command(flatten)]
    dialect: DialectArgs,
}

/// Profiles the table, and says what was found.
pub(crate) fn run(args: ProfileArgs, console: &Console) -> Result<Exit> {
    let source = console.tables().open(&args.data, &args.dialect.overrides())?;
    source.refuse_doubt()?;
    if let Some(note) = source.encoding_note() {
        console.note(note);
    }
    let options = ProfileOptions {
        max_columns: args.max_columns as usize,
        combine: each_column(&args.combine, &source),
    };
    let by_suggestion = options.combine.is_empty();
    let found = {
        let progress = console.progress();
        runtime::run(args.threads, profile(&source, &options, &progress))?
    };
    if args.json {
        console.data(format_args!("{:#}", as_json(&source, &found)?));
    } else {
        console.out(text::text(&source, &found, args.combinations, by_suggestion));
    }
    Ok(Exit::Done)
}

/// The profile with the file's name.
fn as_json(source: &Source, found: &Profile) -> Result<Value> {
    let Ok(Value::Object(found)) = serde_json::to_value(found) else {
        return Err(EngineError::Data("cannot write the profile as JSON".into()));
    };
    let mut object = Map::from_iter([("file".to_owned(), json!(source.path().display().to_string()))]);
    object.extend(found);
    Ok(Value::Object(object))
}
