//! The keys of `[search]`: its own, and every setting that an algorithm declares.

use std::fmt;
use std::sync::OnceLock;

use serde::de::{DeserializeSeed, Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use throng::algorithm::{Setting, SettingKind, SettingValue};
use throng::loss::{Aggregate, Mean, Preference};

use super::{Search, find_mean};
use crate::wording::{Packed, choose_name, enumerate};

/// The keys that are not settings, before them and after them.
const BEFORE: [&str; 8] =
    ["algorithm", "measure", "mean", "suppress_or_generalise", "seed", "time_limit", "accept_any", "start"];
const AFTER: [&str; 2] = ["threads", "memory_limit"];

/// All keys, in the order in which they are written.
fn keys() -> &'static [&'static str] {
    static KEYS: OnceLock<Vec<&'static str>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let settings = Setting::all().iter().map(|setting| setting.name);
        BEFORE.into_iter().chain(settings).chain(AFTER).collect()
    })
}

impl Serialize for Search {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("algorithm", &self.algorithm)?;
        map.serialize_entry("measure", &self.measure)?;
        let Aggregate { mean, preference } = self.aggregate;
        if mean != Mean::default() {
            map.serialize_entry("mean", mean.name())?;
        }
        if preference != Preference::default() {
            map.serialize_entry("suppress_or_generalise", &preference.number())?;
        }
        map.serialize_entry("seed", &self.seed)?;
        if let Some(seconds) = self.time_limit {
            map.serialize_entry("time_limit", &seconds)?;
        }
        if self.accept_any {
            map.serialize_entry("accept_any", &true)?;
        }
        if let Some(start) = &self.start {
            map.serialize_entry("start", start)?;
        }
        for (setting, value) in self.settings.said() {
            map.serialize_entry(setting.name, &SpelledValue(value))?;
        }
        if let Some(threads) = self.threads {
            map.serialize_entry("threads", &threads)?;
        }
        if let Some(limit) = self.memory_limit {
            map.serialize_entry("memory_limit", &limit)?;
        }
        map.end()
    }
}

/// A value as jobs and reports have it: names that are numbers go without quotes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpelledValue(pub SettingValue);

impl Serialize for SpelledValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            SettingValue::Flag(flag) => flag.serialize(serializer),
            SettingValue::Number(number) => number.serialize(serializer),
            SettingValue::Count(count) => count.serialize(serializer),
            SettingValue::Choice(name) => match name.parse::<i64>() {
                Ok(number) => number.serialize(serializer),
                Err(_) => name.serialize(serializer),
            },
        }
    }
}

impl<'de> Deserialize<'de> for Search {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Search, D::Error> {
        deserializer.deserialize_map(SearchTable)
    }
}

struct SearchTable;

impl<'de> Visitor<'de> for SearchTable {
    type Value = Search;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Search, A::Error> {
        let (mut search, mut seen) = (Search::default(), Vec::new());
        while let Some(Key(key)) = map.next_key()? {
            if seen.contains(&key) {
                return Err(A::Error::duplicate_field(key));
            }
            seen.push(key);
            match key {
                "algorithm" => search.algorithm = map.next_value()?,
                "measure" => search.measure = map.next_value()?,
                "mean" => {
                    let name: String = map.next_value()?;
                    search.aggregate.mean = find_mean(&name).map_err(Packed::error)?;
                }
                "suppress_or_generalise" => {
                    let number = map.next_value()?;
                    search.aggregate.preference = Preference::new(number).map_err(Packed::error)?;
                }
                "seed" => search.seed = map.next_value()?,
                "time_limit" => search.time_limit = map.next_value()?,
                "accept_any" => search.accept_any = map.next_value()?,
                "start" => search.start = map.next_value()?,
                "threads" => search.threads = map.next_value()?,
                "memory_limit" => search.memory_limit = map.next_value()?,
                name => {
                    let setting = Setting::find(name).expect("every other key is a setting");
                    search.settings.set(setting, map.next_value_seed(OfSetting(setting))?);
                }
            }
        }
        Ok(search)
    }
}

/// One of the [keys].
struct Key(&'static str);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Key, E> {
                let known = keys().iter().find(|key| **key == name);
                known.map(|key| Key(key)).ok_or_else(|| E::unknown_field(name, keys()))
            }
        }

        deserializer.deserialize_identifier(Name)
    }
}

/// Reads the value of a setting; whether it is in range is known only with k.
pub(in crate::job) struct OfSetting(pub(in crate::job) &'static Setting);

impl<'de> DeserializeSeed<'de> for OfSetting {
    type Value = SettingValue;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<SettingValue, D::Error> {
        match self.0.kind {
            SettingKind::Flag => bool::deserialize(deserializer).map(SettingValue::Flag),
            SettingKind::Number { .. } | SettingKind::Share => {
                f64::deserialize(deserializer).map(SettingValue::Number)
            }
            SettingKind::Count { .. } => {
                let count = i64::deserialize(deserializer)?;
                let refusal = || Packed::error(self.0.refusal(&count.to_string()));
                SettingValue::count(count).ok_or_else(refusal)
            }
            SettingKind::Choice(names) => deserializer.deserialize_any(Choice { setting: self.0, names }),
        }
    }
}

/// A name, or the number that it is.
struct Choice {
    setting: &'static Setting,
    names: &'static [&'static str],
}

