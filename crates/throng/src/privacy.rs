//! Privacy models: what makes a class of indistinguishable records safe.
//!
//! A model says one thing: the [degree](PrivacyModel::degree) of a class, given the whole table. What
//! a release achieves, whether a requirement holds, what an infeasible search could have had and what
//! a frontier shows all follow from it.

mod alpha_k;
mod beta_likeness;
mod delta_disclosure;
mod delta_presence;
mod distinct_l;
mod entropy_l;
mod estimated_k_map;
mod folding;
mod k_anonymity;
mod k_map;
mod levelled;
mod missing;
mod p_sensitive;
mod parameter;
mod population_uniqueness;
mod recursive_cl;
mod registry;
mod risk;
mod t_closeness;

pub use alpha_k::AlphaK;
pub use beta_likeness::BetaLikeness;
pub use delta_disclosure::DeltaDisclosure;
pub use delta_presence::DeltaPresence;
pub use distinct_l::DistinctL;
pub use entropy_l::EntropyL;
pub use estimated_k_map::EstimatedKMap;
pub use folding::folded;
pub use k_anonymity::KAnonymity;
pub use k_map::KMap;
pub use p_sensitive::PSensitive;
pub use parameter::{GivenError, NumberBounds, Parameter, ParameterKind, ParameterValue};
pub use population_uniqueness::PopulationUniqueness;
pub use recursive_cl::RecursiveCL;
pub use registry::{Given, ModelEntry, SensitiveColumn, find, registry};
pub use risk::Risk;
pub use t_closeness::{Ground, TCloseness, Tree};

pub(crate) use missing::ShownBySensitive;

use crate::table::{Carried, Histogram, Table};

/// An equivalence class as a model sees it. Where persons count in place of rows, so they do here.
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

impl Class<'_> {
    /// What shares of a carried column's values are parts of: the rows of all of them. A person with
    /// several values counts for each.
    pub fn rows_of(&self, column: usize) -> u64 {
        self.values[column].rows()
    }
}

/// What models compare a class with: all that is released.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whole {
    /// Rows.
    pub rows: u64,
    /// Rows of each code of each carried column.
    pub values: Vec<Vec<u64>>,
    /// Size of the population, if the table is a sample of one.
    pub population: Option<u64>,
    /// Rows of all codes of each carried column.
    totals: Vec<u64>,
    /// The code of each carried column that stands for a missing cell, if it has one.
    missing: Vec<Option<u32>>,
    /// Of each carried column that has missing cells, the same without these: see [`missing`](self).
    shown: Vec<Option<Box<Whole>>>,
}

impl Whole {
    /// So many rows, with these rows of each code of each carried column.
    pub fn new(rows: u64, values: Vec<Vec<u64>>, population: Option<u64>) -> Whole {
        let totals = values.iter().map(|rows| rows.iter().sum()).collect();
        Whole { rows, values, population, totals, missing: Vec::new(), shown: Vec::new() }
    }

    /// The same where some codes, one of each carried column at most, stand for missing cells.
    #[must_use]
    pub fn with_missing(self, missing: Vec<Option<u32>>) -> Whole {
        let shown = missing.iter().enumerate();
        let shown = shown.map(|(column, &code)| missing::whole_of_shown(&self, column, code?)).collect();
        Whole { missing, shown, ..self }
    }

    /// The code of each carried column that stands for a missing cell, if it has one.
    pub fn missing(&self) -> &[Option<u32>] {
        &self.missing
    }

    /// The whole of a table.
    pub fn from_table(table: &Table) -> Whole {
        Whole::counting(table, table.rows(), |column, rows| {
            column.parts().1.iter().for_each(|&(code, count)| rows[code as usize] += u64::from(count));
        })
    }

    /// The whole of some rows of a table, or of the persons that these are of; `count` adds up those of each
    /// code of a column. The population stays what it is.
    pub(crate) fn counting(table: &Table, rows: u64, count: impl Fn(&Carried, &mut [u64])) -> Whole {
        let of_column = |column: &Carried| {
            let mut rows = vec![0u64; column.codes()];
            count(column, &mut rows);
            column.fold_whole(rows)
        };
        let rows = table.persons().map_or(rows, |persons| of_column(persons).into_iter().sum());
        let population = table.population().map(|counts| counts.iter().map(|&n| u64::from(n)).sum());
        let missing = table.carried().iter().map(Carried::missing).collect();
        Whole::new(rows, table.carried().iter().map(of_column).collect(), population).with_missing(missing)
    }

