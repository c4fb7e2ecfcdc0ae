//! What became of each column.

use serde_json::Value;

use super::cells::Cells;
use super::distribution::Distribution;
use super::kept::KeptCounts;
use super::labels::QuasiLabels;
use super::reasons::Reason;
use super::{TablePair, rows_of_codes};
use throng_engine::job::{Column, Job, REST, Role};
use throng_engine::summary::Summary;

/// What was before is not shown if fewer rows are left out, or fewer than k: the difference would be theirs.
const FEW_LEFT_OUT: u64 = 5;

/// One column of the original.
#[derive(Clone, Debug)]
pub struct ColumnEvidence {
    /// Its name.
    pub name: String,
    /// What it is to the release.
    pub role: Role,
    /// Whether pseudonyms are in its place.
    pub has_pseudonyms: bool,
    /// What the job says of it by name.
    pub told: Option<Column>,
    /// How many different values the original has, and the release, where they were counted.
    pub distinct: Option<(u64, u64)>,
    /// The share of what could be told of a value that the release does not tell; of quasi-identifiers.
    pub loss: Option<f64>,
    /// The level of its values; nothing if they have several.
    pub level: Option<LevelEvidence>,
    /// How far its released cells are generalised; nothing if it is not released, or as pseudonyms.
    pub cells: Option<Cells>,
    /// Why it has its role, if the job's comments say so.
    pub reason: Option<Reason>,
    /// How its values are distributed.
    pub distribution: Option<Distribution>,
    /// Its cells that mention people, if it is text that the job keeps.
    pub mentions: Option<u64>,
}

/// A level of a hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelEvidence {
    /// From 0, the original values.
    pub level: usize,
    /// How many values each level has, up to the top.
    pub values: Vec<usize>,
}

/// All columns, in the order of the original.
pub(super) fn describe(
    job: &Job,
    pair: &TablePair,
    labels: &[QuasiLabels<'_>],
    kept: &[KeptCounts],
    summary: Option<&Summary>,
) -> Vec<ColumnEvidence> {
    let roles = pair.prepared.roles.columns();
    let left_out = pair.before.rows - pair.after.rows;
    let hides_before = left_out > 0 && left_out < job.privacy.largest_k().max(FEW_LEFT_OUT);
    let describe = |(name, role): &(String, throng_engine::job::ColumnRole)| {
        let told = job.columns.named().find(|(known, _)| known == name).map(|(_, column)| column.clone());
        let is_named = told.is_some();
        let mut column = ColumnEvidence {
            name: name.clone(),
            role: role.role(),
            has_pseudonyms: pair.prepared.roles.pseudonyms().any(|(_, known)| known == name),
            told,
            distinct: None,
            loss: None,
            level: None,
            cells: None,
            reason: Reason::find(job, name).or_else(|| Reason::find(job, REST).filter(|_| !is_named)),
            distribution: None,
            mentions: None,
        };
        if let Some(a) = pair.prepared.quasi().position(|known| known == name) {
            column.describe_quasi(pair, &labels[a], a, summary);
        } else if let Some(counted) = kept.iter().find(|counted| counted.name == *name) {
            column.distinct = counted.distinct();
            column.cells = Some(Cells::exact());
            column.distribution = Distribution::of_kept(counted);
            let of_run = || summary?.columns.iter().find(|one| one.name == *name)?.mentions;
            let is_text = column.told.as_ref().is_some_and(|told| told.text.is_some());
            column.mentions = is_text.then(|| counted.mentions().or_else(of_run)).flatten();
        }
        if let Some(distribution) = &mut column.distribution {
            distribution.hides_before = hides_before;
        }
        column
    };
    roles.iter().map(describe).collect()
}

impl ColumnEvidence {
    fn describe_quasi(
        &mut self,
        pair: &TablePair,
        labels: &QuasiLabels<'_>,
        a: usize,
        summary: Option<&Summary>,
    ) {
        let rows = pair.before.rows;
        let present = |rows: Vec<u64>| rows.iter().filter(|&&rows| rows > 0).count() as u64;
        self.distinct = Some((present(rows_of_codes(&pair.before, a)), present(labels.rows.clone())));
        self.loss = Some(labels.loss(rows));
        self.cells = Some(Cells::of_labels(labels));
        self.distribution = Some(Distribution::of_labels(labels, rows));
        let taxonomy = &labels.attribute.taxonomy;
        let values = (0..=taxonomy.height()).map(|level| taxonomy.level_size(level)).collect();
        let level = match summary {
            // The run knows which of two levels with the same values it is.
            Some(summary) => {
                summary.levels.as_ref().and_then(|levels| levels.get(&self.name)).and_then(Value::as_u64)
            }
            None => labels.level().map(|level| level as u64),
        };
        self.level = level.map(|level| LevelEvidence { level: level as usize, values });
    }
}
