//! Privacy models: what makes a class of indistinguishable records safe.

mod k_anonymity;

pub use k_anonymity::KAnonymity;

/// An equivalence class as a model sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Rows in the class.
    pub rows: u64,
}

/// How a model behaves when classes are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monotonicity {
    /// If a class satisfies the model, so does its union with any other class, safe or not.
    /// (That safe classes have safe unions is not enough: with suppression, a coarser node also
    /// merges classes that were suppressed.)
    Monotone,
    /// No such promise: a search may not tag nodes without checking them.
    None,
}

/// A privacy model, judged class by class.
pub trait PrivacyModel: std::fmt::Debug + Send + Sync {
    /// The name of its parameter in jobs and in `achieved`.
    fn name(&self) -> &'static str;

    /// Whether a class is safe to release.
    fn holds(&self, class: &Class) -> bool;

    /// What merging classes does.
    fn monotonicity(&self) -> Monotonicity;

    /// The smallest safe class, when size alone decides; lets the counter skip [`holds`](Self::holds).
    fn least_rows(&self) -> Option<u64> {
        None
    }
}
