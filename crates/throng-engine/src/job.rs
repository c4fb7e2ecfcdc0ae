//! The job: everything that a front end hands over.
//!
//! A file, flags, a web form and keyword arguments all become the same [`Job`].

mod cluster_address;
mod columns;
mod comments;
mod engine;
mod flags;
mod front;
mod hierarchy;
mod kept;
mod message;
mod output;
mod privacy;
mod pseudonym;
mod quasi_list;
mod relative;
mod require;
mod roles;
mod search;
mod settings;
mod shift;
mod statement;

pub use crate::coding::{CodedNumbers, NumberCoding};
pub use crate::role::Role;
pub use cluster_address::ClusterAddress;
pub(crate) use columns::called;
use columns::in_column;
pub use columns::{Column, Columns, REST, TypedText, Unknown};
pub use engine::{EngineSpec, LOCAL, TlsFiles};
pub use flags::JobFlags;
pub use front::FrontSpec;
pub use hierarchy::{BuildError, HierarchyFile, HierarchySpec, Numbers, Shown};
pub use kept::{KeptHierarchy, KeptLabel};
pub use output::{Output, RowOrder, SuppressedRows};
pub use privacy::{NO_PERSON, Privacy, Suppression, parse_notion};
pub use pseudonym::Pseudonym;
pub use quasi_list::split_quasi;
pub(crate) use relative::{not_text, relative};
pub use require::Require;
pub use roles::{ColumnRole, Quasi, Roles, Sensitive};
pub(crate) use roles::{refuse_column_none, refuse_unknown};
pub use search::{Search, SpelledValue, find_algorithm, find_mean, find_measure, validate_threads};
pub use settings::read_setting;
pub use shift::DateShift;
pub use statement::Statement;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use throng::notion::Notion;

use crate::address::DatabaseAddress;
use crate::address::ObjectAddress;
use crate::address::{Address, scheme_of};
use crate::error::{EngineError, Result};
use crate::input::dialect::{DialectOverrides, sniff_with};
use crate::input::source::Source;
use crate::input::{scheme, whole};
use throng_tables::output::sink::FileLayout;
use throng_tables::tables::Tables;

