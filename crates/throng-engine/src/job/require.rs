//! A requirement beside k: a privacy model with its parameters, and what it is about.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use throng::notion::Notion;
use throng::privacy::{self, ModelEntry, ParameterValue};
use throng::wording::quoted;

use crate::address::Address;
use crate::batches::MemoryTable;
use crate::error::{EngineError, Result};
use crate::wording::{Message, unknown};

/// The parameter that names the table of a population.
const POPULATION: &str = "population";

/// The parameter that says which share of its population a table is.
const FRACTION: &str = "fraction";

/// One `[[privacy.require]]` of a job.
///
/// ```
/// use throng_engine::job::Require;
///
/// let require: Require = "distinct-l:l=3,column=diagnosis,shield=age+sex".parse()?;
/// assert_eq!((require.model.as_str(), require.parameters["l"].to_string()), ("distinct-l", "3".to_owned()));
/// assert_eq!(require.shield.unwrap(), ["age", "sex"]);
/// # Ok::<(), throng_engine::error::EngineError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Require {
    /// Name of the model.
    pub model: String,
    /// Its parameters.
    pub parameters: BTreeMap<String, ParameterValue>,
    /// The sensitive column that it looks at.
    pub column: Option<String>,
    /// The quasi-identifiers that make up its classes; all if there is none.
    pub shield: Option<Vec<String>>,
    /// The population, if it is in memory. No job file says it.
    pub in_memory: Option<MemoryTable>,
}

impl Require {
    /// A crowd of at least k over all quasi-identifiers.
    pub fn crowd(k: u64) -> Require {
        let parameters = BTreeMap::from([("k".to_owned(), ParameterValue::Number(k as f64))]);
        Require { model: "k".to_owned(), parameters, column: None, shield: None, in_memory: None }
    }

    /// The model's entry.
    pub(crate) fn entry(&self) -> Result<&'static ModelEntry> {
        let names = || privacy::registry().iter().map(|entry| entry.name);
        privacy::find(&self.model)
            .ok_or_else(|| EngineError::bad(unknown("model", &self.model, &names().collect::<Vec<_>>())))
    }

    /// The parameters, as the core takes them.
    pub(crate) fn parameters(&self) -> Vec<(&str, ParameterValue)> {
        self.parameters.iter().map(|(name, value)| (name.as_str(), value.clone())).collect()
    }

    /// The table of the population that it looks at.
    pub fn population(&self) -> Option<Address> {
        match (&self.in_memory, self.parameters.get(POPULATION)) {
            (Some(table), _) => Some(Address::Memory(table.clone())),
            (None, Some(ParameterValue::Text(path))) => Some(Address::from_path(path.as_str())),
            _ => None,
        }
    }

    /// The same model with a population that is in memory.
    #[must_use]
    pub fn with_population(mut self, table: MemoryTable) -> Require {
        let name = ParameterValue::Text(table.name().display().to_string());
        self.parameters.insert(POPULATION.to_owned(), name);
        Require { in_memory: Some(table), ..self }
    }

    /// Takes the sampling fraction that is said for all, where the model needs one and has none of its own.
    pub(crate) fn take_sampling_fraction(&mut self, fraction: Option<f64>) {
        let takes = privacy::find(&self.model).is_some_and(|entry| entry.parameter(FRACTION).is_some());
        if let Some(fraction) = fraction.filter(|_| takes) {
            self.parameters.entry(FRACTION.to_owned()).or_insert(ParameterValue::Number(fraction));
        }
    }

    /// Makes the path of the population start at a folder.
    pub(super) fn rebase(&mut self, base: &Path) {
        if let Some(path @ Address::Files(_)) = self.population() {
            let path = base.join(path).display().to_string();
            self.parameters.insert(POPULATION.to_owned(), ParameterValue::Text(path));
        }
    }

    /// Checks everything that does not need the table.
    pub(crate) fn validate(&self) -> Result<()> {
        let entry = self.entry()?;
        let checked = entry.check(&self.parameters(), self.column.is_some());
        checked.map_err(|error| self.blame(error.message()))?;
        let Some(shield) = &self.shield else { return Ok(()) };
        if shield.is_empty() {
            return Err(self
                .blame(("shield is empty", "name quasi-identifiers, or leave it out to mean all of them")));
        }
        let twice = (1..shield.len()).find(|&at| shield[..at].contains(&shield[at]));
        match twice {
            Some(at) => Err(self.blame(format!("shield names {} twice", quoted(&shield[at])))),
            None => Ok(()),
        }
    }

    /// Reads the value of a parameter in a flag.
    fn read(&self, key: &str, value: &str) -> Result<ParameterValue> {
        let entry = self.entry()?;
        let parameter = entry.parameter(key).ok_or_else(|| {
            let names = entry.parameters.iter().map(|parameter| parameter.name);
            let allowed: Vec<&str> = names.chain(["column", "shield"]).collect();
            self.blame(unknown("key", key, &allowed))
        })?;
        parameter.read(value).map_err(|error| self.blame(error.message()))
    }

    /// An error with the requirement that is at fault.
    pub(crate) fn blame(&self, problem: impl Into<Message>) -> EngineError {
        EngineError::bad(problem.into().after(format_args!("the requirement {}: ", quoted(&self.model))))
    }
}

/// Reads a flag: `MODEL:KEY=VALUE,…`, the columns of a shield with `+` between them.
impl Require {
    /// Whether it is one that the crowds of a notion other than k-anonymity have: different values, over all
    /// quasi-identifiers.
    pub fn is_of_crowds(&self, notion: Notion) -> bool {
        let has_crowds = !matches!(notion, Notion::K | Notion::KOne);
        has_crowds && self.model == "distinct-l" && self.shield.is_none()
    }
}

