//! What it is worth to tell some values apart: what top-down specialisation gains by a step, and bottom-up
//! generalisation loses.

use crate::loss::{self, CellLoss, Domain, Kind, Scopes};
use crate::problem::Problem;
use crate::taxonomy::{Closure, ValueId};

/// Worth of dividing the rows of a value between others.
///
/// With a target it is the information gain: the entropy of the labels of these rows less the mean of what
/// it is in the parts, in bits. Without, it is what the objective costs less for these rows; where the
/// objective is no sum over cells, `lm`.
pub(super) enum Worth<'p> {
    Labels { number: usize, of_leaf: Vec<Vec<u64>> },
    Cells { problem: &'p Problem, loss: &'static dyn CellLoss, of_tree: Vec<Vec<f64>>, scopes: Vec<Scopes> },
}

/// Rows of a value, as far as their worth goes.
pub(super) struct Rows {
    /// How many there are.
    pub(super) all: u64,
    /// Of each label.
    labels: Vec<u64>,
    /// What they cost.
    cost: f64,
}

impl<'p> Worth<'p> {
    pub(super) fn new(problem: &'p Problem) -> Worth<'p> {
        match problem.target() {
            Some(target) => {
                let number = target.values();
                let of_leaf =
                    (0..problem.attributes().len()).map(|a| leaf_labels(problem, a, number)).collect();
                Worth::Labels { number, of_leaf }
            }
            None => {
                let lm = loss::find("lm").expect("registered").kind();
                let ((Kind::Cells(loss), _) | (_, Kind::Cells(loss))) = (problem.objective.kind(), lm) else {
                    unreachable!("lm is a sum over cells")
                };
                let of_tree = problem.attributes().iter().map(|attribute| loss.costs(attribute)).collect();
                let scopes = problem.attributes().iter().map(Scopes::new).collect();
                Worth::Cells { problem, loss, of_tree, scopes }
            }
        }
    }

    /// No rows.
    pub(super) fn none(&self) -> Rows {
        let labels = if let Worth::Labels { number, .. } = self { vec![0; *number] } else { Vec::new() };
        Rows { all: 0, labels, cost: 0.0 }
    }

    /// Adds the rows of some leaves, at no cost.
    pub(super) fn add(&self, problem: &Problem, a: usize, leaves: &[ValueId], rows: &mut Rows) {
        rows.all +=
            leaves.iter().map(|&leaf| problem.attributes()[a].leaf_rows()[leaf as usize]).sum::<u64>();
        if let Worth::Labels { number, of_leaf } = self {
            for &leaf in leaves {
                let of_leaf = &of_leaf[a][leaf as usize * number..][..*number];
                rows.labels.iter_mut().zip(of_leaf).for_each(|(sum, rows)| *sum += rows);
            }
        }
    }

    /// The rows of some leaves, which are shown as a value.
    pub(super) fn rows(&self, problem: &Problem, a: usize, value: &Closure, leaves: &[ValueId]) -> Rows {
        let mut rows = self.none();
        self.add(problem, a, leaves, &mut rows);
        rows.cost = self.cell(a, value) * rows.all as f64;
        rows
    }

    /// Some of a whole's rows and the others, each shown as a value.
    pub(super) fn halves(&self, a: usize, whole: &Rows, some: &Rows, values: [&Closure; 2]) -> [Rows; 2] {
        let labels = whole.labels.iter().zip(&some.labels).map(|(all, some)| all - some).collect();
        let mut halves = [
            Rows { all: some.all, labels: some.labels.clone(), cost: 0.0 },
            Rows { all: whole.all - some.all, labels, cost: 0.0 },
        ];
        halves
            .iter_mut()
            .zip(values)
            .for_each(|(half, value)| half.cost = self.cell(a, value) * half.all as f64);
        halves
    }

    /// What a cell with a value costs, if that is what counts.
    fn cell(&self, a: usize, value: &Closure) -> f64 {
        match (self, value) {
            (Worth::Labels { .. }, _) => 0.0,
            (Worth::Cells { of_tree, .. }, Closure::Value(value)) => of_tree[a][*value as usize],
            (Worth::Cells { problem, loss, scopes, .. }, Closure::Made(made)) => {
                loss.cost(&Domain::from_attribute(&problem.attributes()[a]), &scopes[a].scope(made))
            }
        }
    }

    /// The worth of a step from a whole to its parts, as 2005 has it: none if all rows have one label.
    pub(super) fn of_step(&self, whole: &Rows, parts: &[Rows]) -> Option<f64> {
        match self {
            Worth::Labels { .. } if whole.labels.iter().filter(|&&rows| rows > 0).count() < 2 => None,
            _ => Some(self.of_telling_apart(whole, parts).unwrap_or(0.0)),
        }
    }

    /// The worth of telling the parts of a whole apart; none if there is no use in it.
    pub(super) fn of_telling_apart(&self, whole: &Rows, parts: &[Rows]) -> Option<f64> {
        match self {
            Worth::Labels { .. } => {
                let differs = |part: &Rows| !same_shares(whole, part);
                let mean: f64 = parts.iter().map(|part| part.all as f64 * entropy(part)).sum();
                let gain = entropy(whole) - mean / whole.all as f64;
                parts.iter().any(differs).then_some(gain.max(f64::MIN_POSITIVE))
            }
            Worth::Cells { .. } => {
                let saved = whole.cost - parts.iter().map(|part| part.cost).sum::<f64>();
                (saved >= 0.0).then_some(saved)
            }
        }
    }
}

/// Rows of each label by leaf, one leaf after the other.
fn leaf_labels(problem: &Problem, a: usize, number: usize) -> Vec<u64> {
    let (table, target) = (problem.table(), problem.target().expect("there is a target"));
    let mut labels = vec![0; problem.attributes()[a].taxonomy.leaf_total() * number];
    for (tuple, &leaf) in table.column(a).iter().enumerate() {
        for (code, rows) in target.histogram(tuple).iter() {
            labels[leaf as usize * number + target.value(code) as usize] += u64::from(rows);
        }
    }
    labels
}

/// Whether a part has every label as often as the whole, for its size: exactly, so that no gain is made of
/// rounding.
fn same_shares(whole: &Rows, part: &Rows) -> bool {
    let pairs = whole.labels.iter().zip(&part.labels);
    pairs.clone().all(|(&of_whole, &of_part)| {
        u128::from(of_whole) * u128::from(part.all) == u128::from(of_part) * u128::from(whole.all)
    })
}

/// Bits that are open of a label.
fn entropy(rows: &Rows) -> f64 {
    let share = |&of_label: &u64| of_label as f64 / rows.all as f64;
    rows.labels.iter().filter(|&&rows| rows > 0).map(|of| -share(of) * share(of).log2()).sum()
}
