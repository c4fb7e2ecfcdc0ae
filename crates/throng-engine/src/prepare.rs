//! Reads a job's table and brings it into the form that the core searches: read → encode.

pub(crate) mod carried;
mod coding;
mod column;
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
use throng::loss::Loss;
use throng::notion::Notion;
use throng::privacy::{DistinctL, KAnonymity};
use throng::problem::Problem;
use throng::requirement::{Requirement, Requirements};
use throng::table::Table;
use throng::taxonomy::{Coding, Taxonomy};
use throng::wording::quoted;

use crate::auto::Crowd;
use crate::dictionary::Dictionary;
use crate::encode::{Encoded, encode_within};
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::job::find_algorithm;
use crate::job::{Job, Quasi, Roles};
use crate::memory::{self, Budget};
use crate::plans::on_engine;
pub(crate) use crate::prepare::carried::{Beside, CarriedColumn, LookedAt, carry};
pub use crate::prepare::column::EncodedColumn;
use crate::prepare::column::{Origin, build_from_data, look};
pub use crate::prepare::hidden::Numbered;
use crate::prepare::population::PopulationFile;
use crate::progress::{Progress, Quiet, refuse_cancelled};
pub(crate) use kept::Kept;
pub(crate) use target::MAX_CLASSES;

/// A table that was read and encoded; many problems can be posed on it.
pub struct Prepared {
    /// The table.
    pub source: Source,
    /// What each of its columns is to the release.
    pub roles: Roles,
    /// The quasi-identifiers.
    pub attributes: Vec<EncodedColumn>,
    table: Arc<Table>,
    /// What stands beside the tuples.
    pub(crate) beside: Beside,
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
    pub(crate) kept: Kept,
    settings: Settings,
}

impl Prepared {
    /// Reads the table of a job.
    ///
    /// # Errors
    /// Bad input, with file, row and column.
    pub async fn read(job: &Job, progress: &dyn Progress) -> Result<Prepared> {
        Prepared::read_with(job, &[], progress).await
    }

    /// Reads the table of a job of which nothing is required, with some of its sensitive columns beside the tuples.
    ///
    /// # Errors
    /// Bad input, with file, row and column.
    pub(crate) async fn read_unrequired(
        job: &Job,
        sensitive: &[String],
        progress: &dyn Progress,
    ) -> Result<Prepared> {
        let mut job = job.clone();
        job.privacy.require.clear();
        Prepared::read_with(&job, sensitive, progress).await
    }

    /// The same table for who reads a release of it, in which people have other numbers than they get here.
    pub fn for_reading(mut self) -> Prepared {
        self.attributes.iter_mut().for_each(EncodedColumn::forget_numbers);
        self
    }

    async fn read_with(job: &Job, sensitive: &[String], progress: &dyn Progress) -> Result<Prepared> {
        let source = on_engine(Source::open(&job.input, &job.csv)?, &job.engine)?;
        let roles = job.resolve_in(&source)?;
        let mut columns: Vec<usize> = roles.quasi().map(|(column, ..)| column).collect();
        let quasi = columns.len();
        let names: Vec<&str> = roles.quasi().map(|(_, name, _)| name).collect();
        let population = PopulationFile::open(&job.privacy.require, &names)?;
        let mut looked_at = requirements::columns(&job.privacy.require, sensitive, &roles)?;
        let person = job.person();
        looked_at.extend(target::column(&roles, person));
        columns.extend(looked_at.iter().map(|(column, _)| *column));
        columns.extend(requirements::person(person, &roles)?);
        // Values beside the tuples, persons and a population are counted in 32 bits.
        let counts_values = columns.len() > quasi || population.is_some();
        let most_rows = if counts_values { u32::MAX.into() } else { u64::MAX };
        let budget = Budget::new(job.search.memory_limit, most_rows);
        let encoded = encode_within(&source, &columns, budget, progress).await?;
        let (encoded, lacking) = unknown::merge(encoded, &roles)?;
        if population.is_some() && !lacking.is_empty() {
            return Err(EngineError::bad(
                "unknown = \"top\" does not go with a population, in which values are looked up as they are",
            ));
        }
        let quasis = roles.quasi().zip(&encoded.dictionaries);
        let codings: Vec<Option<Coding>> = quasis.map(|((.., quasi), values)| quasi.coding(values)).collect();
        let encoded = tokio::task::block_in_place(|| encoded.with_codings(&codings));
        let looked_at: Vec<LookedAt> =
            looked_at.into_iter().map(|(_, name)| LookedAt::of(name, &roles)).collect();
        let (encoded, mut beside) = tokio::task::block_in_place(|| carry(encoded, quasi, &looked_at, person));
        let values = encoded.dictionaries.iter().map(Dictionary::len).sum();
        memory::refuse_search(&source, encoded.weights.len(), values)?;
        let (limit, family) = (job.search.memory_limit, find_algorithm(&job.search.algorithm)?.family);
        memory::refuse_above(limit, family, &source, encoded.weights.len(), &encoded.dictionaries)?;
        let no_target = target::leave_useless(&mut beside, &roles);
        let (encoded, beside) = match population {
            Some(file) => file.join(&source, &columns[..quasi], &codings, encoded, beside, progress).await?,
            None => (encoded, beside),
        };
        let mut prepared = Prepared::new(source, roles, encoded, beside, job, progress)?;
        prepared.notes.extend(prepared.source.encoding_note());
        prepared.notes.extend(lacking);
        prepared.notes.extend(no_target.clone().or_else(|| target::note(&prepared.beside, &prepared.roles)));
        prepared.no_target = no_target;
        Ok(prepared)
    }

