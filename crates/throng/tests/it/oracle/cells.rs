//! What a generalised value of one column stands for.

use std::collections::{BTreeMap, BTreeSet};

/// A column: its hierarchy, the leaf of each row, and what every cell could lose.
pub(super) struct Column<'c> {
    lines: &'c [Vec<String>],
    leaf_of_row: Vec<usize>,
    /// `cells[level][leaf]`.
    cells: Vec<Vec<Cell>>,
    suppressed: Cell,
}

/// The loss of one cell by each definition.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// Leaves that the value stands for.
    pub(super) leaves: f64,
    /// Leaves of the column.
    pub(super) domain: f64,
    /// Rows of these leaves.
    pub(super) rows: f64,
    /// H(X | value) in bits, by the original distribution.
    pub(super) bits: f64,
    /// extent / range of numbers; leaves / domain, or 0 for one leaf, of categories.
    pub(super) ncp: f64,
    /// level / height.
    pub(super) level: f64,
}

impl<'c> Column<'c> {
    pub(super) fn new(lines: &'c [Vec<String>], values: impl Iterator<Item = &'c str>) -> Column<'c> {
        let line_of: BTreeMap<&str, usize> =
            lines.iter().enumerate().map(|(i, line)| (line[0].as_str(), i)).collect();
        let leaf_of_row: Vec<usize> = values.map(|value| line_of[value]).collect();
        let mut rows = vec![0usize; lines.len()];
        leaf_of_row.iter().for_each(|&leaf| rows[leaf] += 1);
        let judge = Judge::new(lines, rows);
        let cells = (0..lines[0].len()).map(|level| judge.cells_at(level)).collect();
        Column { lines, leaf_of_row, cells, suppressed: judge.suppressed() }
    }

    /// The leaf of a row.
    pub(super) fn leaf(&self, row: usize) -> usize {
        self.leaf_of_row[row]
    }

    /// The leaf of a text.
    pub(super) fn find(&self, text: &str) -> usize {
        self.lines.iter().position(|line| line[0] == text).expect("a leaf")
    }

    /// The text for a leaf at a level; one level above all is that of a suppressed cell.
    pub(super) fn label(&self, leaf: usize, level: usize) -> &'c str {
        self.lines[leaf].get(level).map_or("*", String::as_str)
    }

    pub(super) fn cell(&self, leaf: usize, level: usize) -> &Cell {
        self.cells.get(level).map_or(&self.suppressed, |cells| &cells[leaf])
    }

    pub(super) fn suppressed(&self) -> &Cell {
        &self.suppressed
    }
}

/// A hierarchy and the rows of each of its leaves.
struct Judge<'c> {
    lines: &'c [Vec<String>],
    rows: Vec<usize>,
    /// For each level, the leaves that share a label.
    leaves: Vec<BTreeMap<&'c str, BTreeSet<usize>>>,
    /// The number of each leaf but a missing one, if the column is one of numbers.
    numbers: Option<BTreeMap<usize, f64>>,
    /// Greatest number − least number.
    range: f64,
}

impl<'c> Judge<'c> {
    fn new(lines: &'c [Vec<String>], rows: Vec<usize>) -> Judge<'c> {
        let mut leaves = vec![BTreeMap::<&str, BTreeSet<usize>>::new(); lines[0].len()];
        for (leaf, line) in lines.iter().enumerate() {
            for (level, label) in line.iter().enumerate() {
                leaves[level].entry(label).or_default().insert(leaf);
            }
        }
        let numbers = numbers(lines);
        let extremes = numbers.iter().flat_map(|numbers| numbers.values().copied());
        let range = extent(extremes).unwrap_or(0.0);
        Judge { lines, rows, leaves, numbers, range }
    }

    fn height(&self) -> usize {
        self.lines[0].len() - 1
    }

    fn cells_at(&self, level: usize) -> Vec<Cell> {
        let mut of_label: BTreeMap<&str, Cell> = BTreeMap::new();
        for (&label, leaves) in &self.leaves[level] {
            let leaf = *leaves.first().expect("a leaf for each label");
            let share = self.lowest_level(leaf, level) as f64 / self.root_level().max(1) as f64;
            of_label.insert(label, self.cell(leaves, share));
        }
        self.lines.iter().map(|line| of_label[line[level].as_str()].clone()).collect()
    }

    /// The lowest level at which one value covers everything; the height if none does.
    fn root_level(&self) -> usize {
        let height = self.height();
        if self.leaves[height].len() == 1 { self.lowest_level(0, height) } else { height }
    }

    /// The level from which on the leaf's value has been the same value: the same label for
    /// the same leaves. Repeating a value in an unbalanced hierarchy loses nothing.
    fn lowest_level(&self, leaf: usize, level: usize) -> usize {
        let label = self.lines[leaf][level].as_str();
        let leaves = &self.leaves[level][label];
        let same = |&l: &usize| self.lines[leaf][l] == label && self.leaves[l][label] == *leaves;
        (0..=level).rev().take_while(same).last().expect("at least its own level")
    }

    /// A cell of which nothing is left: the top value if that is one for all leaves, else
    /// something above the hierarchy.
    fn suppressed(&self) -> Cell {
        let top = self.height();
        let has_single_top = self.leaves[top].len() == 1;
        let level = if has_single_top && self.root_level() == 0 { 0.0 } else { 1.0 };
        self.cell(&(0..self.lines.len()).collect(), level)
    }

    fn cell(&self, leaves: &BTreeSet<usize>, level: f64) -> Cell {
        let (domain, bits) = (self.lines.len() as f64, self.bits(leaves));
        let rows = leaves.iter().map(|&leaf| self.rows[leaf] as f64).sum();
        Cell { leaves: leaves.len() as f64, domain, rows, bits, ncp: self.ncp(leaves), level }
    }

    fn bits(&self, leaves: &BTreeSet<usize>) -> f64 {
        let counts = leaves.iter().map(|&leaf| self.rows[leaf] as f64);
        let all: f64 = counts.clone().sum();
        counts.filter(|&n| n > 0.0).map(|n| -(n / all) * (n / all).log2()).sum()
    }

    fn ncp(&self, leaves: &BTreeSet<usize>) -> f64 {
        let Some(numbers) = &self.numbers else {
            let (some, all) = (leaves.len(), self.lines.len());
            return if some == 1 { 0.0 } else { some as f64 / all as f64 };
        };
        let of_numbers = match extent(leaves.iter().filter_map(|leaf| numbers.get(leaf).copied())) {
            Some(extent) if self.range > 0.0 => extent / self.range,
            _ => 0.0,
        };
        // Whether it was missing is not known any more.
        let has_missing = leaves.iter().any(|&leaf| self.lines[leaf][0].is_empty());
        let share = leaves.len() as f64 / self.lines.len() as f64;
        if has_missing && leaves.len() > 1 { of_numbers.max(share) } else { of_numbers }
    }
}

/// The distance from the least to the greatest of some numbers.
fn extent(numbers: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let greatest = numbers.clone().reduce(f64::max)?;
    numbers.reduce(f64::min).map(|least| greatest - least)
}

/// The numbers of the leaves, if all are numbers; a missing value (an empty leaf) is none, but
/// does not make the others text.
fn numbers(lines: &[Vec<String>]) -> Option<BTreeMap<usize, f64>> {
    let leaves = lines.iter().enumerate().filter(|(_, line)| !line[0].is_empty());
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    let numbers =
        leaves.map(|(leaf, line)| Some((leaf, number(&line[0])?))).collect::<Option<BTreeMap<_, _>>>();
    numbers.filter(|numbers| !numbers.is_empty())
}
