//! A job from flags instead of a file, and flags that override a file.

use std::path::PathBuf;

use throng::algorithm::{Setting, Settings};
use throng::loss::{Mean, Preference};
use throng::notion::Notion;
use throng::wording::quoted;

use super::Job;
use super::columns::{Column, Columns, REST};
use super::engine::TlsFiles;
use super::hierarchy::{HierarchySpec, choose_separator};
use super::output::{Output, RowOrder, SuppressedRows};
use super::privacy::{Privacy, Suppression};
use super::pseudonym::Pseudonym;
use super::require::Require;
use super::search::Search;
use crate::address::Address;
use crate::error::{EngineError, Result};
use crate::input::dialect::DialectOverrides;
use crate::input::formulas::Formulas;
use crate::memory::ByteSize;
use crate::role::Role;
use crate::wording::{Message, guess};

/// What the command line says; all of it may be absent.
///
/// A column is named by the flag of its role; one that no flag names is an error when the
/// job meets the table, unless `rest` decides (`--rest other` keeps such columns, `--rest
/// identifier` drops them).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobFlags {
    /// The table to read.
    pub input: Option<PathBuf>,
    /// The file to write.
    pub output: Option<PathBuf>,
    /// What becomes of suppressed rows.
    pub suppressed: Option<SuppressedRows>,
    /// The order of the rows.
    pub order: Option<RowOrder>,
    /// The encoding of the release.
    pub output_encoding: Option<String>,
    /// Where the recoding is saved.
    pub save: Option<PathBuf>,
    /// Whether a table of a database, or a directory of parts, that is there already is replaced.
    pub replace: bool,
    /// Rows of each file of a directory of parts.
    pub rows_per_file: Option<u64>,
    /// The format of the files of a directory of parts.
    pub output_format: Option<String>,
    /// What is done about cells of the release that a spreadsheet would run.
    pub formulas: Option<Formulas>,
    /// How the table is spelled.
    pub csv: DialectOverrides,
    /// Quasi-identifiers: `age`, `age=age.csv`, `zip=mask:right`, `age=intervals:5,10`.
    pub quasi: Vec<String>,
    /// How dates are spelled: `born=%d/%m/%Y`.
    pub date_formats: Vec<String>,
    /// What becomes of values that a hierarchy lacks: `job=top`.
    pub unknown: Vec<String>,
    /// That text which people typed is released as it is: `notes=keep`.
    pub text: Vec<String>,
    /// What stands between the labels of all hierarchy files.
    pub hierarchy_separator: Option<String>,
    /// Identifiers.
    pub identifier: Vec<String>,
    /// Identifiers that are replaced by pseudonyms.
    pub pseudonym: Vec<String>,
    /// Sensitive columns.
    pub sensitive: Vec<String>,
    /// Class labels.
    pub target: Vec<String>,
    /// Columns to keep as they are.
    pub other: Vec<String>,
    /// The role of columns that no flag names: other or identifier.
    pub rest: Option<Role>,
    /// Smallest size of a class.
    pub k: Option<u64>,
    /// The identifier column that says whom a row is of.
    pub person: Option<String>,
    /// What else must hold, in the place of all that the job requires beside k.
    pub require: Vec<Require>,
    /// How many rows may be suppressed.
    pub suppression: Option<Suppression>,
    /// What a crowd of k means.
    pub notion: Option<Notion>,
    /// Name of the algorithm.
    pub algorithm: Option<String>,
    /// Name of the measure.
    pub measure: Option<String>,
    /// The mean over columns.
    pub mean: Option<Mean>,
    /// Whether rows should rather be suppressed, or values generalised.
    pub suppress_or_generalise: Option<Preference>,
    /// What all random choices start from.
    pub seed: Option<u64>,
    /// What the algorithm is told.
    pub settings: Settings,
    /// Seconds after which the best release so far is taken.
    pub time_limit: Option<f64>,
    /// Whether a search that was stopped may release a table of which nothing is left.
    pub accept_any: bool,
    /// A release to begin with.
    pub start: Option<PathBuf>,
    /// Number of threads.
    pub threads: Option<usize>,
    /// What the table's values and tuples may take of memory.
    pub memory_limit: Option<ByteSize>,
    /// The cluster that counts and writes.
    pub cluster: Option<String>,
    /// By what it is known.
    pub cluster_tls: Option<TlsFiles>,
}

