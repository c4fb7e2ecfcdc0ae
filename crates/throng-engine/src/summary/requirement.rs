//! What was asked for, one by one, and what the release achieves of each.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use throng::privacy::{ParameterValue, PrivacyModel};
use throng::problem::Problem;
use throng::requirement::{Requirement, Rule};

/// One requirement of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequirementSummary {
    /// Name of the model, or of the notion of a crowd.
    pub model: String,
    /// Its parameters by name.
    pub parameters: Map<String, Value>,
    /// The sensitive column that it looks at.
    pub column: Option<String>,
    /// The quasi-identifiers that make up its classes.
    pub shield: Vec<String>,
    /// What the release achieves: the degree of its worst class. Without a release, the best that could be
    /// had within the suppression limit, if that is known.
    pub degree: Option<f64>,
    /// Whether that satisfies it; not known without a degree.
    pub holds: Option<bool>,
    /// Where it was last judged before the release was published; nothing if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
}

/// Where a requirement of a release was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verified {
    /// In the written file, read back; other notions of a crowd than k beside the original.
    File,
    /// In the run alone: the file does not have the persons, or the population, that it is about.
    Run,
}

/// Whether something holds that may not have been judged, which is no success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Judgement {
    /// It holds.
    #[serde(rename = "holds")]
    Holds,
    /// It does not.
    #[serde(rename = "fails")]
    Fails,
    /// It could not be judged.
    #[serde(rename = "not judged")]
    NotJudged,
}

impl Judgement {
    /// The verdict on what holds, does not, or is not known to.
    pub fn from_answer(holds: Option<bool>) -> Judgement {
        match holds {
            Some(true) => Judgement::Holds,
            Some(false) => Judgement::Fails,
            None => Judgement::NotJudged,
        }
    }
}

impl RequirementSummary {
    /// A requirement over quasi-identifiers of these names, the column that it looks at, and what was found of it.
    pub(crate) fn new(
        requirement: &Requirement,
        quasi: &[&str],
        column: Option<&str>,
        degree: Option<f64>,
        holds: Option<bool>,
    ) -> RequirementSummary {
        let parameters = match requirement.rule() {
            Rule::Classes(model) => model.parameters(),
            Rule::Crowd(_, k) => vec![("k", ParameterValue::Number(*k as f64))],
            Rule::Diverse(_, diversity) => diversity.parameters(),
        };
        let parameters = parameters.into_iter().map(|(name, value)| (name.to_owned(), parameter(value)));
        let shield = match requirement.shield() {
            Some(shield) => shield.iter().map(|&a| quasi[a].to_owned()).collect(),
            None => quasi.iter().map(|&name| name.to_owned()).collect(),
        };
        RequirementSummary {
            model: requirement.name().to_owned(),
            parameters: parameters.collect(),
            column: column.map(str::to_owned),
            shield,
            degree,
            holds,
            verified: None,
        }
    }
}

impl RequirementSummary {
    /// `distinct-l (l = 3) of 'diagnosis' over age, sex`.
    pub fn name(&self) -> String {
        let parameters: Vec<String> =
            self.parameters.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        let column = self.column.as_ref().map(|column| format!(" of '{column}'")).unwrap_or_default();
        format!("{} ({}){column} over {}", self.model, parameters.join(", "), self.shield.join(", "))
    }

    /// What was achieved of it, in words.
    pub fn degree_text(&self) -> String {
        // A degree that does not hold and has no number is infinite; all hold where there is no class.
        let without = match self.holds {
            Some(false) => "an infinite one",
            Some(true) => "nothing, as there is none",
            None => "nothing",
        };
        self.degree.map_or_else(|| without.to_owned(), |degree| format!("{}", (degree * 1e4).round() / 1e4))
    }
}

/// Every requirement of a problem, with the degrees of a release, or those that could be had.
pub(crate) fn requirements(problem: &Problem, degrees: &[f64]) -> Vec<RequirementSummary> {
    let names: Vec<&str> = problem.attributes().iter().map(|attribute| attribute.name.as_str()).collect();
    let summary = |(number, requirement): (usize, &Requirement)| {
        let model = requirement.class_model();
        let degree = degrees.get(number).copied().filter(|degree| degree.is_finite());
        let holds = degree.map(|degree| model.holds(degree));
        let column = model.column().map(|column| problem.table().carried()[column].name());
        RequirementSummary::new(requirement, &names, column, degree, holds)
    };
    problem.requirements.iter().enumerate().map(summary).collect()
}

pub(crate) fn parameter(value: ParameterValue) -> Value {
    match value {
        ParameterValue::Number(number) => super::number(number),
        ParameterValue::Text(text) => json!(text),
        ParameterValue::Flag(flag) => json!(flag),
    }
}

/// What is achieved, by name: k, the notion of a crowd, and each model over all quasi-identifiers.
pub(crate) fn achieved(problem: &Problem, k: Option<u64>, degrees: &[f64]) -> Map<String, Value> {
    let mut achieved: Map<String, Value> = k.map(|k| ("k".to_owned(), json!(k))).into_iter().collect();
    for (requirement, &degree) in problem.requirements.iter().zip(degrees) {
        let name = requirement.name();
        if requirement.shield().is_none() && !achieved.contains_key(name) && degree.is_finite() {
            achieved.insert(name.to_owned(), super::number(degree));
        }
    }
    achieved
}
