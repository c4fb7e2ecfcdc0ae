//! How exposed a table is as it stands: what k it has, which rows are at risk, and which columns
//! put them there.
//!
//! Works on any table, ours or not. Only counts leave this module, never a value of the data.

mod by_policy;
mod classes;
mod grouping;
mod histogram;
mod household;
mod models;
mod persons;
mod population;
mod removals;
mod requirements;
mod rows;
mod sizes;
mod special;
mod subject;

use serde::{Deserialize, Serialize};
use throng::privacy::SensitiveColumn;
use throng::table::Table;

use crate::encode::{Encoded, encode_any};
use crate::error::{EngineError, Result};
use crate::job::{Role, Sensitive};
use crate::memory::Budget;
use crate::prepare::{CarriedColumns, LookedAt, carry, sensitive};
use crate::profile::{PersonColumn, ProfileOptions, find_repeated, profile};
use crate::progress::{Progress, refuse_cancelled};
pub use by_policy::{Criterion, LeadingColumn, PolicyFound};
use classes::QuasiClasses;
use grouping::Tuples;
pub use histogram::{Bucket, histogram};
pub use household::HouseholdFound;
pub use models::ModelDegree;
pub use population::{Population, SampleFound, Sampling, Uniqueness};
pub use removals::find_removals;
pub use requirements::RequirementFound;
use rows::Wanted;
pub use sizes::Sizes;
pub use special::{Contribution, SpecialFound, SpecialRow};
pub use subject::CheckedTable;

/// What a check found.
///
/// All of it is about all rows; where persons are counted, a class is as large as it has persons. In any table
/// but our own a `*` is a value like any other, so rows of
/// nothing but `*` are a class, too; how many there are is a note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckSummary {
    /// All rows.
    pub rows: u64,
    /// Rows with nothing but `*` in the quasi-identifiers.
    pub masked_rows: u64,
    /// The quasi-identifiers.
    pub quasi: Vec<String>,
    /// Classes: groups of rows that agree in all quasi-identifiers.
    pub classes: u64,
    /// Rows of the smallest class.
    pub k: u64,
    /// Rows in classes smaller than this count as at risk.
    pub threshold: u64,
    /// Classes smaller than the threshold.
    pub classes_at_risk: u64,
    /// Rows at risk.
    #[serde(flatten)]
    pub exposure: Exposure,
    /// How likely a person known to be in the table is found.
    pub risk: ReidentificationRisk,
    /// How many classes there are of which size.
    pub histogram: Vec<Bucket>,
    /// The columns, those first whose absence protects the most rows.
    pub columns: Vec<ColumnRisk>,
    /// The sensitive columns.
    #[serde(default)]
    pub sensitive: Vec<String>,
    /// The column by which persons are counted in place of rows, if they are.
    #[serde(default)]
    pub person: Option<String>,
    /// Whether persons should be counted, and the table does not say whose its rows are: sizes are those of rows.
    #[serde(default)]
    pub lacks_persons: bool,
    /// Columns that number people with several rows, the most telling first, unless it is said whether a person
    /// may have several.
    #[serde(default)]
    pub person_columns: Vec<PersonColumn>,
    /// What follows from its being a sample of a population, if it is known to be one.
    #[serde(default)]
    pub sample: Option<SampleFound>,
    /// How many of its records are unique in that population, by every estimator.
    #[serde(default)]
    pub population: Option<Population>,
    /// Records that few columns are enough to tell from all others, if they were looked for.
    #[serde(default)]
    pub special_uniques: Option<SpecialFound>,
    /// The risk of the households that people are in, if it is said which column has them.
    #[serde(default)]
    pub household: Option<HouseholdFound>,
    /// What the table achieves of every privacy model.
    #[serde(default)]
    pub models: Vec<ModelDegree>,
    /// What is required of it: by its job, and beyond that.
    #[serde(default)]
    pub requirements: Vec<RequirementFound>,
}

