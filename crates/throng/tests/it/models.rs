//! Privacy models: the real one, and two that no search may treat like it.

use throng::privacy::{Class, Direction, KAnonymity, Monotonicity, PrivacyModel, Whole};
use throng::requirement::Requirement;

/// What a class must satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    /// k-anonymity.
    KAnonymity,
    /// k-anonymity that does not give away that size alone decides.
    Opaque,
    /// k-anonymity, but no class of a multiple of three rows: merging may make classes unsafe.
    NoThrees,
}

impl Model {
    /// Whether a class of so many rows may be released.
    pub(crate) fn allows(self, k: u64, rows: u64) -> bool {
        rows >= k && !(self == Model::NoThrees && rows.is_multiple_of(3))
    }

    /// The same as a requirement of the crate.
    pub(crate) fn requirement(self, k: u64) -> Requirement {
        match self {
            Model::KAnonymity => Requirement::new(KAnonymity { k }),
            model => Requirement::new(ByClass { model, k }),
        }
    }
}

#[derive(Debug)]
struct ByClass {
    model: Model,
    k: u64,
}

impl PrivacyModel for ByClass {
    fn name(&self) -> &'static str {
        "by class"
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

    fn holds(&self, degree: f64) -> bool {
        self.model.allows(self.k, degree as u64)
    }

    fn monotonicity(&self) -> Monotonicity {
        if self.model == Model::NoThrees { Monotonicity::None } else { Monotonicity::Monotone }
    }
}
