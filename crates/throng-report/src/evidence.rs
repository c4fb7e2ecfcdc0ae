//! What a custodian shows of a release to those who must answer for it.
//!
//! Everything but how the search went is found in the two files, by what reads any table: the original and the
//! release are counted side by side, so a report says of a release what a stranger could confirm. No value
//! leaves this module that the release does not have itself.

mod accuracy;
mod association;
mod belongs;
mod cells;
mod columns;
mod concerns;
mod distribution;
mod drivers;
mod fingerprint;
mod guesses;
mod kept;
mod labels;
mod persons;
mod reasons;

use std::time::Duration;

use throng::consistency::Degrees;
use throng::notion::Notion;
use throng::problem::Problem;

pub use association::Associations;
pub use cells::{Cells, Shows};
pub use columns::{ColumnEvidence, LevelEvidence};
pub use concerns::{Colour, Concern, NEARLY_CERTAIN};
pub use distribution::{Distribution, Share};
pub use drivers::{LossDriver, WhatIf};
pub use fingerprint::Fingerprint;
pub use guesses::Guess;
use labels::QuasiLabels;
pub use reasons::Reason;
use throng_engine::address::Address;
use throng_engine::check::{CheckSummary, CheckedTable, RequirementFound, check};
use throng_engine::encode::{Encoded, encode, encode_any, rows_by_code};
use throng_engine::error::Result;
use throng_engine::evaluate::EvaluateSummary;
use throng_engine::input::source::Source;
use throng_engine::job::{Job, Role};
use throng_engine::memory::Budget;
use throng_engine::plan::{Plan, validate};
use throng_engine::prepare::EncodedTable;
use throng_engine::progress::Progress;
use throng_engine::summary::{Judgement, RequirementSummary, Summary};
use throng_engine::verify::degrees::DiversityFound;
use throng_engine::verify::linkage::Linkage;

/// Rows in classes smaller than this are at risk, unless the job has a k.
const THRESHOLD: u64 = 5;

/// All that is known of a release.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The job, as it was run.
    pub job: Job,
    /// What the run itself said; nothing if it is not at hand.
    pub summary: Option<Summary>,
    /// The original, as it stands.
    pub before: CheckSummary,
    /// The release, as a stranger sees it.
    pub after: CheckSummary,
    /// The largest k of each notion, if the job asks for another than k-anonymity.
    pub crowds: Option<Degrees>,
    /// All columns of the original, in their order.
    pub columns: Vec<ColumnEvidence>,
    /// How closely columns go together.
    pub associations: Associations,
    /// People of the original, where they are counted.
    pub persons: Option<u64>,
    /// What the crowds of the release tell of each sensitive column; nothing where crowds are no classes.
    pub guesses: Vec<Guess>,
    /// What needs a person's judgement though all that was asked for may hold.
    pub concerns: Vec<Concern>,
    /// What each quasi-identifier costs, and why, if that was asked for.
    pub drivers: Vec<LossDriver>,
    /// Why there are no searches without a column or with a finer one, if there are none.
    pub no_drivers: Option<String>,
    /// How well a classifier learns from it, if there is a target; or why that is not known.
    pub accuracy: Option<std::result::Result<EvaluateSummary, String>>,
    /// The files that it was made of, and it.
    pub fingerprints: Vec<Fingerprint>,
}

impl Evidence {
    /// Reads a job's table and its release; must be called in a multi-threaded Tokio runtime. What each column costs is
    /// searched for `what_if`, if that is said: the same search is made again and again for so long.
    ///
    /// # Errors
    /// Bad input, a machine that failed, an interruption; a release that cannot be the job's.
    pub async fn gather(
        job: &Job,
        released: impl Into<Address>,
        summary: Option<&Summary>,
        what_if: Option<Duration>,
        progress: &dyn Progress,
    ) -> Result<Evidence> {
        validate(job)?;
        let mut job = job.clone();
        job.output.path = Some(match released.into() {
            Address::Files(path) => Address::of_target(path),
            elsewhere => elsewhere,
        });
        let threshold = job.privacy.k.unwrap_or(THRESHOLD);
        progress.phase("read");
        let pair = TablePair::read(&job, progress).await?;
        let before = check(&CheckedTable::of_job_input(&job, &[])?, threshold, progress).await?;
        let mut after = check(&CheckedTable::of_job_output(&job, &[])?, threshold, progress).await?;
        let labels = QuasiLabels::read(&pair.prepared, &pair.problem, &pair.after, &pair.released)?;
        let kept = kept::count(&pair, progress).await?;
        tokio::task::block_in_place(|| belongs::refuse_foreign(&pair, &labels, &kept))?;
        persons::judge(&job, &mut after, progress).await?;
        let crowds = pair.crowds(&job, &mut after, progress).await?;
        progress.phase("compare");
        let columns = tokio::task::block_in_place(|| columns::describe(&job, &pair, &labels, &kept, summary));
        let associations = tokio::task::block_in_place(|| Associations::find(&job, &pair, &labels));
        let (drivers, no_drivers) = match what_if {
            Some(limit) => drivers::find(&job, &pair, &columns, limit, progress)?,
            None => Default::default(),
        };
        let guesses = match job.privacy.notion {
            Notion::K => tokio::task::block_in_place(|| guesses::find(&pair)),
            _ => Vec::new(),
        };
        let accuracy = accuracy::find(&job, &pair, progress).await?;
        let fingerprints = tokio::task::block_in_place(|| fingerprint::of_all(&job))?;
        let summary = summary.cloned();
        let persons = pair.persons(&job, progress).await?;
        let mut evidence = Evidence {
            job,
            summary,
            before,
            after,
            crowds,
            columns,
            associations,
            persons,
            guesses,
            concerns: Vec::new(),
            drivers,
            no_drivers,
            accuracy,
            fingerprints,
        };
        evidence.find_concerns(&pair, progress).await?;
        Ok(evidence)
    }

