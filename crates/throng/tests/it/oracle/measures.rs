//! Every measure, straight from its definition.

use std::collections::BTreeMap;

use throng::loss::Mean;

use super::cells::Cell;
use super::fraction::Fraction;
use super::{Oracle, Released};

impl<'c> Oracle<'c> {
    /// The measure of a name.
    pub(crate) fn measure(&self, name: &str, released: &Released<'_>) -> f64 {
        let rows = self.case.rows.len() as f64;
        let cells = rows * self.case.weights.iter().sum::<f64>();
        let sizes: Vec<f64> = released.classes.values().map(|rows| rows.len() as f64).collect();
        let suppressed = released.suppressed.len() as f64;
        let general_loss = |cell: &Cell, weight| weight * (cell.leaves - 1.0) / (cell.domain - 1.0).max(1.0);
        match name {
            "iloss" => self.sum(released, |cell, weight| weight * (cell.leaves - 1.0) / cell.domain),
            "lm" => self.sum(released, general_loss) / cells,
            "glm" => self.sum(released, general_loss),
            "entropy" => self.sum(released, |cell, weight| weight * cell.bits) / cells,
            "monotone_entropy" => {
                self.sum(released, |cell, weight| weight * cell.rows / rows * cell.bits) / cells
            }
            "non_uniform_entropy" => self.surprise(released) / cells,
            "ncp" => self.sum(released, |cell, weight| weight * cell.ncp) / cells,
            "prec" => 1.0 - self.sum(released, |cell, weight| weight * cell.level) / cells,
            "tree" => self.sum(released, |cell, weight| weight * cell.level) / cells,
            "md" => self.sum(released, |cell, weight| if is_changed(cell) { weight } else { 0.0 }),
            "dm" => sizes.iter().map(|size| size * size).sum::<f64>() + suppressed * rows,
            "cm" => (self.off_label(released) + suppressed) / rows,
            "aecs" => rows / (sizes.len() as f64 * self.case.k_over_all() as f64),
            "level" => released.node.as_ref().expect("a node").iter().sum::<usize>() as f64,
            "classes" => sizes.len() as f64,
            "smallest_class" => sizes.iter().copied().reduce(f64::min).unwrap_or(0.0),
            "largest_class" => sizes.iter().copied().reduce(f64::max).unwrap_or(0.0),
            "mean_class" if sizes.is_empty() => 0.0,
            "mean_class" => sizes.iter().sum::<f64>() / sizes.len() as f64,
            _ => panic!("the oracle does not know the measure {name}: define it here"),
        }
    }

    /// The sum over all cells of −log2 of the share of its original value in the rows of the released one.
    fn surprise(&self, released: &Released<'_>) -> f64 {
        let as_it_is = (0..self.case.rows.len())
            .flat_map(|row| self.columns.iter().map(move |column| column.cell(column.leaf(row), 0).rows));
        let cells = as_it_is.zip(self.cells(released));
        cells.map(|(own, (cell, weight))| weight * -(own / cell.rows).log2()).sum()
    }

    /// Rows that do not have the most frequent label of their class.
    fn off_label(&self, released: &Released<'_>) -> f64 {
        let of_class = |rows: &Vec<usize>| {
            let labels = rows.iter().map(|&row| &self.case.labels[row]);
            let times = |label: &String| labels.clone().filter(|other| *other == label).count();
            rows.len() - labels.clone().map(times).max().unwrap_or(0)
        };
        released.classes.values().map(of_class).sum::<usize>() as f64
    }

    /// What a search minimises for the measure of a name.
    pub(crate) fn loss(&self, name: &str, released: &Released<'_>) -> f64 {
        let value = self.measure(name, released);
        match name {
            "prec" | "classes" => -value,
            // There is no class to have a size: nothing is worse.
            "smallest_class" | "mean_class" | "largest_class" if released.classes.is_empty() => f64::INFINITY,
            _ => value,
        }
    }

