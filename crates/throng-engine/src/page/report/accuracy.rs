//! How well a classifier learns from the release.

use crate::evaluate::{Accuracy, TrainedOn};
use crate::evidence::Evidence;
use crate::page::html::{Cell, paragraph, percent, table};

pub(super) fn body(evidence: &Evidence) -> String {
    let found = match &evidence.accuracy {
        None => return String::new(),
        Some(Err(why)) => return paragraph(&format!("No classifier was trained: {why}")),
        Some(Ok(found)) => found,
    };
    let mut rows: Vec<Vec<Cell>> = found.results.iter().map(row).collect();
    rows.push(vec![
        Cell::text("nothing: the most common class for everyone"),
        Cell::text("original records"),
        Cell::Number(percent(found.majority)),
        Cell::Number("–".to_owned()),
    ]);
    format!(
        "{}{}",
        paragraph(&format!(
            "Naive Bayes predicts {} ({} classes) from the other columns, in {} folds.",
            found.target, found.classes, found.folds
        )),
        table(&["trained on", "tested on", "told right#", "from fold to fold#"], &rows)
    )
}

fn row(one: &Accuracy) -> Vec<Cell> {
    let trained = match one.trained_on {
        TrainedOn::Original => "the original",
        TrainedOn::WithoutQuasi => "the original without what others may know",
        TrainedOn::Released => "the release",
    };
    let tested = match (one.trained_on, one.tested_on_original) {
        (TrainedOn::Released, false) => "released records",
        _ => "original records",
    };
    vec![
        Cell::text(trained),
        Cell::text(tested),
        Cell::Number(percent(one.accuracy)),
        Cell::Number(format!("± {}", percent(one.spread))),
    ]
}
