//! Reads a job's table and brings it into the form that the core searches: read → encode.

pub(crate) mod carried;
mod coding;
mod column;
mod counted;
mod hidden;
mod kept;
mod population;
pub(crate) mod requirements;
pub(crate) mod sensitive;
mod target;
mod unknown;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use throng::algorithm::{self, Family, Settings};
use throng::loss::{Aggregate, Loss};
use throng::notion::Notion;
use throng::privacy::{DistinctL, KAnonymity};
use throng::problem::Problem;
use throng::requirement::{Requirement, Requirements};
use throng::table::Table;
use throng::taxonomy::Taxonomy;
use throng::wording::quoted;

use crate::auto::Crowd;
use crate::encode::{Encoded, Observer};
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::job::{Job, Privacy, Quasi, Roles};
use crate::plan::OpenJob;
pub(crate) use crate::prepare::carried::{CarriedColumn, CarriedColumns, LookedAt, carry};
pub use crate::prepare::column::EncodedColumn;
use crate::prepare::column::{Origin, build_from_data, look};
pub(crate) use crate::prepare::counted::Counted;
pub use crate::prepare::hidden::Numbered;
use crate::progress::{Progress, Quiet, refuse_cancelled};
pub(crate) use kept::KeptFindings;
pub(crate) use target::MAX_CLASSES;

/// A table that was read and encoded; many problems can be posed on it.
pub struct EncodedTable {
    /// The table.
    pub source: Source,
    /// What each of its columns is to the release.
    pub roles: Roles,
    /// The quasi-identifiers.
    pub attributes: Vec<EncodedColumn>,
    table: Arc<Table>,
    /// What stands beside the tuples.
    pub(crate) beside: CarriedColumns,
    /// The column to predict, by its place among those beside the tuples.
    target: Option<usize>,
    /// Why the job's target is not used, if it is not.
    no_target: Option<String>,
    /// What the job says of every problem that is posed: what a crowd of k is, and what else must hold.
    notion: Notion,
    required: Vec<Requirement>,
    /// What the reader of a report should know of the requirements.
    pub(crate) notes: Vec<String>,
    /// What is known of the columns that are released as they are.
    pub(crate) kept: KeptFindings,
    settings: Settings,
    /// How the losses of columns become one number.
    aggregate: Aggregate,
}

impl EncodedTable {
    /// Reads the table of a job.
    ///
    /// # Errors
    /// Bad input, with file, row and column.
    pub async fn read(opened: &OpenJob, progress: &dyn Progress) -> Result<EncodedTable> {
        EncodedTable::count(opened, Vec::new(), progress).await?.prepare(progress).await
    }

    /// Reads the table of a job of which nothing is required, with some of its sensitive columns beside the tuples.
    ///
    /// # Errors
    /// Bad input, with file, row and column.
    pub(crate) async fn read_unrequired(
        opened: &OpenJob,
        sensitive: &[String],
        progress: &dyn Progress,
    ) -> Result<EncodedTable> {
        let privacy = Privacy { require: Vec::new(), ..opened.job.privacy.clone() };
        Counted::read(opened, privacy, sensitive, Vec::new(), progress).await?.prepare(progress).await
    }

