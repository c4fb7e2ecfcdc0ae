//! What became of each column.

use serde_json::Value;

use throng::taxonomy::MaskSide;
use throng_engine::job::{Column, HierarchySpec, Job, Role};
use throng_engine::report::Report;

use crate::aligned::align;

/// A line for each column that the job names, and one for the rest.
pub(super) fn table(job: &Job, report: &Report) -> String {
    let named = job.columns.named().map(|(name, column)| (name.to_owned(), column));
    let rest = job.columns.rest().map(|column| ("all others".to_owned(), column));
    let rows: Vec<[String; 3]> = named
        .chain(rest)
        .map(|(name, column)| {
            let fate = fate(&name, column, report);
            [name, column.role.to_string(), fate]
        })
        .collect();
    align(&rows)
}

fn fate(name: &str, column: &Column, report: &Report) -> String {
    match column.role {
        Role::Identifier if column.pseudonym.is_some() => "replaced by a keyed hash".to_owned(),
        Role::Identifier => "left out".to_owned(),
        Role::Sensitive | Role::Target | Role::Other => "kept as it was".to_owned(),
        Role::Quasi => {
            let hierarchy = column.hierarchy.as_ref();
            let emptied = report.fully_generalised.iter().any(|other| other == name);
            let level = report.levels.as_ref().and_then(|levels| number(levels.get(name)));
            let height = number(report.heights.get(name));
            match level.zip(height) {
                Some((level, height)) if emptied => format!("level {level} of {height}: {}", top(hierarchy)),
                Some((level, height)) => {
                    format!("level {level} of {height}: {}", meaning(hierarchy, level, height))
                }
                None if emptied => top(hierarchy).to_owned(),
                None => {
                    match report.cuts.as_ref().and_then(|cuts| cuts.get(name)).and_then(Value::as_array) {
                        Some(values) if values.len() == 1 => "one value of its hierarchy".to_owned(),
                        Some(values) => format!("{} values of its hierarchy", values.len()),
                        None => "generalised".to_owned(),
                    }
                }
            }
        }
    }
}

/// What is left of a column of which every row has the top of its hierarchy.
fn top(hierarchy: Option<&HierarchySpec>) -> &'static str {
    match hierarchy {
        // Their tops may have other labels.
        Some(HierarchySpec::File(_) | HierarchySpec::Groups(_)) => "nothing left but the top value",
        _ => "nothing left but *",
    }
}

fn number(value: Option<&Value>) -> Option<usize> {
    value.and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
}

/// What the values of a level are like.
fn meaning(hierarchy: Option<&HierarchySpec>, level: usize, height: usize) -> String {
    if level == 0 {
        return "as it was".to_owned();
    }
    match hierarchy {
        Some(HierarchySpec::File(_) | HierarchySpec::Groups(_)) => "generalised".to_owned(),
        _ if level == height => top(hierarchy).to_owned(),
        Some(HierarchySpec::Prefix) => masked(MaskSide::Right, level),
        Some(HierarchySpec::Auto { .. } | HierarchySpec::Range { .. } | HierarchySpec::Set { .. }) => {
            "generalised".to_owned()
        }
        Some(HierarchySpec::Mask(side)) => masked(*side, level),
        Some(HierarchySpec::Intervals { widths, .. }) => {
            widths.get(level - 1).map_or("generalised".to_owned(), |width| format!("ranges of {width}"))
        }
        // The day adds a level only to times, so units are counted from the top.
        Some(HierarchySpec::Dates { units, .. }) => (units.len() + level)
            .checked_sub(height)
            .and_then(|at| units.get(at))
            .map_or("generalised".to_owned(), |unit| format!("only the {}", unit.name())),
        None => "generalised".to_owned(),
    }
}

fn masked(side: MaskSide, level: usize) -> String {
    match (side, level) {
        (MaskSide::Right, 1) => "the last character masked".to_owned(),
        (MaskSide::Right, _) => format!("the last {level} characters masked"),
        (MaskSide::Left, 1) => "the first character masked".to_owned(),
        (MaskSide::Left, _) => format!("the first {level} characters masked"),
    }
}

#[cfg(test)]
mod tests {
    use throng::taxonomy::DateUnit;

    use super::*;

    fn of(flag: &str, level: usize, height: usize) -> String {
        meaning(Some(&flag.parse().unwrap()), level, height)
    }

    #[test]
    fn builders_say_what_a_level_is() {
        assert_eq!(of("mask:right", 2, 5), "the last 2 characters masked");
        assert_eq!(of("mask:left", 1, 5), "the first character masked");
        assert_eq!(of("intervals:5,10", 2, 3), "ranges of 10");
        assert_eq!(of("intervals:5,10", 3, 3), "nothing left but *");
        assert_eq!(of("age.csv", 2, 2), "generalised");
        assert_eq!(of("age.csv", 0, 2), "as it was");
        assert_eq!((of("auto", 1, 2), of("auto", 2, 2)), ("generalised".into(), "nothing left but *".into()));
        assert_eq!(meaning(None, 1, 1), "nothing left but *");
    }

    #[test]
    fn days_are_a_level_only_of_times() {
        let units = vec![DateUnit::Day, DateUnit::Month, DateUnit::Year];
        let dates = HierarchySpec::Dates { units, format: None };
        let of = |level, height| meaning(Some(&dates), level, height);
        assert_eq!(of(1, 3), "only the month");
        assert_eq!(of(1, 4), "only the day");
        assert_eq!(of(2, 3), "only the year");
        assert_eq!(of(3, 4), "only the year");
    }
}