/// Rows in small classes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exposure {
    /// Rows in classes of one.
    pub unique_rows: u64,
    /// Their share of all rows.
    pub unique_share: f64,
    /// Rows in classes smaller than the threshold.
    pub at_risk_rows: u64,
    /// Their share of all rows.
    pub at_risk_share: f64,
}

/// The chance that someone who knows a person's quasi-identifiers picks that person's row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReidentificationRisk {
    /// That of the rows in the smallest class: 1 / k.
    pub highest: f64,
    /// The mean over all rows: classes / rows.
    pub mean: f64,
}

/// What one quasi-identifier contributes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnRisk {
    /// Its name.
    pub name: String,
    /// How many different values it has.
    pub values: u64,
    /// What would remain if it were left out.
    pub left_out: Exposure,
    /// What it would do by itself.
    pub alone: Exposure,
}

/// Counts the classes of a table; must be called in a multi-threaded Tokio runtime.
///
/// # Errors
/// If the table cannot be read, or the run was cancelled.
pub async fn check(subject: &CheckedTable, threshold: u64, progress: &dyn Progress) -> Result<CheckSummary> {
    progress.phase("read");
    let quasi = subject.quasi();
    let names: Vec<String> = subject.sensitive_names().map(str::to_owned).collect();
    // Values beside the tuples, and persons, are counted in 32 bits.
    let weight = subject.sampling_weight();
    let counts_values = !names.is_empty() || subject.person_name().is_some() || weight.is_some();
    let budget = if counts_values { Budget::default() } else { Budget::new(None, u64::MAX) };
    let encoded = encode_any(subject.source(), &subject.columns_read()?, budget, progress).await?;
    let mut looked_at: Vec<LookedAt> =
        names.iter().map(|name| LookedAt::sensitive(name, &subject.told_of(name))).collect();
    looked_at.extend(weight.map(LookedAt::exactly));
    let carried = || carry(encoded, quasi.len(), &looked_at, subject.person_name());
    let (encoded, mut beside) = tokio::task::block_in_place(carried);
    let weights = weight.and_then(|_| beside.columns.pop());
    let table = Table::new(encoded.columns.clone(), encoded.weights.clone());
    let classes = QuasiClasses::from_table(beside.join(table));
    let (models, requirements) = judge(subject, &classes, &encoded, &beside, progress).await?;
    let sampled = tokio::task::block_in_place(|| population::find(subject, &classes, weights.as_ref()))?;
    let (sample, population) = sampled.unzip();
    let fraction = sample.as_ref().map(|sample: &SampleFound| sample.sampling_fraction);
    let special_uniques = special::find(subject, &classes, &encoded, fraction, progress).await?;
    let household = household::find(subject, progress).await?;
    let quasi: Vec<String> = subject.quasi_names().map(str::to_owned).collect();
    let found = tokio::task::block_in_place(|| {
        let found = examine(quasi, encoded, threshold, progress)?;
        Ok::<_, EngineError>(match subject.person_name() {
            Some(person) => persons::recount(found, &classes, person),
            None => found,
        })
    })?;
    let person_columns = find_persons(subject, progress).await?;
    let lacks_persons = subject.lacks_persons();
    Ok(CheckSummary {
        models,
        requirements,
        sensitive: names,
        lacks_persons,
        person_columns,
        sample,
        population,
        special_uniques,
        household,
        ..found
    })
}

/// Columns by which people have several rows, in a table of which nothing is said about persons.
async fn find_persons(subject: &CheckedTable, progress: &dyn Progress) -> Result<Vec<PersonColumn>> {
    if subject.says_persons() {
        return Ok(Vec::new());
    }
    let options = ProfileOptions { max_columns: 0, combine: Vec::new() };
    let source = subject.source();
    let found = match profile(source, &options, progress).await {
        Ok(found) => found,
        Err(EngineError::Interrupted) => return Err(EngineError::Interrupted),
        // Columns that the check does not read may be no text; that is no reason to refuse it.
        Err(_) => return Ok(Vec::new()),
    };
    let mut persons = found.persons;
    if persons.is_empty() {
        let is_left_out = |&at: &usize| found.columns[at].suggestion.role == Role::Identifier;
        let left_out: Vec<usize> = (0..found.columns.len()).filter(is_left_out).collect();
        persons.extend(find_repeated(source, &left_out, progress).await?.map(PersonColumn::from));
    }
    persons.retain(|person| subject.quasi_names().all(|name| name != person.column));
    Ok(persons)
}

