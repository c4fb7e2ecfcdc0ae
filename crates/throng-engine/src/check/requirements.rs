//! What is required of a table, one by one, and whether it holds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use throng::notion::Notion;
use throng::privacy::{PrivacyModel, ToldByRows, achieved};
use throng::requirement::Requirement;

use super::CheckedTable;
use super::classes::{ClassDegrees, ClassKey, QuasiClasses};
use super::rows::Wanted;
use crate::error::Result;
use crate::job::Require;
use crate::prepare::{CarriedColumns, requirements};
use crate::summary::{Judgement, RequirementSummary};

/// A requirement, and what the table has of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequirementFound {
    /// What is required, and the degree of the worst class.
    #[serde(flatten)]
    pub summary: RequirementSummary,
    /// In a word: whether it holds, or was not judged.
    pub verdict: Judgement,
    /// Why it could not be judged, if it could not.
    pub not_judged: Option<String>,
    /// Classes that do not satisfy it.
    pub failing_classes: u64,
    /// Rows of these.
    pub failing_rows: u64,
    /// Rows of the worst class, by their numbers: the first few.
    pub worst_rows: Vec<u64>,
}

/// A requirement and the classes that it is about.
pub(super) struct RequiredClasses {
    requirement: Requirement,
    not_judged: Option<String>,
    /// Nothing if they are not judged.
    classes: Option<(QuasiClasses, ClassDegrees)>,
}

/// Judges every requirement of a subject on the classes over all its quasi-identifiers.
///
/// # Errors
/// A shield or a column that the table lacks; parameters that do not fit.
pub(super) fn find(
    subject: &CheckedTable,
    all: &QuasiClasses,
    beside: &CarriedColumns,
) -> Result<Vec<RequiredClasses>> {
    let quasi: Vec<&str> = subject.quasi_names().collect();
    let told = |name: &str| subject.told_of(name);
    let lacking = subject.lacks_persons().then_some("the table does not show which rows belong to whom");
    let find = |require: &Require| {
        let requirement = requirements::find_one(require, &quasi, &beside.columns, &told)?;
        let model = requirement.class_model();
        let population = model.looks_at_population().then_some("the population is not in the table");
        // What rows tell of persons is judged by rows.
        let lacking = lacking.filter(|_| model.told_by_rows() != ToldByRows::Same);
        let not_judged = population.or(lacking);
        let counts =
            not_judged.is_none() || population.is_none() && model.told_by_rows() == ToldByRows::AtBest;
        let classes = counts.then(|| {
            let classes = requirement.shield().map_or_else(|| all.clone(), |shield| all.over(shield));
            let degrees = classes.degrees(&*model);
            (classes, degrees)
        });
        let fails = |(classes, degrees): &(QuasiClasses, ClassDegrees)| {
            judge(&*model, classes, degrees).failing_classes > 0
        };
        let failing = classes.as_ref().is_some_and(fails);
        // A class is part of a crowd: what it has the crowd has, and what it lacks the crowd may have.
        let beyond = failing && require.is_of_crowds(subject.notion());
        let why_none = classes.as_ref().and_then(|(_, degrees)| {
            let sizes: Vec<u64> = degrees.by_class.iter().map(|(_, rows)| *rows).collect();
            model.why_none(&sizes)
        });
        let not_judged = match beyond {
            true => Some(not_by_classes(subject.notion())),
            false => why_none.or(not_judged.filter(|_| !failing).map(str::to_owned)),
        };
        let classes = classes.filter(|_| not_judged.is_none());
        Ok(RequiredClasses { requirement, not_judged, classes })
    };
    subject.required().iter().map(find).collect()
}

/// Why the classes of a release alone do not decide what its crowds have.
fn not_by_classes(notion: Notion) -> String {
    format!(
        "under {} it concerns crowds that are not classes; name the job and the release (throng check JOB \
            RELEASED)",
        notion.text()
    )
}

impl RequiredClasses {
    /// Asks for the rows of the worst class.
    pub(super) fn want(&self, wanted: &mut Wanted) {
        if let Some((classes, degrees)) = &self.classes {
            wanted.add(classes, degrees.worst);
        }
    }

    /// In words and numbers, with the rows that were found.
    pub(super) fn describe(
        &self,
        subject: &CheckedTable,
        beside: &CarriedColumns,
        rows: &BTreeMap<ClassKey, Vec<u64>>,
    ) -> RequirementFound {
        let model = self.requirement.class_model();
        let judged = self.classes.as_ref().map(|(classes, degrees)| judge(&*model, classes, degrees));
        let quasi: Vec<&str> = subject.quasi_names().collect();
        let degree = judged.as_ref().map(|judged| judged.degree).filter(|degree| degree.is_finite());
        let holds = judged.as_ref().map(|judged| judged.failing_classes == 0);
        let column = model.column().map(|place| beside.columns[place].name());
        let summary = RequirementSummary::new(&self.requirement, &quasi, column, degree, holds);
        RequirementFound {
            verdict: Judgement::from_answer(holds),
            summary,
            not_judged: self.not_judged.clone(),
            failing_classes: judged.as_ref().map_or(0, |judged| judged.failing_classes),
            failing_rows: judged.as_ref().map_or(0, |judged| judged.failing_rows),
            worst_rows: self
                .classes
                .as_ref()
                .map_or_else(Vec::new, |(classes, degrees)| classes.rows_named(degrees.worst, rows)),
        }
    }
}

struct JudgedRequirement {
    degree: f64,
    failing_classes: u64,
    failing_rows: u64,
}

fn judge(model: &dyn PrivacyModel, classes: &QuasiClasses, degrees: &ClassDegrees) -> JudgedRequirement {
    let by_class = &degrees.by_class;
    let degree = achieved(model, by_class.iter().copied()).unwrap_or(0.0);
    // A mean fails or holds as a whole.
    let fails = |class: &usize| !model.holds(if model.is_mean() { degree } else { by_class[*class].0 });
    let failing: Vec<usize> = (0..by_class.len()).filter(fails).collect();
    JudgedRequirement {
        degree,
        failing_classes: failing.len() as u64,
        failing_rows: failing.into_iter().map(|class| classes.rows(class)).sum(),
    }
}
