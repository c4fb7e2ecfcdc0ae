//! Records that few columns are enough to tell from all others.

use serde::{Deserialize, Serialize};

use throng::sample::{MOST_COLUMNS, dis, dis_suda, special_uniques};

use super::CheckedTable;
use super::classes::QuasiClasses;
use super::rows::Wanted;
use crate::encode::Encoded;
use crate::error::{EngineError, Result};
use crate::progress::{Progress, refuse_cancelled};

/// What was found of special uniques.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpecialFound {
    /// The most columns of a set that was looked at.
    pub most_columns: usize,
    /// Rows that such a set tells from all others.
    pub rows: u64,
    /// How many smallest such sets there are of each size, from one column on.
    pub sets: Vec<u64>,
    /// The highest score of a row.
    pub highest_score: f64,
    /// The mean score of all rows.
    pub mean_score: f64,
    /// What each quasi-identifier contributes to all scores, most first.
    pub columns: Vec<Contribution>,
    /// How likely a match with a row that is alone is right (DIS), if it is known how the table was sampled.
    #[serde(default)]
    pub dis: Option<f64>,
    /// The rows with the highest scores, highest first.
    #[serde(default)]
    pub worst: Vec<SpecialRow>,
}

/// A row that few columns are enough to tell from all others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpecialRow {
    /// Its number, from 1.
    pub row: u64,
    /// Its score.
    pub score: f64,
    /// How likely a match with it is right by its score (DIS-SUDA), if it is known how the table was sampled.
    pub dis_suda: Option<f64>,
    /// What each quasi-identifier contributes to its score, most first.
    pub columns: Vec<Contribution>,
}

/// What one quasi-identifier contributes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    /// Its name.
    pub name: String,
    /// The share of all scores that sets with it have.
    pub share: f64,
}

/// Rows that are named.
const WORST: usize = 10;

/// Looks for special uniques, if that is asked for.
///
/// # Errors
/// If there are too many columns, or the run was cancelled.
pub(super) async fn find(
    subject: &CheckedTable,
    classes: &QuasiClasses,
    encoded: &Encoded,
    fraction: Option<f64>,
    progress: &dyn Progress,
) -> Result<Option<SpecialFound>> {
    let looked = tokio::task::block_in_place(|| look(subject, encoded, fraction, progress))?;
    let Some((mut found, worst)) = looked else { return Ok(None) };
    let mut wanted = Wanted::default();
    worst.iter().for_each(|(tuple, _)| wanted.add_record(classes, encoded, *tuple));
    let rows = wanted.find(subject, &encoded.dictionaries, progress).await?;
    let places: Vec<usize> = (0..subject.quasi().len()).collect();
    found.worst = worst
        .into_iter()
        .map(|(tuple, special)| {
            let record: Vec<u32> = encoded.columns.iter().map(|column| column[tuple]).collect();
            let row = rows[&(places.clone(), record)].first().copied().unwrap_or(0);
            SpecialRow { row, ..special }
        })
        .collect();
    Ok(Some(found))
}

type Looked = Option<(SpecialFound, Vec<(usize, SpecialRow)>)>;

fn look(
    subject: &CheckedTable,
    encoded: &Encoded,
    fraction: Option<f64>,
    progress: &dyn Progress,
) -> Result<Looked> {
    let Some(most) = subject.special_columns() else { return Ok(None) };
    let names: Vec<&str> = subject.quasi_names().collect();
    if names.len() > MOST_COLUMNS {
        return Err(EngineError::bad((
            format!("the search for special uniques takes at most {MOST_COLUMNS} columns"),
            format!("there are {} quasi-identifiers", names.len()),
        )));
    }
    let go_on = || refuse_cancelled(progress).is_ok();
    let found = special_uniques(&encoded.columns, &encoded.weights, most, go_on);
    let found = found.ok_or(EngineError::Interrupted)?;
    let by_column = |shares: &[f64]| {
        let share = |(name, &share): (&&str, &f64)| Contribution { name: (*name).to_owned(), share };
        let mut columns: Vec<Contribution> = names.iter().zip(shares).map(share).collect();
        columns.sort_by(|a, b| b.share.total_cmp(&a.share));
        columns
    };
    let sum: f64 = found.scores.iter().sum();
    let of_size = |size: u32| encoded.weights.iter().filter(|&&rows| rows == size).count() as u64;
    let (alone, in_pairs) = (of_size(1), 2 * of_size(2));
    let of_all = fraction.map(|fraction| dis(alone, in_pairs, fraction));
    let of_each = of_all.map(|dis| dis_suda(&found.scores, names.len(), alone, dis));
    let mut order: Vec<usize> = (0..found.scores.len()).filter(|&tuple| found.scores[tuple] > 0.0).collect();
    let first = |a: &usize, b: &usize| found.scores[*b].total_cmp(&found.scores[*a]).then(a.cmp(b));
    if order.len() > WORST {
        order.select_nth_unstable_by(WORST, first);
        order.truncate(WORST);
    }
    order.sort_unstable_by(first);
    let special = |tuple: usize| SpecialRow {
        row: 0,
        score: found.scores[tuple],
        dis_suda: of_each.as_ref().map(|of_each| of_each[tuple]),
        columns: by_column(&found.contributions_of(tuple)),
    };
    let worst = order.into_iter().map(|tuple| (tuple, special(tuple))).collect();
    let summary = SpecialFound {
        most_columns: most.min(names.len()),
        rows: found.scores.iter().filter(|&&score| score > 0.0).count() as u64,
        sets: found.by_size,
        highest_score: found.scores.iter().copied().fold(0.0, f64::max),
        mean_score: if encoded.rows > 0 { sum / encoded.rows as f64 } else { 0.0 },
        columns: by_column(&found.contributions),
        dis: of_all,
        worst: Vec::new(),
    };
    Ok(Some((summary, worst)))
}
