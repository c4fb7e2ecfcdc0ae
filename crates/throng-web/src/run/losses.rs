//! What each column keeps at each of its levels, for the picture of all combinations of levels.

use std::collections::BTreeMap;
use std::path::Path;

use throng::taxonomy::{Taxonomy, ValueId};
use throng_engine::error::Result;
use throng_engine::job::Job;

use crate::app::App;
use crate::draft::quasi;

/// For each column, the share of its detail that each level keeps, by the measure `lm`.
pub(crate) type KeptByLevel = BTreeMap<String, Vec<f64>>;

/// Finds what the columns of a job keep.
///
/// # Errors
/// If its table cannot be read, or a hierarchy does not fit it.
pub(super) async fn find(app: &App, place: &Path, job: &Job) -> Result<KeptByLevel> {
    let counted = app.counts.columns(place, job, &quasi(job)).await?;
    let kept = counted.into_iter().map(|(name, column)| {
        let values: Vec<&str> = column.values.iter().map(String::as_str).collect();
        let spec = job.columns.get(&name).and_then(|column| column.hierarchy.as_ref());
        let taxonomy = match spec {
            Some(spec) => spec.build(&name, &values)?,
            None => Taxonomy::flat(&values)?,
        };
        let rows: BTreeMap<&str, u64> = values.iter().copied().zip(column.rows.iter().copied()).collect();
        Ok((name, by_level(&taxonomy, &rows)))
    });
    kept.collect()
}

fn by_level(taxonomy: &Taxonomy, rows: &BTreeMap<&str, u64>) -> Vec<f64> {
    let leaves = taxonomy.leaf_total();
    let all: u64 = rows.values().sum();
    let kept = |level: usize| {
        let mut found: BTreeMap<ValueId, (u64, u64)> = BTreeMap::new();
        for leaf in 0..leaves as ValueId {
            let value = found.entry(taxonomy.generalise(leaf, level)).or_default();
            value.0 += 1;
            value.1 += rows.get(taxonomy.label(leaf)).copied().unwrap_or_default();
        }
        let lost = found.values().map(|(leaves, rows)| (leaves - 1) as f64 * *rows as f64).sum::<f64>();
        1.0 - lost / ((leaves.max(2) - 1) as f64 * all.max(1) as f64)
    };
    (0..=taxonomy.height()).map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_values_keep_all_and_hidden_ones_nothing() {
        let rows = [["31", "30s", "*"], ["35", "30s", "*"], ["47", "40s", "*"]];
        let taxonomy = Taxonomy::from_rows(&rows).unwrap();
        // Of four rows, three are in a group of two of the three values: each of them loses 1/2.
        let counted = BTreeMap::from([("31", 2), ("35", 1), ("47", 1)]);
        assert_eq!(by_level(&taxonomy, &counted), [1.0, 1.0 - 3.0 / 8.0, 0.0]);
    }
}
