//! The objective of a recoding as an exact integer.
//!
//! Cell costs become whole numbers of [units](units) once; sums of them are exact, so the cost of a node
//! does not depend on the order in which classes were counted, and comparing two nodes, or a
//! node with a bound, has no rounding. What all rows of a value cost together has a number of its own: for a
//! measure such as entropy that is exact where its share for each row is not.

mod mean;
mod units;

use std::borrow::Cow;

use super::{Grid, LevelCodes};
use crate::lattice::{Level, Node};
use crate::loss::{CellLoss, Kind, SizeLoss};
use crate::problem::{Attribute, Problem};
use crate::tally::{ClassSizes, Tally};
use crate::taxonomy::ValueId;
use mean::MeanOfColumns;
use units::Units;

/// The objective of a recoding: less is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    /// The objective.
    pub(crate) total: i128,
    /// How much of it suppression causes. Where [`Costs::penalty_falls`], no node below has less. None of a mean that
    /// is not the arithmetic one: what a row adds depends on the others there.
    pub(crate) penalty: i128,
}

/// Evaluates and bounds the objective of a problem.
pub(crate) struct Costs {
    rows: u64,
    form: Form,
}

enum Form {
    Cells(Box<CellCosts>),
    Sizes(&'static dyn SizeLoss),
    Level,
}

/// What values cost, by attribute.
#[derive(Clone, Copy)]
pub(crate) struct ValueCosts<'c> {
    /// A cell of each value.
    pub(crate) cells: &'c [Vec<i64>],
    /// All rows of each value together.
    pub(crate) rows: &'c [Vec<i128>],
    /// A cell of a suppressed row.
    pub(crate) suppressed: &'c [i64],
}

/// What cells cost at a node, by attribute and code at a lower one.
pub(super) struct LevelCosts {
    pub(super) cells: Vec<Vec<i64>>,
    pub(super) suppressed_row: i128,
}

/// What a cell with each value costs, in whole units.
struct CellTable {
    loss: &'static dyn CellLoss,
    units: Units,
    /// How often a cell counts that is not suppressed.
    factor: i64,
    /// `of_value[attribute][value]`, values of the taxonomy.
    of_value: Vec<Vec<i64>>,
    /// `rows[attribute][value]`: rows of the table that the value covers.
    rows: Vec<Vec<u64>>,
    /// `of_rows[attribute][value]`: what they cost together.
    of_rows: Vec<Vec<i128>>,
    /// Whether that is anywhere other than as many times the cost of a cell, by rounding.
    rounds: bool,
    /// Cost of a cell of a suppressed row, by attribute.
    suppressed: Vec<i64>,
    /// Cost of a suppressed row.
    suppressed_row: i128,
    /// What the sums over the cells of attributes come to, if not to their sum.
    mean: Option<MeanOfColumns>,
}

/// What a sum over cells costs at each level.
struct CellCosts {
    table: CellTable,
    /// `of[attribute][level][code]`.
    of: Vec<Vec<Vec<i64>>>,
    /// By attribute.
    roots: Vec<ValueId>,
    /// Rows of the table.
    rows: u64,
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
        Kind::Cells(loss) => CellTable::new(problem, loss).cost(problem, tally),
        Kind::Sizes(loss) => loss.cost(&tally.sizes, tally.rows),
        Kind::Level => tally.level? as i128,
    };
    Some(Cost { total, penalty: 0 })
}

impl Costs {
    pub(crate) fn new(problem: &Problem, codes: &LevelCodes) -> Costs {
        let form = match problem.objective.kind() {
            Kind::Cells(loss) => Form::Cells(Box::new(CellCosts::new(problem, codes, loss))),
            Kind::Sizes(loss) => Form::Sizes(loss),
            Kind::Level => Form::Level,
        };
        Costs { rows: problem.table().rows(), form }
    }

    /// The cost of a grid, given the sizes of its classes and the codes and rows of those dropped.
    pub(super) fn cost<C: Iterator<Item = u32>>(
        &self,
        codes: &LevelCodes,
        grid: &Grid,
        kept: &ClassSizes,
        dropped: impl Iterator<Item = (C, u64)>,
    ) -> Cost {
        match &self.form {
            Form::Cells(cells) => cells.cost(codes, grid, dropped),
            Form::Sizes(loss) => Cost { total: loss.cost(kept, self.rows), penalty: 0 },
            Form::Level => Cost { total: grid.floor().height() as i128, penalty: 0 },
        }
    }

