//! What became of each column, in numbers: how much of it is exact, how far the rest is generalised, and its part of
//! the loss. Counted by generalised value, not by row.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use throng::loss::Kind;
use throng::release::Release;
use throng::tally::Tally;
use throng::taxonomy::{Leaves, Value};

use crate::job::{NumberCoding, Role};
use crate::prepare::EncodedTable;

/// A column of the input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnSummary {
    /// Its name.
    pub name: String,
    /// What it is to the release.
    pub role: Role,
    /// What its released cells are; only of a quasi-identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<CellsSummary>,
    /// What was done to its numbers; only of a column that the job keeps and codes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coding: Option<NumberCoding>,
    /// The most days by which its dates were moved, earlier or later; only of a column that the job keeps and moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift_days: Option<u32>,
    /// Cells of the input that mention people; only of a column of text that the job keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mentions: Option<u64>,
}

/// The released cells of a quasi-identifier, by how far they are generalised; all shares add up to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellsSummary {
    /// The share that is the original value.
    pub exact: f64,
    /// Whether that is shown as a number, because the values look like people.
    #[serde(default)]
    pub numbered: bool,
    /// The share at each level of the hierarchy between the values and the top.
    pub levels: BTreeMap<usize, f64>,
    /// Ranges that a local recoding made; their sizes are widths, those of dates in days.
    pub ranges: Option<MadeCells>,
    /// Sets that it made; their sizes are numbers of values.
    pub sets: Option<MadeCells>,
    /// The share of which nothing is left: `*`, or the top of the hierarchy.
    pub any: f64,
    /// The column's part of the loss by the measure of the job; none if that is no sum over cells, or nothing is
    /// lost.
    pub loss_share: Option<f64>,
}

/// Cells with ranges or sets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MadeCells {
    /// Their share of the column's cells.
    pub share: f64,
    /// Half of them are at most so large.
    pub median_size: f64,
    /// None is larger.
    pub greatest_size: f64,
}

/// Every column, in the order of the table; so many of the suppressed rows are shown as masked.
pub(crate) fn columns(
    prepared: &EncodedTable,
    release: &Release,
    tally: &Tally,
    masked_rows: u64,
) -> Vec<ColumnSummary> {
    let parts = loss_shares(release, tally);
    let attributes = release.problem().attributes();
    let summary = |(name, role): &(String, crate::job::ColumnRole)| {
        let place = attributes.iter().position(|attribute| attribute.name == *name);
        let cells = place.and_then(|a| {
            let cells = CellsSummary::new(release, tally, masked_rows, a)?;
            let numbered = prepared.attributes[a].is_hidden();
            Some(CellsSummary { numbered, loss_share: parts.as_ref().map(|parts| parts[a]), ..cells })
        });
        let mentions = prepared.kept.mentions.get(name).copied();
        let shift_days = prepared.roles.shifted(name).map(|shift| shift.days);
        let coding = prepared.roles.coded(name).map(|coded| coded.coding);
        ColumnSummary { name: name.clone(), role: role.role(), cells, coding, shift_days, mentions }
    };
    prepared.roles.columns().iter().map(summary).collect()
}

/// Each quasi-identifier's part of the loss.
fn loss_shares(release: &Release, tally: &Tally) -> Option<Vec<f64>> {
    let problem = release.problem();
    let Kind::Cells(loss) = problem.objective.kind() else { return None };
    let sums = problem.attributes().iter().zip(loss.totals(problem, tally));
    let sums: Vec<f64> =
        sums.map(|(attribute, sum)| problem.objective.of_attribute(attribute, sum)).collect();
    let all: f64 = sums.iter().sum();
    (all > 0.0).then(|| sums.into_iter().map(|sum| sum / all).collect())
}