impl Job {
    /// A job from flags alone, whose release is written; paths are relative to the working directory.
    pub fn from_flags(flags: JobFlags) -> Result<Job> {
        if flags.input.is_some() && flags.output.is_none() {
            return Err(super::output::lacking());
        }
        Job::to_search(flags)
    }

    /// The same for who only wants to know what the release would be.
    ///
    /// # Errors
    /// If nothing says what it must satisfy.
    pub fn to_search(flags: JobFlags) -> Result<Job> {
        if flags.input.is_some() && flags.k.is_none() && flags.require.is_empty() {
            return Err(lacking("k", "-k NUMBER"));
        }
        Job::of_tables(flags)
    }

    /// The same about tables that are there already: nothing is looked for, so nothing need be required.
    pub fn of_tables(flags: JobFlags) -> Result<Job> {
        let job = Job {
            input: flags
                .input
                .clone()
                .map(Address::from_path)
                .ok_or_else(|| lacking("the input", "a file name"))?,
            output: Output::default(),
            csv: DialectOverrides::default(),
            columns: Columns::default(),
            policy: None,
            privacy: Privacy {
                k: flags.k,
                suppression: Suppression::default(),
                notion: Notion::default(),
                person: None,
                sampling_fraction: None,
                sampling_weight: None,
                household: None,
                require: Vec::new(),
            },
            search: Search::default(),
            frontier: Default::default(),
            engine: Default::default(),
            release: Default::default(),
            comments: Default::default(),
            kept: Default::default(),
            tables: Default::default(),
        };
        job.with_flags(flags)
    }

    /// The job with everything that the flags say in place of what it said.
    ///
    /// A column that a flag names loses what the job said about it.
    pub fn with_flags(mut self, flags: JobFlags) -> Result<Job> {
        for (name, column) in flag_columns(&flags)? {
            // It says why the column had another role.
            if self.columns.get(&name).is_none_or(|known| known.role != column.role) {
                self.comments.remove(&name);
            }
            self.columns.set(name, column);
        }
        for flag in &flags.date_formats {
            set_of_column(&mut self.columns, "--date-format", flag, set_date_format)?;
        }
        for flag in &flags.unknown {
            set_of_column(&mut self.columns, "--unknown", flag, |column, unknown| {
                column.unknown = Some(unknown.parse()?);
                Ok(())
            })?;
        }
        for flag in &flags.text {
            set_of_column(&mut self.columns, "--text", flag, |column, text| {
                column.text = Some(text.parse()?);
                Ok(())
            })?;
        }
        if let Some(separator) = &flags.hierarchy_separator {
            let separator = choose_separator(separator).map_err(EngineError::bad)?;
            for hierarchy in self.columns.hierarchies_mut() {
                if let HierarchySpec::File(file) = hierarchy {
                    file.separator = Some(separator);
                }
            }
        }
        override_search(&mut self.search, &flags);
        replace(&mut self.input, flags.input.map(Address::from_path));
        if flags.output.as_ref().is_some_and(|path| !Output::new(path).is_directory()) {
            // What the job says of parts is of no use for a file.
            (self.output.rows_per_file, self.output.format) = (None, None);
        }
        self.output.path = flags.output.map(Address::of_target).or(self.output.path.take());
        self.output.rows_per_file = flags.rows_per_file.or(self.output.rows_per_file);
        self.output.format = flags.output_format.or(self.output.format.take());
        replace(&mut self.output.suppressed, flags.suppressed);
        replace(&mut self.output.order, flags.order);
        self.output.encoding = flags.output_encoding.or(self.output.encoding.take());
        self.output.replace |= flags.replace;
        self.csv.formulas = flags.formulas.or(self.csv.formulas);
        self.engine.cluster = flags.cluster.or(self.engine.cluster.take());
        self.engine.tls = flags.cluster_tls.or(self.engine.tls.take());
        self.output.recoding = flags.save.or(self.output.recoding.take());
        override_dialect(&mut self.csv, flags.csv);
        self.privacy.k = flags.k.or(self.privacy.k);
        if flags.person.is_some() {
            self.privacy.person = flags.person;
        }
        if !flags.require.is_empty() {
            self.privacy.require = flags.require;
            self.privacy.pass_on_sampling_fraction();
        }
        replace(&mut self.privacy.suppression, flags.suppression);
        replace(&mut self.privacy.notion, flags.notion);
        self.name_local_files();
        Ok(self)
    }
}