    /// The same rows as another job with the same quasi-identifiers generalises them.
    ///
    /// # Errors
    /// Values that do not fit the job's hierarchies.
    pub(crate) fn again(&self, job: &Job) -> Result<Prepared> {
        let source = self.source.clone();
        let roles = job.resolve_in(&source)?;
        Prepared::new(source, roles, self.encoded(), self.beside.clone(), job, &Quiet)
    }

    fn new(
        source: Source,
        roles: Roles,
        encoded: Encoded,
        beside: Beside,
        job: &Job,
        progress: &dyn Progress,
    ) -> Result<Prepared> {
        let quasi: Vec<(usize, String, Quasi)> =
            roles.quasi().map(|(column, name, quasi)| (column, name.to_owned(), quasi.clone())).collect();
        let seen = look(&quasi, &encoded, beside.population.as_ref())?;
        // A population says of itself how many have a value.
        let persons = beside.persons.as_ref().filter(|_| beside.population.is_none());
        let crowd = Crowd { least: job.privacy.largest_k(), persons };
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
        let (required, notes) = requirements::find(&job.privacy.require, &names, &beside.columns, &roles)?;
        let mut notes = notes;
        notes.extend(requirements::needless(&job.privacy.require, &roles));
        notes.extend(warnings);
        notes.extend(attributes.iter().filter_map(EncodedColumn::people_note));
        notes.extend(attributes.iter().filter_map(EncodedColumn::notation_note));
        let (notion, settings) = (job.privacy.notion, job.search.settings.clone());
        let target = target::place(&beside, &roles);
        let no_target = None;
        Ok(Prepared {
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
            kept: Kept::default(),
            settings,
        })
    }

    /// The same, with what was found of the columns that are released as they are.
    pub(crate) fn with_kept(self, kept: Kept) -> Prepared {
        Prepared { kept, ..self }
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

    /// A seed that only those who have the original table can compute: the job's, mixed with the
    /// original tuples. The seed of a job may be known or guessed; with it alone nobody can undo
    /// what was drawn from this one.
    pub fn secret_seed(&self, seed: u64) -> u64 {
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
        Err(EngineError::bad(format!(
            "k = {k} is more than the {rows} row{} of {}; it can be at most the number of rows",
            if rows == 1 { "" } else { "s" },
            self.source.path().display()
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
        let requirements: Requirements =
            crowd.into_iter().chain(self.required.iter().cloned()).collect::<Vec<_>>().into();
        self.refuse_beyond_rows(requirements.k())?;
        requirements::refuse_beyond(&requirements, count)?;
        let parts = self.parts(count);
        let problem = Problem::new(table, parts, requirements, max_suppressed_rows, objective)?;
        let mut problem = self.aim(self.limit(problem)?);
        problem.settings = self.settings.clone();
        let Some(lack) = objective.lack(&problem) else { return Ok(problem) };
        let lack = format!("{lack} (role = \"target\" in the job)");
        let (name, why) = (quoted(objective.name()), self.no_target.as_ref().unwrap_or(&lack));
        Err(EngineError::bad(format!("the measure {name} cannot be minimised here: {why}")))
    }
}
