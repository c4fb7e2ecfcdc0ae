//! A job and hierarchies for a table that has neither: what `throng init` writes.
//!
//! One scan profiles the columns and suggests roles; a second counts the values of the
//! quasi-identifiers, whose hierarchies are built from the counts. The job that is written can be
//! run as it is, whatever the table is like. It is a start: nobody but its owner knows what others
//! may know about the people in a table.

mod crowded;
mod decision;
mod paths;
mod text;
pub use text::{MOST_COSTLY, notes_together};

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;
use throng::taxonomy::{Auto, Taxonomy, to_text};

use crate::address::Address;
use crate::auto::{Builder, Crowd};
use crate::encode::{Encoded, encode};
use crate::error::{EngineError, Result};
use crate::input::dialect::DialectOverrides;
use crate::input::source::Source;
use crate::job::{Job, Role};
use crate::pipeline;
use crate::prepare::carried::carry;
use crate::profile::{PersonColumn, Profile, ProfileOptions, find_repeated, profile};
use crate::progress::{Progress, refuse_cancelled};
pub use crowded::{ColumnCost, Crowded};
pub use decision::{Decision, Hierarchy};
use decision::{decide, suggested};
use paths::Paths;
use throng_tables::output::sink::{Made, TextFile, refuse_existing, refuse_same_file, write_together};
use throng_tables::tables::Tables;

/// The k of a job, unless the table has fewer rows.
const K: u64 = 5;

/// The share of the rows that may be left out.
const SUPPRESSION: f64 = 0.02;

/// Nodes of a lattice that an optimal search is through with in seconds.
const SMALL_LATTICE: u128 = 50_000;

/// Distinct tuples up to which it is.
const FEW_TUPLES: usize = 1_000_000;

/// Distinct tuples up to which the local recoding that loses least is through while a person waits.
const SOME_TUPLES: usize = 200_000;

/// Roles need no combinations.
const NO_COMBINATIONS: ProfileOptions = ProfileOptions { max_columns: 0, combine: Vec::new() };

/// What may be said beyond the table itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitOptions {
    /// Where the job goes; beside the table by default.
    pub job: Option<PathBuf>,
    /// How the table is spelled, where it should not be guessed; it becomes part of the job.
    pub csv: DialectOverrides,
    /// The quasi-identifiers, if they are named; those that are suggested and not named are left out.
    pub quasi: Vec<String>,
    /// Whether files that exist are replaced.
    pub force: bool,
    /// With what the table is opened.
    pub tables: Tables,
}

/// What was written, and what was decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Initial {
    /// The job file.
    pub job: PathBuf,
    /// Where the job's release will be.
    pub output: PathBuf,
    /// Whether there is a file already where the release will be.
    pub replaces: bool,
    /// Rows of the table.
    pub rows: u64,
    /// Smallest class of the release.
    pub k: u64,
    /// The column by which persons are counted in place of rows, if some have several.
    pub person: Option<PersonColumn>,
    /// Share of the rows that the release may lack.
    pub suppression: f64,
    /// The search.
    pub algorithm: String,
    /// Number of full-domain generalisations under the hierarchies.
    pub lattice_nodes: u128,
    /// What the quasi-identifiers cost, if they are many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crowded: Option<Crowded>,
    /// What each column is, in the order of the table.
    pub columns: Vec<Decision>,
}

/// Writes a job and hierarchies for a table.
///
/// Must be called in a multi-threaded Tokio runtime.
///
/// # Errors
/// If the table cannot be read or has fewer than two rows, nothing of it could be released, a file
/// is there already, or the files cannot be written. Nothing is left behind then.
pub async fn init(data: &Path, options: &InitOptions, progress: &dyn Progress) -> Result<Initial> {
    write(data, options, None, progress).await
}

/// As [`init`], for a table whose profile is known, so that it need not be read once more for that.
///
/// # Errors
/// As of [`init`].
pub async fn init_profiled(
    data: &Path,
    options: &InitOptions,
    profile: Profile,
    progress: &dyn Progress,
) -> Result<Initial> {
    write(data, options, Some(profile), progress).await
}

async fn write(
    data: &Path,
    options: &InitOptions,
    profile: Option<Profile>,
    progress: &dyn Progress,
) -> Result<Initial> {
    let source = options.tables.open(data, &options.csv)?;
    source.refuse_doubt()?;
    let paths = Paths::new(&source, options.job.as_deref())?;
    refuse_same_file(data, &paths.job)?;
    if !options.force {
        refuse_existing(&paths.job)?;
    }
    let Draft { initial, job, hierarchies } = draft_at(&source, &paths, options, profile, progress).await?;
    let hierarchy = |(path, taxonomy): (PathBuf, Taxonomy)| (path, Made::Hierarchy, to_text(&taxonomy));
    let mut files: Vec<TextFile> = hierarchies.into_iter().map(hierarchy).collect();
    // A job without its hierarchies would be of no use, so it comes last.
    files.push((paths.job.clone(), Made::Job, job));
    if !options.force {
        files.iter().try_for_each(|(path, ..)| refuse_existing(path))?;
    }
    refuse_cancelled(progress)?;
    tokio::task::block_in_place(|| write_together(data, &paths.hierarchies, &files, options.force))?;
    Ok(initial)
}

