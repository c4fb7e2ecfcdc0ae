//! One setting at a time, by name: for variants of a job that are compared with each other.

use throng::algorithm::{Setting, SettingKind, SettingValue};
use throng::wording::quoted;

use super::Job;
use super::privacy::parse_notion;
use crate::error::{EngineError, Result};
use crate::wording::{Message, choose_name, unknown};

/// What variants have in common, so that they can be compared.
const SHARED: [&str; 9] = [
    "algorithm",
    "measure",
    "mean",
    "suppress_or_generalise",
    "seed",
    "time_limit",
    "start",
    "threads",
    "memory_limit",
];

impl Job {
    /// The job with another notion, or another value of a setting. Whether the value is in range is
    /// known only with the k at which variants are compared.
    ///
    /// ```
    /// # use throng_engine::job::Job;
    /// # let text = "input = 'a.csv'\noutput = 'b.csv'\ncolumns.age = { role = 'quasi' }\nprivacy.k = 5";
    /// let job = Job::parse(text, "".as_ref())?;
    /// let settings = job.with_setting("shrink", "true")?.search.settings;
    /// assert_eq!(settings.said().map(|(setting, _)| setting.name).collect::<Vec<_>>(), ["shrink"]);
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
            return Err(EngineError::bad(format!(
                "{} must be the same for everything that is compared",
                quoted(key)
            )));
        }
        let setting = Setting::find(key).ok_or_else(|| EngineError::bad(unknown_setting(key)))?;
        let shown = if value.parse::<f64>().is_ok() { value.to_owned() } else { quoted(value) };
        job.search.settings.set(setting, read_value(setting, value, || setting.refusal(&shown))?);
        Ok(job)
    }
}

/// The value of a setting, from the text of a flag.
///
/// # Errors
/// If the setting cannot be that; the message goes on where the text and the flag were named.
pub fn read_setting(setting: &Setting, text: &str) -> Result<SettingValue> {
    read_value(setting, text, || format!("must be {}", setting.kind).into())
}

fn read_value(setting: &Setting, text: &str, refusal: impl FnOnce() -> Message) -> Result<SettingValue> {
    let read = match setting.kind {
        SettingKind::Choice(names) => choose_name(setting.name, text, names).map(SettingValue::Choice),
        _ => setting.read(text).ok_or_else(refusal),
    };
    read.map_err(EngineError::bad)
}

fn unknown_setting(key: &str) -> Message {
    let settings = Setting::all().iter().map(|setting| setting.name);
    // `generalise` is for the comparison to read: it says nothing about the search.
    unknown("setting", key, &["notion", "generalise"].into_iter().chain(settings).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

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
        let said = |job: &Job| -> Vec<String> {
            job.search.settings.said().map(|(setting, value)| format!("{} = {value}", setting.name)).collect()
        };
        let changed = job().with_setting("distance", "nergiz-clifton").unwrap();
        assert_eq!(said(&changed), ["distance = nergiz-clifton"]);
        assert_eq!(said(&job().with_setting("distance", "4").unwrap()), ["distance = 4"]);
        assert_eq!(changed.with_setting("distance", "2").unwrap(), job());
        let shrinking = job().with_setting("shrink", "true").unwrap();
        assert_eq!(said(&shrinking), ["distance = 2", "shrink = true"]);
        assert_eq!(said(&job().with_setting("epsilon", "0.5").unwrap()), ["distance = 2", "epsilon = 0.5"]);
        assert_eq!(job().with_setting("notion", "kk").unwrap().privacy.notion, Notion::KK);
    }

    #[test]
    fn unknown_settings_and_values_are_explained() {
        let message = complaint("distnace", "1");
        assert!(message.starts_with("unknown setting 'distnace'; did you mean 'distance'?"), "{message}");
        assert!(message.contains("Allowed are: notion, generalise, variant, "), "{message}");
        assert!(complaint("notion", "kkk").contains("did you mean 'kk'?"));
        assert!(complaint("distance", "5").contains("unknown distance '5'"));
        for key in ["measure", "seed"] {
            assert_eq!(
                complaint(key, "2"),
                format!("'{key}' must be the same for everything that is compared")
            );
        }
        assert_eq!(complaint("shrink", "4"), "shrink is 4; it must be true or false");
        assert_eq!(complaint("block_rows", "-4"), "block_rows is -4; it must be at least 2k");
        let lines = complaint("block_rows", "1\nshrink = true");
        assert!(lines.starts_with("block_rows is '1\\nshrink = true'; it must be a whole number"), "{lines}");
    }

    #[test]
    fn the_refusal_of_a_flag_goes_on_where_clap_stopped() {
        let complaint = |name: &str, text: &str| {
            read_setting(Setting::find(name).unwrap(), text).unwrap_err().to_string()
        };
        assert_eq!(complaint("epsilon", "x"), "must be a number above 0");
        assert_eq!(complaint("block_rows", "-1"), "must be a whole number of rows, at least 2k");
        assert!(complaint("distance", "5").starts_with("unknown distance '5'; allowed are: 1, 2, "));
    }
}
