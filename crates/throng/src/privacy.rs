//! Privacy models: what makes a class of indistinguishable records safe.
//!
//! A model says one thing: the [degree](PrivacyModel::degree) of a class, given the whole table. What
//! a release achieves, whether a requirement holds, what an infeasible search could have had and what
//! a frontier shows all follow from it.

mod distinct_l;
mod k_anonymity;
mod registry;

pub use distinct_l::DistinctL;
pub use k_anonymity::KAnonymity;
pub use registry::{Entry, Given, GivenError, Parameter, find, registry};

use crate::table::{Histogram, Table};

/// An equivalence class as a model sees it.
#[derive(Clone, Copy, Debug)]
pub struct Class<'c> {
    /// Rows in the class.
    pub rows: u64,
    /// The values of each carried column, in the order of the table.
    pub values: &'c [Histogram<'c>],
    /// How many of the population are in the class, if the table is a sample of one.
    pub population: Option<u64>,
}

impl Class<'static> {
    /// A class of which only the size is known.
    pub fn of_rows(rows: u64) -> Class<'static> {
        Class { rows, values: &[], population: None }
    }
}

/// What models compare a class with: the table before anything is generalised or left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whole {
    /// Rows of the table.
    pub rows: u64,
    /// Rows of each code of each carried column.
    pub values: Vec<Vec<u64>>,
    /// Size of the population, if the table is a sample of one.
    pub population: Option<u64>,
}

impl Whole {
    /// The whole of a table.
    pub fn of(table: &Table) -> Whole {
        let column = |carried: &crate::table::Carried| {
            let mut rows = vec![0; carried.codes()];
            carried.parts().1.iter().for_each(|&(code, count)| rows[code as usize] += u64::from(count));
            rows
        };
        Whole {
            rows: table.rows(),
            values: table.carried().iter().map(column).collect(),
            population: table.population().map(|counts| counts.iter().map(|&count| u64::from(count)).sum()),
        }
    }
}

/// Which degrees are safer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Greater ones, as of k or l.
    MoreIsSafer,
    /// Smaller ones, as of t.
    LessIsSafer,
}

impl Direction {
    /// Whether degree `a` is less safe than `b`.
    pub fn is_worse(self, a: f64, b: f64) -> bool {
        match self {
            Direction::MoreIsSafer => a < b,
            Direction::LessIsSafer => a > b,
        }
    }

    /// The less safe of two degrees.
    pub fn worse(self, a: f64, b: f64) -> f64 {
        if self.is_worse(a, b) { a } else { b }
    }

    /// The safest of all: the degree of a release without classes.
    pub fn safest(self) -> f64 {
        match self {
            Direction::MoreIsSafer => f64::INFINITY,
            Direction::LessIsSafer => 0.0,
        }
    }
}

/// How a model behaves when classes are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monotonicity {
    /// If a class satisfies the model, so does its union with any other class, safe or not.
    Monotone,
    /// Unions of safe classes are safe; with one that is not, they may not be. Along the lattice that
    /// is monotone only if nothing is suppressed: else a coarser node also merges classes that were.
    SafeUnions,
    /// No such promise: a search may not tag nodes without checking them.
    None,
}

impl Monotonicity {
    /// Whether a node that may be released makes all above it so, where rows may be suppressed or not.
    pub fn holds_upwards(self, suppression: bool) -> bool {
        match self {
            Monotonicity::Monotone => true,
            Monotonicity::SafeUnions => !suppression,
            Monotonicity::None => false,
        }
    }
}

/// The degree of a class of which only the values of the model's own column are at hand: pairs of a code
/// and its rows, codes ascending.
pub fn degree_of(
    model: &dyn PrivacyModel,
    rows: u64,
    values: &[(u32, u32)],
    population: Option<u64>,
    whole: &Whole,
) -> f64 {
    // The model asks for its column by its place; it looks at no other.
    let mut columns = vec![Histogram::Listed(&[]); model.column().unwrap_or(0)];
    columns.push(Histogram::Listed(values));
    model.degree(&Class { rows, values: &columns, population }, whole)
}

/// A privacy model, judged class by class.
pub trait PrivacyModel: std::fmt::Debug + Send + Sync {
    /// The name in jobs and summaries.
    fn name(&self) -> &'static str;

    /// How safe a class is.
    fn degree(&self, class: &Class<'_>, whole: &Whole) -> f64;

    /// The degree that is asked for.
    fn asked(&self) -> f64;

    /// Which degrees are safer.
    fn direction(&self) -> Direction;

    /// What merging classes does.
    fn monotonicity(&self) -> Monotonicity;

    /// Whether a class of this degree may be released.
    fn holds(&self, degree: f64) -> bool {
        !self.direction().is_worse(degree, self.asked())
    }

    /// The parameters by name, as jobs and summaries have them.
    fn parameters(&self) -> Vec<(&'static str, f64)> {
        vec![(self.name(), self.asked())]
    }

    /// The carried column that the model looks at, by its place in the table.
    fn column(&self) -> Option<usize> {
        None
    }

    /// Whether the model looks at the population that the table is a sample of.
    fn looks_at_population(&self) -> bool {
        false
    }

    /// The safest degree that any class can have if the column has so many values, where that is limited.
    fn most(&self, _values: usize) -> Option<f64> {
        None
    }

    /// The smallest safe class, when size alone decides; lets the counter skip [`degree`](Self::degree).
    fn least_rows(&self) -> Option<u64> {
        None
    }
}