fn lacking(what: &str, flag: &str) -> EngineError {
    EngineError::bad((format!("{what} is missing"), format!("give it with {flag}, or in a job file")))
}

/// What a flag makes pointless is left behind: `--algorithm forest` does without the distance that the
/// job has for its own algorithm. What was pointless before, or comes from a flag, stays to be refused.
fn override_search(search: &mut Search, flags: &JobFlags) {
    let said = search.settings.said().map(|(setting, _)| setting);
    let useful: Vec<&Setting> = said.filter(|setting| search.uses(setting)).collect();
    replace(&mut search.algorithm, flags.algorithm.clone());
    replace(&mut search.measure, flags.measure.clone());
    replace(&mut search.aggregate.mean, flags.mean);
    replace(&mut search.aggregate.preference, flags.suppress_or_generalise);
    replace(&mut search.seed, flags.seed);
    search.time_limit = flags.time_limit.or(search.time_limit);
    search.accept_any |= flags.accept_any;
    search.start = flags.start.clone().or(search.start.take());
    search.threads = flags.threads.or(search.threads);
    search.memory_limit = flags.memory_limit.or(search.memory_limit);
    search.settings.extend(&flags.settings);
    for setting in useful {
        if !flags.settings.says(setting) && !search.uses(setting) {
            search.settings.clear(setting);
        }
    }
}

fn override_dialect(old: &mut DialectOverrides, new: DialectOverrides) {
    old.delimiter = new.delimiter.or(old.delimiter);
    old.quote = new.quote.or(old.quote);
    old.header = new.header.or(old.header);
    old.trim = new.trim.or(old.trim);
    old.decimal = new.decimal.or(old.decimal);
    old.encoding = new.encoding.or(old.encoding.take());
    old.formulas = new.formulas.or(old.formulas);
    old.sheet = new.sheet.or(old.sheet.take());
    old.skip = new.skip.or(old.skip);
    old.totals = new.totals.or(old.totals);
}

/// Sets what a flag such as `born=%d/%m/%Y` says of a column.
fn set_of_column(
    columns: &mut Columns,
    name: &str,
    flag: &str,
    set: impl FnOnce(&mut Column, &str) -> Result<()>,
) -> Result<()> {
    // A name may have the sign, too: the longest that is a column's is meant.
    let parts = flag.match_indices('=').rev().map(|(at, _)| (&flag[..at], &flag[at + 1..]));
    let known = parts.into_iter().find_map(|(column, value)| Some((columns.get(column)?, column, value)));
    let Some((column, column_name, value)) = known else {
        let given = flag.split_once('=').map_or("", |(column, _)| column);
        let near = guess(given, columns.named().map(|(column, _)| column));
        let problem = format!("{name} needs COLUMN=VALUE, for a column that has a role{near}");
        return Err(EngineError::bad(problem));
    };
    let mut column = column.clone();
    set(&mut column, value).map_err(|error| error.in_column(column_name))?;
    columns.set(column_name, column);
    Ok(())
}

fn set_date_format(column: &mut Column, text: &str) -> Result<()> {
    match &mut column.hierarchy {
        Some(HierarchySpec::Dates { format, .. } | HierarchySpec::Range { format }) if !text.is_empty() => {
            *format = Some(text.to_owned());
            Ok(())
        }
        _ => Err(EngineError::bad(
            "--date-format is for columns that are generalised by dates or range, and needs a format such as \
             %d/%m/%Y",
        )),
    }
}

