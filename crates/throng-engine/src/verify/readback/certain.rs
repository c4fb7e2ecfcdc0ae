//! How sure one can be of a sensitive value, once somebody's class is found.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::row::{RowConverter, SortField};
use rustc_hash::FxHashMap;

use super::{Stored, groups};
use crate::error::{EngineError, Result};

/// A value that so many of a class have is as good as known.
const LIKELY_SHARE: f64 = 0.9;

/// Rows whose sensitive value is known, or nearly so, to who finds their class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Certainty {
    /// Rows in classes all of whose rows have the same value.
    pub certain_rows: u64,
    /// Rows in other classes of which more than nine tenths have the same value.
    pub likely_rows: u64,
}

/// What can be learned of a sensitive column from the classes over `quasi`.
///
/// # Errors
/// If the file cannot be read.
pub async fn certainty(stored: &Stored<'_>, quasi: &[String], column: &str) -> Result<Certainty> {
    let table = Arc::new(stored.open()?);
    let mut places = table.places(quasi)?;
    places.extend(table.places(&[column.to_owned()])?);
    let mut classes = Classes::default();
    groups::group(table, places).await?.try_each(|cells, rows| classes.add(&cells[..quasi.len()], rows))?;
    let mut found = Certainty::default();
    // Sums do not depend on the order of the classes.
    for class in classes.classes.into_values() {
        if class.most == class.rows {
            found.certain_rows += class.rows;
        } else if class.most as f64 > LIKELY_SHARE * class.rows as f64 {
            found.likely_rows += class.rows;
        }
    }
    Ok(found)
}

#[derive(Default)]
struct Classes {
    classes: FxHashMap<Box<[u8]>, Class>,
    converter: Option<RowConverter>,
}

#[derive(Default)]
struct Class {
    rows: u64,
    /// Rows of its most frequent value.
    most: u64,
}

impl Classes {
    /// Adds groups of rows that have one value each.
    fn add(&mut self, quasi: &[ArrayRef], rows: &[u64]) -> Result<()> {
        let failed = |_| EngineError::Data("its classes cannot be told apart".into());
        if self.converter.is_none() {
            let fields = quasi.iter().map(|array| SortField::new(array.data_type().clone())).collect();
            self.converter = Some(RowConverter::new(fields).map_err(failed)?);
        }
        let converter = self.converter.as_ref().expect("just made");
        let keys = converter.convert_columns(quasi).map_err(failed)?;
        for (key, &rows) in keys.iter().zip(rows) {
            let class = self.classes.entry(key.data().into()).or_default();
            class.rows += rows;
            class.most = class.most.max(rows);
        }
        Ok(())
    }
}
