//! The objective of a node as an exact integer.
//!
//! Cell costs become fixed-point numbers once; sums of them are exact, so the cost of a node
//! does not depend on the order in which classes were counted, and comparing two nodes, or a
//! node with a bound, has no rounding.

use super::LevelCodes;
use crate::lattice::Node;
use crate::loss::{CellLoss, Kind, SizeLoss};
use crate::problem::Problem;
use crate::tally::ClassSizes;

/// The objective of a node: less is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    /// The objective.
    pub(crate) total: i128,
    /// How much of it suppression causes. Where [`Costs::penalty_falls`], no node below has less.
    pub(crate) penalty: i128,
}

/// Evaluates and bounds the objective of a problem.
pub(crate) struct Costs {
    rows: u64,
    form: Form,
}

enum Form {
    Cells(CellCosts),
    Sizes(&'static dyn SizeLoss),
    Level,
}

/// Fixed-point costs of a cell.
struct CellCosts {
    /// `of[attribute][level][code]`.
    of: Vec<Vec<Vec<i64>>>,
    /// Cost of a suppressed row.
    suppressed_row: i128,
    /// `sums[attribute][level]`: cost of all rows at that level without suppression.
    sums: Vec<Vec<i128>>,
    /// The same, where a cell costs no more than a suppressed one: the least any suppression can reach.
    least: Vec<Vec<i128>>,
    /// Whether no cell gets cheaper by generalising it.
    monotone: bool,
}

impl Costs {
    pub(crate) fn new(problem: &Problem, codes: &LevelCodes) -> Costs {
        let form = match problem.objective.kind() {
            Kind::Cells(loss) => Form::Cells(CellCosts::new(problem, codes, loss)),
            Kind::Sizes(loss) => Form::Sizes(loss),
            Kind::Level => Form::Level,
        };
        Costs { rows: problem.table().rows(), form }
    }

    /// The cost of a node, given the sizes of its classes and the codes and rows of those dropped.
    pub(super) fn of<C: Iterator<Item = u32>>(
        &self,
        node: &Node,
        kept: &ClassSizes,
        dropped: impl Iterator<Item = (C, u32)>,
    ) -> Cost {
        match &self.form {
            Form::Cells(cells) => cells.of(node, dropped),
            Form::Sizes(loss) => Cost { total: loss.cost(kept, self.rows), penalty: 0 },
            Form::Level => Cost { total: node.height() as i128, penalty: 0 },
        }
    }

    /// What each attribute's level adds to a lower bound of the objective of every node with
    /// that level, if the objective has such a bound before anything is counted.
    pub(crate) fn level_bounds(&self, heights: &[u8]) -> Option<Vec<Vec<i128>>> {
        match &self.form {
            Form::Cells(cells) => Some(cells.least.clone()),
            Form::Sizes(_) => None,
            Form::Level => {
                let levels = heights.iter().map(|&height| (0..=i128::from(height)).collect());
                Some(levels.collect())
            }
        }
    }

    /// A lower bound of the objective of all nodes above one whose classes are `all`, if the
    /// objective has such a bound.
    pub(crate) fn floor(&self, all: &ClassSizes) -> Option<i128> {
        match &self.form {
            Form::Sizes(loss) => Some(loss.floor(all)),
            Form::Cells(_) | Form::Level => None,
        }
    }

    /// Whether the penalty of a node is a lower bound of the penalty of all nodes below.
    pub(crate) fn penalty_falls(&self) -> bool {
        match &self.form {
            Form::Cells(cells) => cells.monotone,
            Form::Sizes(_) => false,
            Form::Level => true,
        }
    }
}

impl CellCosts {
    fn new(problem: &Problem, codes: &LevelCodes, loss: &dyn CellLoss) -> CellCosts {
        let tables: Vec<Vec<f64>> = problem.attributes().iter().map(|a| loss.costs(a)).collect();
        let largest = tables.iter().flatten().fold(0.0f64, |max, &cost| max.max(cost));
        let unit = if largest > 0.0 { (1u64 << 40) as f64 / largest } else { 1.0 };
        let fixed = |cost: f64| (cost * unit).round() as i64;

        let mut cells = CellCosts {
            of: Vec::new(),
            suppressed_row: 0,
            sums: Vec::new(),
            least: Vec::new(),
            monotone: true,
        };
        for (a, attribute) in problem.attributes().iter().enumerate() {
            let taxonomy = &attribute.taxonomy;
            let root = fixed(tables[a][taxonomy.root() as usize]);
            cells.suppressed_row += i128::from(root);
            let of: Vec<Vec<i64>> = (0..=taxonomy.height())
                .map(|level| codes.values(a, level).iter().map(|&v| fixed(tables[a][v as usize])).collect())
                .collect();
            let cell = |leaf: usize, level: usize| of[level][codes.map(a, 0, level)[leaf] as usize];
            let leaves = || attribute.leaf_rows().iter().enumerate();
            let sum = |level: usize, most: i64| -> i128 {
                leaves().map(|(leaf, &rows)| i128::from(rows) * i128::from(cell(leaf, level).min(most))).sum()
            };
            cells.sums.push((0..of.len()).map(|level| sum(level, i64::MAX)).collect());
            cells.least.push((0..of.len()).map(|level| sum(level, root)).collect());
            cells.monotone &= leaves().all(|(leaf, _)| {
                (1..of.len()).all(|level| cell(leaf, level - 1) <= cell(leaf, level))
                    && cell(leaf, of.len() - 1) <= root
            });
            cells.of.push(of);
        }
        cells
    }

    fn of<C: Iterator<Item = u32>>(&self, node: &Node, dropped: impl Iterator<Item = (C, u32)>) -> Cost {
        let without: i128 = self.sums.iter().enumerate().map(|(a, levels)| levels[node.level(a)]).sum();
        let at_node: Vec<&[i64]> = self.of.iter().enumerate().map(|(a, of)| &of[node.level(a)][..]).collect();
        let mut penalty: i128 = 0;
        for (codes, rows) in dropped {
            let row: i64 = codes.zip(&at_node).map(|(code, of)| of[code as usize]).sum();
            penalty += (self.suppressed_row - i128::from(row)) * i128::from(rows);
        }
        Cost { total: without + penalty, penalty }
    }
}
