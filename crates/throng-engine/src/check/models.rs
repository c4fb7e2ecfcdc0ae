//! What a table achieves of every privacy model, for every sensitive column.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use throng::privacy::{self, PrivacyModel, SensitiveColumn, achieved};

use super::classes::{ClassDegrees, ClassKey, QuasiClasses};
use super::rows::Wanted;
use crate::prepare::CarriedColumns;
use crate::summary::parameter;

/// What a table achieves of one privacy model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelDegree {
    /// Name of the model.
    pub model: String,
    /// What makes it the variant that it is; nothing is asked for.
    pub variant: Map<String, Value>,
    /// The sensitive column that it looks at.
    pub column: Option<String>,
    /// What the table achieves: the degree of its worst class, or the mean. None if that is infinite.
    pub degree: Option<f64>,
    /// Rows of the worst class, by their numbers: the first few.
    pub worst_rows: Vec<u64>,
}

/// A model's degree, and the class that is worst.
pub(super) struct WorstClass {
    model: Box<dyn PrivacyModel>,
    degrees: ClassDegrees,
}

/// What classes have of every model, for every column that it can look at.
pub(super) fn find(classes: &QuasiClasses, columns: &[SensitiveColumn]) -> Vec<WorstClass> {
    let find = |model: Box<dyn PrivacyModel>| WorstClass { degrees: classes.degrees(&*model), model };
    models(columns).into_iter().map(find).collect()
}

fn models(columns: &[SensitiveColumn]) -> Vec<Box<dyn PrivacyModel>> {
    let of_entry = |entry: &privacy::ModelEntry| -> Vec<Box<dyn PrivacyModel>> {
        if entry.takes_column {
            columns.iter().flat_map(|column| (entry.measured)(column)).collect()
        } else {
            (entry.measured)(&SensitiveColumn::default())
        }
    };
    privacy::registry().iter().flat_map(of_entry).collect()
}

impl WorstClass {
    /// Asks for the rows of the worst class.
    pub(super) fn want(&self, classes: &QuasiClasses, wanted: &mut Wanted) {
        wanted.add(classes, self.degrees.worst);
    }

    /// In words and numbers, with the rows that were found.
    pub(super) fn describe(
        &self,
        classes: &QuasiClasses,
        beside: &CarriedColumns,
        rows: &BTreeMap<ClassKey, Vec<u64>>,
    ) -> ModelDegree {
        let model = &*self.model;
        let degree = achieved(model, self.degrees.by_class.iter().copied()).unwrap_or(0.0);
        ModelDegree {
            model: model.name().to_owned(),
            variant: variant(model),
            column: model.column().map(|place| beside.columns[place].name().to_owned()),
            degree: Some(degree).filter(|degree| degree.is_finite()),
            worst_rows: classes.rows_named(self.degrees.worst, rows),
        }
    }
}

/// The parameters that are not what is asked for.
fn variant(model: &dyn PrivacyModel) -> Map<String, Value> {
    let others = model.parameters().into_iter().skip(1).filter(|(name, _)| *name != "attacker");
    others.map(|(name, value)| (name.to_owned(), parameter(value))).collect()
}
