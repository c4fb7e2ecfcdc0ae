//! Groups a table by its quasi-identifiers and counts.

use std::collections::BTreeMap;

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::error::Result;
use datafusion::functions_aggregate::expr_fn;
use datafusion::prelude::{DataFrame, Expr, cast, ident, lit};

use super::ReadBack;

/// Every quasi-identifier of a masked row.
const MASK: &str = "*";

/// Counts rows per class, then classes per size: only the sizes leave the engine.
pub(super) async fn count(frame: DataFrame, quasi: &[String]) -> Result<ReadBack> {
    // Names of our own, so that no column can clash with a count.
    let names: Vec<String> = (0..quasi.len()).map(|position| format!("q{position}")).collect();
    let renamed = quasi.iter().zip(&names).map(|(column, name)| ident(column).alias(name));
    let frame = if quasi.is_empty() { frame } else { frame.select(renamed.collect::<Vec<_>>())? };
    let masked = is_masked(&frame, &names);
    let groups = names.iter().map(ident).collect();
    let sizes = frame
        .aggregate(groups, vec![count_rows("size")])?
        .select(vec![ident("size"), masked.alias("masked")])?
        .aggregate(vec![ident("size"), ident("masked")], vec![count_rows("classes")])?
        .collect()
        .await?;
    let mut found = ReadBack { rows: 0, masked_rows: 0, sizes: BTreeMap::new() };
    for batch in &sizes {
        let numbers = |column: usize| batch.column(column).as_primitive::<Int64Type>().values();
        let masked = batch.column(1).as_boolean();
        for row in 0..batch.num_rows() {
            let is_masked = masked.is_valid(row) && masked.value(row);
            found.add(numbers(0)[row] as u64, is_masked, numbers(2)[row] as u64);
        }
    }
    Ok(found)
}

impl ReadBack {
    fn add(&mut self, size: u64, masked: bool, classes: u64) {
        self.rows += size * classes;
        if masked {
            self.masked_rows += size * classes;
        } else if size > 0 {
            *self.sizes.entry(size).or_default() += classes;
        }
    }
}

pub(super) fn count_rows(name: &str) -> Expr {
    expr_fn::count(lit(1i64)).alias(name)
}

/// Whether all columns are the mask: unknown where one is missing, which counts as no. A column
/// that is no text never is.
pub(super) fn is_masked(frame: &DataFrame, names: &[String]) -> Expr {
    let texts = names.iter().all(|name| {
        frame.schema().field_with_unqualified_name(name).is_ok_and(|field| is_text(field.data_type()))
    });
    if !texts || names.is_empty() {
        return lit(false);
    }
    let columns = names.iter().map(|name| cast(ident(name), DataType::Utf8).eq(lit(MASK)));
    columns.reduce(Expr::and).unwrap_or_else(|| lit(false))
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}
