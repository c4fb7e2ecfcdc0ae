//! What an algorithm is told beyond the problem.

use std::collections::BTreeMap;

use super::{Setting, SettingValue};

/// Values of settings by name; a setting that is not among them has its default.
///
/// ```
/// use throng::algorithm::{Setting, Settings, SettingValue};
///
/// let settings = Settings::default().with("shrink", "true")?;
/// let of = |name: &str| settings.get(Setting::find(name).unwrap());
/// assert_eq!((of("shrink"), of("relaxed")), (Some(SettingValue::Flag(true)), Some(SettingValue::Flag(false))));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    values: BTreeMap<&'static str, SettingValue>,
}

impl Settings {
    /// Says what a setting is.
    ///
    /// # Panics
    /// If the value is not of the setting's kind.
    pub fn set(&mut self, setting: &Setting, value: SettingValue) {
        assert!(setting.is_of_kind(value), "'{}' cannot be {value:?}", setting.name);
        self.values.insert(setting.name, value);
    }

    /// Says what other settings say, where they say anything.
    pub fn extend(&mut self, others: &Settings) {
        self.values.extend(&others.values);
    }

    /// Forgets what was said about a setting.
    pub fn clear(&mut self, setting: &Setting) {
        self.values.remove(setting.name);
    }

    /// Whether somebody said what a setting is, rather than left it at its default.
    pub fn says(&self, setting: &Setting) -> bool {
        self.values.contains_key(setting.name)
    }

    /// What somebody said that a setting is.
    pub(crate) fn said_of(&self, setting: &Setting) -> Option<SettingValue> {
        self.values.get(setting.name).copied()
    }

    /// What a setting is; none if nobody said and it has no default.
    pub fn get(&self, setting: &Setting) -> Option<SettingValue> {
        self.said_of(setting).or(setting.default)
    }

    /// Whether a flag is set.
    ///
    /// # Panics
    /// If the setting is no flag, as the other getters if it is not of their kind.
    pub fn flag(&self, setting: &Setting) -> bool {
        match self.get(setting) {
            Some(SettingValue::Flag(flag)) => flag,
            other => mismatch(setting, other),
        }
    }

    /// A number.
    pub fn number(&self, setting: &Setting) -> f64 {
        match self.get(setting) {
            Some(SettingValue::Number(number)) => number,
            other => mismatch(setting, other),
        }
    }

    /// A number that has no default; none if nobody said it.
    pub fn optional_number(&self, setting: &Setting) -> Option<f64> {
        match self.get(setting)? {
            SettingValue::Number(number) => Some(number),
            other => mismatch(setting, Some(other)),
        }
    }

    /// A count.
    pub fn count(&self, setting: &Setting) -> u64 {
        self.optional_count(setting).unwrap_or_else(|| mismatch(setting, None))
    }

    /// A count that has no default; none if nobody said it.
    pub fn optional_count(&self, setting: &Setting) -> Option<u64> {
        match self.get(setting)? {
            SettingValue::Count(count) => Some(count),
            other => mismatch(setting, Some(other)),
        }
    }

    /// The name of a choice.
    pub fn choice(&self, setting: &Setting) -> &'static str {
        match self.get(setting) {
            Some(SettingValue::Choice(name)) => name,
            other => mismatch(setting, other),
        }
    }
}

/// An algorithm asks for what its setting is not declared to be.
fn mismatch(setting: &Setting, found: Option<SettingValue>) -> ! {
    panic!("'{}' is {found:?}, which its declaration does not allow", setting.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::BLOCK_ROWS;

    #[test]
    fn what_is_said_comes_before_defaults() {
        let mut settings = Settings::default();
        assert_eq!((settings.get(&BLOCK_ROWS), settings.says(&BLOCK_ROWS)), (None, false));
        settings.set(&BLOCK_ROWS, SettingValue::Count(9));
        assert_eq!((settings.optional_count(&BLOCK_ROWS), settings.says(&BLOCK_ROWS)), (Some(9), true));
        assert_eq!(settings.check(4), Ok(()));
        assert_eq!(settings.check(5).unwrap_err(), "block_rows is 9; it must be at least 2k = 10");
        settings.clear(&BLOCK_ROWS);
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn the_later_word_counts() {
        let mut settings = Settings::default().with("shrink", "true").unwrap().with("distance", "2").unwrap();
        settings.extend(&Settings::default().with("distance", "4").unwrap());
        let said: Vec<(&str, SettingValue)> =
            settings.said().map(|(setting, value)| (setting.name, value)).collect();
        assert_eq!(said, [("distance", SettingValue::Choice("4")), ("shrink", SettingValue::Flag(true))]);
    }

    #[test]
    fn names_and_texts_that_mean_nothing_are_refused() {
        let complaint = |name: &str, text: &str| Settings::default().with(name, text).unwrap_err();
        assert_eq!(complaint("shrnk", "true"), "unknown setting 'shrnk'");
        assert_eq!(complaint("shrink", "4"), "shrink is 4; it must be true or false");
    }

    #[test]
    #[should_panic(expected = "'block_rows' cannot be Flag(true)")]
    fn a_value_of_another_kind_is_a_bug() {
        Settings::default().set(&BLOCK_ROWS, SettingValue::Flag(true));
    }
}
