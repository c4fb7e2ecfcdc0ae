//! How to look for the release.

use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use throng::algorithm::{self, Distance, Parameters, Setting};

use crate::error::{EngineError, Result};
use crate::wording::choose;

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
    /// Distance between clusters: 1, 2, 3, 4 or "nergiz-clifton".
    #[serde(with = "distance_name", skip_serializing_if = "Option::is_none")]
    pub distance: Option<Distance>,
    /// The ε of distance 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// Whether ripe clusters of `agglomerative` shrink to k; those of `sequential` always do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shrink: Option<bool>,
    /// Most rows of the blocks that the table is cut into before a local search; no cut when not
    /// given.
    #[serde(deserialize_with = "read_block_rows", skip_serializing_if = "Option::is_none")]
    pub block_rows: Option<u64>,
    /// Whether parts of Mondrian may overlap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relaxed: Option<bool>,
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
            distance: None,
            epsilon: None,
            shrink: None,
            block_rows: None,
            relaxed: None,
            threads: None,
        }
    }
}

impl Search {
    /// The time limit as a duration.
    pub fn time_budget(&self) -> Option<Duration> {
        self.time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }

    /// What the algorithm is told beyond the problem.
    pub fn parameters(&self) -> Parameters {
        let standard = Parameters::default();
        Parameters {
            distance: self.distance.unwrap_or(standard.distance),
            epsilon: self.epsilon.unwrap_or(standard.epsilon),
            shrink: self.shrink.unwrap_or(standard.shrink),
            block_rows: self.block_rows,
            relaxed: self.relaxed.unwrap_or(standard.relaxed),
        }
    }

    /// The settings of the algorithm that somebody wrote down, rather than left at their defaults.
    pub fn explicit(&self) -> Vec<Setting> {
        let is_written = |setting: &Setting| match setting {
            Setting::Distance => self.distance.is_some(),
            Setting::Epsilon => self.epsilon.is_some(),
            Setting::Shrink => self.shrink.is_some(),
            Setting::BlockRows => self.block_rows.is_some(),
            Setting::Relaxed => self.relaxed.is_some(),
        };
        Setting::ALL.into_iter().filter(is_written).collect()
    }

    /// Forgets what was written about a setting.
    pub(super) fn clear(&mut self, setting: Setting) {
        match setting {
            Setting::Distance => self.distance = None,
            Setting::Epsilon => self.epsilon = None,
            Setting::Shrink => self.shrink = None,
            Setting::BlockRows => self.block_rows = None,
            Setting::Relaxed => self.relaxed = None,
        }
    }

    /// Whether the algorithm uses a setting as things are; an unknown algorithm uses all.
    pub(super) fn uses(&self, setting: Setting) -> bool {
        let is_taken = algorithm::find(&self.algorithm).is_none_or(|entry| entry.takes(setting));
        is_taken && setting.matters(&self.parameters())
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
            return Err(EngineError::bad(format!(
                "time_limit is {seconds}; it must be a number of seconds above 0"
            )));
        }
        if let Some(epsilon) = self.epsilon
            && !(epsilon > 0.0 && epsilon.is_finite())
        {
            return Err(EngineError::bad(format!("epsilon is {epsilon}; it must be a number above 0")));
        }
        if let Some(rows) = self.block_rows.filter(|&rows| rows < k.saturating_mul(2)) {
            let least = k.saturating_mul(2);
            return Err(EngineError::bad(format!("block_rows is {rows}; it must be at least 2k = {least}")));
        }
        self.threads.map_or(Ok(()), validate_threads)
    }
}

/// Reads the rows of a block; how many are enough is known only with k.
fn read_block_rows<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<u64>, D::Error> {
    let rows = i64::deserialize(deserializer)?;
    let read = u64::try_from(rows).map(Some);
    read.map_err(|_| D::Error::custom(format!("block_rows is {rows}; it must be at least 2k")))
}

/// Most threads that can be asked for: more only get in each other's way.
const MAX_THREADS: usize = 1024;

