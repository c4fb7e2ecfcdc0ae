//! Information-loss measures: every one is reported for every release, any can be the objective.
//!
//! A measure is a sum over cells of a cost per generalised value, a function of the sizes of
//! the classes, or the height of the node. Searches use exact integers for comparisons (see
//! [`SizeLoss`] and the class counter), so that 'optimal' does not hang on rounding.

mod aecs;
mod aggregate;
mod class_size;
mod classification;
mod discernibility;
mod distortion;
mod entropy;
mod glm;
mod iloss;
mod level;
mod lm;
mod monotone_entropy;
mod ncp;
mod non_uniform_entropy;
mod precision;
mod scope;
mod tree;

use std::fmt::Debug;

pub use aggregate::{Aggregate, Mean, Preference};
pub(crate) use scope::Scopes;
use scope::tree_scopes;
pub use scope::{Domain, Scope};

use crate::problem::{Attribute, Problem};
use crate::tally::{ClassSizes, Tally};
use crate::taxonomy::Leaves;

/// A measure of what a release lost.
pub trait Loss: Debug + Send + Sync {
    /// The name in jobs, flags and summaries.
    fn name(&self) -> &'static str;

    /// One line for people.
    fn summary(&self) -> &'static str;

    /// What the measure is a function of.
    fn kind(&self) -> Kind<'_>;

    /// The measure of a release, as it is reported.
    fn measure(&self, problem: &Problem, tally: &Tally) -> f64;

    /// What is reported of a sum over all cells, if it is a sum over cells.
    fn of_sum(&self, _problem: &Problem, sum: f64) -> f64 {
        sum
    }

    /// The part of an attribute in what the cells of a release lose together, given the sum of their costs.
    fn of_attribute(&self, _attribute: &Attribute, sum: f64) -> f64 {
        sum
    }

    /// What a problem must have for it.
    fn needs(&self) -> Needs {
        Needs::Nothing
    }

    /// Why a problem does not have the measure; none if it does.
    fn lack(&self, problem: &Problem) -> Option<&'static str> {
        match self.needs() {
            Needs::Target if problem.target().is_none() => Some("it needs a target: the column to predict"),
            Needs::Target | Needs::Nothing => None,
        }
    }

    /// Whether more is better; a search then maximises it.
    fn more_is_better(&self) -> bool {
        false
    }
}

/// What a measure is a function of; decides how a search evaluates and bounds it.
#[derive(Clone, Copy, Debug)]
pub enum Kind<'a> {
    /// A sum over cells.
    Cells(&'a dyn CellLoss),
    /// A function of class sizes.
    Sizes(&'a dyn SizeLoss),
    /// The sum of the node's levels.
    Level,
}

/// What a problem must have for a measure, beyond a table and its taxonomies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// No more.
    Nothing,
    /// A class column.
    Target,
}

/// What the cost of a value depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// How many leaves it has, and its level.
    Count,
    /// The range of its leaves, where they are numbers; else how many it has.
    Extent,
    /// The rows of its leaves. Only such a cost may fall when a value is generalised.
    Rows,
}

/// A sum over the cells of the release of one cost per generalised value.
///
/// A suppressed row has the root's cost in every cell.
pub trait CellLoss: Debug + Send + Sync {
    /// Cost of a cell with a value of an attribute with this domain, times the attribute's weight.
    fn cost(&self, domain: &Domain, value: &Scope) -> f64;

    /// A number that all costs of an attribute's values are whole multiples of when divided into 1; none if there
    /// is no such number, or it is not known.
    fn denominator(&self, _attribute: &Attribute) -> Option<u64> {
        None
    }

    /// For each value of the attribute's taxonomy what all rows of the table cost together that it covers, in
    /// units of which a cost of 1 has so many; none if that is no more exact than the cost of a cell times rows.
    fn costs_of_rows(&self, _attribute: &Attribute, _unit: f64) -> Option<Vec<i128>> {
        None
    }

    /// What of the value the cost depends on.
    fn basis(&self) -> Basis {
        Basis::Count
    }

    /// Whether a table as it is costs nothing, so that a share of a cost is one of the loss.
    fn starts_at_zero(&self) -> bool {
        true
    }

    /// A lower bound of the cost of the value and of every value that covers it.
    fn least_above(&self, domain: &Domain, value: &Scope) -> f64 {
        self.cost(domain, value)
    }

    /// No value of the attribute costs more.
    fn most(&self, attribute: &Attribute) -> f64 {
        self.costs(attribute).into_iter().fold(0.0, f64::max)
    }

