//! Answers to many questions on one scale, as surveys have them.

use super::{ColumnKind, Facts};
use crate::profile::words::Words;

/// Columns of one series before they are the answers of a survey.
const MIN_QUESTIONS: usize = 5;
/// Values of a scale.
const SCALE: std::ops::RangeInclusive<u64> = 3..=11;

/// Positions of the columns that are answers: a series of numbered names (`q1`, `q2`, …) with as many values each.
pub(super) fn answers(columns: &[Facts<'_>]) -> Vec<usize> {
    let series: Vec<Option<(String, u64)>> = columns.iter().map(series).collect();
    let is_long = |at: &usize| {
        let one = &series[*at];
        one.is_some() && series.iter().filter(|other| *other == one).count() >= MIN_QUESTIONS
    };
    (0..columns.len()).filter(is_long).collect()
}

/// What a name is but for its number, and how many values the column has.
fn series(facts: &Facts<'_>) -> Option<(String, u64)> {
    let is_scale =
        matches!(facts.kind, ColumnKind::Integer | ColumnKind::Category) && SCALE.contains(&facts.distinct);
    Some((Words::of(facts.name).without_number()?, facts.distinct)).filter(|_| is_scale)
}
