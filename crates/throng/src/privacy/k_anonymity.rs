//! k-anonymity (Samarati and Sweeney, 1998): every record is indistinguishable from k − 1 others.

use super::{Class, Monotonicity, PrivacyModel};

/// Every class has at least `k` rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KAnonymity {
    /// The least size of a class.
    pub k: u64,
}

impl PrivacyModel for KAnonymity {
    fn name(&self) -> &'static str {
        "k"
    }

    fn holds(&self, class: &Class) -> bool {
        class.rows >= self.k
    }

    fn monotonicity(&self) -> Monotonicity {
        Monotonicity::Monotone
    }

    fn least_rows(&self) -> Option<u64> {
        Some(self.k)
    }
}