    /// Cost of a cell for each value of the attribute's taxonomy, by id.
    fn costs(&self, attribute: &Attribute) -> Vec<f64> {
        let domain = Domain::from_attribute(attribute);
        let scopes = tree_scopes(attribute, self.basis() == Basis::Rows);
        scopes.iter().map(|scope| self.cost(&domain, scope)).collect()
    }

    /// Cost of a cell for each of the leaves that a local recoding put together.
    fn costs_of(&self, attribute: &Attribute, made: &[Leaves]) -> Vec<f64> {
        let (domain, scopes) = (Domain::from_attribute(attribute), Scopes::new(attribute));
        made.iter().map(|leaves| self.cost(&domain, &scopes.scope(leaves))).collect()
    }

    /// The sum over all cells of a release; by the problem's aggregate, if it is not plain.
    fn total(&self, problem: &Problem, tally: &Tally) -> f64 {
        self.aggregate(problem).of_columns(&self.totals(problem, tally), cells(problem))
    }

    /// How the losses of columns become one: as the problem says, if the costs are losses.
    fn aggregate(&self, problem: &Problem) -> Aggregate {
        if self.starts_at_zero() { problem.aggregate } else { Aggregate::default() }
    }

    /// The sum over the cells of each attribute, by what suppressed and other cells count.
    fn totals(&self, problem: &Problem, tally: &Tally) -> Vec<f64> {
        let (of_cells, of_suppressed) = self.aggregate(problem).preference.shares();
        let sums = problem.attributes().iter().zip(self.plain_totals(problem, tally));
        let count = |(attribute, sum): (&Attribute, f64)| {
            if of_cells == of_suppressed {
                return sum;
            }
            let root = self.costs(attribute)[attribute.taxonomy.root() as usize];
            let suppressed = root * tally.suppressed_rows as f64;
            of_cells * (sum - suppressed).max(0.0) + of_suppressed * suppressed
        };
        sums.map(count).collect()
    }

    /// The sum over the cells of each attribute, where all count alike.
    fn plain_totals(&self, problem: &Problem, tally: &Tally) -> Vec<f64> {
        let sums = problem.attributes().iter().zip(&tally.cells).enumerate().map(|(a, (attribute, rows))| {
            let mut costs = self.costs(attribute);
            if let Some(made) = tally.made.get(a).filter(|made| !made.is_empty()) {
                costs.extend(self.costs_of(attribute, made));
            }
            costs.iter().zip(rows).filter(|&(_, &n)| n > 0).map(|(cost, &n)| cost * n as f64).sum::<f64>()
        });
        sums.collect()
    }
}

/// A function of the sizes of the classes, as an exact integer of which less is better.
pub trait SizeLoss: Debug + Send + Sync {
    /// The cost of releasing classes `kept` of a table of `rows` rows.
    fn cost(&self, kept: &ClassSizes, rows: u64) -> i128;

    /// A lower bound of [`cost`](Self::cost) at every node above one whose classes, safe or
    /// not, are `all`.
    fn floor(&self, all: &ClassSizes) -> i128;
}

/// The cost of a release without any class, for measures that are means over classes.
pub(crate) const NO_CLASS: i128 = i128::MAX / 4;

/// Cells of the table, each by the weight of its column: what a weighted mean over cells divides by.
pub(crate) fn cells(problem: &Problem) -> f64 {
    problem.table().rows() as f64 * problem.attributes().iter().map(|attribute| attribute.weight).sum::<f64>()
}

/// A power of ten that makes an attribute's weight a whole number: people write weights as decimal fractions.
fn parts_of_weight(attribute: &Attribute) -> Option<u64> {
    let is_whole = |tens: &u64| {
        let weight = attribute.weight * *tens as f64;
        (weight - weight.round()).abs() < 1e-9
    };
    (0..=6).map(|digits| 10u64.pow(digits)).find(is_whole)
}

/// Every measure, in the order of reports.
pub fn measures() -> &'static [&'static dyn Loss] {
    &[
        &iloss::Iloss,
        &lm::Lm,
        &entropy::Entropy,
        &monotone_entropy::MonotoneEntropy,
        &non_uniform_entropy::NonUniformEntropy,
        &ncp::Ncp,
        &precision::Precision,
        &tree::TreeLoss,
        &discernibility::Discernibility,
        &distortion::Distortion,
        &glm::Glm,
        &aecs::Aecs,
        &classification::Classification,
        &level::LevelSum,
        &class_size::Classes,
        &class_size::Smallest,
        &class_size::Mean,
        &class_size::Largest,
    ]
}

/// The measure of a name.
pub fn find(name: &str) -> Option<&'static dyn Loss> {
    measures().iter().copied().find(|measure| measure.name() == name)
}
