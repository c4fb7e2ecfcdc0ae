//! How exposed rows are where persons count: a class is as small as the persons in it are few.

use super::classes::QuasiClasses;
use super::sizes::Sizes;
use super::{CheckSummary, ColumnRisk, Exposure, ReidentificationRisk, histogram, share};

/// What was found by rows, counted by persons.
pub(super) fn recount(found: CheckSummary, classes: &QuasiClasses, person: &str) -> CheckSummary {
    let threshold = found.threshold;
    let crowds = classes.crowds();
    let sizes: Sizes = crowds.iter().map(|&(persons, _)| persons).collect();
    let mut histogram = histogram(&sizes);
    for bucket in &mut histogram {
        let within = crowds.iter().filter(|(persons, _)| (bucket.from..=bucket.to).contains(persons));
        bucket.rows = within.map(|&(_, rows)| rows).sum();
    }
    let k = sizes.smallest().unwrap_or(0);
    let exposure_over = |shield: &[usize]| exposure(&classes.over(shield).crowds(), threshold);
    let place =
        |name: &String| found.quasi.iter().position(|known| known == name).expect("a quasi-identifier");
    let recount = |column: &ColumnRisk| {
        let at = place(&column.name);
        let others: Vec<usize> = (0..found.quasi.len()).filter(|&other| other != at).collect();
        ColumnRisk { left_out: exposure_over(&others), alone: exposure_over(&[at]), ..column.clone() }
    };
    let mut columns: Vec<ColumnRisk> = found.columns.iter().map(recount).collect();
    columns.sort_by_key(|column| {
        (column.left_out.at_risk_rows, column.left_out.unique_rows, place(&column.name))
    });
    CheckSummary {
        k,
        classes_at_risk: sizes.classes_below(threshold),
        exposure: exposure(&crowds, threshold),
        risk: ReidentificationRisk { highest: share(1, k), mean: share(sizes.classes(), sizes.rows()) },
        histogram,
        columns,
        person: Some(person.to_owned()),
        ..found
    }
}

/// Rows of classes of one person, and of fewer than the threshold; classes are persons and rows.
fn exposure(classes: &[(u64, u64)], threshold: u64) -> Exposure {
    let all = classes.iter().map(|&(_, rows)| rows).sum();
    let below =
        |least: u64| classes.iter().filter(|(persons, _)| *persons < least).map(|&(_, rows)| rows).sum();
    let (unique_rows, at_risk_rows) = (below(2), below(threshold));
    Exposure {
        unique_rows,
        unique_share: share(unique_rows, all),
        at_risk_rows,
        at_risk_share: share(at_risk_rows, all),
    }
}
