//! One setting at a time, by name: for variants of a job that are compared with each other.

use serde::Deserialize;
use throng::wording::quoted;

use super::Job;
use super::message::{explain, split_unknown_field};
use super::privacy::parse_notion;
use super::search::Search;
use crate::error::{EngineError, Result};
use crate::wording::unknown;

/// What variants have in common, so that they can be compared.
const SHARED: [&str; 5] = ["algorithm", "measure", "seed", "time_limit", "threads"];

impl Job {
    /// The job with another notion, or another value of a key of `[search]`.
    ///
    /// ```
    /// # use throng_engine::job::Job;
    /// # let text = "input = 'a.csv'\noutput = 'b.csv'\ncolumns.age = { role = 'quasi' }\nprivacy.k = 5";
    /// let job = Job::parse(text, "".as_ref())?;
    /// assert_eq!(job.with_setting("shrink", "true")?.search.shrink, Some(true));
    /// # Ok::<(), throng_engine::error::EngineError>(())
    /// ```
    ///
    /// # Errors
    /// An unknown key, or one of those in which variants of a job do not differ; a value that the
    /// key cannot have.
    pub fn with_setting(&self, key: &str, value: &str) -> Result<Job> {
        let mut job = self.clone();
        if key == "notion" {
            job.privacy.notion = parse_notion(value)?;
            return Ok(job);
        }
        if SHARED.contains(&key) {
            return Err(EngineError::bad(format!("{} is the same for all that are compared", quoted(key))));
        }
        job.search = with_key(&self.search, key, value)?;
        job.validate()?;
        Ok(job)
    }
}

fn with_key(search: &Search, key: &str, value: &str) -> Result<Search> {
    let mut table = toml::Table::try_from(search)
        .map_err(|error| EngineError::bad(format!("the search cannot be varied: {error}")))?;
    table.insert(key.to_owned(), read_value(value));
    Search::deserialize(table).map_err(|error| refuse(&error))
}

/// Text that is no number and neither true nor false goes without quotes.
fn read_value(text: &str) -> toml::Value {
    let table = toml::from_str::<toml::Table>(&format!("value = {text}")).ok();
    let read = table.filter(|table| table.len() == 1).and_then(|mut table| table.remove("value"));
    read.unwrap_or_else(|| toml::Value::String(text.to_owned()))
}

fn refuse(error: &toml::de::Error) -> EngineError {
    match split_unknown_field(error.message()) {
        Some((key, allowed)) => {
            let varied = allowed.into_iter().filter(|key| !SHARED.contains(key));
            // `generalise` is for the comparison to read: it says nothing about the search.
            let allowed: Vec<&str> = ["notion", "generalise"].into_iter().chain(varied).collect();
            EngineError::bad(unknown("setting", key, &allowed))
        }
        None => explain(error, ""),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use throng::algorithm::Distance;
    use throng::notion::Notion;

    use super::*;

    fn job() -> Job {
        let text = "input = 'a.csv'\noutput = 'b.csv'\ncolumns.age = { role = 'quasi' }\n\
                    [privacy]\nk = 5\n[search]\ndistance = 2\nseed = 9";
        Job::parse(text, Path::new("")).unwrap()
    }

    fn complaint(key: &str, value: &str) -> String {
        job().with_setting(key, value).unwrap_err().to_string()
    }

    #[test]
    fn one_setting_changes_and_the_others_stay() {
        let changed = job().with_setting("distance", "nergiz-clifton").unwrap();
        assert_eq!(changed.search.distance, Some(Distance::NergizClifton));
        assert_eq!(job().with_setting("distance", "4").unwrap().search.distance, Some(Distance::D4));
        assert_eq!(changed.with_setting("distance", "2").unwrap(), job());
        let shrinking = job().with_setting("shrink", "true").unwrap();
        assert_eq!((shrinking.search.shrink, shrinking.search.distance), (Some(true), Some(Distance::D2)));
        assert_eq!(job().with_setting("epsilon", "0.5").unwrap().search.epsilon, Some(0.5));
        assert_eq!(job().with_setting("notion", "kk").unwrap().privacy.notion, Notion::KK);
    }

    #[test]
    fn unknown_settings_and_values_are_explained() {
        let message = complaint("distnace", "1");
        assert!(message.starts_with("unknown setting 'distnace'; did you mean 'distance'?"), "{message}");
        assert!(message.contains("Allowed are: notion, generalise, distance, epsilon, "), "{message}");
        assert!(complaint("notion", "kkk").contains("did you mean 'kk'?"));
        assert!(complaint("distance", "5").contains("unknown distance '5'"));
        for key in ["measure", "seed"] {
            assert_eq!(complaint(key, "2"), format!("'{key}' is the same for all that are compared"));
        }
        assert!(complaint("epsilon", "0").contains("epsilon is 0"));
        let wrong = complaint("shrink", "4");
        assert!(wrong.contains("expected true or false, found 4"), "{wrong}");
        assert!(complaint("block_rows", "1\nshrink = true").contains("expected a whole number"));
    }
}
