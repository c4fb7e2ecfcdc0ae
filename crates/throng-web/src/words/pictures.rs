//! What is said of the pictures of a release: its crowds, and all combinations of steps; and of what classifiers learn.

use super::{count, many, percent};

pub(crate) const LEARNED: &str = "What can still be learned from it";
pub(crate) const LEARNED_WHY: &str =
    "We let two classifiers learn a column from all the others, and count how often they are right.";
pub(crate) const LEARNED_TARGET: &str = "The column to predict";
pub(crate) const LEARNED_BUTTON: &str = "Let them learn";
pub(crate) const LEARNED_COLUMNS: [&str; 4] =
    ["Right answers", "from the original", "from this release", "without what others may know"];
pub(crate) const LEARNED_NOTHING: &str = "always the most frequent answer";

pub(crate) fn learned_of(column: &str) -> String {
    format!("How often {column} is predicted correctly")
}

pub(crate) fn classifier(name: &str) -> &str {
    match name {
        "naive-bayes" => "naive Bayes",
        "random-forest" => "random forest",
        other => other,
    }
}

pub(crate) const CROWDS_PICTURE: &str = "The crowds";
pub(crate) const CROWDS_KEY: [(&str, &str); 4] = [
    ("d0", "nothing hidden"),
    ("d1", "less than half hidden"),
    ("d2", "half or more hidden"),
    ("gone", "all hidden (*)"),
];
pub(crate) const POINT: &str = "Point at something, or press the arrow keys, to see what it is.";

pub(crate) fn crowds_why(total: u64, drawn: u64) -> String {
    let some = if drawn < total { format!(" {} crowds are drawn.", count(drawn)) } else { String::new() };
    format!("People who look alike: {}. A larger square has more people.{some}", many(total, "crowd"))
}

pub(crate) fn crowd(rows: u64, shows: &str) -> String {
    format!("{}: {shows}", many(rows, "row"))
}

pub(crate) const LATTICE_SIZE: &str = "larger: keeps more, before anybody is left out";

pub(crate) fn node(levels: &str, kept: Option<f64>, known: &str) -> String {
    let kept = kept.map(|kept| format!(", keeps {}", percent(kept))).unwrap_or_default();
    let known = super::LATTICE_KEY.iter().find(|(class, _)| *class == known).map_or("", |(_, text)| text);
    format!("{levels}{kept}: {known}")
}

pub(crate) fn sampled_lattice(drawn: u64, total: &str) -> String {
    format!("{} of {total} are drawn: all next to this release, and some of each height.", count(drawn))
}