impl CellsSummary {
    /// Nothing if no row is released.
    fn new(release: &Release, tally: &Tally, masked_rows: u64, a: usize) -> Option<CellsSummary> {
        let taxonomy = &release.problem().attributes()[a].taxonomy;
        // They count as the root, but are in no file.
        let left_out = tally.suppressed_rows - masked_rows;
        let released = (tally.rows - left_out) as f64;
        if tally.rows == left_out {
            return None;
        }
        let mut found = CellsSummary::default();
        let (mut ranges, mut sets) = (Vec::new(), Vec::new());
        for (id, (value, &rows)) in release.values(a).zip(&tally.cells[a]).enumerate() {
            let is_root = id == taxonomy.root() as usize;
            let rows = if is_root { rows - left_out } else { rows };
            let share = rows as f64 / released;
            match id.checked_sub(taxonomy.values().len()).map(|made| &release.made(a)[made]) {
                _ if rows == 0 => {}
                Some(Leaves::Range { .. }) => ranges.push((width(value), rows)),
                Some(Leaves::Set(members)) => sets.push((members.len() as f64, rows)),
                None if id < taxonomy.leaf_total() => found.exact += share,
                None if is_root => found.any += share,
                None => *found.levels.entry(value.level).or_default() += share,
            }
        }
        found.ranges = MadeCells::new(ranges, released);
        found.sets = MadeCells::new(sets, released);
        Some(found)
    }

    /// In words: `31 % exact, 40 % level 1, 29 % *; 12 % of the loss`.
    pub fn text(&self) -> String {
        let exact = if self.numbered { "exact, except for numbers in place of values" } else { "exact" };
        let mut parts = vec![(self.exact, exact.to_owned())];
        parts.extend(self.levels.iter().map(|(level, &share)| (share, format!("level {level}"))));
        parts.extend(self.ranges.map(|made| (made.share, made.text("ranges", "wide"))));
        parts.extend(self.sets.map(|made| (made.share, made.text("sets", "values"))));
        parts.push((self.any, "*".to_owned()));
        let parts = parts.iter().filter(|(share, _)| *share > 0.0);
        let parts: Vec<String> = parts.map(|(share, what)| format!("{} {what}", percent(*share))).collect();
        let loss = self.loss_share.map(|share| format!("; {} of the loss", percent(share)));
        parts.join(", ") + &loss.unwrap_or_default()
    }
}

impl MadeCells {
    /// What cells of these sizes come to, given the rows of each.
    fn new(mut sizes: Vec<(f64, u64)>, released: f64) -> Option<MadeCells> {
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (rows, mut below) = (sizes.iter().map(|(_, rows)| rows).sum::<u64>(), 0);
        let (greatest_size, _) = *sizes.last()?;
        let median = sizes.iter().find(|(_, of_size)| {
            below += of_size;
            2 * below >= rows
        });
        Some(MadeCells { share: rows as f64 / released, median_size: median?.0, greatest_size })
    }

    fn text(&self, what: &str, unit: &str) -> String {
        let (median, greatest) = (round(self.median_size), round(self.greatest_size));
        if median == greatest {
            return format!("{what} ({greatest} {unit})");
        }
        format!("{what} (half of them at most {median} {unit}, none more than {greatest})")
    }
}

fn width(value: &Value) -> f64 {
    let width = value.extent.map_or_else(|| f64::from(value.leaf_count), |extent| extent.span());
    width.min(f64::MAX)
}

/// At most two digits behind the point.
fn round(size: f64) -> f64 {
    let rounded = (size * 100.0).round() / 100.0;
    // Numbers too large for that have no digits behind the point.
    if rounded.is_finite() { rounded } else { size }
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent < 0.5 => "under 1 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_cells_are_at_most_as_large_as_the_median() {
        let of = |sizes: &[(f64, u64)]| MadeCells::new(sizes.to_vec(), 20.0);
        assert_eq!(of(&[]), None);
        let found = of(&[(9.0, 1), (2.0, 4), (5.0, 5)]).unwrap();
        assert_eq!((found.share, found.median_size, found.greatest_size), (0.5, 5.0, 9.0));
        assert_eq!(found.text("ranges", "wide"), "ranges (half of them at most 5 wide, none more than 9)");
        assert_eq!(of(&[(2.0, 3)]).unwrap().text("sets", "values"), "sets (2 values)");
    }

    #[test]
    fn the_words_have_what_there_is() {
        let cells = CellsSummary {
            exact: 0.306,
            levels: BTreeMap::from([(1, 0.4), (2, 0.002)]),
            any: 0.292,
            loss_share: Some(0.119),
            ..CellsSummary::default()
        };
        assert_eq!(cells.text(), "31 % exact, 40 % level 1, under 1 % level 2, 29 % *; 12 % of the loss");
    }
}