    /// Whether all that the job requires holds: by the files or, where they do not tell, by the run.
    pub fn verdict(&self) -> Judgement {
        let crowd = self.crowd().is_none_or(|(_, asked, found)| found >= asked);
        let (most, left_out) = self.left_out();
        let mut requirements = self.after.requirements.iter().map(|one| self.judged(one).holds);
        let fails = requirements.clone().any(|holds| holds == Some(false));
        match crowd && left_out <= most && !self.has_too_few_rows() && !fails {
            true if requirements.any(|holds| holds.is_none()) => Judgement::NotJudged,
            holds => Judgement::from_answer(Some(holds)),
        }
    }

    /// What is known of a requirement: from the files, or from the run where these cannot tell.
    pub(crate) fn judged<'e>(&'e self, one: &'e RequirementFound) -> &'e RequirementSummary {
        self.judged_by_run(&one.summary).filter(|_| one.not_judged.is_some()).unwrap_or(&one.summary)
    }

    /// What the run found of a requirement.
    pub(crate) fn judged_by_run(&self, one: &RequirementSummary) -> Option<&RequirementSummary> {
        let same = |other: &&RequirementSummary| {
            (&other.model, &other.column, &other.shield, &other.parameters)
                == (&one.model, &one.column, &one.shield, &one.parameters)
        };
        self.summary.as_ref()?.requirements.iter().find(same)
    }

    /// Requirements that neither the files nor the run tell of, and why.
    pub fn not_judged(&self) -> impl Iterator<Item = (&RequirementSummary, &str)> {
        let open = self.after.requirements.iter().filter(|one| self.judged(one).holds.is_none());
        open.map(|one| (&one.summary, one.not_judged.as_deref().unwrap_or("nothing is known about it")))
    }

    /// A crowd that is no class, if the job asks for one: its notion, the k that is asked for, and what there is.
    pub fn crowd(&self) -> Option<(Notion, u64, u64)> {
        let notion = self.job.privacy.notion;
        self.crowds.map(|crowds| (notion, self.job.privacy.largest_k(), crowds.degree(notion)))
    }

    /// Members of the smallest crowd: of a class, or by the notion that the job asks for. Where persons are counted, the run
    /// or the original tells; nothing if neither does.
    pub fn smallest_crowd(&self) -> Option<u64> {
        if let Some((_, _, found)) = self.crowd() {
            return Some(found);
        }
        if self.job.person().is_none() {
            return Some(self.after.k);
        }
        let quasi = self.before.quasi.len();
        let of_all = |one: &&RequirementFound| {
            one.summary.model == Notion::K.name() && one.summary.shield.len() == quasi
        };
        let required = self.after.requirements.iter().find(of_all).and_then(|one| self.judged(one).degree);
        let by_run = || self.summary.as_ref()?.achieved.get(Notion::K.name())?.as_f64();
        required.or_else(by_run).map(|members| members as u64)
    }

    /// The highest chance to find somebody who is known to be in the table.
    pub fn highest_risk(&self) -> Option<f64> {
        let crowd = match self.crowds {
            Some(crowds) => crowds.global_one_k,
            None => self.smallest_crowd()?,
        };
        Some(1.0 / crowd.max(1) as f64)
    }

    /// The fewest released rows that may be those of whomever somebody looks for.
    pub fn reach(&self) -> u64 {
        self.crowds.map_or(self.after.k, |crowds| crowds.one_k)
    }

