//! What generalisations are compared by.

use std::sync::Arc;

use crate::loss::Loss;
use crate::privacy::PrivacyModel;

/// A quality index: a number that a node is worth.
#[derive(Clone, Debug)]
pub enum Objective {
    /// Rows of the smallest class: the largest k that is reached within the suppression limit.
    K,
    /// Distinct values of a carried column in the class that has fewest.
    L {
        /// The column, by its place.
        column: usize,
    },
    /// Sum over all released rows of the size of their class.
    SpreadK,
    /// Sum over all released rows of how many of their class have the same value of a carried column.
    ///
    /// The paper takes higher values of any property as better; so do we.
    SpreadL {
        /// The column, by its place.
        column: usize,
    },
    /// A measure of loss.
    Loss(&'static dyn Loss),
    /// What the worst class has of a model, or the mean.
    Degree(Arc<dyn PrivacyModel>),
}

impl Objective {
    /// The name in flags and summaries.
    pub fn name(&self) -> &'static str {
        match self {
            Objective::K => "k",
            Objective::L { .. } => "l",
            Objective::SpreadK => "sk",
            Objective::SpreadL { .. } => "sl",
            Objective::Loss(loss) => loss.name(),
            Objective::Degree(model) => model.name(),
        }
    }

    /// Whether more is better.
    pub fn more_is_better(&self) -> bool {
        match self {
            Objective::K | Objective::L { .. } | Objective::SpreadK | Objective::SpreadL { .. } => true,
            Objective::Loss(loss) => loss.more_is_better(),
            Objective::Degree(model) => model.direction().is_worse(0.0, 1.0),
        }
    }
}