/// Refuses a number of threads that no machine has.
pub fn validate_threads(threads: usize) -> Result<()> {
    if (1..=MAX_THREADS).contains(&threads) {
        return Ok(());
    }
    Err(EngineError::bad(format!("threads is {threads}; it must be at least 1 and at most {MAX_THREADS}")))
}

/// The names of the distances, as in the paper's numbering.
const DISTANCES: [(&str, Distance); 5] = [
    ("1", Distance::D1),
    ("2", Distance::D2),
    ("3", Distance::D3),
    ("4", Distance::D4),
    ("nergiz-clifton", Distance::NergizClifton),
];

/// The distance of a name, for flags.
///
/// # Errors
/// If there is none.
pub fn parse_distance(name: &str) -> Result<Distance> {
    choose("distance", name, &DISTANCES).map_err(EngineError::bad)
}

/// A distance as jobs and reports have it: a number, or text.
pub(crate) fn distance_value(distance: Distance) -> Value {
    let name = DISTANCES.iter().find(|(_, of)| *of == distance).map_or("", |(name, _)| name);
    name.parse::<i64>().map_or_else(|_| Value::from(name), Value::from)
}

/// A distance by its number or name.
mod distance_name {
    use serde::de::{self, Visitor};
    use serde::{Deserializer, Serialize, Serializer};

    use super::{DISTANCES, Distance, choose, distance_value};

    pub(super) fn serialize<S: Serializer>(
        distance: &Option<Distance>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match distance {
            Some(distance) => distance_value(*distance).serialize(serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Distance>, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = Distance;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a distance: 1, 2, 3, 4 or \"nergiz-clifton\"")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Distance, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Distance, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Distance, E> {
                choose("distance", name, &DISTANCES).map_err(E::custom)
            }
        }

        deserializer.deserialize_any(Name).map(Some)
    }
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
    fn rows_of_blocks_below_zero_are_told_what_is_least() {
        let of = |text: &str| toml::from_str::<Search>(text).map(|search| search.block_rows);
        assert_eq!(of("block_rows = 40").unwrap(), Some(40));
        let negative = of("block_rows = -4").unwrap_err();
        assert_eq!(negative.message(), "block_rows is -4; it must be at least 2k");
    }

    #[test]
    fn distances_are_numbers_or_names() {
        let of = |text: &str| toml::from_str::<Search>(text).map(|search| search.distance);
        assert_eq!(of("").unwrap(), None);
        assert_eq!(of("distance = 4").unwrap(), Some(Distance::D4));
        assert_eq!(of("distance = \"nergiz-clifton\"").unwrap(), Some(Distance::NergizClifton));
        assert!(of("distance = 5").unwrap_err().to_string().contains("unknown distance '5'"));
        for (_, distance) in DISTANCES {
            let search = Search { distance: Some(distance), ..Search::default() };
            assert_eq!(toml::from_str::<Search>(&toml::to_string(&search).unwrap()).unwrap(), search);
            let json = serde_json::to_string(&search).unwrap();
            assert_eq!(serde_json::from_str::<Search>(&json).unwrap(), search, "{json}");
        }
    }

    #[test]
    fn only_what_was_written_is_explicit() {
        assert_eq!(Search::default().explicit(), []);
        let of = |text: &str| toml::from_str::<Search>(text).unwrap().explicit();
        // The default value, too.
        assert_eq!(of("shrink = false\ndistance = 3"), [Setting::Distance, Setting::Shrink]);
        let mut all: Search =
            toml::from_str("distance = 4\nepsilon = 1\nshrink = true\nblock_rows = 9\nrelaxed = true")
                .unwrap();
        assert_eq!(all.explicit(), Setting::ALL);
        Setting::ALL.into_iter().for_each(|setting| all.clear(setting));
        assert_eq!(all, Search::default());
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
        let search = Search { block_rows: Some(9), ..Search::default() };
        assert_eq!(complaint(search), "block_rows is 9; it must be at least 2k = 10");
        let search = Search { seed: u64::MAX, ..Search::default() };
        assert_eq!(complaint(search), "seed must be at most 9223372036854775807");
    }
}
