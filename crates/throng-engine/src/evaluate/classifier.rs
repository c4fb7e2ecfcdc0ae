//! The classifiers that there are.

use serde::{Deserialize, Serialize};

use super::examples::{Examples, Readable};
use super::{forest, naive_bayes};
use crate::error::Result;

/// A classifier by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassifierKind {
    /// Naive Bayes over values, with one added to every count.
    NaiveBayes,
    /// A random forest.
    RandomForest,
}

impl ClassifierKind {
    /// All of them.
    pub const ALL: [ClassifierKind; 2] = [ClassifierKind::NaiveBayes, ClassifierKind::RandomForest];

    /// The name in flags and summaries.
    pub fn name(self) -> &'static str {
        match self {
            ClassifierKind::NaiveBayes => "naive-bayes",
            ClassifierKind::RandomForest => "random-forest",
        }
    }

    /// Learns from some rows and features.
    pub(super) fn train(
        self,
        examples: &Examples,
        features: &[usize],
        rows: &[u32],
        seed: u64,
    ) -> Result<Box<dyn Trained>> {
        Ok(match self {
            ClassifierKind::NaiveBayes => Box::new(naive_bayes::NaiveBayes::train(examples, features, rows)),
            ClassifierKind::RandomForest => {
                Box::new(forest::ForestClassifier::train(examples, features, rows, seed)?)
            }
        })
    }
}

/// A classifier that has learned.
pub(super) trait Trained {
    /// The class of each of some rows, as far as it can tell.
    fn tell(&self, readable: &Readable<'_>, rows: &[u32]) -> Result<Vec<u32>>;
}
