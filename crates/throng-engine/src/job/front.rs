//! `[frontier]`: what the evolutionary search of fronts is told.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use throng::algorithm::{Setting, SettingValue, Settings};
use throng::frontier::Evolution;

use super::search::{OfSetting, SpelledValue};
use crate::error::EngineError;

/// The settings of PBG-EA, by the names of their declarations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontSpec {
    /// What was said.
    pub settings: Settings,
}

impl FrontSpec {
    /// What was said, in the order of the declarations.
    pub fn said(&self) -> impl Iterator<Item = (&'static Setting, SettingValue)> {
        let said = Evolution::SETTINGS.iter().filter(|setting| self.settings.says(setting));
        said.filter_map(|setting| Some((setting, self.settings.get(setting)?)))
    }

    /// Refuses values that are out of range.
    pub(crate) fn validate(&self) -> crate::error::Result<()> {
        self.said().try_for_each(|(setting, value)| setting.check(value, 1)).map_err(EngineError::bad)
    }
}

impl Serialize for FrontSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.said()
            .try_for_each(|(setting, value)| map.serialize_entry(setting.name, &SpelledValue(value)))?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for FrontSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FrontSpec, D::Error> {
        deserializer.deserialize_map(FrontTable)
    }
}

struct FrontTable;

impl<'de> Visitor<'de> for FrontTable {
    type Value = FrontSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FrontSpec, A::Error> {
        const NAMES: [&str; Evolution::SETTINGS.len()] = names();
        let mut front = FrontSpec::default();
        while let Some(name) = map.next_key::<String>()? {
            let known = Evolution::SETTINGS.iter().find(|setting| setting.name == name);
            let setting = known.ok_or_else(|| A::Error::unknown_field(&name, &NAMES))?;
            if front.settings.says(setting) {
                return Err(A::Error::duplicate_field(setting.name));
            }
            front.settings.set(setting, map.next_value_seed(OfSetting(setting))?);
        }
        Ok(front)
    }
}

const fn names() -> [&'static str; Evolution::SETTINGS.len()] {
    let mut names = [""; Evolution::SETTINGS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = Evolution::SETTINGS[at].name;
        at += 1;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_a_key_and_survives_a_round_trip() {
        let text = "population = 40\ngenerations = 0\ncrossover = 0.5\nmutation = 0.25\n";
        let front: FrontSpec = toml::from_str(text).unwrap();
        assert_eq!(toml::to_string(&front).unwrap(), text);
        assert_eq!(front.said().count(), Evolution::SETTINGS.len());
        assert!(front.validate().is_ok());
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let parse = |text: &str| {
            toml::from_str::<FrontSpec>(text)
                .map_err(|error| crate::wording::unpack(error.message()).to_string())
        };
        assert!(
            parse("populaton = 9")
                .unwrap_err()
                .contains("unknown field `populaton`, expected one of `population`")
        );
        assert_eq!(parse("population = -9").unwrap_err(), "population is -9; it must be at least 2");
        let refused = |text: &str| parse(text).unwrap().validate().unwrap_err().to_string();
        assert_eq!(refused("population = 1"), "population is 1; it must be at least 2");
        assert_eq!(refused("crossover = 1.5"), "crossover is 1.5; it must be a number from 0 to 1");
    }
}
