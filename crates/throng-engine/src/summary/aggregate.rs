//! How the losses of columns became one number, where that is not the plain sum.

use serde::{Deserialize, Serialize};
use throng::loss::{Aggregate, Mean, Preference};

/// A mean over columns, and a preference between suppressing and generalising, as a job has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AggregateSummary {
    /// The mean over columns.
    pub mean: String,
    /// From 0 (suppress) to 1 (generalise).
    pub suppress_or_generalise: f64,
}

impl AggregateSummary {
    /// Nothing of what is plain.
    pub(crate) fn from_aggregate(aggregate: Aggregate) -> Option<AggregateSummary> {
        (!aggregate.is_plain()).then(|| AggregateSummary {
            mean: aggregate.mean.name().to_owned(),
            suppress_or_generalise: aggregate.preference.number(),
        })
    }

    /// In words: `largest loss of a column, suppressed cells count 0.4 times`.
    pub fn text(&self) -> String {
        let mean = Mean::find(&self.mean).unwrap_or_default();
        let preference = Preference::new(self.suppress_or_generalise).unwrap_or_default();
        Aggregate { mean, preference }.text().unwrap_or_default()
    }
}
