//! The models by name, with their parameters as data: jobs, flags, summaries and `check` follow.

use thiserror::Error;

use super::{PrivacyModel, distinct_l, k_anonymity};

/// A line of the registry.
#[derive(Debug)]
pub struct Entry {
    /// Name in jobs and flags.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Where it was published.
    pub citation: &'static str,
    /// What it must be given.
    pub parameters: &'static [Parameter],
    /// Whether it looks at a sensitive column.
    pub takes_column: bool,
    /// Makes one.
    pub build: fn(&Given<'_>) -> Box<dyn PrivacyModel>,
}

/// A number that a model must be given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Name in jobs and flags.
    pub name: &'static str,
    /// One line for people.
    pub help: &'static str,
    /// The least that is allowed.
    pub least: f64,
    /// The most that is allowed.
    pub most: f64,
    /// Whether it must be a whole number.
    pub whole: bool,
}

/// What a model was given; [`Entry::model`] has checked it.
#[derive(Debug)]
pub struct Given<'g> {
    numbers: &'g [(&'g str, f64)],
    column: Option<usize>,
}

impl Given<'_> {
    /// The number of a parameter.
    ///
    /// # Panics
    /// If the entry does not list it.
    pub fn of(&self, parameter: &str) -> f64 {
        let given = self.numbers.iter().find(|(name, _)| *name == parameter);
        given.expect("every parameter of an entry is given").1
    }

    /// The sensitive column, by its place among the carried ones.
    ///
    /// # Panics
    /// If the entry does not take one.
    pub fn column(&self) -> usize {
        self.column.expect("the entry takes a column")
    }
}

/// Why a model cannot be made of what it was given.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum GivenError {
    /// A parameter that must be given was not.
    #[error("{model} needs {parameter}: {help}")]
    Missing {
        /// The model.
        model: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What it is.
        help: &'static str,
    },
    /// A parameter that the model does not have.
    #[error("{model} does not take {parameter}; it takes {}", allowed.join(", "))]
    Unknown {
        /// The model.
        model: &'static str,
        /// The parameter.
        parameter: String,
        /// What it takes.
        allowed: Vec<&'static str>,
    },
    /// A number that is out of range.
    #[error("{parameter} is {number}; it must be {allowed}")]
    OutOfRange {
        /// The parameter.
        parameter: &'static str,
        /// The number given.
        number: f64,
        /// What is allowed.
        allowed: String,
    },
    /// A model of sensitive values without a column.
    #[error("{model} needs column: the sensitive column that it looks at")]
    NoColumn {
        /// The model.
        model: &'static str,
    },
    /// A column for a model that looks at none.
    #[error("{model} does not take column: it looks at no sensitive column")]
    NeedlessColumn {
        /// The model.
        model: &'static str,
    },
}

impl Parameter {
    /// What is allowed, for people.
    fn allowed(&self) -> String {
        let what = if self.whole { "a whole number" } else { "a number" };
        match self.most {
            most if most.is_finite() => format!("{what} from {} to {most}", self.least),
            _ => format!("{what}, at least {}", self.least),
        }
    }

    fn check(&self, number: f64) -> Result<(), GivenError> {
        let fits = (self.least..=self.most).contains(&number) && (!self.whole || number.fract() == 0.0);
        if fits && number.is_finite() {
            return Ok(());
        }
        Err(GivenError::OutOfRange { parameter: self.name, number, allowed: self.allowed() })
    }
}

impl Entry {
    /// Checks the numbers that a model is given, by name; whether a column is given, too.
    ///
    /// # Errors
    /// A parameter that is missing, unknown or out of range; a column that is missing or needless.
    pub fn check(&self, numbers: &[(&str, f64)], has_column: bool) -> Result<(), GivenError> {
        let model = self.name;
        for (name, _) in numbers {
            if !self.parameters.iter().any(|parameter| parameter.name == *name) {
                let allowed = self.parameters.iter().map(|parameter| parameter.name).collect();
                return Err(GivenError::Unknown { model, parameter: (*name).to_owned(), allowed });
            }
        }
        for parameter in self.parameters {
            let Parameter { name, help, .. } = *parameter;
            let given = numbers.iter().find(|(of, _)| *of == name);
            let given = given.ok_or(GivenError::Missing { model, parameter: name, help })?;
            parameter.check(given.1)?;
        }
        match (self.takes_column, has_column) {
            (true, false) => Err(GivenError::NoColumn { model }),
            (false, true) => Err(GivenError::NeedlessColumn { model }),
            _ => Ok(()),
        }
    }

    /// Makes a model of checked numbers and a column, given by its place among the carried ones.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn model(
        &self,
        numbers: &[(&str, f64)],
        column: Option<usize>,
    ) -> Result<Box<dyn PrivacyModel>, GivenError> {
        self.check(numbers, column.is_some())?;
        Ok((self.build)(&Given { numbers, column }))
    }
}

/// Every model.
pub fn registry() -> &'static [Entry] {
    &[k_anonymity::ENTRY, distinct_l::ENTRY]
}

/// The model of a name.
pub fn find(name: &str) -> Option<&'static Entry> {
    registry().iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_is_given_is_checked_by_its_entry() {
        let refusal = |name: &str, numbers: &[(&str, f64)], column| {
            find(name).unwrap().model(numbers, column).err().map(|error| error.to_string())
        };
        assert_eq!(refusal("k", &[("k", 5.0)], None), None);
        assert_eq!(refusal("distinct-l", &[("l", 3.0)], Some(0)), None);
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(refusal("k", &[], None), said("k needs k: the least rows of a class"));
        assert_eq!(refusal("k", &[("k", 1.0)], None), said("k is 1; it must be a whole number, at least 2"));
        assert_eq!(
            refusal("distinct-l", &[("l", 2.5)], Some(0)),
            said("l is 2.5; it must be a whole number, at least 2")
        );
        assert!(refusal("distinct-l", &[("l", f64::NAN)], Some(0)).unwrap().starts_with("l is NaN; it must"));
        assert_eq!(
            refusal("distinct-l", &[("t", 2.0)], Some(0)),
            said("distinct-l does not take t; it takes l")
        );
        assert_eq!(
            refusal("distinct-l", &[("l", 2.0)], None),
            said("distinct-l needs column: the sensitive column that it looks at")
        );
        assert!(refusal("k", &[("k", 2.0)], Some(0)).unwrap().contains("does not take column"));
    }
}
