//! The models by name, with their parameters as data: jobs, flags, summaries and `check` follow.

use super::parameter::{GivenError, Parameter, ParameterValue};
use super::{
    PrivacyModel, alpha_k, beta_likeness, delta_disclosure, delta_presence, distinct_l, entropy_l, folded,
    k_anonymity, k_map, p_sensitive, recursive_cl, risk, t_closeness,
};

/// A line of the registry.
#[derive(Debug)]
pub struct ModelEntry {
    /// Name in jobs and flags.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Where it was published.
    pub citation: &'static str,
    /// What it is given.
    pub parameters: &'static [Parameter],
    /// Whether it looks at a sensitive column.
    pub takes_column: bool,
    /// Makes one.
    pub build: fn(&Given<'_>) -> Result<Box<dyn PrivacyModel>, GivenError>,
    /// Those whose degrees tell most of a column where nothing is asked for.
    pub measured: fn(&SensitiveColumn) -> Vec<Box<dyn PrivacyModel>>,
}

/// A sensitive column as models need to know it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SensitiveColumn {
    /// Its place among the carried columns.
    pub place: usize,
    /// The text of each code.
    pub texts: Vec<String>,
    /// Whether texts are one value only if they are spelled alike; else if they are [folded](super::folded) alike.
    pub exact: bool,
    /// The codes in the order of their values, if they have one.
    pub order: Option<Vec<u32>>,
    /// For each level of its hierarchy, from the values themselves to the top, the number of each code's
    /// group.
    pub tree: Option<Vec<Vec<u32>>>,
}

impl SensitiveColumn {
    /// A column of which nothing but its place is known.
    pub fn at(place: usize) -> SensitiveColumn {
        SensitiveColumn { place, ..SensitiveColumn::default() }
    }

    /// The code of a value, as the column compares them.
    pub fn code(&self, value: &str) -> Option<u32> {
        let same = |known: &String| known == value || !self.exact && folded(known) == folded(value);
        self.texts.iter().position(same).map(|code| code as u32)
    }
}

/// What a model was given; [`ModelEntry::model`] has checked it.
#[derive(Debug)]
pub struct Given<'g> {
    values: &'g [(&'g str, ParameterValue)],
    column: Option<&'g SensitiveColumn>,
}