    /// What each attribute's level adds to a lower bound of the objective of every node with
    /// that level, if the objective has such a bound before anything is counted.
    pub(crate) fn level_bounds(&self, heights: &[Level]) -> Option<Vec<Vec<i128>>> {
        match &self.form {
            Form::Cells(cells) => Some(match &cells.table.mean {
                Some(mean) => mean.bounds(&cells.least),
                None => cells.least.clone(),
            }),
            Form::Sizes(_) => None,
            Form::Level => {
                let levels = heights.iter().map(|&height| (0..=i128::from(height)).collect());
                Some(levels.collect())
            }
        }
    }

    /// What a node costs if nothing is suppressed; none where that takes more than its levels, or where what
    /// suppression adds is no sum.
    pub(crate) fn without_suppression(&self, node: &Node) -> Option<i128> {
        match &self.form {
            Form::Cells(cells) if cells.table.mean.is_none() => {
                Some(cells.sums.iter().enumerate().map(|(a, of)| of[node.level(a)]).sum())
            }
            Form::Level => Some(node.height() as i128),
            Form::Cells(_) | Form::Sizes(_) => None,
        }
    }

    /// What the cells of a node's codes cost at a coarser node, if what suppression adds is a sum over them.
    pub(super) fn of_levels(&self, codes: &LevelCodes, from: &Node, to: &Node) -> Option<LevelCosts> {
        let Form::Cells(cells) = &self.form else { return None };
        if cells.table.mean.is_some() {
            return None;
        }
        let of = |a: usize| {
            let map = codes.map(a, from.level(a), to.level(a));
            map.iter().map(|&code| cells.of[a][to.level(a)][code as usize]).collect()
        };
        let suppressed_row = cells.table.suppressed_row;
        Some(LevelCosts { cells: (0..cells.of.len()).map(of).collect(), suppressed_row })
    }

    /// What values cost, if the objective is a sum over cells.
    pub(crate) fn of_values(&self) -> Option<ValueCosts<'_>> {
        match &self.form {
            Form::Cells(cells) if cells.table.mean.is_none() => {
                let CellTable { of_value, of_rows, suppressed, .. } = &cells.table;
                Some(ValueCosts { cells: of_value, rows: of_rows, suppressed })
            }
            Form::Cells(_) | Form::Sizes(_) | Form::Level => None,
        }
    }

    /// Whether the sizes of a node's classes bound the objective of all nodes above it.
    pub(super) fn has_floor(&self) -> bool {
        matches!(self.form, Form::Sizes(_))
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
            Form::Cells(cells) => cells.monotone && cells.table.mean.is_none(),
            Form::Sizes(_) => false,
            Form::Level => true,
        }
    }
}

impl CellTable {
    fn new(problem: &Problem, loss: &'static dyn CellLoss) -> CellTable {
        let tables: Vec<Vec<f64>> = problem.attributes().iter().map(|a| loss.costs(a)).collect();
        let aggregate = loss.aggregate(problem);
        let (factor, of_suppressed) = aggregate.preference.factors();
        let units = Units::new(problem, loss, &tables, factor.max(of_suppressed));
        let in_units = |(a, costs): (usize, &Vec<f64>)| {
            costs.iter().map(|&cost| factor * units.units(a, cost)).collect()
        };
        let of_value: Vec<Vec<i64>> = tables.iter().enumerate().map(in_units).collect();
        let rows: Vec<Vec<u64>> = problem.attributes().iter().map(rows_of_values).collect();
        let of_rows = |(a, attribute): (usize, &Attribute)| {
            // Suppressed rows cost what those of the root do, or there is no number for all of them.
            let unit = units.fixed().filter(|_| factor == of_suppressed);
            let own = unit.and_then(|unit| loss.costs_of_rows(attribute, unit));
            let cells = of_value[a].iter().zip(&rows[a]);
            own.unwrap_or_else(|| cells.map(|(&cost, &rows)| i128::from(cost) * i128::from(rows)).collect())
        };
        let of_rows: Vec<Vec<i128>> = problem.attributes().iter().enumerate().map(of_rows).collect();
        let roots = problem.attributes().iter().zip(&tables).enumerate();
        let suppressed: Vec<i64> = roots
            .map(|(a, (of, costs))| of_suppressed * units.units(a, costs[of.taxonomy.root() as usize]))
            .collect();
        let suppressed_row = suppressed.iter().map(|&cost| i128::from(cost)).sum();
        let mean = MeanOfColumns::new(problem, aggregate, &units);
        let mut table = CellTable {
            loss,
            units,
            factor,
            of_value,
            rows,
            of_rows,
            rounds: false,
            suppressed,
            suppressed_row,
            mean,
        };
        table.rounds = (0..table.rows.len())
            .any(|a| (0..table.rows[a].len()).any(|value| table.residue(a, value as ValueId) != 0));
        table
    }

