//! How to look for the release.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{EngineError, Result};

/// The algorithm, the measure and the limits of the search.
///
/// Whether the names are known is for the registries of the core to say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    /// Name of the algorithm.
    pub algorithm: String,
    /// Name of the measure that the search makes small.
    pub measure: String,
    /// What all random choices start from.
    pub seed: u64,
    /// Seconds after which the best release so far is taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// Number of threads; all cores when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
}

impl Default for Search {
    fn default() -> Search {
        Search {
            algorithm: "flash".to_owned(),
            measure: "lm".to_owned(),
            seed: 1,
            time_limit: None,
            threads: None,
        }
    }
}

impl Search {
    /// The time limit as a duration.
    pub fn time_budget(&self) -> Option<Duration> {
        self.time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }

    /// Checks what the types do not say.
    pub(super) fn validate(&self) -> Result<()> {
        // What a job file can hold.
        if i64::try_from(self.seed).is_err() {
            return Err(EngineError::bad(format!("seed must be at most {}", i64::MAX)));
        }
        if let Some(seconds) = self.time_limit
            && self.time_budget().is_none_or(|budget| budget.is_zero())
        {
            return Err(EngineError::bad(format!(
                "time_limit is {seconds}; it must be a number of seconds above 0"
            )));
        }
        match self.threads {
            Some(0) => Err(EngineError::bad("threads is 0; it must be at least 1")),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(search: Search) -> String {
        search.validate().unwrap_err().to_string()
    }

    #[test]
    fn an_empty_table_is_the_default() {
        assert_eq!(toml::from_str::<Search>("").unwrap(), Search::default());
        assert!(Search::default().validate().is_ok());
    }

    #[test]
    fn time_limits_may_be_whole_or_not() {
        let of = |text: &str| toml::from_str::<Search>(text).unwrap().time_budget();
        assert_eq!(of("time_limit = 10"), Some(Duration::from_secs(10)));
        assert_eq!(of("time_limit = 0.5"), Some(Duration::from_millis(500)));
        assert_eq!(of(""), None);
    }

    #[test]
    fn limits_that_make_no_sense_are_explained() {
        for (seconds, shown) in [(0.0, "0"), (-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
            let search = Search { time_limit: Some(seconds), ..Search::default() };
            let expected = format!("time_limit is {shown}; it must be a number of seconds above 0");
            assert_eq!(complaint(search), expected);
        }
        let search = Search { threads: Some(0), ..Search::default() };
        assert_eq!(complaint(search), "threads is 0; it must be at least 1");
        let search = Search { seed: u64::MAX, ..Search::default() };
        assert_eq!(complaint(search), "seed must be at most 9223372036854775807");
    }
}
