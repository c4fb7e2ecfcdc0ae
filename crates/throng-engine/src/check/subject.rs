//! The table to check, and which of its columns are quasi-identifiers.

use std::path::Path;

use rustc_hash::FxHashSet;
use throng::notion::Notion;
use throng::wording::{quoted, quoted_list};

use super::Sampling;
use crate::address::Address;
use crate::columns::{find_column, given_twice, names_of_release};
use crate::error::{EngineError, Result};
use crate::input::dialect::DialectOverrides;
use crate::input::source::{Source, has_no_lines};
use crate::input::standard;
use crate::job::{Job, NO_PERSON, Privacy, Require, Role, Sensitive, refuse_column_none, split_quasi};
use crate::plan::OpenJob;
use crate::wording::Message;
use throng_tables::output::sink::is_there;
use throng_tables::tables::Tables;

/// A table that was opened, and its quasi-identifiers.
#[derive(Clone, Debug)]
pub struct CheckedTable {
    source: Source,
    /// What its columns are called.
    columns: Vec<String>,
    /// Positions of the quasi-identifiers.
    quasi: Vec<usize>,
    /// Positions of the sensitive columns, and what is told of each.
    sensitive: Vec<(usize, Sensitive)>,
    /// The column that says whom a row is of.
    person: Option<usize>,
    /// Whether persons should be counted, but their column is not there.
    lacks_persons: bool,
    /// Whether it is said if a person may have several rows.
    says_persons: bool,
    /// What its classes must satisfy.
    required: Vec<Require>,
    /// What a crowd is, in the job.
    notion: Notion,
    /// How it was drawn from a population, if it was.
    sampling: Option<Sampling>,
    /// The most columns of sets by which special uniques are looked for.
    special_columns: Option<usize>,
    /// The column that says which household a row belongs to.
    household: Option<usize>,
}

impl CheckedTable {
    /// Any table.
    ///
    /// Each of `names` is a column, or several with commas between them: see [`split_quasi`]. So are `others`, the columns
    /// that are asked for beside them: JSON lines without a line have all of them, as nothing else says what their
    /// columns are.
    ///
    /// # Errors
    /// If the file is no table, or the names are none of its columns.
    pub fn of_table(
        tables: &Tables,
        table: impl Into<Address>,
        overrides: &DialectOverrides,
        names: &[String],
        others: &[String],
    ) -> Result<CheckedTable> {
        let (table, mut asked) = (table.into(), split_all(names));
        let is_file = matches!(table, Address::Files(_) | Address::Stdio(_));
        let source = match is_file && !asked.is_empty() && has_no_lines(&table) {
            true => {
                asked.extend(split_all(others));
                let mut seen = FxHashSet::default();
                asked.retain(|name| seen.insert(name.clone()));
                tables.open_release(table, overrides, &asked)?
            }
            false => tables.open(table, &overrides.clone().with_known_names(&asked))?,
        };
        let columns = source.columns().to_vec();
        CheckedTable::new(source, columns, names)
    }

    /// The table that a job reads, with the job's quasi-identifiers unless `names` has others.
    ///
    /// # Errors
    /// If the job does not fit its input.
    pub fn of_job_input(job: &Job, names: &[String]) -> Result<CheckedTable> {
        let opened = OpenJob::new(job)?;
        let (quasi, columns) = (opened.quasi(), opened.source.columns().to_vec());
        let subject =
            CheckedTable::new(opened.source, columns, if names.is_empty() { &quasi } else { names })?;
        // A release may do without the column of households; the table that it is made of has it.
        subject.told_by(job)?.with_household(job.privacy.household.as_deref())
    }

    /// The release that a job wrote, with the job's quasi-identifiers unless `names` has others.
    ///
    /// The job's input is looked into, too: it decides how its release is spelled, and what the
    /// columns of a release without a header are.
    ///
    /// # Errors
    /// If there is no release yet, or it does not fit the job.
    pub fn of_job_output(job: &Job, names: &[String]) -> Result<CheckedTable> {
        let opened = OpenJob::new(job)?;
        let path = job.output.path()?;
        if !is_there(path)? {
            return Err(EngineError::not_found(path, "the job has not written its release yet"));
        }
        standard::refuse_twice(&job.input, path)?;
        let released = opened.released();
        let source = job.tables.open_release(path, &job.written_dialect(&opened.source)?, &released)?;
        let columns = names_of_release(&source, &released).ok_or_else(|| {
            let (found, expected) = (source.columns().len(), released.len());
            source.bad((format!("{found} columns"), format!("the job's release has {expected}")))
        })?;
        let quasi = opened.quasi();
        if !names.is_empty() {
            return Ok(CheckedTable::new(source, columns, names)?.told_by(job)?.without_lost_weights());
        }
        let mut subject = CheckedTable::new(source, columns, &quasi)?.told_by(job)?.without_lost_weights();
        // The job was asked before it was run.
        subject.says_persons = true;
        subject.required = job.privacy.required();
        subject.notion = job.privacy.notion;
        Ok(subject)
    }