/// A job for a table, and what it names, of which nothing is written.
#[derive(Clone, Debug)]
pub struct Draft {
    /// What was decided.
    pub initial: Initial,
    /// The text of the job file.
    pub job: String,
    /// The hierarchies, by the paths that the job has for them.
    pub hierarchies: Vec<(PathBuf, Taxonomy)>,
}

/// Finds a job and hierarchies for a table as [`init`] does, and writes nothing. `options` say where the job would be.
///
/// Must be called in a multi-threaded Tokio runtime.
///
/// # Errors
/// As of [`init`], but for files that are there or cannot be written.
pub async fn draft(
    data: impl Into<Address>,
    options: &InitOptions,
    progress: &dyn Progress,
) -> Result<Draft> {
    let source = options.tables.open(data, &options.csv)?;
    source.refuse_doubt()?;
    let paths = Paths::new(&source, options.job.as_deref())?;
    draft_at(&source, &paths, options, None, progress).await
}

async fn draft_at(
    source: &Source,
    paths: &Paths,
    options: &InitOptions,
    known: Option<Profile>,
    progress: &dyn Progress,
) -> Result<Draft> {
    let found = match known {
        Some(found) => found,
        None => profile(source, &NO_COMBINATIONS, progress).await?,
    };
    if found.rows < 2 {
        return Err(source.bad("there is only one row, and nobody can hide in a crowd of one"));
    }
    let person = found.persons.first().cloned();
    let mut columns = decide(source, found.columns, &options.quasi)?;
    let hidden = columns.iter().any(|column| column.hidden);
    let is_left_out = |name: &str| columns.iter().any(|c| c.name == name && c.role == Role::Identifier);
    let person = match person.filter(|person| is_left_out(&person.column)) {
        Some(person) => Some(person),
        None => counted_by(source, &columns, progress).await?,
    };
    let person = person.filter(|_| !hidden);
    let crowd = person.as_ref().map_or(found.rows, |person| person.persons.value.min(found.rows));
    // All rows in one class leave a hidden column no value but `*`.
    let k = if hidden { found.rows } else { K.min(crowd) };
    let by = person.as_ref().map(|person| person.column.as_str());
    let (hierarchies, tuples, crowded) = build(source, &mut columns, paths, (k, by), progress).await?;
    let lattice_nodes = size_of_lattice(hierarchies.iter().map(|(_, taxonomy)| taxonomy));
    let algorithm = choose_algorithm(lattice_nodes, tuples);
    let initial = Initial {
        k,
        person,
        rows: found.rows,
        suppression: if hidden { 0.0 } else { SUPPRESSION },
        algorithm: algorithm.to_owned(),
        lattice_nodes,
        crowded,
        replaces: paths.output.exists(),
        output: paths.output.clone(),
        job: paths.job.clone(),
        columns,
    };
    let job = text::job(&initial, paths, &options.csv)?;
    check(&job, paths, source)?;
    Ok(Draft { initial, job, hierarchies })
}

/// An identifier that repeats, though it is not clear that it numbers people: to count by it is safe in any case,
/// and a job that says nothing would be refused.
async fn counted_by(
    source: &Source,
    columns: &[Decision],
    progress: &dyn Progress,
) -> Result<Option<PersonColumn>> {
    let left_out: Vec<usize> =
        (0..columns.len()).filter(|&at| columns[at].role == Role::Identifier).collect();
    let repeated = find_repeated(source, &left_out, progress).await?;
    Ok(repeated.map(PersonColumn::from))
}

/// The hierarchy that [`init`] would write for a column if it were a quasi-identifier, with at most
/// so many levels between its values and `*`.
///
/// Must be called in a multi-threaded Tokio runtime.
///
/// # Errors
/// If the table cannot be read, or the column holds lists or structures.
pub async fn build_hierarchy(
    source: &Source,
    column: usize,
    max_levels: usize,
    progress: &dyn Progress,
) -> Result<Taxonomy> {
    let found = profile(source, &NO_COMBINATIONS, progress).await?;
    let mut columns = suggested(found.columns);
    columns[column].role = Role::Quasi;
    let quasi = quasi_of(&columns);
    let encoded = encode(source, &quasi, progress).await?;
    tokio::task::block_in_place(|| {
        let builder = builder(source, &quasi, &encoded, &Crowd { least: K, persons: None });
        let at = quasi.binary_search(&column).expect("the column is one of them");
        build_one(source, &builder, &quasi, at, max_levels)
    })
}

