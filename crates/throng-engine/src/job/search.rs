//! How to look for the release.

mod keys;

pub(in crate::job) use keys::OfSetting;
pub use keys::SpelledValue;

use std::path::PathBuf;
use std::time::Duration;

use throng::algorithm::{self, Entry, Setting, Settings};
use throng::loss::{self, Aggregate, Loss, Mean};

use crate::error::{EngineError, Result};
use crate::memory::ByteSize;
use crate::wording::{Message, choose, unknown};

/// The algorithm, the measure, the limits of the search, and what the algorithm is told.
///
/// In a job the settings stand beside the other keys, by the names of their declarations. Whether the
/// names of algorithm and measure are known is for the registries of the core to say.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// Name of the algorithm.
    pub algorithm: String,
    /// Name of the measure that the search makes small.
    pub measure: String,
    /// How the losses of columns become one number; in a job its two parts are keys of their own.
    pub aggregate: Aggregate,
    /// What all random choices start from.
    pub seed: u64,
    /// Seconds after which the best release so far is taken.
    pub time_limit: Option<f64>,
    /// Whether a search that was stopped may release a table of which nothing is left.
    pub accept_any: bool,
    /// A release to begin with, for algorithms that generalise one further.
    pub start: Option<PathBuf>,
    /// What the algorithm is told beyond the problem.
    pub settings: Settings,
    /// Number of threads; all cores when not given.
    pub threads: Option<usize>,
    /// What the table's values and tuples may take of memory; no more than there is when not given.
    pub memory_limit: Option<ByteSize>,
}

impl Default for Search {
    fn default() -> Search {
        Search {
            algorithm: "auto".to_owned(),
            measure: "lm".to_owned(),
            aggregate: Aggregate::default(),
            seed: 1,
            time_limit: None,
            accept_any: false,
            start: None,
            settings: Settings::default(),
            threads: None,
            memory_limit: None,
        }
    }
}

impl Search {
    /// The time limit as a duration.
    pub fn time_budget(&self) -> Option<Duration> {
        self.time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }

    /// Whether the algorithm uses a setting as things are; an unknown algorithm uses all.
    pub(super) fn uses(&self, setting: &Setting) -> bool {
        let is_taken = algorithm::find(&self.algorithm).is_none_or(|entry| entry.takes(setting));
        is_taken && setting.matters(&self.settings)
    }

    /// Checks what the types do not say, for releases of classes of k rows.
    pub(super) fn validate(&self, k: u64) -> Result<()> {
        // What a job file can hold.
        if i64::try_from(self.seed).is_err() {
            return Err(EngineError::bad(format!("seed must be at most {}", i64::MAX)));
        }
        if let Some(seconds) = self.time_limit
            && self.time_budget().is_none_or(|budget| budget.is_zero())
        {
            return Err(EngineError::bad((
                format!("time_limit is {seconds}"),
                "it must be a number of seconds above 0",
            )));
        }
        self.settings.check(k).map_err(EngineError::bad)?;
        self.threads.map_or(Ok(()), validate_threads)
    }
}

/// Most threads that can be asked for: more only get in each other's way.
const MAX_THREADS: usize = 1024;

/// Refuses a number of threads that no machine has.
pub fn validate_threads(threads: usize) -> Result<()> {
    if (1..=MAX_THREADS).contains(&threads) {
        return Ok(());
    }
    Err(EngineError::bad((
        format!("threads is {threads}"),
        format!("it must be at least 1 and at most {MAX_THREADS}"),
    )))
}

/// The algorithm of a name.
///
/// # Errors
/// If there is none; the message suggests the nearest name.
pub fn find_algorithm(name: &str) -> Result<&'static Entry> {
    let names = || algorithm::registry().iter().map(|entry| entry.name);
    algorithm::find(name)
        .ok_or_else(|| EngineError::bad(unknown("algorithm", name, &names().collect::<Vec<_>>())))
}

/// The measure of a name.
///
/// # Errors
/// If there is none; the message suggests the nearest name.
pub fn find_measure(name: &str) -> Result<&'static dyn Loss> {
    let names = || loss::measures().iter().map(|measure| measure.name());
    loss::find(name).ok_or_else(|| EngineError::bad(unknown("measure", name, &names().collect::<Vec<_>>())))
}

/// The mean over columns of a name.
///
/// # Errors
/// If there is none; the message suggests the nearest name.
pub fn find_mean(name: &str) -> std::result::Result<Mean, Message> {
    choose("mean", name, &Mean::ALL.map(|mean| (mean.name(), mean)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(search: Search) -> String {
        search.validate(5).unwrap_err().to_string()
    }

    #[test]
    fn an_empty_table_is_the_default() {
        assert_eq!(toml::from_str::<Search>("").unwrap(), Search::default());
        assert!(Search::default().validate(5).is_ok());
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
        assert_eq!(complaint(search), "threads is 0; it must be at least 1 and at most 1024");
        let search = Search { threads: Some(100_000), ..Search::default() };
        assert_eq!(complaint(search), "threads is 100000; it must be at least 1 and at most 1024");
        let settings = Settings::default().with("block_rows", "9").unwrap();
        let search = Search { settings, ..Search::default() };
        assert_eq!(complaint(search), "block_rows is 9; it must be at least 2k = 10");
        let search = Search { seed: u64::MAX, ..Search::default() };
        assert_eq!(complaint(search), "seed must be at most 9223372036854775807");
    }
}