fn replace<T>(old: &mut T, new: Option<T>) {
    if let Some(new) = new {
        *old = new;
    }
}

/// The columns that the flags name, each once.
fn flag_columns(flags: &JobFlags) -> Result<Vec<(String, Column)>> {
    let mut columns: Vec<(String, Column)> = Vec::new();
    for flag in &flags.quasi {
        add(&mut columns, quasi_column(flag)?)?;
    }
    let named = [
        (Role::Identifier, &flags.identifier),
        (Role::Sensitive, &flags.sensitive),
        (Role::Target, &flags.target),
        (Role::Other, &flags.other),
    ];
    for (role, names) in named {
        for name in names {
            add(&mut columns, (name.clone(), Column::new(role)))?;
        }
    }
    for name in &flags.pseudonym {
        add(&mut columns, (name.clone(), Column::with_pseudonym(Pseudonym::Keyed)))?;
    }
    if let Some(role) = flags.rest {
        add(&mut columns, (REST.to_owned(), Column::new(role)))?;
    }
    Ok(columns)
}

/// Reads `name` or `name=hierarchy`.
fn quasi_column(flag: &str) -> Result<(String, Column)> {
    let mut column = Column::new(Role::Quasi);
    let Some((name, hierarchy)) = flag.split_once('=') else {
        return Ok((flag.to_owned(), column));
    };
    let hierarchy: HierarchySpec = hierarchy.parse().map_err(|error: EngineError| error.in_column(name))?;
    column.hierarchy = Some(hierarchy);
    Ok((name.to_owned(), column))
}

