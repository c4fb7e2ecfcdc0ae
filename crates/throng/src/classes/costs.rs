//! The objective of a recoding as an exact integer.
//!
//! Cell costs become fixed-point numbers once; sums of them are exact, so the cost of a node
//! does not depend on the order in which classes were counted, and comparing two nodes, or a
//! node with a bound, has no rounding.

use std::borrow::Cow;

use super::{Grid, LevelCodes};
use crate::loss::{CellLoss, Kind, SizeLoss};
use crate::problem::Problem;
use crate::tally::{ClassSizes, Tally};

/// The objective of a recoding: less is better.
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

/// The fixed-point cost of a cell with each value.
struct CellTable {
    loss: &'static dyn CellLoss,
    /// Fixed-point units of a cost of 1.
    unit: f64,
    /// `of_value[attribute][value]`, values of the taxonomy.
    of_value: Vec<Vec<i64>>,
    /// Cost of a suppressed row.
    suppressed_row: i128,
}

/// What a sum over cells costs at each level.
struct CellCosts {
    table: CellTable,
    /// `of[attribute][level][code]`.
    of: Vec<Vec<Vec<i64>>>,
    /// `leaf_rows[attribute][leaf]`.
    leaf_rows: Vec<Vec<u64>>,
    /// `sums[attribute][level]`: cost of all rows at that level without suppression.
    sums: Vec<Vec<i128>>,
    /// The same, where a cell costs no more than a suppressed one: the least any suppression can reach.
    least: Vec<Vec<i128>>,
    /// Whether no cell gets cheaper by generalising it.
    monotone: bool,
}

/// The objective of a release, in the units of [`Costs`]; none if it is the level, which only a node has.
pub(crate) fn cost_of_release(problem: &Problem, tally: &Tally) -> Option<Cost> {
    let total = match problem.objective.kind() {
        Kind::Cells(loss) => CellTable::new(problem, loss).of(problem, tally),
        Kind::Sizes(loss) => loss.cost(&tally.sizes, tally.rows),
        Kind::Level => tally.level? as i128,
    };
    Some(Cost { total, penalty: 0 })
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

    /// The cost of a grid, given the sizes of its classes and the codes and rows of those dropped.
    pub(super) fn of<C: Iterator<Item = u32>>(
        &self,
        codes: &LevelCodes,
        grid: &Grid,
        kept: &ClassSizes,
        dropped: impl Iterator<Item = (C, u32)>,
    ) -> Cost {
        match &self.form {
            Form::Cells(cells) => cells.of(codes, grid, dropped),
            Form::Sizes(loss) => Cost { total: loss.cost(kept, self.rows), penalty: 0 },
            Form::Level => Cost { total: grid.floor().height() as i128, penalty: 0 },
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

    /// What a cell of each value costs, by attribute, if the objective is a sum over cells.
    pub(crate) fn of_values(&self) -> Option<&[Vec<i64>]> {
        match &self.form {
            Form::Cells(cells) => Some(&cells.table.of_value),
            Form::Sizes(_) | Form::Level => None,
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

impl CellTable {
    fn new(problem: &Problem, loss: &'static dyn CellLoss) -> CellTable {
        let tables: Vec<Vec<f64>> = problem.attributes().iter().map(|a| loss.costs(a)).collect();
        let largest = tables.iter().flatten().fold(0.0f64, |max, &cost| max.max(cost));
        let unit = if largest > 0.0 { (1u64 << 40) as f64 / largest } else { 1.0 };
        let fixed = |costs: &Vec<f64>| costs.iter().map(|&cost| to_fixed(cost, unit)).collect();
        let of_value: Vec<Vec<i64>> = tables.iter().map(fixed).collect();
        let roots = problem.attributes().iter().zip(&of_value);
        let suppressed_row = roots.map(|(a, of)| i128::from(of[a.taxonomy.root() as usize])).sum();
        CellTable { loss, unit, of_value, suppressed_row }
    }

    /// The cost of a release.
    fn of(&self, problem: &Problem, tally: &Tally) -> i128 {
        let attributes = problem.attributes().iter().zip(&tally.cells).zip(&tally.made).enumerate();
        let sums = attributes.map(|(a, ((attribute, rows), made))| {
            let made = self.loss.costs_of(attribute, made).into_iter().map(|cost| to_fixed(cost, self.unit));
            let costs = self.of_value[a].iter().copied().chain(made);
            costs.zip(rows).map(|(cost, &rows)| i128::from(cost) * i128::from(rows)).sum::<i128>()
        });
        sums.sum()
    }
}

fn to_fixed(cost: f64, unit: f64) -> i64 {
    (cost * unit).round() as i64
}

impl CellCosts {
    fn new(problem: &Problem, codes: &LevelCodes, loss: &'static dyn CellLoss) -> CellCosts {
        let mut cells = CellCosts {
            table: CellTable::new(problem, loss),
            of: Vec::new(),
            leaf_rows: Vec::new(),
            sums: Vec::new(),
            least: Vec::new(),
            monotone: true,
        };
        for (a, attribute) in problem.attributes().iter().enumerate() {
            let (taxonomy, of_value) = (&attribute.taxonomy, &cells.table.of_value[a]);
            let root = of_value[taxonomy.root() as usize];
            let of: Vec<Vec<i64>> = (0..=taxonomy.height())
                .map(|level| codes.values(a, level).iter().map(|&v| of_value[v as usize]).collect())
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
            cells.leaf_rows.push(attribute.leaf_rows().to_vec());
        }
        cells
    }

    fn of<C: Iterator<Item = u32>>(
        &self,
        codes: &LevelCodes,
        grid: &Grid,
        dropped: impl Iterator<Item = (C, u32)>,
    ) -> Cost {
        let (without, at_grid): (i128, Vec<Cow<'_, [i64]>>) = match grid.node() {
            Some(node) => {
                let attributes = || self.of.iter().enumerate();
                let sum = attributes().map(|(a, _)| self.sums[a][node.level(a)]).sum();
                (sum, attributes().map(|(a, of)| of[node.level(a)][..].into()).collect())
            }
            None => self.of_cuts(codes, grid),
        };
        let mut penalty: i128 = 0;
        for (codes, rows) in dropped {
            let row: i64 = codes.zip(&at_grid).map(|(code, of)| of[code as usize]).sum();
            penalty += (self.table.suppressed_row - i128::from(row)) * i128::from(rows);
        }
        Cost { total: without + penalty, penalty }
    }

    /// The cost of all rows without suppression, and that of a cell by attribute and code.
    fn of_cuts(&self, codes: &LevelCodes, grid: &Grid) -> (i128, Vec<Cow<'_, [i64]>>) {
        let attributes = || 0..self.leaf_rows.len();
        let cells: Vec<Vec<i64>> = attributes()
            .map(|a| grid.values(codes, a).iter().map(|&v| self.table.of_value[a][v as usize]).collect())
            .collect();
        let sum = |a: usize| -> i128 {
            let of_leaf = grid.map(codes, a, 0);
            let leaves = of_leaf.iter().zip(&self.leaf_rows[a]);
            leaves.map(|(&code, &rows)| i128::from(cells[a][code as usize]) * i128::from(rows)).sum()
        };
        (attributes().map(sum).sum(), cells.iter().map(|of| of.clone().into()).collect())
    }
}