impl Given<'_> {
    fn value(&self, parameter: &str) -> Option<&ParameterValue> {
        self.values.iter().find(|(name, _)| *name == parameter).map(|(_, value)| value)
    }

    /// The number of a required parameter.
    ///
    /// # Panics
    /// If the entry does not list it as one.
    pub fn number(&self, parameter: &str) -> f64 {
        match self.value(parameter) {
            Some(ParameterValue::Number(number)) => *number,
            _ => panic!("every required number of an entry is given"),
        }
    }

    /// The text of a parameter, if it is given.
    pub fn text(&self, parameter: &str) -> Option<&str> {
        match self.value(parameter) {
            Some(ParameterValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Whether a flag is set.
    pub fn flag(&self, parameter: &str) -> bool {
        self.value(parameter) == Some(&ParameterValue::Flag(true))
    }

    /// The sensitive column.
    ///
    /// # Panics
    /// If the entry does not take one.
    pub fn column(&self) -> &SensitiveColumn {
        self.column.expect("the entry takes a column")
    }
}

impl ModelEntry {
    /// The parameter of a name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Checks what a model is given, by name; whether a column is given, too.
    ///
    /// # Errors
    /// A parameter that is missing, unknown or out of range; a column that is missing or needless.
    pub fn check(&self, values: &[(&str, ParameterValue)], has_column: bool) -> Result<(), GivenError> {
        let model = self.name;
        for (name, value) in values {
            let Some(parameter) = self.parameter(name) else {
                let allowed = self.parameters.iter().map(|parameter| parameter.name).collect();
                return Err(GivenError::Unknown { model, parameter: (*name).to_owned(), allowed });
            };
            parameter.check(value)?;
        }
        for Parameter { name, help, .. } in self.parameters.iter().filter(|parameter| parameter.required) {
            if !values.iter().any(|(of, _)| of == name) {
                return Err(GivenError::Missing { model, parameter: name, help });
            }
        }
        match (self.takes_column, has_column) {
            (true, false) => Err(GivenError::NoColumn { model }),
            (false, true) => Err(GivenError::NeedlessColumn { model }),
            _ => Ok(()),
        }
    }

    /// Makes a model of what it is given.
    ///
    /// # Errors
    /// As [`check`](Self::check), and what does not go together or with the column.
    pub fn model(
        &self,
        values: &[(&str, ParameterValue)],
        column: Option<&SensitiveColumn>,
    ) -> Result<Box<dyn PrivacyModel>, GivenError> {
        self.check(values, column.is_some())?;
        (self.build)(&Given { values, column })
    }
}

/// Every model.
pub fn registry() -> &'static [ModelEntry] {
    &[
        k_anonymity::ENTRY,
        distinct_l::ENTRY,
        entropy_l::ENTRY,
        recursive_cl::ENTRY,
        p_sensitive::ENTRY,
        alpha_k::ENTRY,
        t_closeness::ENTRY,
        beta_likeness::ENTRY,
        delta_disclosure::ENTRY,
        k_map::ENTRY,
        delta_presence::ENTRY,
        risk::AVERAGE,
        risk::MAXIMUM,
    ]
}

/// The model of a name.
pub fn find(name: &str) -> Option<&'static ModelEntry> {
    registry().iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(name: &str, values: &[(&str, ParameterValue)], column: bool) -> Option<String> {
        let at = SensitiveColumn { texts: vec!["flu".into(), "hiv".into()], ..SensitiveColumn::at(0) };
        find(name).unwrap().model(values, column.then_some(&at)).err().map(|error| error.to_string())
    }

    #[test]
    fn what_a_model_is_given_is_checked_by_its_entry() {
        assert_eq!(refusal("k", &[("k", 5.0.into())], false), None);
        assert_eq!(refusal("distinct-l", &[("l", 3.0.into())], true), None);
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(refusal("k", &[], false), said("k needs k: the smallest number of rows in a class"));
        let one = refusal("k", &[("k", 1.0.into())], false);
        assert_eq!(one, said("k is 1; it must be a whole number, at least 2"));
        assert!(refusal("k", &[("k", 1e300.into())], false).is_some());
        let half = refusal("distinct-l", &[("l", 2.5.into())], true);
        assert_eq!(half, said("l is 2.5; it must be a whole number, at least 2"));
        assert!(refusal("distinct-l", &[("l", f64::NAN.into())], true).unwrap().starts_with("l is NaN; it"));
        let unknown = refusal("distinct-l", &[("t", 2.0.into())], true);
        assert_eq!(unknown, said("distinct-l does not take t; it takes l"));
        let none = refusal("distinct-l", &[("l", 2.0.into())], false);
        assert_eq!(none, said("distinct-l needs column: the sensitive column to look at"));
        assert!(refusal("k", &[("k", 2.0.into())], true).unwrap().contains("does not take column"));
    }

    #[test]
    fn every_model_refuses_what_is_out_of_its_range() {
        for (name, parameter, bad) in [
            ("entropy-l", "l", 0.9),
            ("recursive-cl", "c", 0.0),
            ("p-sensitive", "p", 1.0),
            ("alpha-k", "alpha", 0.0),
            ("alpha-k", "alpha", 1.1),
            ("t-closeness", "t", 1.01),
            ("t-closeness", "t", -0.1),
            ("beta-likeness", "beta", 0.0),
            ("delta-disclosure", "delta", -1.0),
            ("delta-presence", "max", 1.5),
            ("average-risk", "risk", 0.0),
            ("max-risk", "risk", 2.0),
        ] {
            let column = find(name).unwrap().takes_column;
            let refused = refusal(name, &[(parameter, bad.into())], column).unwrap();
            assert!(refused.starts_with(&format!("{parameter} is {bad}; it must be a")), "{refused}");
        }
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        let t = ("t", ParameterValue::from(0.2));
        let far = refusal("t-closeness", &[t.clone(), ("distance", "far".into())], true).unwrap();
        assert_eq!(far, "distance is 'far'; it must be equal or ordered or hierarchical");
        let ordered = refusal("t-closeness", &[t, ("distance", "ordered".into())], true).unwrap();
        assert!(ordered.contains("no order"), "{ordered}");
        let presence = [("min", 0.5.into()), ("max", 0.2.into()), ("population", "p.csv".into())];
        let refused = refusal("delta-presence", &presence, false).unwrap();
        assert_eq!(refused, "min is 0.5, which is more than max, 0.2");
        let journalist = [("risk", 0.5.into()), ("attacker", "journalist".into())];
        assert!(refusal("max-risk", &journalist, false).unwrap().contains("needs population"));
    }

    /// What is asked for comes first among the parameters: two requirements differ in their degree only if
    /// all others are the same.
    #[test]
    fn the_first_parameter_is_what_is_asked_for() {
        let column = SensitiveColumn {
            place: 0,
            texts: vec!["a".to_owned(), "b".to_owned()],
            exact: false,
            order: Some(vec![0, 1]),
            tree: Some(vec![vec![0, 1], vec![0, 0]]),
        };
        for entry in registry() {
            for model in (entry.measured)(&column) {
                let first = model.parameters().remove(0);
                assert_eq!(first.1, ParameterValue::Number(model.asked()), "{}", entry.name);
                assert_eq!(first.0, entry.parameters.iter().find(|one| one.name == first.0).unwrap().name);
            }
        }
    }
}
