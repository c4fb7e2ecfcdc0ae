//! Dates: calendar units, as the span of the data demands.

use rustc_hash::FxHashSet;

use super::ladder::{Ladder, LeafPartition, choose};
use crate::taxonomy::TaxonomyError;
use crate::taxonomy::dates::{DateUnit, Moment, check_format, on_one_clock, read};
use crate::taxonomy::line;

/// The strand of dates among `known`, and the values that are none.
///
/// Units are those under which the dates fall into clearly fewer groups than below, and into more
/// than one: admissions of one year get days and months, births of a century also decades.
pub(super) fn date(
    values: &[&str],
    known: Vec<usize>,
    formats: &[Option<String>],
    max_levels: usize,
) -> Result<(Ladder, Vec<usize>), TaxonomyError> {
    formats.iter().flatten().try_for_each(|format| check_format(format))?;
    let (mut dates, rest) = read_all(values, known, formats);
    dates.sort_unstable_by_key(|&(date, value)| (date.at, values[value]));
    let level = |unit: &DateUnit| {
        LeafPartition::of_labels(dates.iter().map(|(date, _)| unit.label(date.at.date())).collect())
    };
    let levels: Vec<LeafPartition> = DateUnit::ALL.iter().map(level).collect();
    let sizes: Vec<usize> = levels.iter().map(LeafPartition::size).collect();
    let chosen = choose(&sizes, dates.len(), max_levels);
    let levels = levels.into_iter().enumerate().filter(|(at, _)| chosen.contains(at)).map(|(_, level)| level);
    let moments: Vec<Moment> = dates.iter().map(|&(date, _)| date).collect();
    let ladder = Ladder {
        levels: levels.collect(),
        positions: Some(line::from_least_moment(&on_one_clock(&moments))),
        leaves: dates.into_iter().map(|(_, value)| value).collect(),
    };
    Ok((ladder, rest))
}

/// The dates among some values, and the rest: the format that reads the most goes first, then the
/// one that reads the most of what is left, and so on; of equals, the first in the list.
fn read_all(
    values: &[&str],
    mut rest: Vec<usize>,
    formats: &[Option<String>],
) -> (Vec<(Moment, usize)>, Vec<usize>) {
    let mut dates = Vec::new();
    loop {
        let by_format = formats.iter().map(|format| {
            let date = |&value: &usize| read(values[value], format.as_deref()).map(|date| (date, value));
            rest.iter().filter_map(date).collect()
        });
        let most = by_format.rev().max_by_key(|found: &Vec<(Moment, usize)>| found.len()).unwrap_or_default();
        if most.is_empty() {
            return (dates, rest);
        }
        let found: FxHashSet<usize> = most.iter().map(|&(_, value)| value).collect();
        rest.retain(|value| !found.contains(value));
        dates.extend(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(values: &[String], formats: &[Option<String>]) -> Vec<usize> {
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let (ladder, rest) = date(&values, (0..values.len()).collect(), formats, 5).unwrap();
        assert_eq!(rest, []);
        ladder.levels.iter().map(LeafPartition::size).collect()
    }

    #[test]
    fn units_follow_the_span() {
        let days: Vec<String> =
            (1..=28).flat_map(|d| (1..=12).map(move |m| format!("2024-{m:02}-{d:02}"))).collect();
        assert_eq!(sizes(&days, &[None]), [12, 4], "months and quarters of a year");
        let births: Vec<String> =
            (0..600).map(|i| format!("{}-{:02}-{:02}", 1940 + i % 60, 1 + i % 12, 1 + i % 28)).collect();
        let levels = sizes(&births, &[None]);
        assert_eq!(levels[levels.len() - 2..], [60, 6], "years and decades of a life");
        let times: Vec<String> =
            (0..48).map(|h| format!("2024-03-{:02}T{:02}:00:00", 1 + h / 24, h % 24)).collect();
        assert_eq!(sizes(&times, &[None]), [2], "days of two days");
    }

    #[test]
    fn two_spellings_meet_in_the_calendar() {
        let values = ["2024-03-17", "17.03.2024", "18.03.2024", "2023-01-01", "soon", "1.1.2023"];
        let formats = [None, Some("%d.%m.%Y".to_owned())];
        let (ladder, rest) = date(&values, (0..6).collect(), &formats, 5).unwrap();
        assert_eq!(rest, [4]);
        assert_eq!(ladder.leaves, [5, 3, 1, 0, 2]);
        assert_eq!(ladder.levels[0].labels, ["2023-01-01", "2024-03-17", "2024-03-18"]);
        assert_eq!(ladder.levels[0].groups, [0, 0, 1, 1, 2]);
    }

    #[test]
    fn the_order_of_day_and_month_is_that_of_most() {
        let values = ["13/01/2020", "02/03/2020", "14/04/2020", "05/16/2020"];
        let formats = ["%m/%d/%Y", "%d/%m/%Y"].map(|format| Some(format.to_owned()));
        let (ladder, _) = date(&values, (0..4).collect(), &formats, 5).unwrap();
        assert_eq!(ladder.leaves, [0, 1, 2, 3], "the second is of March");
    }

    #[test]
    fn a_bad_format_is_refused() {
        assert!(date(&["x"], vec![0], &[Some("%Q".to_owned())], 5).is_err());
    }
}
