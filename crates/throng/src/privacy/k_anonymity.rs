//! k-anonymity (Samarati and Sweeney, 1998): every record is indistinguishable from k − 1 others.
//!
//! **Degree.** The rows of a class; more is safer.
//!
//! **Monotone.** A union has at least the rows of each of its parts.

use super::parameter::{Parameter, ParameterValue};
use super::registry::ModelEntry;
use super::{Class, Direction, Monotonicity, PrivacyModel, ToldByRows, Whole};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "k",
    summary: "every class has at least k rows",
    citation: "Samarati and Sweeney 1998",
    parameters: &[Parameter::whole("k", "the smallest number of rows in a class", 2.0)],
    takes_column: false,
    build: |given| Ok(Box::new(KAnonymity { k: given.number("k") as u64 })),
    measured: |_| vec![Box::new(KAnonymity { k: 1 })],
};

/// Every class has at least `k` rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KAnonymity {
    /// The least size of a class.
    pub k: u64,
}

impl PrivacyModel for KAnonymity {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn degree(&self, class: &Class<'_>, _: &Whole) -> f64 {
        class.rows as f64
    }

    fn asked(&self) -> f64 {
        self.k as f64
    }

    fn direction(&self) -> Direction {
        Direction::MoreIsSafer
    }

    fn monotonicity(&self) -> Monotonicity {
        Monotonicity::Monotone
    }

    fn parameters(&self) -> Vec<(&'static str, ParameterValue)> {
        vec![("k", self.asked().into())]
    }

    fn told_by_rows(&self) -> ToldByRows {
        ToldByRows::AtBest
    }

    fn least_rows(&self) -> Option<u64> {
        Some(self.k)
    }
}