    /// The release of a job need not have the column of design weights; nothing is estimated of it then.
    fn without_lost_weights(mut self) -> CheckedTable {
        let columns = &self.columns;
        self.sampling = self.sampling.take().filter(|sampling| match sampling {
            Sampling::Fraction(_) => true,
            Sampling::Weights(name) => columns.contains(name),
        });
        self
    }

    /// With the sensitive columns of a job, and its persons, as far as the table has them.
    fn told_by(mut self, job: &Job) -> Result<CheckedTable> {
        let sensitive = job.columns.named().filter(|(_, column)| column.role == Role::Sensitive);
        for (name, column) in sensitive {
            if let Some(at) = self.columns.iter().position(|known| known == name) {
                self.sensitive.push((at, Sensitive::from_column(column)));
            }
        }
        let person = job.person();
        self.person = person.and_then(|name| self.columns.iter().position(|known| known == name));
        self.lacks_persons = person.is_some() && self.person.is_none();
        self.says_persons = job.says_persons();
        let Privacy { sampling_fraction, sampling_weight, household, .. } = &job.privacy;
        // A release may do without it.
        let household =
            household.as_ref().and_then(|name| self.columns.iter().position(|known| known == name));
        self.household = household.filter(|_| self.person.is_none());
        self.sampling = Sampling::from_flags(*sampling_fraction, sampling_weight.as_deref())?;
        Ok(self)
    }

    /// The same table with more that its classes must satisfy; a column that a requirement looks at is
    /// sensitive.
    ///
    /// # Errors
    /// If a requirement is wrong, or is about a column that is not there.
    pub fn with_required(mut self, mut required: Vec<Require>) -> Result<CheckedTable> {
        for require in &mut required {
            require.take_sampling_fraction(match self.sampling {
                Some(Sampling::Fraction(fraction)) => Some(fraction),
                _ => None,
            });
            require.validate()?;
            self = self.with_sensitive(require.column.as_slice(), None)?;
        }
        self.required.extend(required);
        Ok(self)
    }

    /// The same table with these sensitive columns, each name being one or several with commas between
    /// them; and with the column that says whom a row is of.
    ///
    /// # Errors
    /// If a name is none of the table's columns, or is a quasi-identifier.
    pub fn with_sensitive(mut self, names: &[String], person: Option<&str>) -> Result<CheckedTable> {
        let asked: Vec<String> =
            names.iter().flat_map(|names| split_quasi(names, &self.columns)).map(str::to_owned).collect();
        for name in asked.iter() {
            let column = find_column(&self.source, &self.columns, name)?;
            if self.quasi.contains(&column) {
                let problem = ("it is a quasi-identifier", "it cannot also be sensitive");
                return Err(EngineError::bad(problem).in_column(name));
            }
            if self.sensitive.iter().all(|(known, _)| *known != column) {
                self.sensitive.push((column, Sensitive::default()));
            }
        }
        refuse_column_none(person, &self.columns)?;
        if let Some(name) = person {
            let column = || find_column(&self.source, &self.columns, name);
            self.person = (name != NO_PERSON).then(column).transpose()?;
            (self.lacks_persons, self.says_persons) = (false, true);
        }
        Ok(self)
    }

    fn new(source: Source, columns: Vec<String>, names: &[String]) -> Result<CheckedTable> {
        let mut quasi: Vec<usize> = Vec::new();
        let asked: Vec<&str> = names.iter().flat_map(|names| split_quasi(names, &columns)).collect();
        refuse_hierarchies(&asked, &columns)?;
        source.recognise(&asked)?;
        for name in asked {
            let column = find_column(&source, &columns, name)?;
            if quasi.contains(&column) {
                return Err(given_twice(name));
            }
            quasi.push(column);
        }
        if quasi.is_empty() {
            return Err(EngineError::bad((
                "no quasi-identifier is given",
                format!(
                    "name each column that others may know with --qi COLUMN (or --qi A,B,C); {}",
                    list_or_doubt(&source, &columns)
                ),
            ))
            .about_file(source.path()));
        }
        Ok(CheckedTable {
            source,
            columns,
            quasi,
            sensitive: Vec::new(),
            person: None,
            lacks_persons: false,
            says_persons: false,
            required: Vec::new(),
            notion: Notion::K,
            sampling: None,
            special_columns: None,
            household: None,
        })
    }

    /// The same table as a sample of a population, if it is said how it was drawn: else what its job says.
    #[must_use]
    pub fn with_sampling(self, sampling: Option<Sampling>) -> CheckedTable {
        CheckedTable { sampling: sampling.or(self.sampling), ..self }
    }

    /// The same table, whose special uniques are looked for by sets of up to so many columns.
    #[must_use]
    pub fn with_special_uniques(self, most_columns: Option<usize>) -> CheckedTable {
        CheckedTable { special_columns: most_columns, ..self }
    }