fn add(columns: &mut Vec<(String, Column)>, (name, column): (String, Column)) -> Result<()> {
    if let Some((_, earlier)) = columns.iter().find(|(known, _)| *known == name) {
        let shown = quoted(&name);
        let problem: Message = if earlier.role == column.role {
            format!("column {shown} is given twice as {}", column.role).into()
        } else {
            (
                format!("column {shown} is given as {} and as {}", earlier.role, column.role),
                "a column can have only one role",
            )
                .into()
        };
        return Err(EngineError::bad(problem).about_column(&name));
    }
    columns.push((name, column));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn texts(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    fn flags() -> JobFlags {
        JobFlags {
            input: Some("data.csv".into()),
            output: Some("out.csv".into()),
            quasi: texts(&["age=age.csv", "sex"]),
            identifier: texts(&["name"]),
            k: Some(5),
            ..JobFlags::default()
        }
    }

    fn complaint(flags: JobFlags) -> String {
        Job::from_flags(flags).and_then(|job| job.validate()).unwrap_err().to_string()
    }

    #[test]
    fn flags_say_the_same_as_a_file() {
        let text = "input = 'data.csv'\noutput = { path = 'out.csv', order = 'shuffle' }\n\
                    [columns]\nage = { role = 'quasi', hierarchy = 'age.csv' }\n\
                    sex = { role = 'quasi' }\nname = { role = 'identifier' }\n\
                    ill = { role = 'sensitive' }\n'*' = { role = 'other' }\n\
                    [privacy]\nk = 5\nsuppression = 0.02\n[search]\nseed = 3";
        let flags = JobFlags {
            sensitive: texts(&["ill"]),
            rest: Some(Role::Other),
            order: Some(RowOrder::Shuffle { seed: None }),
            suppression: Some("2%".parse().unwrap()),
            seed: Some(3),
            ..flags()
        };
        let job = Job::from_flags(flags).unwrap();
        assert_eq!(job, Job::parse(text, Path::new("")).unwrap());
    }

    #[test]
    fn a_column_has_one_role() {
        let two = JobFlags { sensitive: texts(&["sex"]), ..flags() };
        assert_eq!(
            complaint(two),
            "column 'sex' is given as quasi and as sensitive; a column can have only one role"
        );
        let twice = JobFlags { quasi: texts(&["age=age.csv", "age"]), ..flags() };
        assert_eq!(complaint(twice), "column 'age' is given twice as quasi");
        let rest = JobFlags { other: texts(&["*"]), rest: Some(Role::Identifier), ..flags() };
        assert_eq!(
            complaint(rest),
            "column '*' is given as other and as identifier; a column can have only one role"
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(
            complaint(JobFlags { k: None, ..flags() }),
            "k is missing; give it with -k NUMBER, or in a job file"
        );
        assert_eq!(
            complaint(JobFlags { output: None, ..flags() }),
            "the output is missing; give it with -o FILE, or in a job file"
        );
        assert_eq!(
            complaint(JobFlags { input: None, ..flags() }),
            "the input is missing; give it with a file name, or in a job file"
        );
    }

    #[test]
    fn flags_are_checked_like_a_file() {
        assert_eq!(complaint(JobFlags { k: Some(1), ..flags() }), "k is 1; it must be at least 2");
        assert_eq!(
            complaint(JobFlags { quasi: Vec::new(), ..flags() }),
            "no column has the role quasi; at least one quasi-identifier is needed"
        );
        let mask = JobFlags { quasi: texts(&["zip=mask:top"]), ..flags() };
        assert_eq!(complaint(mask), "column 'zip': unknown side to mask 'top'; allowed are: right, left");
        let rest = JobFlags { rest: Some(Role::Sensitive), ..flags() };
        assert_eq!(
            complaint(rest),
            "the columns that '*' stands for cannot be sensitive; they can be other or identifier"
        );
    }

    #[test]
    fn flags_override_a_job() {
        let job = Job::from_flags(JobFlags { seed: Some(9), ..flags() }).unwrap();
        let over = JobFlags {
            k: Some(10),
            quasi: texts(&["age"]),
            other: texts(&["name"]),
            algorithm: Some("ola".to_owned()),
            threads: Some(2),
            ..JobFlags::default()
        };
        let job = job.with_flags(over).unwrap();
        assert_eq!((job.privacy.k, job.search.seed, job.search.threads), (Some(10), 9, Some(2)));
        assert_eq!(job.search.algorithm, "ola");
        assert_eq!(job.columns.get("age"), Some(&Column::new(Role::Quasi)));
        assert_eq!(job.columns.get("name"), Some(&Column::new(Role::Other)));
        assert_eq!(job.columns.get("sex"), Some(&Column::new(Role::Quasi)));
        assert_eq!(job.input, Path::new("data.csv"));
    }

    /// A job for agglomerative clustering by distance 4, overridden.
    fn overridden(flags: JobFlags) -> Search {
        let text = "input = 'a.csv'\noutput = 'b.csv'\ncolumns.age = { role = 'quasi' }\nprivacy.k = 5\n\
                    [search]\nalgorithm = 'agglomerative'\ndistance = 4\nepsilon = 0.5\nrelaxed = true";
        Job::parse(text, Path::new("")).unwrap().with_flags(flags).unwrap().search
    }

    #[test]
    fn settings_that_a_flag_makes_pointless_are_left_behind() {
        let named = |name: &str| JobFlags { algorithm: Some(name.to_owned()), ..JobFlags::default() };
        let distance = || Settings::default().with("distance", "1").unwrap();
        let said = |flags: JobFlags| -> Vec<&str> {
            overridden(flags).settings.said().map(|(setting, _)| setting.name).collect()
        };
        let same = ["distance", "epsilon", "relaxed"];
        assert_eq!(said(JobFlags::default()), same);
        assert_eq!(said(named("sequential")), same);
        // The job had no use for relaxed either: that is an error of the job, not of the flags.
        assert_eq!(said(named("forest")), ["relaxed"]);
        let near = JobFlags { settings: distance(), ..JobFlags::default() };
        assert_eq!(said(near), ["distance", "relaxed"]);
        let settings = distance().with("shrink", "true").unwrap();
        let forest = JobFlags { settings, ..named("forest") };
        assert_eq!(said(forest), ["distance", "shrink", "relaxed"]);
    }
}
