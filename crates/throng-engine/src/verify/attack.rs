//! What adversaries can link a release to, as scripts read it.

pub mod control;
mod foreign;
mod informed;
mod known;
mod tables;
#[cfg(test)]
mod tests;
mod worst;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use throng::attack::{FewestPersons, Links};
use throng::consistency::Degrees;
use throng::notion::Notion;

use crate::address::Address;
use crate::error::Result;
use crate::job::Job;
use crate::plan::OpenJob;
use crate::progress::Progress;
use crate::summary::Judgement;
use informed::Informed;
pub use known::{KnownValues, People};
use tables::TwoTables;
use worst::FirstRows;

/// Rows that are named as the worst.
const WORST: usize = 5;

/// The crowd below which rows are counted where nothing is claimed: links to one record are certain.
const CERTAIN_BELOW: u64 = 2;

/// What was found by attacking a release: `throng attack --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttackSummary {
    /// Rows of the original.
    pub rows: u64,
    /// Rows of the release.
    pub released_rows: u64,
    /// Original rows that fit no released one: they were left out.
    pub left_out_rows: u64,
    /// Released rows that can be of nobody once all others have their person: some, if the release was made of
    /// another table.
    pub stray_rows: u64,
    /// What the release claims, if somebody says so.
    pub claim: Option<Claim>,
    /// Whether the claim holds; none if there is none, or it could not be judged.
    pub holds: Option<bool>,
    /// The same in a word; none if there is no claim.
    pub verdict: Option<Judgement>,
    /// How many persons are in the class that has fewest, where persons are counted.
    pub persons: Option<PersonsSummary>,
    /// The crowd below which rows are counted: that of the claim, or two.
    pub threshold_k: u64,
    /// Whether an adversary links somebody to fewer rows than that, or is certain of a sensitive value.
    pub succeeds: bool,
    /// The largest k of each notion, by name.
    pub degrees: Map<String, Value>,
    /// What the first adversary can link, who knows everybody's quasi-identifiers.
    pub neighbours: LinksSummary,
    /// What the second adversary can link, who also knows who is in the table.
    pub matches: LinksSummary,
    /// What the third adversary can link, if she was asked for.
    pub informed: Option<InformedSummary>,
    /// What attacks gain over those on a control group, if there is one.
    #[serde(default)]
    pub control: Option<control::ControlSummary>,
}

/// What the third adversary can link, who also knows a sensitive value of some people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InformedSummary {
    /// The sensitive column.
    pub column: String,
    /// Original rows whose value she knows.
    pub known_rows: u64,
    /// The seed that decided which.
    pub seed: u64,
    /// What she links of the other rows.
    pub links: LinksSummary,
}

/// The persons in the class that has fewest, counted in the original.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonsSummary {
    /// The column that says whom a row is of.
    pub column: String,
    /// No class has fewer.
    pub at_least: u64,
    /// Some class has no more.
    pub at_most: u64,
}

/// The crowd that a release says it gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Name of the notion.
    pub notion: String,
    /// The least crowd.
    pub k: u64,
}

/// What one adversary can link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinksSummary {
    /// The fewest released rows that an original one is linked to.
    pub fewest: u64,
    /// Original rows that are linked to fewer than the threshold.
    pub rows_below_k: u64,
    /// How many original rows are linked to each number of released ones.
    pub distribution: BTreeMap<u64, u64>,
    /// The rows with the fewest links.
    pub worst: Vec<WorstRow>,
    /// For each sensitive column, by name, the original rows whose value is certain.
    pub certain_rows: Map<String, Value>,
}

/// A row with few links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorstRow {
    /// Its number, from 1.
    pub row: u64,
    /// Further rows with the same original values.
    pub rows_alike: u64,
    /// Released rows that it is linked to.
    pub links: u64,
}