    /// The same table with the column that says which household a row is of: else what its job says.
    ///
    /// # Errors
    /// If there is no such column, it is a quasi-identifier, or persons are counted.
    pub fn with_household(mut self, name: Option<&str>) -> Result<CheckedTable> {
        let Some(name) = name else { return Ok(self) };
        let column = find_column(&self.source, &self.columns, name)?;
        if self.quasi.contains(&column) {
            let problem = ("household: it is a quasi-identifier", "households need a column of their own");
            return Err(EngineError::bad(problem).in_column(name));
        }
        if self.person.is_some() {
            let problem = "household: the risk of a household is that of its rows, so persons cannot be counted as well";
            return Err(EngineError::bad(problem).in_column(name));
        }
        self.household = Some(column);
        Ok(self)
    }

    /// Position and name of the column of households.
    pub(super) fn household(&self) -> Option<(usize, &str)> {
        self.household.map(|column| (column, self.columns[column].as_str()))
    }

    pub(super) fn special_columns(&self) -> Option<usize> {
        self.special_columns
    }

    /// How it was drawn from a population.
    pub(super) fn sampling(&self) -> Option<&Sampling> {
        self.sampling.as_ref()
    }

    /// The column of design weights.
    pub(super) fn sampling_weight(&self) -> Option<&str> {
        match &self.sampling {
            Some(Sampling::Weights(name)) => Some(name),
            _ => None,
        }
    }

    /// Position of the column of design weights.
    pub(super) fn weight_column(&self) -> Result<Option<usize>> {
        let Some(name) = self.sampling_weight() else { return Ok(None) };
        let bad = |problem: (&str, &str)| {
            Err(EngineError::bad(Message::from(problem).after("sampling_weight: ")).in_column(name))
        };
        let column = find_column(&self.source, &self.columns, name)?;
        if self.person.is_some() {
            return bad((
                "design weights belong to rows, not to persons",
                "give a sampling fraction if persons are counted",
            ));
        }
        if self.quasi.contains(&column) || self.sensitive.iter().any(|(known, _)| *known == column) {
            return bad((
                "it is a quasi-identifier or sensitive",
                "design weights need a column of their own",
            ));
        }
        Ok(Some(column))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.source.path()
    }

    /// Names of the quasi-identifiers.
    pub fn quasi_names(&self) -> impl Iterator<Item = &str> {
        self.quasi.iter().map(|&column| self.columns[column].as_str())
    }

    /// Names of the sensitive columns.
    pub fn sensitive_names(&self) -> impl Iterator<Item = &str> {
        self.sensitive.iter().map(|(column, _)| self.columns[*column].as_str())
    }

    /// Name of the column by which persons are counted.
    pub fn person_name(&self) -> Option<&str> {
        self.person.map(|column| self.columns[column].as_str())
    }

    /// What is told of a sensitive column, by its place among them.
    pub(super) fn told(&self, place: usize) -> &Sensitive {
        &self.sensitive[place].1
    }

    /// The same by its name; nothing is told of a column that is none of them.
    pub(super) fn told_of(&self, name: &str) -> Sensitive {
        let of_name = self.sensitive.iter().find(|(column, _)| self.columns[*column] == name);
        of_name.map(|(_, told)| told.clone()).unwrap_or_default()
    }

    /// What its columns are called.
    pub(super) fn columns(&self) -> &[String] {
        &self.columns
    }

    pub(super) fn lacks_persons(&self) -> bool {
        self.lacks_persons
    }

    /// Whether it is said if a person may have several rows.
    pub(super) fn says_persons(&self) -> bool {
        self.says_persons
    }

    pub(super) fn required(&self) -> &[Require] {
        &self.required
    }

    /// Positions of all columns that are looked at: quasi-identifiers, sensitive ones, design weights, persons.
    ///
    /// # Errors
    /// If there is no such column of design weights.
    pub(super) fn columns_read(&self) -> Result<Vec<usize>> {
        let sensitive = self.sensitive.iter().map(|(column, _)| *column);
        let weight = self.weight_column()?;
        Ok(self.quasi.iter().copied().chain(sensitive).chain(weight).chain(self.person).collect())
    }

    /// What a crowd is, in the job whose release this is.
    pub(super) fn notion(&self) -> Notion {
        self.notion
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    pub(super) fn quasi(&self) -> &[usize] {
        &self.quasi
    }
}

/// The names in a list of which each may be several, with commas between them.
fn split_all(names: &[String]) -> Vec<String> {
    names.iter().flat_map(|names| split_quasi(names, &[])).map(str::to_owned).collect()
}

/// A table by itself is counted as it stands; a hierarchy would change nothing.
fn refuse_hierarchies(asked: &[&str], columns: &[String]) -> Result<()> {
    let names = asked.iter().filter(|name| !columns.iter().any(|column| column == *name));
    match names.filter_map(|name| name.split_once('=')).next() {
        Some((name, _)) => Err(EngineError::bad(format!(
            "column {} comes with a hierarchy, which says how a release generalises it: name the release as \
                well (throng check ORIGINAL RELEASED), or leave the hierarchy out",
            quoted(name)
        ))
        .about_column(name)),
        None => Ok(()),
    }
}

/// The columns of a file, unless they may be its first record.
fn list_or_doubt(source: &Source, columns: &[String]) -> String {
    let file = source.path().display();
    match source.names_are_guessed() {
        true => format!("in {file} {}", source.doubt()),
        false => format!("the columns of {file} are {}", quoted_list(columns)),
    }
}