    /// Whether a class has fewer rows than it must have persons.
    pub fn has_too_few_rows(&self) -> bool {
        self.job.person().is_some() && self.job.privacy.k.is_some_and(|k| self.after.k < k)
    }

    /// How many rows may be suppressed, and how many are: left out, or masked as the run says.
    pub fn left_out(&self) -> (u64, u64) {
        let masked = self.summary.as_ref().map_or(0, |summary| summary.masked_rows);
        (self.job.privacy.suppression.max_rows(self.before.rows), self.rows_left_out() + masked)
    }

    /// Rows of the original that the release lacks.
    pub fn rows_left_out(&self) -> u64 {
        self.before.rows - self.after.rows
    }
}

/// An original table and its release, counted over the same columns.
struct TablePair {
    prepared: EncodedTable,
    problem: Problem,
    /// Names of the columns that were counted: quasi-identifiers, then sensitive ones and the target.
    names: Vec<String>,
    original: Source,
    before: Encoded,
    released: Source,
    /// What the columns of the release are called.
    released_names: Vec<String>,
    after: Encoded,
}

impl TablePair {
    async fn read(job: &Job, progress: &dyn Progress) -> Result<TablePair> {
        let plan = Plan::new(job)?;
        let prepared = EncodedTable::read(&plan, progress).await?.for_reading();
        let max_suppressed_rows = job.privacy.suppression.max_rows(prepared.rows());
        let problem = prepared.problem(job.privacy.k, max_suppressed_rows, plan.measure)?;
        let original = prepared.source.clone();
        let (released, released_names) = belongs::open(job, &prepared)?;
        let of_role = |role| prepared.roles.with_role(role).map(|(_, name)| name.to_owned());
        let looked_at = of_role(Role::Sensitive).chain(of_role(Role::Target));
        let names: Vec<String> = prepared.quasi().map(str::to_owned).chain(looked_at).collect();
        let before = encode(&original, &places(original.columns(), &names), progress).await?;
        let places = places(&released_names, &names);
        let after = encode_any(&released, &places, Budget::default(), progress).await?;
        if after.rows > before.rows {
            let (rows, all) = (after.rows, before.rows);
            let problem = format!(
                "it has {rows} rows, but the job's input has only {all}: it is not a release of \
                    that input"
            );
            return Err(released.bad(problem));
        }
        Ok(TablePair { prepared, problem, names, original, before, released, released_names, after })
    }

    /// How many persons the original is about, where they are counted.
    async fn persons(&self, job: &Job, progress: &dyn Progress) -> Result<Option<u64>> {
        let Some(person) = job.person() else { return Ok(None) };
        let Some(at) = self.original.columns().iter().position(|name| name == person) else {
            return Ok(None);
        };
        let counted = encode(&self.original, &[at], progress).await?;
        Ok(Some(counted.dictionaries[0].len() as u64))
    }

    /// What crowds that are no classes the release has, and what is required of their values. One that lacks rows has none
    /// but its classes, which are crowds by every notion.
    async fn crowds(
        &self,
        job: &Job,
        after: &mut CheckSummary,
        progress: &dyn Progress,
    ) -> Result<Option<Degrees>> {
        let (notion, k) = (job.privacy.notion, after.k);
        if notion == Notion::K {
            return Ok(None);
        }
        if self.after.rows < self.before.rows {
            return Ok(Some(Degrees { k, one_k: k, k_one: k, kk: k, global_one_k: k }));
        }
        let linkage = Linkage::find(&self.prepared, &self.released, job, progress).await?;
        // The release alone was judged by its classes, requirement by requirement.
        let open = after.requirements.iter_mut().zip(&job.privacy.require);
        for (one, require) in open.filter(|(one, _)| one.not_judged.is_some()) {
            if let Some(found) = DiversityFound::find(require, notion, &linkage) {
                let holds = Some(found.meets_required_l);
                (one.summary.degree, one.summary.holds) = (Some(found.values as f64), holds);
                (one.verdict, one.not_judged) = (Judgement::from_answer(holds), None);
            }
        }
        Ok(Some(tokio::task::block_in_place(|| linkage.degrees())))
    }
}

/// Places of names among those of columns, all of which are there.
fn places(columns: &[String], names: &[String]) -> Vec<usize> {
    names.iter().filter_map(|name| columns.iter().position(|column| column == name)).collect()
}

/// Rows of each code of a column.
fn rows_of_codes(encoded: &Encoded, column: usize) -> Vec<u64> {
    rows_by_code(encoded.dictionaries[column].len(), &encoded.columns[column], &encoded.weights)
}

#[cfg(test)]
mod tests;
