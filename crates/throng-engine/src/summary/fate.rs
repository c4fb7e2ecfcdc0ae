//! What became of a column, in words.

use throng::taxonomy::MaskSide;

use super::CellsSummary;
use crate::job::{Column, HierarchySpec, Role};

/// What is known of a column of a release.
#[derive(Clone, Copy, Debug)]
pub struct Fate<'a> {
    /// What the job says of it.
    pub column: &'a Column,
    /// Its level, and the height of its hierarchy.
    pub level: Option<(usize, usize)>,
    /// Whether every row has the top of its hierarchy.
    pub is_emptied: bool,
    /// How many values of its hierarchy there are, for cut recoding.
    pub cut_values: Option<usize>,
    /// What its released cells are, where the run says so.
    pub cells: Option<&'a CellsSummary>,
}

impl Fate<'_> {
    /// In words.
    pub fn text(&self) -> String {
        match self.column.role {
            Role::Identifier if self.column.pseudonym.is_some() => "replaced by a keyed hash".to_owned(),
            Role::Identifier => "left out".to_owned(),
            Role::Sensitive | Role::Target | Role::Other if self.column.text.is_some() => {
                "kept exactly as people typed it".to_owned()
            }
            Role::Sensitive | Role::Target | Role::Other if !self.column.coding.is_none() => {
                format!("kept, {}", self.column.coding.text())
            }
            Role::Sensitive | Role::Target | Role::Other => match &self.column.shift {
                Some(shift) => format!("kept, dates moved by at most {} days", shift.days),
                None => "kept unchanged".to_owned(),
            },
            Role::Quasi => self.of_quasi(),
        }
    }

    fn of_quasi(&self) -> String {
        let hierarchy = self.column.hierarchy.as_ref();
        match (self.level, self.cut_values) {
            (Some((level, height)), _) if self.is_emptied => {
                format!("level {level} of {height}: {}", top(hierarchy))
            }
            (Some((0, height)), _) if self.cells.is_some_and(|cells| cells.numbered) => {
                format!("level 0 of {height}: numbers instead of values")
            }
            (Some((level, height)), _) => {
                format!("level {level} of {height}: {}", level_meaning(hierarchy, level, height))
            }
            (None, _) if self.is_emptied => top(hierarchy).to_owned(),
            (None, Some(1)) => "one value of its hierarchy".to_owned(),
            (None, Some(values)) => format!("{values} values of its hierarchy"),
            (None, None) => self.cells.map_or_else(|| "generalised".to_owned(), CellsSummary::text),
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

/// What the values of a level are like, given the height of the hierarchy; `generalised` where only the hierarchy tells.
pub fn level_meaning(hierarchy: Option<&HierarchySpec>, level: usize, height: usize) -> String {
    if level == 0 {
        return "unchanged".to_owned();
    }
    match hierarchy {
        Some(HierarchySpec::File(_) | HierarchySpec::Groups(_)) => "generalised".to_owned(),
        _ if level == height => top(hierarchy).to_owned(),
        Some(HierarchySpec::Prefix) => masked(MaskSide::Right, level),
        Some(
            HierarchySpec::Auto { .. }
            | HierarchySpec::Range { .. }
            | HierarchySpec::Set { .. }
            | HierarchySpec::Numbers(_),
        ) => "generalised".to_owned(),
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

    fn fate(flag: &str, level: usize, height: usize) -> String {
        level_meaning(Some(&flag.parse().unwrap()), level, height)
    }

    #[test]
    fn builders_say_what_a_level_is() {
        assert_eq!(fate("mask:right", 2, 5), "the last 2 characters masked");
        assert_eq!(fate("mask:left", 1, 5), "the first character masked");
        assert_eq!(fate("intervals:5,10", 2, 3), "ranges of 10");
        assert_eq!(fate("intervals:5,10", 3, 3), "nothing left but *");
        assert_eq!(fate("age.csv", 2, 2), "generalised");
        assert_eq!(fate("age.csv", 0, 2), "unchanged");
        assert_eq!(
            (fate("auto", 1, 2), fate("auto", 2, 2)),
            ("generalised".into(), "nothing left but *".into())
        );
        assert_eq!(level_meaning(None, 1, 1), "nothing left but *");
    }

    #[test]
    fn days_are_a_level_only_of_times() {
        let units = vec![DateUnit::Day, DateUnit::Month, DateUnit::Year];
        let dates = HierarchySpec::Dates { units, format: None };
        let of = |level, height| level_meaning(Some(&dates), level, height);
        assert_eq!(of(1, 3), "only the month");
        assert_eq!(of(1, 4), "only the day");
        assert_eq!(of(2, 3), "only the year");
        assert_eq!(of(3, 4), "only the year");
    }
}