    /// The least loss of some releases; none if there are none.
    pub(crate) fn least_loss(&self, name: &str, among: &[Released<'_>]) -> Option<f64> {
        among.iter().map(|released| self.loss(name, released)).reduce(f64::min)
    }

    /// The sum over all cells; by another mean of the columns' losses, so many times as many cells as there are.
    fn sum(&self, released: &Released<'_>, loss: impl Fn(&Cell, f64) -> f64) -> f64 {
        let columns = self.columns.len();
        let preference = self.case.aggregate.preference.number();
        let (of_cells, of_suppressed) = ((2.0 - 2.0 * preference).min(1.0), (2.0 * preference).min(1.0));
        let mut losses = vec![0.0; columns];
        for (place, (cell, weight)) in self.cells(released).enumerate() {
            let is_suppressed = released.suppressed.contains(&(place / columns));
            losses[place % columns] +=
                loss(cell, weight) * if is_suppressed { of_suppressed } else { of_cells };
        }
        let cells = self.case.rows.len() as f64 * self.case.weights.iter().sum::<f64>();
        let relative: Vec<f64> = losses.iter().map(|loss| columns as f64 * loss / cells).collect();
        match self.case.aggregate.mean {
            Mean::Arithmetic => losses.iter().sum(),
            Mean::Geometric => {
                let product: f64 = relative.iter().map(|loss| 1.0 + loss).product();
                cells * (product.powf(1.0 / columns as f64) - 1.0)
            }
            Mean::Largest => cells * relative.iter().copied().reduce(f64::max).unwrap_or(0.0),
        }
    }

    /// All cells, row by row, with the weights of their columns; a suppressed row is fully generalised in every cell.
    fn cells(&self, released: &Released<'_>) -> impl Iterator<Item = (&Cell, f64)> {
        let of_row = move |row: usize| {
            let gone = released.suppressed.contains(&row);
            self.columns.iter().zip(&self.case.weights).enumerate().map(move |(a, (column, &weight))| {
                let shown = || column.cell(column.leaf(row), released.levels[row][a]);
                (if gone { column.suppressed() } else { shown() }, weight)
            })
        };
        (0..self.case.rows.len()).flat_map(of_row)
    }
}

/// Whether a cell does not show the leaf itself.
fn is_changed(cell: &Cell) -> bool {
    cell.leaves > 1.0 || cell.level > 0.0
}

/// Weights have no more than six decimals.
const MILLION: i128 = 1_000_000;

/// Levels of all hierarchies of tests divide this.
const LEVELS: f64 = 2520.0;

impl Oracle<'_> {
    /// What a release loses without any rounding, for measures whose cells lose fractions.
    pub(crate) fn exact(&self, name: &str, released: &Released<'_>) -> Fraction {
        let losses = self.cells(released).map(|(cell, weight)| exact_cell(name, cell, weight));
        losses.fold(Fraction::new(0, 1), Fraction::plus)
    }

    /// Products of powers of primes whose logarithm is what a release without suppression loses by entropy, but
    /// for what is the same for all releases: the exponent of each prime.
    pub(crate) fn exact_entropy(&self, released: &Released<'_>) -> BTreeMap<u64, u64> {
        let mut exponents = BTreeMap::new();
        for (a, column) in self.columns.iter().enumerate() {
            let mut rows: BTreeMap<&str, u64> = BTreeMap::new();
            for row in 0..self.case.rows.len() {
                *rows.entry(column.label(column.leaf(row), released.levels[row][a])).or_default() += 1;
            }
            for &n in rows.values() {
                factors(n).into_iter().for_each(|prime| *exponents.entry(prime).or_default() += n);
            }
        }
        exponents
    }
}

fn exact_cell(name: &str, cell: &Cell, weight: f64) -> Fraction {
    let (leaves, domain) = (cell.leaves as i128, cell.domain as i128);
    let weight = (weight * MILLION as f64).round() as i128;
    match name {
        "lm" | "glm" => Fraction::new(weight * (leaves - 1), MILLION * (domain - 1).max(1)),
        "iloss" => Fraction::new(weight * (leaves - 1), MILLION * domain),
        "md" => Fraction::new(weight * i128::from(is_changed(cell)), MILLION),
        "prec" | "tree" => {
            Fraction::new(weight * (cell.level * LEVELS).round() as i128, MILLION * LEVELS as i128)
        }
        _ => panic!("the cells of {name} lose no fractions"),
    }
}

/// The prime factors of a number.
fn factors(number: u64) -> Vec<u64> {
    let (mut rest, mut factors) = (number, Vec::new());
    for divisor in 2..=number {
        while rest.is_multiple_of(divisor) {
            factors.push(divisor);
            rest /= divisor;
        }
    }
    factors
}

/// Whether two losses are the same but for rounding.
pub(crate) fn is_close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}