/// What the classes have of every model, and of all that is required.
async fn judge(
    subject: &CheckedTable,
    classes: &QuasiClasses,
    encoded: &Encoded,
    beside: &CarriedColumns,
    progress: &dyn Progress,
) -> Result<(Vec<ModelDegree>, Vec<RequirementFound>)> {
    // An order that lacks a value stops only those requirements that need it.
    let describe = |(place, column)| {
        let told = sensitive::describe(place, column, subject.told(place));
        told.or_else(|_| sensitive::describe(place, column, &Sensitive::default()))
    };
    let columns: Result<Vec<SensitiveColumn>> = beside.columns.iter().enumerate().map(describe).collect();
    let columns = columns?;
    let (models, required) = tokio::task::block_in_place(|| {
        let required = requirements::find(subject, classes, beside);
        required.map(|required| (models::find(classes, &columns), required))
    })?;
    let mut wanted = Wanted::default();
    models.iter().for_each(|found| found.want(classes, &mut wanted));
    required.iter().for_each(|found| found.want(&mut wanted));
    let rows = wanted.find(subject, &encoded.dictionaries, progress).await?;
    let models = models.iter().map(|found| found.describe(classes, beside, &rows)).collect();
    let required = required.iter().map(|found| found.describe(subject, beside, &rows)).collect();
    Ok((models, required))
}

fn examine(
    quasi: Vec<String>,
    encoded: Encoded,
    threshold: u64,
    progress: &dyn Progress,
) -> Result<CheckSummary> {
    let rows = encoded.rows;
    let (tuples, masked_rows) = Tuples::from_encoded(encoded);
    let columns = examine_columns(&quasi, &tuples, threshold, progress)?;
    let sizes = tuples.sizes();
    let k = sizes.smallest().unwrap_or(rows);
    Ok(CheckSummary {
        rows,
        masked_rows,
        quasi,
        classes: sizes.classes(),
        k,
        threshold,
        classes_at_risk: sizes.classes_below(threshold),
        exposure: Exposure::new(&sizes, threshold),
        risk: ReidentificationRisk { highest: share(1, k), mean: share(sizes.classes(), sizes.rows()) },
        histogram: histogram(&sizes),
        columns,
        sensitive: Vec::new(),
        person: None,
        lacks_persons: false,
        person_columns: Vec::new(),
        sample: None,
        population: None,
        special_uniques: None,
        household: None,
        models: Vec::new(),
        requirements: Vec::new(),
    })
}

fn examine_columns(
    quasi: &[String],
    tuples: &Tuples,
    threshold: u64,
    progress: &dyn Progress,
) -> Result<Vec<ColumnRisk>> {
    let mut columns = Vec::with_capacity(quasi.len());
    for (column, left_out) in tuples.leave_one_out() {
        refuse_cancelled(progress)?;
        columns.push(ColumnRisk {
            name: quasi[column].clone(),
            values: tuples.values(column),
            left_out: Exposure::new(&left_out, threshold),
            alone: Exposure::new(&tuples.sizes_by(column), threshold),
        });
    }
    // They come last column first, and the sort is stable: ties stay in the order of the flags.
    columns.reverse();
    columns.sort_by_key(|column| (column.left_out.at_risk_rows, column.left_out.unique_rows));
    Ok(columns)
}

impl Exposure {
    fn new(sizes: &Sizes, threshold: u64) -> Exposure {
        let (unique_rows, at_risk_rows) = (sizes.rows_below(2), sizes.rows_below(threshold));
        Exposure {
            unique_rows,
            unique_share: share(unique_rows, sizes.rows()),
            at_risk_rows,
            at_risk_share: share(at_risk_rows, sizes.rows()),
        }
    }
}

/// A share; none of nothing.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests;
