//! Settings: what a job may tell an algorithm beyond the problem, declared as data.
//!
//! An algorithm declares a setting in its own file and lists it in its [`Entry`](crate::algorithm::Entry); jobs, flags,
//! variants, summaries and help follow from the declaration.

mod settings;

use std::fmt;

use crate::wording::Message;

pub use settings::Settings;

/// The declaration of a setting.
///
/// ```
/// use throng::algorithm::{Setting, find};
///
/// let distance = Setting::find("distance").unwrap();
/// let users: Vec<&str> = distance.users().map(|entry| entry.name).collect();
/// assert_eq!(users, ["agglomerative", "sequential"]);
/// assert!(!find("forest").unwrap().takes(distance));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Name in jobs, in snake case; flags have it in kebab case.
    pub name: &'static str,
    /// One line for people, without a full stop. It leaves to the rest of the declaration what that
    /// says: the choices, the default, and who takes it.
    pub help: &'static str,
    /// What it can be.
    pub kind: SettingKind,
    /// What it is unless somebody says otherwise; none for nothing at all.
    pub default: Option<SettingValue>,
    /// Another setting, and the value without which this one changes nothing.
    pub only_with: Option<(&'static Setting, SettingValue)>,
}

/// What a setting can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingKind {
    /// True or false; false unless said otherwise, so that a flag needs no value.
    Flag,
    /// A finite number above a bound.
    Number {
        /// The bound.
        above: f64,
    },
    /// A number from 0 to 1.
    Share,
    /// A whole number.
    Count {
        /// What is counted, in the plural.
        of: &'static str,
        /// The least.
        least: Least,
    },
    /// One of some names.
    Choice(&'static [&'static str]),
}

/// The least that a count can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Least {
    /// A number.
    Fixed(u64),
    /// So many times the k of the requirement.
    TimesK(u64),
}

/// The value of a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingValue {
    /// Of a [flag](SettingKind::Flag).
    Flag(bool),
    /// Of a [number](SettingKind::Number) or a [share](SettingKind::Share).
    Number(f64),
    /// Of a [count](SettingKind::Count).
    Count(u64),
    /// Of a [choice](SettingKind::Choice).
    Choice(&'static str),
}

impl Setting {
    /// Whether the other settings leave it a part to play.
    pub fn matters(&self, settings: &Settings) -> bool {
        self.only_with.is_none_or(|(other, value)| settings.get(other) == Some(value))
    }

    /// The value that a text stands for; none if it is not of the [kind](Setting::kind). Whether the
    /// value is one that the setting can have is for [`check`](Setting::check) to say.
    pub fn read(&self, text: &str) -> Option<SettingValue> {
        match self.kind {
            SettingKind::Flag => text.parse().ok().map(SettingValue::Flag),
            SettingKind::Number { .. } | SettingKind::Share => text.parse().ok().map(SettingValue::Number),
            SettingKind::Count { .. } => text.parse().ok().and_then(SettingValue::count),
            SettingKind::Choice(names) => {
                names.iter().find(|name| **name == text).map(|name| SettingValue::Choice(name))
            }
        }
    }

    /// Refuses a value that is out of range, for a requirement of k.
    ///
    /// # Errors
    /// The sentence for people.
    pub fn check(&self, value: SettingValue, k: u64) -> Result<(), Message> {
        match (self.kind, value) {
            (SettingKind::Number { above }, SettingValue::Number(number))
                if !(number > above && number.is_finite()) =>
            {
                Err(self.refusal(&number.to_string()))
            }
            (SettingKind::Share, SettingValue::Number(number)) if !(0.0..=1.0).contains(&number) => {
                Err(self.refusal(&number.to_string()))
            }
            (SettingKind::Count { least, .. }, SettingValue::Count(count)) if count < least.for_k(k) => {
                let least_of_k = match least {
                    Least::Fixed(_) => String::new(),
                    Least::TimesK(_) => format!(" = {}", least.for_k(k)),
                };
                Err(self.below(&count.to_string(), least, &least_of_k))
            }
            _ => Ok(()),
        }
    }

    /// The sentence for something that it cannot be.
    pub fn refusal(&self, shown: &str) -> Message {
        match self.kind {
            SettingKind::Count { least, .. } if shown.parse::<i64>().is_ok() => self.below(shown, least, ""),
            kind => (format!("{} is {shown}", self.name), format!("it must be {kind}")).into(),
        }
    }

    fn below(&self, shown: &str, least: Least, least_of_k: &str) -> Message {
        (format!("{} is {shown}", self.name), format!("it must be at least {least}{least_of_k}")).into()
    }