/// Builds the hierarchy of each quasi-identifier, and says where it goes; also counts the distinct
/// tuples, and measures what many columns cost. No label shows a value that fewer than k rows have, or persons by their column.
async fn build(
    source: &Source,
    columns: &mut [Decision],
    paths: &Paths,
    (k, person): (u64, Option<&str>),
    progress: &dyn Progress,
) -> Result<(Vec<(PathBuf, Taxonomy)>, usize, Option<Crowded>)> {
    let mut quasi = quasi_of(columns);
    quasi.retain(|&at| !columns[at].hidden);
    if quasi.is_empty() {
        return Ok((Vec::new(), 0, None));
    }
    let by = person.and_then(|name| source.columns().iter().position(|column| column == name));
    let read: Vec<usize> = quasi.iter().copied().chain(by).collect();
    let encoded = encode(source, &read, progress).await?;
    let (encoded, beside) =
        tokio::task::block_in_place(|| carry(encoded, quasi.len(), &[], person.filter(|_| by.is_some())));
    let built: Result<Vec<Taxonomy>> = tokio::task::block_in_place(|| {
        let crowd = Crowd { least: k, persons: beside.persons.as_ref() };
        let builder = builder(source, &quasi, &encoded, &crowd);
        let build = |at: usize| build_one(source, &builder, &quasi, at, Auto::MAX_LEVELS);
        (0..quasi.len()).into_par_iter().map(build).collect()
    });
    let names: Vec<&str> = quasi.iter().map(|&at| source.columns()[at].as_str()).collect();
    let crowded = tokio::task::block_in_place(|| Crowded::measure(&names, &encoded));
    let files = paths.name_hierarchies(&names);
    let built: Vec<(PathBuf, Taxonomy)> = files.into_iter().zip(built?).collect();
    for (&at, (path, taxonomy)) in quasi.iter().zip(&built) {
        columns[at].hierarchy = Some(Hierarchy {
            path: path.clone(),
            sizes: (0..=taxonomy.height()).map(|level| taxonomy.level_size(level)).collect(),
        });
    }
    Ok((built, encoded.weights.len(), crowded))
}

/// Positions of the quasi-identifiers, in the order of the table.
fn quasi_of(columns: &[Decision]) -> Vec<usize> {
    (0..columns.len()).filter(|&at| columns[at].role == Role::Quasi).collect()
}

fn builder<'a>(source: &Source, quasi: &[usize], encoded: &'a Encoded, crowd: &Crowd<'_>) -> Builder<'a> {
    let names: Vec<&str> = quasi.iter().map(|&at| source.columns()[at].as_str()).collect();
    Builder::new(encoded, &encoded.weights, &names, crowd)
}

fn build_one(
    source: &Source,
    builder: &Builder<'_>,
    quasi: &[usize],
    at: usize,
    max_levels: usize,
) -> Result<Taxonomy> {
    builder.build(at, max_levels).map_err(|error| {
        let name = &source.columns()[quasi[at]];
        source.bad(format!("no hierarchy can be built: {error}")).in_column(name)
    })
}

fn size_of_lattice<'a>(taxonomies: impl Iterator<Item = &'a Taxonomy>) -> u128 {
    taxonomies.fold(1, |size: u128, taxonomy| size.saturating_mul(taxonomy.height() as u128 + 1))
}

/// An optimal search where that is quick; else a recoding of each class by itself, which loses far less than taking each
/// of many columns to one level.
fn choose_algorithm(lattice_nodes: u128, tuples: usize) -> &'static str {
    match lattice_nodes <= SMALL_LATTICE && tuples <= FEW_TUPLES {
        true => "auto",
        false if tuples <= SOME_TUPLES => "sequential",
        false => "mondrian",
    }
}

/// A job that could not be run must not be written.
fn check(text: &str, paths: &Paths, source: &Source) -> Result<()> {
    let base = paths.job.parent().unwrap_or(Path::new(""));
    let made = || {
        let job = Job::parse(text, base)?;
        pipeline::validate(&job)?;
        job.resolve(source.columns())
    };
    made().map(drop).map_err(|error| EngineError::Data(format!("the generated job is wrong: {error}").into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_searches_are_left_to_what_scales() {
        assert_eq!(choose_algorithm(50_000, 1_000), "auto");
        assert_eq!(choose_algorithm(50_001, 1_000), "sequential");
        assert_eq!(choose_algorithm(50_001, 200_001), "mondrian");
        assert_eq!(choose_algorithm(2, 2_000_000), "mondrian");
    }
}