/// What to anonymise, how, and where to put it.
///
/// ```
/// use std::path::Path;
/// use throng_engine::job::Job;
///
/// let job = Job::parse(
///     r#"
///     input  = "people.csv"
///     output = "release.csv"
///
///     [columns]
///     name = { role = "identifier" }
///     age  = { role = "quasi", hierarchy = { intervals = [5, 10, 20] } }
///
///     [privacy]
///     k = 5
///     "#,
///     Path::new("jobs"),
/// )?;
/// assert_eq!(job.input, Path::new("jobs/people.csv"));
/// # Ok::<(), throng_engine::error::EngineError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The table to read.
    pub input: Address,
    /// The release. A question that makes none needs no output.
    #[serde(default, skip_serializing_if = "is_default")]
    pub output: Output,
    /// How the table is spelled, where it should not be guessed; of a workbook also where it is.
    #[serde(default, alias = "xlsx", skip_serializing_if = "is_default")]
    pub csv: DialectOverrides,
    /// What each column is.
    pub columns: Columns,
    /// The policy by whose requirements it is released, beside its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// What the release must satisfy.
    pub privacy: Privacy,
    /// How to look for it.
    #[serde(default)]
    pub search: Search,
    /// What the evolutionary search of fronts is told.
    #[serde(default, skip_serializing_if = "is_default")]
    pub frontier: FrontSpec,
    /// Where the table is counted and the release is written.
    #[serde(default, skip_serializing_if = "is_default")]
    pub engine: EngineSpec,
    /// Who gets the release, and who answers for it: shown by the report.
    #[serde(default, skip_serializing_if = "is_default")]
    pub release: Statement,
    /// What the job file's comments say about columns, by name: why they have their roles. No key says it.
    #[serde(skip)]
    pub comments: BTreeMap<String, String>,
    /// What an earlier run kept of the hierarchies that it built from its data, by column. No job file says it.
    #[serde(skip)]
    pub kept: BTreeMap<String, KeptHierarchy>,
    /// With what its tables are opened. No job file says it.
    #[serde(skip)]
    pub tables: Tables,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Job {
    /// The same job, whose tables are opened with these.
    #[must_use]
    pub fn with_tables(self, tables: &Tables) -> Job {
        Job { tables: tables.clone(), ..self }
    }

    /// Opens the table.
    ///
    /// # Errors
    /// As of [`Source::open`].
    pub fn open_input(&self) -> Result<Source> {
        self.tables.open(&self.input, &self.csv)
    }

    /// Reads a job file; its paths are relative to its folder.
    pub fn read(path: &Path) -> Result<Job> {
        let bytes = whole::read(path, whole::MOST_WRITTEN, "cannot read the job", "no such job file")?;
        let text = String::from_utf8(bytes)
            .map_err(|_| EngineError::bad("the job is not UTF-8 text").in_file(path))?;
        Job::parse(&text, path.parent().unwrap_or(Path::new(""))).map_err(|error| error.in_file(path))
    }

    /// Reads the text of a job file; paths in it are relative to `base_dir`.
    ///
    /// Whether it is a job that can be run is for [`validate`](Job::validate) to say: flags may still
    /// change it.
    pub fn parse(text: &str, base_dir: &Path) -> Result<Job> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut job: Job = toml::from_str(text).map_err(|error| message::explain(&error, text))?;
        job.comments = comments::of_columns(text);
        job.obey_policy()?;
        job.privacy.pass_on_sampling_fraction();
        // Here, too: a folder before it would hide what is no path, and front ends show paths.
        job.check_paths()?;
        job.rebase(base_dir);
        Ok(job)
    }

    /// Requires what its policy does, too.
    fn obey_policy(&mut self) -> Result<()> {
        let Some(name) = &self.policy else { return Ok(()) };
        let policy = crate::policy::find(name)?;
        policy.refuse_unsearchable()?;
        for require in policy.required() {
            if !self.privacy.require.contains(&require) {
                self.privacy.require.push(require);
            }
        }
        Ok(())
    }

    /// The text of a job file that says the same.
    ///
    /// # Errors
    /// A path that is not Unicode.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string(self).map_err(|error| EngineError::bad(format!("the job cannot be written: {error}")))
    }

    /// How its release is to be read: as its input, but in its own encoding.
    pub fn csv_of_release(&self) -> DialectOverrides {
        DialectOverrides { encoding: self.output.encoding.clone(), ..self.csv.of_release() }
    }

    /// Checks everything that does not need the table, of a job whose release is written; whatever takes a job starts
    /// with this or its like, once.
    pub fn validate(&self) -> Result<()> {
        self.output.path()?;
        self.validate_to_search()
    }

    /// The same of a job whose release is looked for, and not written unless it says where to.
    pub(crate) fn validate_to_search(&self) -> Result<()> {
        self.check_paths()?;
        if let Some(output) = &self.output.path {
            self.validate_output(output)?;
        }
        self.validate_without_output()
    }

    fn validate_output(&self, output: &Address) -> Result<()> {
        let is_stream = matches!(self.input, Address::Stdio(_));
        if self.input == *output && !is_stream {
            return Err(EngineError::bad((
                "input and output are the same file",
                "the release needs a file of its own",
            )));
        }
        if self.output.encoding.is_some() && matches!(output, Address::Postgres(_)) {
            return Err(EngineError::bad((
                "a database table has no encoding",
                "encodings are for text files",
            )));
        }
        // The format of the input is not known yet: as text, it could have an encoding.
        let (layout, _) = self.output.layout(&FileLayout::PLAIN, || "csv".to_owned())?;
        layout.with_encoding(self.output.encoding.as_deref())?;
        self.engine.refuse_unwritable(&self.output, self.columns.pseudonyms().next().is_some())
    }

    /// The same but for the output, for who writes none: a table may be looked at as if it were its own release.
    pub(crate) fn validate_without_output(&self) -> Result<()> {
        self.privacy.refuse_nothing()?;
        self.validate_of_tables()
    }

    /// The same of tables that are there already: nothing is looked for, so nothing need be required.
    pub(crate) fn validate_of_tables(&self) -> Result<()> {
        self.check_paths()?;
        sniff_with(&[], &self.csv)?;
        self.columns.validate()?;
        self.privacy.validate()?;
        if self.privacy.household.is_some() && self.person().is_some() {
            return Err(EngineError::bad(
                "household cannot be used when persons are counted: the risk of a household is that of its \
                    rows",
            ));
        }
        if self.privacy.notion != Notion::K && self.columns.pseudonyms().next().is_some() {
            return Err(EngineError::bad(
                "pseudonyms can only be used with notion = \"k\", because persons are then counted",
            ));
        }
        self.refuse_uneven_shifts()?;
        self.engine.validate()?;
        self.frontier.validate()?;
        self.search.validate(self.privacy.largest_k())
    }

    /// The column that says whom a row is of, if persons are counted: the one that is named, else the first
    /// with pseudonyms, by which rows of one person can be told.
    pub fn person(&self) -> Option<&str> {
        match self.privacy.person.as_deref() {
            Some(NO_PERSON) => None,
            Some(name) => Some(name),
            None => self.columns.pseudonyms().next(),
        }
    }

    /// Refuses to move dates of nobody knows whom, or those of one person by several numbers.
    fn refuse_uneven_shifts(&self) -> Result<()> {
        let mut shifted = self.columns.shifted();
        let Some((first, shift)) = shifted.next() else { return Ok(()) };
        if !self.says_persons() {
            let error = EngineError::bad((
                "shift_days moves all dates of a person alike, but the job does not say whose a row is",
                "set person in [privacy]: an identifier, or \"none\" if each row is of a person of its own",
            ));
            return Err(in_column(error, first));
        }
        let Some((name, other)) = shifted.find(|(_, other)| other.days != shift.days) else { return Ok(()) };
        let error = EngineError::bad(format!(
            "shift_days is {}, but {} for {}: all dates of a person are moved by one number",
            other.days,
            shift.days,
            called(first)
        ));
        Err(in_column(error, name))
    }

    /// Whether it is said if a person may have several rows: by a column, by pseudonyms, or by `"none"`.
    pub fn says_persons(&self) -> bool {
        self.privacy.person.is_some() || self.columns.pseudonyms().next().is_some()
    }

    fn check_paths(&self) -> Result<()> {
        check_place("input", &self.input)?;
        self.output.path.iter().try_for_each(|output| check_place("output", output))?;
        if let Some(recoding) = &self.output.recoding {
            check_path("recoding", recoding)?;
        }
        if let Some(start) = &self.search.start {
            check_path("start", start)?;
        }
        let populations = self.privacy.require.iter().filter_map(Require::population);
        populations.into_iter().try_for_each(|population| match population {
            Address::Memory(_) => Ok(()),
            named => check_path("population", &named),
        })
    }

    /// Makes relative paths start at `base` instead of the working directory.
    fn rebase(&mut self, base: &Path) {
        self.name_local_files();
        for address in std::iter::once(&mut self.input).chain(&mut self.output.path) {
            *address = address.clone().within(base);
        }
        self.output.recoding = self.output.recoding.take().map(|path| base.join(path));
        self.search.start = self.search.start.take().map(|path| base.join(path));
        self.engine.rebase(base);
        self.rebase_read(base);
    }

    /// Puts the paths that `file://` addresses mean in their place; what cannot be one was refused.
    fn name_local_files(&mut self) {
        for address in std::iter::once(&mut self.input).chain(&mut self.output.path) {
            if let Address::Files(path) = address
                && let Ok(local) = scheme::local(path)
            {
                *path = local;
            }
        }
    }

    /// The same for hierarchies and populations alone.
    pub(crate) fn rebase_read(&mut self, base: &Path) {
        self.columns.hierarchies_mut().for_each(|hierarchy| hierarchy.rebase(base));
        self.privacy.require.iter_mut().for_each(|require| require.rebase(base));
    }
}