    /// Counts the table of a job, while others look at its rows.
    ///
    /// # Errors
    /// Bad input, with file, row and column.
    pub(crate) async fn count<'o>(
        opened: &'o OpenJob,
        observers: Vec<Observer>,
        progress: &dyn Progress,
    ) -> Result<Counted<'o>> {
        Counted::read(opened, opened.job.privacy.clone(), &[], observers, progress).await
    }

    /// The same table for who reads a release of it, in which people have other numbers than they get here.
    pub fn for_reading(mut self) -> EncodedTable {
        self.attributes.iter_mut().for_each(EncodedColumn::forget_numbers);
        self
    }

    /// The same rows as another job with the same quasi-identifiers generalises them.
    ///
    /// # Errors
    /// Values that do not fit the job's hierarchies.
    pub(crate) fn again(&self, job: &Job) -> Result<EncodedTable> {
        let source = self.source.clone();
        let roles = job.resolve_in(&source)?;
        EncodedTable::new(source, roles, self.encoded(), self.beside.clone(), (job, &job.privacy), &Quiet)
    }

    fn new(
        source: Source,
        roles: Roles,
        encoded: Encoded,
        beside: CarriedColumns,
        (job, privacy): (&Job, &Privacy),
        progress: &dyn Progress,
    ) -> Result<EncodedTable> {
        let quasi: Vec<(usize, String, Quasi)> =
            roles.quasi().map(|(column, name, quasi)| (column, name.to_owned(), quasi.clone())).collect();
        let seen = look(&quasi, &encoded, beside.population.as_ref())?;
        // A population says of itself how many have a value.
        let persons = beside.persons.as_ref().filter(|_| beside.population.is_none());
        let crowd = Crowd { least: privacy.least_crowd(), persons };
        let built = build_from_data(&quasi, &seen, &encoded, beside.population.as_ref(), &crowd, progress)?;
        let Encoded { dictionaries, columns, weights, .. } = encoded;

        let family = algorithm::find(&job.search.algorithm).map(|entry| entry.family);
        let mixes_levels = family.is_some_and(|family| family != Family::FullDomain);
        let mut warnings = Vec::new();
        let mut attributes = Vec::with_capacity(quasi.len());
        let mut leaf_columns = Vec::with_capacity(quasi.len());
        let known = seen.into_iter().zip(built).zip(dictionaries).zip(columns);
        for ((column, name, quasi), (((seen, built), dictionary), codes)) in quasi.into_iter().zip(known) {
            refuse_cancelled(progress)?;
            let foreign = beside.population.as_ref().map(|population| population.foreign(attributes.len()));
            let origin = Origin { table: &source, foreign };
            let mut attribute = EncodedColumn::new(&origin, column, name, &quasi, dictionary, seen, built)?;
            if let Some(spec) = &quasi.hierarchy {
                warnings.extend(spec.warnings(&attribute.taxonomy)?);
            }
            // Values of several levels stand side by side there.
            if mixes_levels {
                attribute.taxonomy = attribute.taxonomy.with_distinct_labels();
            }
            leaf_columns.push(codes.into_iter().map(|code| attribute.leaves[code as usize]).collect());
            attributes.push(attribute);
        }
        let table = match &beside.population {
            Some(population) => Table::with_population(leaf_columns, weights, population.counts.clone()),
            None => Table::new(leaf_columns, weights),
        };
        let table = Arc::new(beside.join(table));
        let names: Vec<&str> = attributes.iter().map(|attribute| attribute.name.as_str()).collect();
        let (required, notes) = requirements::find(&privacy.require, &names, &beside.columns, &roles)?;
        let mut notes = notes;
        notes.extend(requirements::needless(&privacy.require, &roles));
        notes.extend(warnings);
        notes.extend(attributes.iter().filter_map(EncodedColumn::people_note));
        notes.extend(attributes.iter().filter_map(EncodedColumn::notation_note));
        let (notion, settings) = (privacy.notion, job.search.settings.clone());
        let aggregate = job.search.aggregate;
        let target = target::place(&beside, &roles);
        let no_target = None;
        Ok(EncodedTable {
            source,
            roles,
            attributes,
            table,
            beside,
            target,
            no_target,
            notion,
            required,
            notes,
            kept: KeptFindings::default(),
            settings,
            aggregate,
        })
    }

    /// The same, with what was found of the columns that are released as they are.
    pub(crate) fn with_kept(self, kept: KeptFindings) -> EncodedTable {
        EncodedTable { kept, ..self }
    }

    /// The tuples as they were counted, before they became leaves.
    fn encoded(&self) -> Encoded {
        let columns = self.attributes.iter().enumerate().map(|(a, attribute)| {
            let mut codes = vec![0; attribute.taxonomy.leaf_total()];
            for (code, &leaf) in (0..).zip(&attribute.leaves) {
                codes[leaf as usize] = code;
            }
            self.table.column(a).iter().map(|&leaf| codes[leaf as usize]).collect()
        });
        Encoded {
            dictionaries: self.attributes.iter().map(|attribute| attribute.dictionary.clone()).collect(),
            columns: columns.collect(),
            weights: self.table.weights().to_vec(),
            rows: self.rows(),
        }
    }

    /// Rows of the table.
    pub fn rows(&self) -> u64 {
        self.table.rows()
    }

    /// Distinct tuples of quasi-identifiers that rows of the table have.
    pub fn distinct_tuples(&self) -> usize {
        self.table.weights().iter().filter(|&&rows| rows > 0).count()
    }

    /// Puts another table over the same attributes in the place of this one.
    pub(crate) fn replace_table(&mut self, of: impl FnOnce(&Table) -> Table) {
        self.table = Arc::new(of(&self.table));
    }

    /// A seed that only those who know all original tuples can compute: the job's, mixed with these. The seed of a job
    /// may be known or guessed; with it alone nobody can undo what was drawn from this one. It is no secret to those who
    /// know the quasi-identifiers of everybody, so it is only for releases that keep an order which can be known, too.
    pub fn seed_of_table(&self, seed: u64) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        seed.hash(&mut hasher);
        for a in 0..self.table.attributes() {
            self.table.column(a).hash(&mut hasher);
        }
        self.table.weights().hash(&mut hasher);
        hasher.finish()
    }

    /// Names of the quasi-identifiers, in the order of the table.
    pub fn quasi(&self) -> impl ExactSizeIterator<Item = &str> {
        self.attributes.iter().map(|attribute| attribute.name.as_str())
    }

    /// The problem over all quasi-identifiers: a crowd of k, if there is a k, and what else the job
    /// requires.
    ///
    /// # Errors
    /// If k is more than the rows.
    pub fn problem(
        &self,
        k: impl Into<Option<u64>>,
        max_suppressed_rows: u64,
        objective: &'static dyn Loss,
    ) -> Result<Problem> {
        let table = Arc::clone(&self.table);
        self.pose(table, self.attributes.len(), k.into(), max_suppressed_rows, objective)
    }

    /// The place of the column to predict, among those beside the tuples.
    pub(crate) fn target(&self) -> Option<usize> {
        self.target
    }

    /// The problem that asks for a crowd of k and nothing else, in which some of the columns beside the tuples are
    /// looked at.
    ///
    /// # Errors
    /// If k is more than the rows.
    pub(crate) fn open_problem(
        &self,
        k: u64,
        looked_at: &[usize],
        max_suppressed_rows: u64,
        objective: &'static dyn Loss,
    ) -> Result<Problem> {
        self.refuse_beyond_rows(k)?;
        let crowd = Requirement::new(KAnonymity { k });
        // Holds of every class: it is what makes classes carry the values.
        let values = looked_at.iter().map(|&column| Requirement::new(DistinctL { l: 1, column }));
        let all: Vec<Requirement> = std::iter::once(crowd).chain(values).collect();
        let parts = self.parts(self.attributes.len());
        let problem = Problem::new(Arc::clone(&self.table), parts, all, max_suppressed_rows, objective)?;
        let mut problem = self.aim(self.limit(problem)?);
        problem.settings = self.settings.clone();
        problem.aggregate = self.aggregate;
        Ok(problem)
    }

    /// The distinct tuples.
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    fn refuse_beyond_rows(&self, k: u64) -> Result<()> {
        let rows = self.rows();
        if k <= rows {
            return Ok(());
        }
        Err(EngineError::bad((
            format!(
                "k = {k} is more than the {rows} row{} of {}",
                if rows == 1 { "" } else { "s" },
                self.source.path().display()
            ),
            "it can be at most the number of rows",
        ))
        .about_file(self.source.path()))
    }

    /// The first `count` quasi-identifiers as a problem has them.
    pub(crate) fn parts(&self, count: usize) -> Vec<(String, Taxonomy, f64)> {
        self.attributes[..count].iter().map(|a| (a.name.clone(), a.taxonomy.clone(), a.weight)).collect()
    }

    /// A problem over the first quasi-identifiers, at the levels that the job allows.
    fn limit(&self, problem: Problem) -> Result<Problem> {
        let count = problem.attributes().len();
        let levels: Vec<(usize, Option<usize>)> = self.attributes[..count].iter().map(|a| a.levels).collect();
        Ok(problem.within_levels(&levels)?)
    }

    /// A problem with the target, if there is one.
    fn aim(&self, problem: Problem) -> Problem {
        match self.target {
            Some(place) => problem.with_target(place),
            None => problem,
        }
    }

    /// The problem over the first `count` quasi-identifiers only.
    ///
    /// # Errors
    /// If k is more than the rows, or a requirement is about other quasi-identifiers.
    pub fn problem_over_first(
        &self,
        count: usize,
        k: Option<u64>,
        max_suppressed_rows: u64,
        objective: &'static dyn Loss,
    ) -> Result<Problem> {
        self.pose(Arc::new(self.table.project(count)), count, k, max_suppressed_rows, objective)
    }

    fn pose(
        &self,
        table: Arc<Table>,
        count: usize,
        k: Option<u64>,
        max_suppressed_rows: u64,
        objective: &'static dyn Loss,
    ) -> Result<Problem> {
        let crowd = k.map(|k| Requirement::crowd(self.notion, k));
        let in_crowds = |one: &Requirement| one.in_crowds(self.notion);
        let requirements: Requirements =
            crowd.into_iter().chain(self.required.iter().map(in_crowds)).collect::<Vec<_>>().into();
        self.refuse_beyond_rows(requirements.k())?;
        requirements::refuse_beyond(&requirements, count)?;
        let parts = self.parts(count);
        let problem = Problem::new(table, parts, requirements, max_suppressed_rows, objective)?;
        let mut problem = self.aim(self.limit(problem)?);
        problem.settings = self.settings.clone();
        problem.aggregate = self.aggregate;
        let Some(lack) = objective.lack(&problem) else { return Ok(problem) };
        let lack = format!("{lack} (role = \"target\" in the job)");
        let (name, why) = (quoted(objective.name()), self.no_target.as_ref().unwrap_or(&lack));
        Err(EngineError::bad(format!("the measure {name} cannot be minimised here: {why}")))
    }
}