impl FromStr for Require {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Require> {
        let (model, keys) = text.split_once(':').unwrap_or((text, ""));
        let model = model.trim().to_owned();
        let mut require =
            Require { model, parameters: BTreeMap::new(), column: None, shield: None, in_memory: None };
        for pair in keys.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| require.blame(format!("{} is not of the form KEY=VALUE", quoted(pair))))?;
            let (key, value) = (key.trim(), value.trim());
            let is_new = match key {
                "column" => require.column.replace(value.to_owned()).is_none(),
                "shield" => {
                    let names = value.split('+').map(str::trim).filter(|name| !name.is_empty());
                    let columns = names.map(str::to_owned).collect();
                    require.shield.replace(columns).is_none()
                }
                _ => {
                    let value = require.read(key, value)?;
                    require.parameters.insert(key.to_owned(), value).is_none()
                }
            };
            if !is_new {
                return Err(require.blame((format!("{} is set twice", quoted(key)), "set it only once")));
            }
        }
        Ok(require)
    }
}

/// In a job, the parameters stand beside the other keys.
#[derive(Deserialize)]
struct RequireKeys {
    model: String,
    column: Option<String>,
    shield: Option<Vec<String>>,
    #[serde(flatten)]
    parameters: BTreeMap<String, WrittenParameter>,
}

/// A parameter as a job has it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenParameter {
    Flag(bool),
    Whole(i64),
    Number(f64),
    Text(String),
}

impl From<WrittenParameter> for ParameterValue {
    fn from(written: WrittenParameter) -> ParameterValue {
        match written {
            WrittenParameter::Flag(flag) => ParameterValue::Flag(flag),
            WrittenParameter::Whole(number) => ParameterValue::Number(number as f64),
            WrittenParameter::Number(number) => ParameterValue::Number(number),
            WrittenParameter::Text(text) => ParameterValue::Text(text),
        }
    }
}

impl From<&ParameterValue> for WrittenParameter {
    fn from(value: &ParameterValue) -> WrittenParameter {
        match value {
            // As people write them: 3, not 3.0.
            ParameterValue::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                WrittenParameter::Whole(*number as i64)
            }
            ParameterValue::Number(number) => WrittenParameter::Number(*number),
            ParameterValue::Text(text) => WrittenParameter::Text(text.clone()),
            ParameterValue::Flag(flag) => WrittenParameter::Flag(*flag),
        }
    }
}

impl<'de> Deserialize<'de> for Require {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Require, D::Error> {
        let RequireKeys { model, column, shield, parameters } = RequireKeys::deserialize(deserializer)?;
        let parameters = parameters.into_iter().map(|(name, value)| (name, value.into())).collect();
        Ok(Require { model, parameters, column, shield, in_memory: None })
    }
}

impl Serialize for Require {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if let Some(table) = &self.in_memory {
            return Address::Memory(table.clone()).serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", &self.model)?;
        for (name, value) in &self.parameters {
            map.serialize_entry(name, &WrittenParameter::from(value))?;
        }
        if let Some(column) = &self.column {
            map.serialize_entry("column", column)?;
        }
        if let Some(shield) = &self.shield {
            map.serialize_entry("shield", shield)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(text: &str) -> String {
        let require = text.parse::<Require>().and_then(|require| require.validate());
        require.expect_err(text).to_string()
    }

    #[test]
    fn flags_and_jobs_say_the_same() {
        let flag: Require = " distinct-l : l = 3 , column=illness,shield=age+ sex".parse().unwrap();
        let text = "model = 'distinct-l'\nl = 3\ncolumn = 'illness'\nshield = ['age', 'sex']";
        assert_eq!(toml::from_str::<Require>(text).unwrap(), flag);
        assert_eq!(toml::from_str::<Require>(&toml::to_string(&flag).unwrap()).unwrap(), flag);
        let json = serde_json::to_string(&flag).unwrap();
        assert_eq!(json, r#"{"model":"distinct-l","l":3,"column":"illness","shield":["age","sex"]}"#);
        assert_eq!(serde_json::from_str::<Require>(&json).unwrap(), flag);
        flag.validate().unwrap();
    }

    #[test]
    fn bad_requirements_are_explained() {
        assert!(
            complaint("distinkt-l:l=3").contains("unknown model 'distinkt-l'; did you mean 'distinct-l'?")
        );
        assert_eq!(
            complaint("distinct-l:column=x"),
            "the requirement 'distinct-l': distinct-l needs l: the smallest number of values"
        );
        assert!(
            complaint("distinct-l:l=1,column=x").ends_with("l is 1; it must be a whole number, at least 2")
        );
        assert!(
            complaint("distinct-l:l=x,column=x").ends_with("l is 'x'; it must be a whole number, at least 2")
        );
        assert!(complaint("distinct-l:l=3").contains("needs column"));
        assert!(complaint("k:k=3,column=x").contains("does not take column"));
        assert!(complaint("k:k=3,k=4").contains("'k' is set twice"));
        assert!(complaint("k:k=3,shield=a+a").ends_with("shield names 'a' twice"));
        let key = complaint("k:k=3,sheild=age");
        assert!(key.contains("unknown key 'sheild'; did you mean 'shield'?"), "{key}");
        assert!(complaint("k:3").ends_with("'3' is not of the form KEY=VALUE"));
    }
}