    fn is_of_kind(&self, value: SettingValue) -> bool {
        match (self.kind, value) {
            (SettingKind::Choice(names), SettingValue::Choice(name)) => names.contains(&name),
            (SettingKind::Flag, SettingValue::Flag(_))
            | (SettingKind::Number { .. } | SettingKind::Share, SettingValue::Number(_))
            | (SettingKind::Count { .. }, SettingValue::Count(_)) => true,
            _ => false,
        }
    }
}

impl Least {
    /// The number, for a requirement of k.
    pub fn for_k(self, k: u64) -> u64 {
        match self {
            Least::Fixed(number) => number,
            Least::TimesK(times) => k.saturating_mul(times),
        }
    }
}

impl SettingValue {
    /// A count; none of what is below zero.
    pub fn count(number: i64) -> Option<SettingValue> {
        u64::try_from(number).ok().map(SettingValue::Count)
    }
}

impl fmt::Display for Least {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Least::Fixed(number) => write!(f, "{number}"),
            Least::TimesK(times) => write!(f, "{times}k"),
        }
    }
}

/// What it can be, for people.
impl fmt::Display for SettingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingKind::Flag => f.write_str("true or false"),
            SettingKind::Number { above } => write!(f, "a number above {above}"),
            SettingKind::Share => f.write_str("a number from 0 to 1"),
            SettingKind::Count { of, least } => write!(f, "a whole number of {of}, at least {least}"),
            SettingKind::Choice(names) => match names {
                [names @ .., last] if !names.is_empty() => write!(f, "{} or {last}", names.join(", ")),
                names => f.write_str(&names.concat()),
            },
        }
    }
}

/// As variants and flags have it.
impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingValue::Flag(flag) => write!(f, "{flag}"),
            SettingValue::Number(number) => write!(f, "{number}"),
            SettingValue::Count(count) => write!(f, "{count}"),
            SettingValue::Choice(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(kind: SettingKind) -> Setting {
        Setting { name: "grain", help: "", kind, default: None, only_with: None }
    }

    #[test]
    fn texts_become_values_of_the_kind() {
        let read = |kind: SettingKind, text: &str| setting(kind).read(text);
        assert_eq!(read(SettingKind::Flag, "true"), Some(SettingValue::Flag(true)));
        assert_eq!(read(SettingKind::Flag, "1"), None);
        assert_eq!(read(SettingKind::Number { above: 0.0 }, "0.5"), Some(SettingValue::Number(0.5)));
        let rows = SettingKind::Count { of: "rows", least: Least::TimesK(2) };
        assert_eq!(
            (read(rows, "7"), read(rows, "-7"), read(rows, "1.5")),
            (Some(SettingValue::Count(7)), None, None)
        );
        // More than a job file can hold.
        assert_eq!(read(rows, "9223372036854775808"), None);
        let names = SettingKind::Choice(&["1", "far"]);
        assert_eq!((read(names, "far"), read(names, "2")), (Some(SettingValue::Choice("far")), None));
    }

    #[test]
    fn values_out_of_range_are_told_what_is_allowed() {
        let complaint = |kind: SettingKind, value: SettingValue| setting(kind).check(value, 5).unwrap_err();
        let number = SettingKind::Number { above: 0.0 };
        for (value, shown) in [(0.0, "0"), (-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
            let expected = format!("grain is {shown}; it must be a number above 0");
            assert_eq!(complaint(number, SettingValue::Number(value)), expected.as_str());
        }
        let rows = SettingKind::Count { of: "rows", least: Least::TimesK(2) };
        assert_eq!(complaint(rows, SettingValue::Count(9)), "grain is 9; it must be at least 2k = 10");
        assert_eq!(setting(rows).check(SettingValue::Count(10), 5), Ok(()));
        let passes = SettingKind::Count { of: "passes", least: Least::Fixed(1) };
        assert_eq!(complaint(passes, SettingValue::Count(0)), "grain is 0; it must be at least 1");
    }

    #[test]
    fn what_is_of_another_kind_is_told_the_kind() {
        let rows = SettingKind::Count { of: "rows", least: Least::TimesK(2) };
        assert_eq!(setting(rows).refusal("-4"), "grain is -4; it must be at least 2k");
        assert_eq!(
            setting(rows).refusal("4.5"),
            "grain is 4.5; it must be a whole number of rows, at least 2k"
        );
        assert_eq!(setting(SettingKind::Flag).refusal("4"), "grain is 4; it must be true or false");
        assert_eq!(
            setting(SettingKind::Choice(&["1", "2", "far"])).refusal("4"),
            "grain is 4; it must be 1, 2 or far"
        );
    }
}