/// Refuses what is neither a path nor the address of a table.
fn check_place(key: &str, address: &Address) -> Result<()> {
    match address {
        Address::Object(path) => check_object(key, path).map_err(|error| error.within(key)),
        Address::Stdio(path) | Address::Files(path) => check_path(key, path),
        Address::Memory(_) => Ok(()),
        Address::Postgres(path) => {
            let address =
                DatabaseAddress::parse(&path.to_string_lossy()).map_err(|error| error.within(key))?;
            if key == "output" { address.table().map(drop) } else { Ok(()) }
        }
    }
}

/// Refuses an address in an object store that is none, or where no release can be.
fn check_object(key: &str, path: &Path) -> Result<()> {
    let address = ObjectAddress::parse(path)?;
    if key == "output" && address.is_prefix() {
        return Err(EngineError::bad((
            "a release in an object store must be a single object, such as s3://BUCKET/KEY.parquet: stores cannot rename, so a directory of parts could not appear there all at once",
            "write it to a directory on this machine, and copy it",
        ))
        .in_file(path));
    }
    Ok(())
}

/// Refuses what is no path. An address may hold a password, so only its scheme is shown.
fn check_path(key: &str, path: &Path) -> Result<()> {
    if path.as_os_str().is_empty() {
        return Err(EngineError::bad((format!("{key} is empty"), "it must be the path of a file")));
    }
    match (scheme_of(path), key) {
        (None, _) => Ok(()),
        (Some(_), "input" | "output") => scheme::local(path).map(drop).map_err(|error| error.within(key)),
        (Some(scheme), _) => {
            Err(EngineError::bad((format!("{key} is a {scheme}:// address"), "it must be a file")))
        }
    }
}

#[cfg(test)]
mod tests;