    /// By how much what all rows of a value cost together differs from the sum over the cells.
    fn residue(&self, a: usize, value: ValueId) -> i128 {
        let value = value as usize;
        self.of_rows[a][value] - i128::from(self.of_value[a][value]) * i128::from(self.rows[a][value])
    }

    /// What some rows of a value cost: all of them what they cost together.
    fn of_some_rows(&self, a: usize, value: usize, rows: u64) -> i128 {
        match rows == self.rows[a][value] {
            true => self.of_rows[a][value],
            false => i128::from(self.of_value[a][value]) * i128::from(rows),
        }
    }

    /// What the sums over the cells of attributes come to.
    fn total(&self, sums: impl Iterator<Item = i128>) -> i128 {
        match &self.mean {
            Some(mean) => mean.mean(sums),
            None => sums.sum(),
        }
    }

    /// The cost of a release.
    fn cost(&self, problem: &Problem, tally: &Tally) -> i128 {
        let attributes = problem.attributes().iter().zip(&tally.cells).zip(&tally.made).enumerate();
        let sums = attributes.map(|(a, ((attribute, rows), made))| {
            let made = self.loss.costs_of(attribute, made).into_iter();
            let made = made.map(|cost| self.factor * self.units.units(a, cost));
            let (of_tree, of_made) = rows.split_at(self.of_value[a].len());
            let made = made.zip(of_made).map(|(cost, &rows)| i128::from(cost) * i128::from(rows));
            let of_tree = of_tree.iter().enumerate().map(|(value, &rows)| self.of_some_rows(a, value, rows));
            // They are counted as the root's.
            let root = self.of_value[a][attribute.taxonomy.root() as usize];
            let suppressed = i128::from(self.suppressed[a] - root) * i128::from(tally.suppressed_rows);
            of_tree.chain(made).sum::<i128>() + suppressed
        });
        self.total(sums)
    }
}

/// Rows of the table that each value covers.
fn rows_of_values(attribute: &Attribute) -> Vec<u64> {
    let mut rows = vec![0u64; attribute.taxonomy.values().len()];
    for (leaf, &of_leaf) in attribute.leaf_rows().iter().enumerate() {
        attribute.taxonomy.ancestors(leaf as ValueId).for_each(|value| rows[value as usize] += of_leaf);
    }
    rows
}

/// By attribute and code, whether rows of it are dropped.
struct Touched(Vec<Vec<bool>>);

impl Touched {
    fn new(at_grid: &[Cow<'_, [i64]>]) -> Touched {
        Touched(at_grid.iter().map(|of| vec![false; of.len()]).collect())
    }

    fn note(&mut self, attribute: usize, code: u32) {
        self.0[attribute][code as usize] = true;
    }
}

impl CellCosts {
    fn new(problem: &Problem, codes: &LevelCodes, loss: &'static dyn CellLoss) -> CellCosts {
        let mut cells = CellCosts {
            table: CellTable::new(problem, loss),
            of: Vec::new(),
            roots: problem.attributes().iter().map(|attribute| attribute.taxonomy.root()).collect(),
            rows: problem.table().rows(),
            sums: Vec::new(),
            least: Vec::new(),
            monotone: true,
        };
        for (a, attribute) in problem.attributes().iter().enumerate() {
            let (taxonomy, of_value) = (&attribute.taxonomy, &cells.table.of_value[a]);
            let root = cells.table.suppressed[a];
            let of: Vec<Vec<i64>> = (0..=taxonomy.height())
                .map(|level| codes.values(a, level).iter().map(|&v| of_value[v as usize]).collect())
                .collect();
            let cell = |leaf: usize, level: usize| of[level][codes.map(a, 0, level)[leaf] as usize];
            let leaves = || attribute.leaf_rows().iter().enumerate();
            let sum = |level: usize| -> i128 {
                codes.values(a, level).iter().map(|&v| cells.table.of_rows[a][v as usize]).sum()
            };
            let capped = |level: usize| -> i128 {
                leaves().map(|(leaf, &rows)| i128::from(rows) * i128::from(cell(leaf, level).min(root))).sum()
            };
            let is_capped = |level: usize| of[level].iter().any(|&cost| cost > root);
            let least = |level: usize| if is_capped(level) { capped(level) } else { sum(level) };
            let (sums, least) = (0..of.len()).map(|level| (sum(level), least(level))).unzip();
            cells.sums.push(sums);
            cells.least.push(least);
            cells.monotone &= leaves().all(|(leaf, _)| {
                (1..of.len()).all(|level| cell(leaf, level - 1) <= cell(leaf, level))
                    && cell(leaf, of.len() - 1) <= root
            });
            cells.of.push(of);
        }
        cells
    }

