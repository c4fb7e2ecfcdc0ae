//! Requirements other than one k over all quasi-identifiers, judged in a written table.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::row::{RowConverter, SortField};

use throng::privacy::{PrivacyModel, Whole, achieved, degree_of, violations};
use throng::requirement::Requirement;

use super::{Stored, groups, unverified};
use crate::dictionary::Dictionary;
use crate::error::{EngineError, Result};
use crate::prepare::EncodedTable;

/// What the classes over some columns must satisfy.
pub struct Required<'a> {
    /// The model.
    pub model: &'a dyn PrivacyModel,
    /// The columns that make up the classes.
    pub shield: Vec<String>,
    /// The sensitive column that the model looks at, and the codes of its values.
    pub column: Option<(&'a str, &'a Dictionary)>,
}

impl<'a> Required<'a> {
    /// A requirement by the names of its columns.
    pub(crate) fn new(
        prepared: &'a EncodedTable,
        requirement: &Requirement,
        model: &'a dyn PrivacyModel,
    ) -> Required<'a> {
        let name = |a: usize| prepared.attributes[a].name.clone();
        let all = || (0..prepared.attributes.len()).collect();
        let shield: Vec<usize> = requirement.shield().map_or_else(all, <[usize]>::to_vec);
        let column = model.column().map(|column| &prepared.beside.columns[column]);
        let column = column.map(|column| (column.name(), &column.dictionary));
        Required { model, shield: shield.into_iter().map(name).collect(), column }
    }
}

/// Judges one requirement: the degree of the worst class; none if there is none.
///
/// # Errors
/// [`EngineError::Unverified`] if a class does not satisfy it.
pub async fn verify_required(stored: &Stored<'_>, required: &Required<'_>) -> Result<Option<f64>> {
    let table = Arc::new(stored.open()?);
    let column = required.column.map(|(name, _)| name.to_owned());
    let mut places = super::places_of(&table, &required.shield)?;
    places.extend(super::places_of(&table, column.as_slice())?);
    // Rows of each class and value.
    let groups = groups::group(table, places).await?;
    let mut classes = CellClasses::default();
    groups.try_each(|cells, rows| classes.add(cells, rows, required))?;
    classes.judge(required)
}

/// The classes of a table, by the bytes of their cells.
#[derive(Default)]
struct CellClasses {
    classes: BTreeMap<Box<[u8]>, ReadClass>,
    converter: Option<RowConverter>,
}

/// A class: its rows, and the rows of each value.
#[derive(Default)]
struct ReadClass {
    rows: u64,
    values: BTreeMap<u32, u32>,
}

impl CellClasses {
    /// Adds rows: the cells of the shield, then that of the sensitive column, and how many there are of each.
    fn add(&mut self, cells: &[ArrayRef], rows: &[u64], required: &Required<'_>) -> Result<()> {
        let (shield, value) = cells.split_at(required.shield.len());
        let failed = |_| EngineError::Data("its classes cannot be distinguished".into());
        if self.converter.is_none() {
            let fields = shield.iter().map(|array| SortField::new(array.data_type().clone())).collect();
            self.converter = Some(RowConverter::new(fields).map_err(failed)?);
        }
        let converter = self.converter.as_ref().expect("just made");
        let keys = converter.convert_columns(shield).map_err(failed)?;
        let codes = match required.column {
            Some((name, dictionary)) => {
                let codes = dictionary.encode_array(&value[0]);
                Some(codes.map_err(|_| unverified(format!("column '{name}' has a value that is new")))?)
            }
            None => None,
        };
        for (at, &rows) in rows.iter().enumerate() {
            let class = self.classes.entry(keys.row(at).data().into()).or_default();
            class.rows += rows;
            if let Some(codes) = &codes {
                *class.values.entry(codes[at]).or_default() += rows as u32;
            }
        }
        Ok(())
    }

    /// All rows of the file, as classes are compared with them.
    fn whole(&self, required: &Required<'_>) -> Whole {
        let place = required.model.column().unwrap_or(0);
        let mut values = vec![Vec::new(); place + 1];
        values[place] = vec![0; required.column.map_or(0, |(_, dictionary)| dictionary.len())];
        for class in self.classes.values() {
            class.values.iter().for_each(|(&code, &rows)| values[place][code as usize] += u64::from(rows));
        }
        let mut missing = vec![None; place + 1];
        missing[place] = required.column.and_then(|(_, dictionary)| dictionary.missing());
        Whole::new(self.classes.values().map(|class| class.rows).sum(), values, None).with_missing(missing)
    }

    fn judge(&self, required: &Required<'_>) -> Result<Option<f64>> {
        let (model, whole) = (required.model, self.whole(required));
        let degree = |class: &ReadClass| {
            let values: Vec<(u32, u32)> = class.values.iter().map(|(&code, &rows)| (code, rows)).collect();
            (degree_of(model, class.rows, &values, None, &whole), class.rows)
        };
        let degrees: Vec<(f64, u64)> = self.classes.values().map(degree).collect();
        let achieved = achieved(model, degrees.iter().copied());
        match violations(model, &degrees) {
            0 => Ok(achieved),
            classes => Err(unverified(format!(
                "{classes} of its classes over {} do not have {} = {}; the worst has {}",
                required.shield.join(", "),
                model.name(),
                model.asked(),
                achieved.unwrap_or(0.0)
            ))),
        }
    }
}