/// Attacks the table at `released` with that of the job; what the job claims is judged if `claimed`. Rows
/// may be left out and in any order. The third adversary attacks, too, if it is said what she knows.
///
/// # Errors
/// If a file cannot be read, a column is missing, or a released value cannot be understood; if what is known is not of a
/// sensitive column, or of more rows than have a value.
pub async fn attack(
    opened: &OpenJob,
    released: &Address,
    sensitive: &[String],
    claimed: bool,
    known: Option<&KnownValues>,
    progress: &dyn Progress,
) -> Result<AttackSummary> {
    let job = &opened.job;
    known.map(|known| known.place_in(sensitive)).transpose()?;
    let tables = TwoTables::read(opened, released, sensitive, progress).await?;
    progress.phase("attack");
    let found = tokio::task::block_in_place(|| tables.attack())?;
    let worst = [&found.neighbours, &found.matches].map(|links| links.worst(WORST));
    let first_rows = FirstRows::find(&tables.original, worst.concat(), progress).await?;
    let (notion, k) = (job.privacy.notion, job.privacy.k_over_all(tables.original.attributes.len()));
    let threshold_k = if claimed { k } else { CERTAIN_BELOW };
    let weights = tables.original.table().weights();
    let summary = |links: &Links, worst: &[usize]| {
        LinksSummary::new(links, sensitive, threshold_k, worst, |tuple| WorstRow {
            row: first_rows.first(tuple),
            rows_alike: u64::from(weights[tuple]) - 1,
            links: links.rows[tuple],
        })
    };
    let crowds = match (found.persons, notion) {
        // Nobody is linked to anything.
        _ if tables.released_rows == 0 => Some(true),
        (None, _) => Some(found.degrees.degree(notion) >= k),
        (Some(persons), Notion::K) => persons.are(k),
        // Whose the rows are that somebody hides among is not told by crowds of rows, unless these are too few.
        (Some(_), _) => Some(false).filter(|_| found.degrees.degree(notion) < k),
    };
    let holds = crowds.filter(|_| claimed);
    let persons = found.persons.zip(job.person()).map(|(found, column)| PersonsSummary {
        column: column.to_owned(),
        at_least: found.at_least,
        at_most: found.at_most,
    });
    let [neighbours, matches] = [(&found.neighbours, &worst[0]), (&found.matches, &worst[1])]
        .map(|(links, worst)| summary(links, worst));
    let informed = match known {
        Some(known) => Some(attack_informed(&tables, known, sensitive, threshold_k, progress).await?),
        None => None,
    };
    Ok(AttackSummary {
        rows: tables.original.rows(),
        released_rows: tables.released_rows,
        left_out_rows: tables.original.rows() - found.neighbours.distribution.values().sum::<u64>(),
        stray_rows: tables.released_rows - found.matched_rows,
        claim: claimed.then(|| Claim { notion: notion.name().to_owned(), k }),
        holds,
        verdict: claimed.then(|| Judgement::from_answer(holds)),
        persons,
        threshold_k,
        succeeds: neighbours.succeeds()
            || matches.succeeds()
            || informed.as_ref().is_some_and(|informed| informed.links.succeeds()),
        degrees: degrees_by_name(&found.degrees),
        neighbours,
        matches,
        informed,
        control: None,
    })
}

/// What the third adversary links of those whose value she does not know.
async fn attack_informed(
    tables: &TwoTables,
    known: &KnownValues,
    sensitive: &[String],
    k: u64,
    progress: &dyn Progress,
) -> Result<InformedSummary> {
    let informed = Informed::read(tables, known, sensitive, progress).await?;
    let links = tokio::task::block_in_place(|| informed.attack(tables))?;
    let row = |tuple: usize| {
        let (row, rows_alike) = informed.rows_of(tuple);
        WorstRow { row, rows_alike, links: links.rows[tuple] }
    };
    Ok(InformedSummary {
        column: known.column.clone(),
        known_rows: informed.known_rows,
        seed: known.seed,
        links: LinksSummary::new(&links, sensitive, k, &links.worst(WORST), row),
    })
}

/// The persons in the class of a release that has fewest, counted in the original; none if the job counts rows.
/// Must be called in a multi-threaded Tokio runtime.
///
/// # Errors
/// If a file cannot be read, or a released value cannot be understood.
pub async fn fewest_persons(
    job: &Job,
    released: &Address,
    progress: &dyn Progress,
) -> Result<Option<FewestPersons>> {
    let opened = OpenJob::new(job)?;
    let tables = TwoTables::read(&opened, released, &[], progress).await?;
    tokio::task::block_in_place(|| tables.fewest_persons())
}

impl LinksSummary {
    fn new(
        links: &Links,
        sensitive: &[String],
        k: u64,
        worst: &[usize],
        row: impl Fn(usize) -> WorstRow,
    ) -> LinksSummary {
        let certain = sensitive.iter().zip(&links.certain_rows);
        let mut worst: Vec<WorstRow> = worst.iter().map(|&tuple| row(tuple)).collect();
        worst.sort_unstable_by_key(|worst| (worst.links, worst.row));
        LinksSummary {
            fewest: links.fewest(),
            rows_below_k: links.rows_below(k),
            distribution: links.distribution.clone(),
            worst,
            certain_rows: certain.map(|(name, &rows)| (name.clone(), json!(rows))).collect(),
        }
    }

    /// Whether this adversary links somebody to too few rows, or is certain of a sensitive value.
    fn succeeds(&self) -> bool {
        self.rows_below_k > 0 || self.certain_rows.values().any(|rows| rows.as_u64() > Some(0))
    }
}

/// The largest k of each notion, by its name.
pub(super) fn degrees_by_name(degrees: &Degrees) -> Map<String, Value> {
    Notion::ALL.iter().map(|&notion| (notion.name().to_owned(), json!(degrees.degree(notion)))).collect()
}
