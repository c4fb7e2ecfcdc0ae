//! A requirement beside k: a privacy model with its parameters, and what it is about.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use throng::privacy::{self, Entry};
use throng::wording::quoted;

use crate::error::{EngineError, Result};
use crate::wording::unknown;

/// One `[[privacy.require]]` of a job.
///
/// ```
/// use throng_engine::job::Require;
///
/// let require: Require = "distinct-l:l=3,column=diagnosis,shield=age+sex".parse()?;
/// assert_eq!((require.model.as_str(), require.numbers["l"]), ("distinct-l", 3.0));
/// assert_eq!(require.shield.unwrap(), ["age", "sex"]);
/// # Ok::<(), throng_engine::error::EngineError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Require {
    /// Name of the model.
    pub model: String,
    /// Its parameters.
    pub numbers: BTreeMap<String, f64>,
    /// The sensitive column that it looks at.
    pub column: Option<String>,
    /// The quasi-identifiers that make up its classes; all if there is none.
    pub shield: Option<Vec<String>>,
}

impl Require {
    /// The model's entry.
    pub(crate) fn entry(&self) -> Result<&'static Entry> {
        let names = || privacy::registry().iter().map(|entry| entry.name);
        privacy::find(&self.model)
            .ok_or_else(|| EngineError::bad(unknown("model", &self.model, &names().collect::<Vec<_>>())))
    }

    /// The parameters, as the core takes them.
    pub(crate) fn numbers(&self) -> Vec<(&str, f64)> {
        self.numbers.iter().map(|(name, &number)| (name.as_str(), number)).collect()
    }

    /// Checks everything that does not need the table.
    pub(super) fn validate(&self) -> Result<()> {
        let entry = self.entry()?;
        let checked = entry.check(&self.numbers(), self.column.is_some());
        checked.map_err(|error| self.blame(&error.to_string()))?;
        let Some(shield) = &self.shield else { return Ok(()) };
        if shield.is_empty() {
            return Err(self.blame("shield is empty; it must name quasi-identifiers, or be left out for all"));
        }
        let twice = (1..shield.len()).find(|&at| shield[..at].contains(&shield[at]));
        match twice {
            Some(at) => Err(self.blame(&format!("shield names {} twice", quoted(&shield[at])))),
            None => Ok(()),
        }
    }

    /// What is wrong with a key of a flag whose value is no number.
    fn refuse_key(&self, key: &str, value: &str) -> EngineError {
        let parameters = self.entry().map_or(&[][..], |entry| entry.parameters);
        let allowed: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
        if allowed.contains(&key) {
            return self.blame(&format!("{key} is {}; it must be a number", quoted(value)));
        }
        self.blame(&unknown("key", key, &[&allowed[..], &["column", "shield"]].concat()))
    }

    /// An error with the requirement that is at fault.
    pub(crate) fn blame(&self, problem: &str) -> EngineError {
        EngineError::bad(format!("the requirement {}: {problem}", quoted(&self.model)))
    }
}

/// Reads a flag: `MODEL:KEY=VALUE,…`, the columns of a shield with `+` between them.
impl FromStr for Require {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Require> {
        let (model, keys) = text.split_once(':').unwrap_or((text, ""));
        let mut require =
            Require { model: model.trim().to_owned(), numbers: BTreeMap::new(), column: None, shield: None };
        for pair in keys.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| require.blame(&format!("{} is no KEY=VALUE", quoted(pair))))?;
            let (key, value) = (key.trim(), value.trim());
            let is_new = match key {
                "column" => require.column.replace(value.to_owned()).is_none(),
                "shield" => {
                    let columns = value.split('+').map(|name| name.trim().to_owned()).collect();
                    require.shield.replace(columns).is_none()
                }
                _ => {
                    let number = value.parse().map_err(|_| require.refuse_key(key, value))?;
                    require.numbers.insert(key.to_owned(), number).is_none()
                }
            };
            if !is_new {
                return Err(require.blame(&format!("{} is set twice; once is allowed", quoted(key))));
            }
        }
        Ok(require)
    }
}

/// In a job, the parameters stand beside the other keys.
#[derive(Deserialize)]
struct Keys {
    model: String,
    column: Option<String>,
    shield: Option<Vec<String>>,
    #[serde(flatten)]
    numbers: BTreeMap<String, f64>,
}

impl<'de> Deserialize<'de> for Require {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Require, D::Error> {
        let Keys { model, column, shield, numbers } = Keys::deserialize(deserializer)?;
        Ok(Require { model, numbers, column, shield })
    }
}

impl Serialize for Require {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", &self.model)?;
        for (name, &number) in &self.numbers {
            // As people write them: 3, not 3.0.
            if number.fract() == 0.0 && number.abs() < 9e15 {
                map.serialize_entry(name, &(number as i64))?;
            } else {
                map.serialize_entry(name, &number)?;
            }
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
            "the requirement 'distinct-l': distinct-l needs l: the least number of values"
        );
        assert!(
            complaint("distinct-l:l=1,column=x").ends_with("l is 1; it must be a whole number, at least 2")
        );
        assert!(complaint("distinct-l:l=x,column=x").ends_with("l is 'x'; it must be a number"));
        assert!(complaint("distinct-l:l=3").contains("needs column"));
        assert!(complaint("k:k=3,column=x").contains("does not take column"));
        assert!(complaint("k:k=3,k=4").contains("'k' is set twice"));
        assert!(complaint("k:k=3,shield=a+a").ends_with("shield names 'a' twice"));
        let key = complaint("k:k=3,sheild=age");
        assert!(key.contains("unknown key 'sheild'; did you mean 'shield'?"), "{key}");
        assert!(complaint("k:3").ends_with("'3' is no KEY=VALUE"));
    }
}
