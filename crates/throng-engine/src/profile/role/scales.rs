//! Answers to the questions of a survey: many columns of few values each.

use super::{ColumnKind, Facts, Suggestion};
use crate::profile::no_answer::MAX_ANSWERS;
use crate::profile::words::Words;
use crate::role::Role;

/// Columns of one series (`q1`, `q2`, …) before they are the answers of a survey.
const MIN_SERIES: usize = 5;
/// Columns whose names begin alike (`trust_police`, `trust_courts`, …) before they are.
const MIN_BATTERY: usize = 10;
/// Columns of few values before they are, whatever their names, if they are half of the table.
const MIN_QUESTIONS: usize = 40;
/// Values of an answer: yes and no alone may be anything.
const ANSWERS: std::ops::RangeInclusive<u64> = 3..=MAX_ANSWERS;

/// Positions of the columns that are answers: those of few values, of which nothing else is known, that come in a series,
/// in a battery, or in great number. Codes for no answer make the number of values differ between questions.
pub(super) fn answers(columns: &[Facts<'_>], suggestions: &[Suggestion]) -> Vec<usize> {
    let is_open = |at: &usize| suggestions[*at].role == Role::Quasi && !suggestions[*at].by_name;
    let open: Vec<usize> = (0..columns.len()).filter(|at| is_open(at) && is_answer(&columns[*at])).collect();
    if open.len() >= MIN_QUESTIONS && 2 * open.len() >= columns.len() {
        return open;
    }
    let names: Vec<Words> = open.iter().map(|&at| Words::in_name(columns[at].name)).collect();
    let series: Vec<Option<String>> = names.iter().map(Words::without_number).collect();
    let batteries: Vec<Option<&str>> = names.iter().map(Words::first_of_several).collect();
    let is_one = |at: usize| has_many(&series, at, MIN_SERIES) || has_many(&batteries, at, MIN_BATTERY);
    (0..open.len()).filter(|&at| is_one(at)).map(|at| open[at]).collect()
}

fn is_answer(facts: &Facts<'_>) -> bool {
    let kinds = [ColumnKind::Integer, ColumnKind::Category, ColumnKind::Mixed, ColumnKind::Characters];
    kinds.contains(&facts.kind) && ANSWERS.contains(&facts.distinct)
}

/// Whether at least so many have what one has.
fn has_many<T: PartialEq>(all: &[Option<T>], one: usize, least: usize) -> bool {
    all[one].is_some() && all.iter().filter(|other| **other == all[one]).count() >= least
}