    fn cost<C: Iterator<Item = u32>>(
        &self,
        codes: &LevelCodes,
        grid: &Grid,
        dropped: impl Iterator<Item = (C, u64)>,
    ) -> Cost {
        let (without, at_grid): (i128, Vec<Cow<'_, [i64]>>) = match grid.node() {
            Some(node) => {
                let attributes = || self.of.iter().enumerate();
                let sum = attributes().map(|(a, _)| self.sums[a][node.level(a)]).sum();
                (sum, attributes().map(|(a, of)| of[node.level(a)][..].into()).collect())
            }
            None => self.of_cuts(codes, grid),
        };
        let (mut penalty, mut gone): (i128, u64) = (0, 0);
        if let Some(mean) = &self.table.mean {
            return Cost { total: mean.mean(self.column_sums(codes, grid, &at_grid, dropped)), penalty: 0 };
        }
        let mut touched = self.table.rounds.then(|| Touched::new(&at_grid));
        for (of_class, rows) in dropped {
            let row: i64 = of_class
                .zip(&at_grid)
                .enumerate()
                .map(|(a, (code, of))| {
                    touched.iter_mut().for_each(|touched| touched.note(a, code));
                    of[code as usize]
                })
                .sum();
            penalty += (self.table.suppressed_row - i128::from(row)) * i128::from(rows);
            gone += rows;
        }
        if touched.is_some() && gone == self.rows {
            return Cost { total: self.of_nothing(), penalty };
        }
        let residues = touched.map_or(0, |touched| self.residues(codes, grid, &touched));
        Cost { total: without + penalty - residues, penalty }
    }

    /// What the cells of each attribute cost together.
    fn column_sums<C: Iterator<Item = u32>>(
        &self,
        codes: &LevelCodes,
        grid: &Grid,
        at_grid: &[Cow<'_, [i64]>],
        dropped: impl Iterator<Item = (C, u64)>,
    ) -> impl Iterator<Item = i128> {
        let (suppressed, rows) = (&self.table.suppressed, &self.table.of_rows);
        let mut sums: Vec<i128> = (0..self.of.len())
            .map(|a| match grid.node() {
                Some(node) => self.sums[a][node.level(a)],
                None => grid.values(codes, a).iter().map(|&value| rows[a][value as usize]).sum(),
            })
            .collect();
        for (of_class, rows) in dropped {
            for (a, code) in of_class.enumerate() {
                let added = suppressed[a] - at_grid[a][code as usize];
                sums[a] += i128::from(added) * i128::from(rows);
            }
        }
        sums.into_iter()
    }

    /// The cost of a release without rows.
    fn of_nothing(&self) -> i128 {
        self.roots.iter().zip(&self.table.of_rows).map(|(&root, of_rows)| of_rows[root as usize]).sum()
    }

    /// What is left of values of which rows are dropped is paid for cell by cell; but for the root, which what is
    /// dropped becomes.
    fn residues(&self, codes: &LevelCodes, grid: &Grid, touched: &Touched) -> i128 {
        let mut sum = 0;
        for (a, of) in touched.0.iter().enumerate() {
            let values = grid.values(codes, a).iter().zip(of).filter(|(_, touched)| **touched);
            let values = values.filter(|(value, _)| **value != self.roots[a]);
            sum += values.map(|(&value, _)| self.table.residue(a, value)).sum::<i128>();
        }
        sum
    }

    /// The cost of all rows without suppression, and that of a cell by attribute and code.
    fn of_cuts(&self, codes: &LevelCodes, grid: &Grid) -> (i128, Vec<Cow<'_, [i64]>>) {
        let attributes = || 0..self.of.len();
        let cells: Vec<Vec<i64>> = attributes()
            .map(|a| grid.values(codes, a).iter().map(|&v| self.table.of_value[a][v as usize]).collect())
            .collect();
        let sum = |a: usize| -> i128 {
            grid.values(codes, a).iter().map(|&v| self.table.of_rows[a][v as usize]).sum()
        };
        (attributes().map(sum).sum(), cells.iter().map(|of| of.clone().into()).collect())
    }
}
