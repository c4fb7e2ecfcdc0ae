//! How well a classifier learns from the release.

use maud::{Markup, html};

use throng_engine::evaluate::{Accuracy, TrainedOn};

use crate::evidence::Evidence;
use crate::page::html::{percent, table};

pub(super) fn body(evidence: &Evidence) -> Option<Markup> {
    let found = match evidence.accuracy.as_ref()? {
        Err(why) => return Some(html! { p { "No classifier was trained: " (why) } }),
        Ok(found) => found,
    };
    let mut rows: Vec<Vec<String>> = found.results.iter().map(row).collect();
    rows.push(vec![
        "nothing (always gives the most common answer)".to_owned(),
        "the original".to_owned(),
        percent(found.majority),
        String::new(),
    ]);
    Some(html! {
        p {
            "How often naive Bayes predicts " code { (found.target) } " (" (found.classes) " answers) right from the other columns, in "
            (found.folds) " folds."
        }
        (table(&["learned from", "tested on", "right#", "from fold to fold#"], &rows))
    })
}

fn row(one: &Accuracy) -> Vec<String> {
    let trained = match one.trained_on {
        TrainedOn::Original => "the original",
        TrainedOn::WithoutQuasi => "the original without what others may know",
        TrainedOn::Released => "the release",
    };
    let tested = match (one.trained_on, one.tested_on_original) {
        (TrainedOn::Released, false) => "the release",
        _ => "the original",
    };
    vec![trained.to_owned(), tested.to_owned(), percent(one.accuracy), format!("± {}", percent(one.spread))]
}