    /// What shares of a carried column's values are parts of.
    pub fn rows_of(&self, column: usize) -> u64 {
        self.totals[column]
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
    /// Whether degree `a` is less safe than `b`. What is not a number is less safe than any.
    pub fn is_worse(self, a: f64, b: f64) -> bool {
        match self {
            _ if a.is_nan() => !b.is_nan(),
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

/// What counting the rows of a class tells where persons should be counted, and nobody knows whose the rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToldByRows {
    /// The degree of persons is that of rows.
    Same,
    /// The degree of persons is no safer than that of rows: if rows fail, so do persons.
    AtBest,
    /// Nothing.
    Nothing,
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
    /// What is left of it where persons are counted: in a union those who are in both parts count once, so
    /// that shares and means are no longer between those of the parts.
    #[must_use]
    pub fn of_persons(self, is_mean: bool) -> Monotonicity {
        if self == Monotonicity::Monotone && !is_mean { self } else { Monotonicity::None }
    }

    /// Whether a node that may be released makes all above it so, where rows may be suppressed or not.
    pub fn holds_upwards(self, suppression: bool) -> bool {
        match self {
            Monotonicity::Monotone => true,
            Monotonicity::SafeUnions => !suppression,
            Monotonicity::None => false,
        }
    }
}

/// What classes achieve together: the worst of their degrees or, where the [mean](PrivacyModel::is_mean)
/// counts, that over their rows. Each is given by its degree and rows; none if there is none.
pub fn achieved(model: &dyn PrivacyModel, classes: impl IntoIterator<Item = (f64, u64)>) -> Option<f64> {
    let classes = classes.into_iter();
    if !model.is_mean() {
        return classes.map(|(degree, _)| degree).reduce(|a, b| model.direction().worse(a, b));
    }
    model.together(&mut { classes })
}

/// How many classes a release must not have: those that do not hold, or all if their mean does not.
pub fn violations(model: &dyn PrivacyModel, classes: &[(f64, u64)]) -> usize {
    if !model.is_mean() {
        return classes.iter().filter(|(degree, _)| !model.holds(*degree)).count();
    }
    let holds = achieved(model, classes.iter().copied()).is_none_or(|mean| model.holds(mean));
    if holds { 0 } else { classes.len() }
}

/// A degree to nine decimals: sums of fractions in another order are the same.
pub(crate) fn rounded(degree: f64) -> f64 {
    (degree * 1e9).round() / 1e9
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
    with_column(model, Histogram::Listed(values), |values| {
        model.degree(&Class { rows, values, population }, whole)
    })
}

/// The same of a class of nothing but these values.
fn degree_of_values(model: &dyn PrivacyModel, values: Histogram<'_>, whole: &Whole) -> f64 {
    let rows = values.rows();
    with_column(model, values, |values| model.degree(&Class { rows, values, population: None }, whole))
}

/// The model asks for its column by its place; it looks at no other.
fn with_column<R>(
    model: &dyn PrivacyModel,
    values: Histogram<'_>,
    look: impl FnOnce(&[Histogram<'_>]) -> R,
) -> R {
    let place = model.column().unwrap_or(0);
    if place == 0 {
        return look(&[values]);
    }
    let mut columns = vec![Histogram::Listed(&[]); place];
    columns.push(values);
    look(&columns)
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

    /// Whether a class of this degree may be released. It may not if the degree, or what is asked for, is not a
    /// number.
    fn holds(&self, degree: f64) -> bool {
        let asked = self.asked();
        !degree.is_nan() && !asked.is_nan() && !self.direction().is_worse(degree, asked)
    }

    /// The parameters by name, as jobs and summaries have them: first [what is asked for](Self::asked), then
    /// what makes the model the variant that it is.
    fn parameters(&self) -> Vec<(&'static str, ParameterValue)> {
        vec![(self.name(), self.asked().into())]
    }

    /// The carried column that the model looks at, by its place in the table.
    fn column(&self) -> Option<usize> {
        None
    }

    /// Whether the model looks at the population that the table is a sample of.
    fn looks_at_population(&self) -> bool {
        false
    }

    /// Whether a person of the population whose class has no row is against it.
    fn refuses_absence(&self) -> bool {
        false
    }

    /// Whether the degree depends on the whole, which is less when something is left out.
    fn compares_with_whole(&self) -> bool {
        false
    }

    /// Whether the mean of all rows must hold, or another figure of [all classes together](Self::together), not each class.
    fn is_mean(&self) -> bool {
        false
    }

    /// What all classes have together, where that counts; each is given by its degree and rows. Their mean over the rows, if
    /// the model does not say otherwise; none of nothing.
    fn together(&self, classes: &mut dyn Iterator<Item = (f64, u64)>) -> Option<f64> {
        let (sum, rows) =
            classes.fold((0.0, 0), |(sum, all), (degree, rows)| (sum + degree * rows as f64, all + rows));
        (rows > 0).then(|| rounded(sum / rows as f64))
    }

    /// Why there is no degree of classes of these sizes, where the model can say it.
    fn why_none(&self, _sizes: &[u64]) -> Option<String> {
        None
    }

    /// What rows tell of the degree that persons have.
    fn told_by_rows(&self) -> ToldByRows {
        ToldByRows::Nothing
    }

    /// How many rows of a class that does not hold must go at least for some of the others to hold, if of the
    /// whole no more than `left_out` rows go. For models of which unions of safe classes are safe that bounds
    /// what every finer recoding suppresses; 0 is always true.
    fn least_left_out(&self, _class: &Class<'_>, _degree: f64, _whole: &Whole, _left_out: u64) -> u64 {
        u64::from(!self.compares_with_whole())
    }

    /// How many values the column must have for any class to hold.
    fn values_needed(&self) -> u64 {
        1
    }

    /// The smallest safe class, when size alone decides; lets the counter skip [`degree`](Self::degree).
    fn least_rows(&self) -> Option<u64> {
        None
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A class with so many rows of each code of one column.
    pub(crate) fn class<R>(counts: &[u32], look: impl FnOnce(&Class<'_>) -> R) -> R {
        let rows = counts.iter().map(|&count| u64::from(count)).sum();
        look(&Class { rows, values: &[Histogram::Placed(counts)], population: None })
    }

    /// A table with so many rows of each code of one column.
    pub(crate) fn whole(counts: &[u64]) -> Whole {
        Whole::new(counts.iter().sum(), vec![counts.to_vec()], None)
    }
}
