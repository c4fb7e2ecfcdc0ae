//! The risk of a table that is a sample of a population of which nobody has a register.
//!
//! A record that is alone in its class in the sample may have twins in the population. Estimators say which share of the
//! records has none, from nothing but the sizes of the sample's classes and the share of the population that the sample is:
//!
//! | estimator | assumes |
//! |---|---|
//! | [`pitman`] | classes form as in Pitman's sampling formula: new ones ever more slowly |
//! | [`zayatz`] | classes of the population are as often of each size as those of the sample |
//! | [`snb`] | sizes in the population, less one, are negative binomial |
//! | [`dankar`] | one of these, by a rule found on clinical data |
//!
//! All estimates are of models: none is a bound. [`individual_risk`] is the chance that a match is the right one where a
//! class of the sample has so many rows, and [`special_uniques`] are the records that few columns are enough to tell from all
//! others.

mod binomial;
mod dankar;
mod dis;
mod individual;
mod pitman;
mod snb;
mod special;
mod suda;
mod zayatz;

use std::collections::BTreeMap;

pub(crate) use binomial::tail_of_binomial;
pub use dankar::{dankar, rule};
pub use dis::{dis, dis_suda};
pub use individual::{individual_risk, individual_risks};
pub use pitman::pitman;
pub use snb::snb;
pub use suda::{MOST_COLUMNS, SpecialUniques, special_uniques};
pub use zayatz::zayatz;

/// The sizes of a sample's classes, and the share of the population that the sample is.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The number of classes of each size.
    classes: BTreeMap<u64, u64>,
    fraction: f64,
}

/// Why an estimator says nothing of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// What does not hold.
    pub reason: &'static str,
    /// What to use in its place.
    pub instead: &'static str,
}

/// The share of the sample's records that nobody else of the population is like; none where the estimator does not hold.
pub type PopulationShare = Result<f64, OutOfRange>;

/// An estimator by name.
#[derive(Clone, Copy, Debug)]
pub struct Estimator {
    /// The name.
    pub name: &'static str,
    /// Where it was published.
    pub citation: &'static str,
    /// What it says.
    pub share: fn(&Sample) -> PopulationShare,
}

/// All estimators of population uniqueness, in the order of reports.
pub const ESTIMATORS: &[Estimator] = &[
    Estimator { name: "pitman", citation: "Pitman 1996; Hoshino 2001", share: pitman },
    Estimator { name: "zayatz", citation: "Zayatz 1991", share: zayatz },
    Estimator { name: "snb", citation: "Chen and Keller-McNulty 1998", share: snb },
    Estimator { name: "dankar", citation: "Dankar et al. 2012", share: dankar },
];

impl Sample {
    /// A sample with so many classes of each size, as pairs of a size and a number.
    ///
    /// # Panics
    /// If the fraction is not above 0 and at most 1, or there are no rows.
    pub fn new(classes: impl IntoIterator<Item = (u64, u64)>, fraction: f64) -> Sample {
        assert!(fraction > 0.0 && fraction <= 1.0, "a sampling fraction is above 0 and at most 1");
        let mut counted = BTreeMap::new();
        for (size, classes) in classes.into_iter().filter(|&(size, classes)| size > 0 && classes > 0) {
            *counted.entry(size).or_default() += classes;
        }
        assert!(!counted.is_empty(), "a sample has rows");
        Sample { classes: counted, fraction }
    }

    /// The share of the population that it is.
    pub fn fraction(&self) -> f64 {
        self.fraction
    }

    /// Its rows.
    pub fn rows(&self) -> f64 {
        self.sizes().map(|(size, classes)| size * classes).sum()
    }

    /// About how many people the population has.
    pub fn population(&self) -> f64 {
        self.rows() / self.fraction
    }

    /// Rows that are alone in their class.
    pub fn uniques(&self) -> f64 {
        self.classes.get(&1).map_or(0.0, |&classes| classes as f64)
    }

    /// How many of the records are expected to be re-identified by somebody who links each with a person of the
    /// population who is like it, by chance where there are several: the sum of the [`individual_risk`]s.
    pub fn expected_reidentifications(&self) -> f64 {
        let largest = *self.classes.keys().next_back().expect("a sample has rows");
        let risks = individual_risks(largest, self.fraction);
        let of_size = |(&size, &classes): (&u64, &u64)| (size * classes) as f64 * risks[size as usize - 1];
        self.classes.iter().map(of_size).sum()
    }

    /// Number of classes.
    fn class_count(&self) -> f64 {
        self.sizes().map(|(_, classes)| classes).sum()
    }

    /// Sizes with the number of their classes, smallest first.
    fn sizes(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.classes.iter().map(|(&size, &classes)| (size as f64, classes as f64))
    }

    /// The share of unique records where nothing has to be estimated: the sample is the population, or none is unique.
    fn known_share(&self) -> Option<f64> {
        match self.uniques() {
            0.0 => Some(0.0),
            uniques if self.fraction >= 1.0 => Some(uniques / self.rows()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
