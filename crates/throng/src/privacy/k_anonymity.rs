//! k-anonymity (Samarati and Sweeney, 1998): every record is indistinguishable from k − 1 others.
//!
//! **Degree.** The rows of a class; more is safer.
//!
//! **Monotone.** A union has at least the rows of each of its parts.

use super::registry::{Entry, Given, Parameter};
use super::{Class, Direction, Monotonicity, PrivacyModel, Whole};

pub(super) const ENTRY: Entry = Entry {
    name: "k",
    summary: "every class has at least k rows",
    citation: "Samarati and Sweeney 1998",
    parameters: &[Parameter {
        name: "k",
        help: "the least rows of a class",
        least: 2.0,
        most: f64::INFINITY,
        whole: true,
    }],
    takes_column: false,
    build: |given: &Given<'_>| Box::new(KAnonymity { k: given.of("k") as u64 }),
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

    fn least_rows(&self) -> Option<u64> {
        Some(self.k)
    }
}