impl Visitor<'_> for Choice {
    type Value = SettingValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let in_job = |name: &&str| {
            if name.parse::<i64>().is_ok() { (*name).to_owned() } else { format!("\"{name}\"") }
        };
        let names: Vec<String> = self.names.iter().map(in_job).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        write!(f, "a {}: {}", self.setting.name, enumerate(&names, "or"))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<SettingValue, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<SettingValue, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<SettingValue, E> {
        choose_name(self.setting.name, name, self.names).map(SettingValue::Choice).map_err(Packed::error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::ByteSize;
    use crate::wording::unpack;

    fn said(text: &str) -> Vec<(&'static str, SettingValue)> {
        let search: Search = toml::from_str(text).unwrap();
        search.settings.said().map(|(setting, value)| (setting.name, value)).collect()
    }

    fn complaint(text: &str) -> String {
        unpack(toml::from_str::<Search>(text).unwrap_err().message()).to_string()
    }

    /// Each setting with a value of its kind, in the order of the registry.
    fn every_setting() -> Search {
        let mut search = Search::default();
        for setting in Setting::all() {
            let value = match setting.kind {
                SettingKind::Flag => SettingValue::Flag(true),
                SettingKind::Number { above } => SettingValue::Number(above + 1.5),
                SettingKind::Share => SettingValue::Number(0.25),
                SettingKind::Count { least, .. } => SettingValue::Count(least.for_k(5) + 1),
                SettingKind::Choice(names) => SettingValue::Choice(names[names.len() - 1]),
            };
            search.settings.set(setting, value);
        }
        search
    }

    #[test]
    fn every_setting_is_a_key_and_survives_a_round_trip() {
        let aggregate =
            Aggregate { mean: Mean::Geometric, preference: Preference::new(0.125).expect("in thousandths") };
        let search = Search {
            aggregate,
            time_limit: Some(2.0),
            accept_any: true,
            start: Some("kk.csv".into()),
            threads: Some(3),
            memory_limit: Some(ByteSize(3 << 29)),
            ..every_setting()
        };
        let text = toml::to_string(&search).unwrap();
        assert_eq!(toml::from_str::<Search>(&text).unwrap(), search, "{text}");
        let written: Vec<&str> =
            text.lines().filter_map(|line| line.split_once(" = ")).map(|line| line.0).collect();
        assert_eq!(written, keys());
        let json = serde_json::to_string(&search).unwrap();
        assert_eq!(serde_json::from_str::<Search>(&json).unwrap(), search, "{json}");
    }

    #[test]
    fn means_and_preferences_out_of_range_are_explained() {
        assert_eq!(
            complaint("mean = \"geometrical\""),
            "unknown mean 'geometrical'; did you mean 'geometric'? Allowed are: arithmetic, geometric, largest"
        );
        assert_eq!(
            complaint("suppress_or_generalise = 1.5"),
            "suppress_or_generalise is 1.5; it must be a number from 0 to 1, with at most three digits behind the point"
        );
        let plain: Search = toml::from_str("mean = \"arithmetic\"\nsuppress_or_generalise = 0.5").unwrap();
        assert_eq!(plain, Search::default());
    }

    #[test]
    fn only_what_was_written_is_said() {
        assert!(said("").is_empty());
        assert_eq!(said("shrink = false"), [("shrink", SettingValue::Flag(false))]);
        assert!(said("time_limit = 1\nthreads = 2").is_empty());
    }

    #[test]
    fn choices_are_numbers_or_names() {
        let distance = |name| [("distance", SettingValue::Choice(name))];
        assert_eq!(said("distance = 4"), distance("4"));
        assert_eq!(said("distance = \"nergiz-clifton\""), distance("nergiz-clifton"));
        assert!(complaint("distance = 5").contains("unknown distance '5'"));
        assert!(
            complaint("distance = true").contains("expected a distance: 1, 2, 3, 4 or \"nergiz-clifton\"")
        );
        let Some(SettingKind::Choice(names)) = Setting::find("distance").map(|setting| setting.kind) else {
            panic!("a choice")
        };
        for name in names {
            let mut search = Search::default();
            search.settings.set(Setting::find("distance").unwrap(), SettingValue::Choice(name));
            assert_eq!(toml::from_str::<Search>(&toml::to_string(&search).unwrap()).unwrap(), search);
            let json = serde_json::to_string(&search).unwrap();
            assert_eq!(serde_json::from_str::<Search>(&json).unwrap(), search, "{json}");
        }
    }

    #[test]
    fn counts_below_zero_are_told_what_is_least() {
        assert_eq!(said("block_rows = 40"), [("block_rows", SettingValue::Count(40))]);
        assert_eq!(complaint("block_rows = -4"), "block_rows is -4; it must be at least 2k");
        assert_eq!(complaint("passes = -4"), "passes is -4; it must be at least 0");
        assert!(complaint("block_rows = 4.5").contains("invalid type: floating point `4.5`, expected i64"));
    }

    #[test]
    fn a_key_is_there_once() {
        let twice = serde_json::from_str::<Search>(r#"{ "shrink": true, "shrink": false }"#).unwrap_err();
        assert!(twice.to_string().starts_with("duplicate field `shrink`"), "{twice}");
    }
}
